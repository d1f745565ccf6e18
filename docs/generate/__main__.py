"""Writes the data that pages of the site take from lexpool: `python docs/generate`, or some by
name.

Each module beside this has `data()`, which becomes a file of its name in src/data; `api` has
`generate(site)` instead and writes pages. None of what they write is committed, so a page cannot
say what the code no longer does.
"""

import importlib
import json
import sys
from pathlib import Path

SITE = Path(__file__).parents[1]
GENERATORS = sorted(module.stem for module in Path(__file__).parent.glob("[a-z]*.py"))


def write(site: Path, name: str) -> None:
    """Writes the data of one module into a site's folder."""
    module = importlib.import_module(name)
    if hasattr(module, "generate"):
        module.generate(site)
        return
    path = site / f"src/data/{name.replace('_', '-')}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    # In ASCII: a lone mark or a control character stays what it is in every editor.
    path.write_text(json.dumps(module.data(), indent=1) + "\n")


if __name__ == "__main__":
    for name in sys.argv[1:] or GENERATORS:
        write(SITE, name)
