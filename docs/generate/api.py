"""Pages of lexpool's classes and functions: src/content/docs/api, from stubs and docstrings."""

import shutil
from pathlib import Path

from apipages.pages import Pages
from apipages.surface import public


def generate(site: Path) -> None:
    folder = site / "src/content/docs/api"
    if folder.exists():
        shutil.rmtree(folder)
    for name, text in Pages(public()).all().items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
