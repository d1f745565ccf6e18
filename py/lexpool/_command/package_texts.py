"""The texts of a package of a pipeline: its README, and the files in Python."""

from __future__ import annotations

from typing import Any

from .._narrow import is_dict, is_list

__all__ = ["INIT", "MANIFEST", "SETUP", "readme"]

INIT = '''"""A pipeline of spaCy's. `load()` opens it with spaCy, or with lexpool where that is alone."""

import json
from pathlib import Path

{imports}
__version__ = json.loads((Path(__file__).parent / "meta.json").read_text("utf8"))["version"]


def load(**settings):
    try:
        from spacy.util import load_model_from_init_py
    except ImportError:
        import lexpool

        return lexpool.load(__name__, **settings)
    return load_model_from_init_py(__file__, **settings)
'''

SETUP = '''"""Builds the package of a pipeline, by what meta.json says."""

import json
from pathlib import Path

from setuptools import setup

HERE = Path(__file__).resolve().parent
META = json.loads((HERE / "meta.json").read_text("utf8"))
NAME = f"{META['lang']}_{META['name']}"
README = HERE / "README.md"
DATA = HERE / NAME / f"{NAME}-{META['version']}"
FILES = [path for path in DATA.rglob("*") if path.is_file() and not path.name.startswith(".")]

setup(
    name=NAME,
    version=META["version"],
    description=META.get("description"),
    long_description=README.read_text("utf8") if README.exists() else "",
    long_description_content_type="text/markdown",
    author=META.get("author"),
    author_email=META.get("email"),
    url=META.get("url"),
    license=META.get("license"),
    packages=[NAME],
    package_data={
        NAME: ["meta.json", *(path.relative_to(HERE / NAME).as_posix() for path in FILES)]
    },
    install_requires=[*META.get("setup_requires", []), *META.get("requirements", [])],
    zip_safe=False,
    entry_points={"spacy_models": [f"{NAME} = {NAME}"]},
)
'''

MANIFEST = """\
include meta.json
include README.md
include LICENSE
include LICENSES_SOURCES
"""


def readme(meta: dict[str, Any]) -> str:
    """Returns the README of a package: a table of its metadata, then labels and accuracy."""
    vectors: Any = meta.get("vectors") or {}
    author, url = meta.get("author") or "n/a", meta.get("url")
    license_name = meta.get("license")
    rows = [
        ("**Name**", _code(f"{meta['lang']}_{meta['name']}")),
        ("**Version**", _code(meta["version"])),
        ("**spaCy**", _code(meta.get("spacy_version", "n/a"))),
        ("**Default Pipeline**", ", ".join(map(_code, meta.get("pipeline") or []))),
        ("**Components**", ", ".join(map(_code, meta.get("components") or []))),
        (
            "**Vectors**",
            f"{vectors.get('keys', 0)} keys, {vectors.get('vectors', 0)} unique vectors "
            f"({vectors.get('width', 0)} dimensions)",
        ),
        ("**Sources**", _sources(meta.get("sources"))),
        ("**License**", _code(license_name) if license_name else "n/a"),
        ("**Author**", f"[{author}]({url})" if url else author),
    ]
    parts = [meta.get("description"), _table(rows, ["Feature", "Description"])]
    parts += [_labels(meta.get("labels")), _accuracy(meta.get("performance")), meta.get("notes")]
    return "\n\n".join(str(part) for part in parts if part) + "\n"


def _code(text: object) -> str:
    return f"`{text}`"


def _table(rows: list[tuple[str, str]], header: list[str]) -> str:
    lines = [header, ["---"] * len(header), *(list(row) for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _sources(sources: Any) -> str:
    """Returns the corpora and tables that a pipeline was made of, each with its author."""
    entries: list[str] = []
    for source in sources if is_list(sources) else []:
        fields: dict[str, Any] = source if is_dict(source) else {"name": source}
        name, url, author = fields.get("name"), fields.get("url"), fields.get("author")
        if name:
            linked = f"[{name}]({url})" if url else str(name)
            entries.append(f"{linked} ({author})" if author else linked)
    return "<br>".join(entries) or "n/a"


def _labels(value: Any) -> str:
    by_component: dict[str, list[Any]] = {}
    if is_dict(value):
        by_component = {name: labels for name, labels in value.items() if labels}
    if not by_component:
        return ""
    rows = [
        (
            f"**{_code(name)}**",
            ", ".join(_code(str(label).replace("|", "\\|")) for label in labels),
        )
        for name, labels in by_component.items()
    ]
    count = sum(len(labels) for labels in by_component.values())
    summary = f"Labels of the components ({count} of {len(by_component)})"
    table = _table(rows, ["Component", "Labels"])
    return f"### Labels\n\n<details>\n\n<summary>{summary}</summary>\n\n{table}\n\n</details>"


def _accuracy(scores: Any) -> str:
    if not is_dict(scores):
        return ""
    rows = [
        (_code(str(name).upper()), f"{score * 100:.2f}")
        for name, score in scores.items()
        if isinstance(score, int | float) and name != "speed"
    ]
    return f"### Accuracy\n\n{_table(rows, ['Figure', 'Score'])}" if rows else ""
