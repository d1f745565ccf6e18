"""The analysis of pipelines: attributes that components assign and require, by their factories."""

from __future__ import annotations

from .._core import Doc, Span, Token
from .._narrow import is_iterable, is_tuple
from .factory import FactoryMeta

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any


def check_attribute(component: str, name: str) -> None:
    """Raises ValueError unless a component can declare an attribute: one such as "doc.ents" or
    "token.tag", or an extension attribute such as "span._.own".
    """
    owner, *path = name.split(".")
    classes = {"doc": Doc, "token": Token, "span": Span}
    code = said = None
    if owner == "span" and path and path[0] != "_":
        code, said = "E180", "spans have only extension attributes here; name those of tokens"
    elif owner not in classes:
        code, said = "E181", f"expected doc, token or span before the dot, not {owner!r}"
    elif path in ([], ["_"]):
        code, said = "E182", f"expected the attribute after it, such as '{name}.name'"
    elif path[0] == "_":
        if len(path) > 2:
            code, said = "E183", f"expected no more than '{owner}._.{path[1]}'"
    elif path[0].endswith("_"):
        code, said = "E184", f"expected '{owner}.{path[0].rstrip('_')}', the attribute of the id"
    elif len(path) > 1:
        code, said = "E183", f"expected no more than '{owner}.{path[0]}'"
    elif not hasattr(classes[owner], path[0]):
        code, said = "E185", f"a {owner} has no attribute {path[0]!r}"
    if code is not None:
        raise ValueError(f"[{code}] {name!r}, an attribute of the component {component!r}: {said}")


def analyze(metas: Mapping[str, FactoryMeta | None], keys: Iterable[str]) -> dict[str, Any]:
    """Returns "summary", "problems" and "attrs" of `Language.analyze_pipes`.

    metas: the description of the factory of each component in order; None for a function.
    keys: the fields of descriptions for the summary.
    """
    known = {name: meta or FactoryMeta("") for name, meta in metas.items()}
    assigned: set[str] = set()
    problems: dict[str, list[str]] = {}
    attrs: dict[str, dict[str, list[str]]] = {}
    for name, meta in known.items():
        problems[name] = [attr for attr in meta.requires if attr not in assigned]
        assigned.update(meta.assigns)
        for key, names in (("assigns", meta.assigns), ("requires", meta.requires)):
            for attr in names:
                attrs.setdefault(attr, {"assigns": [], "requires": []})[key].append(name)
    summary = {name: {key: _field(meta, key) for key in keys} for name, meta in known.items()}
    return {"summary": summary, "problems": problems, "attrs": attrs}


def table(analysis: Mapping[str, Any]) -> str:
    """Returns an analysis as a table with a row for each component, and its problems."""
    rows: list[list[list[str]]] = []
    for at, (name, fields) in enumerate(analysis["summary"].items()):
        if not rows:
            rows.append([[head] for head in ("#", "component", *fields)])
        rows.append([[str(at)], [name], *(_cell(value) for value in fields.values())])
    widths = [
        max(len(text) for cell in column for text in cell) for column in zip(*rows, strict=True)
    ]
    lines: list[str] = []
    for row in rows:
        for at in range(max(len(cell) for cell in row)):
            texts = (cell[at] if at < len(cell) else "" for cell in row)
            padded = (text.ljust(width) for text, width in zip(texts, widths, strict=True))
            lines.append("   ".join(padded).rstrip())
    unmet = {name: attrs for name, attrs in analysis["problems"].items() if attrs}
    lines += [f"{name!r} requires {', '.join(attrs)}" for name, attrs in unmet.items()]
    return "\n".join([*lines, *([] if unmet else ["No problems found."])])


def _field(meta: FactoryMeta, key: str) -> Any:
    value: object = getattr(meta, key, None)
    return list(value) if is_tuple(value) else value


def _cell(value: object) -> list[str]:
    """Returns the lines of a cell, at least one."""
    if is_iterable(value) and not isinstance(value, str):
        return [str(item) for item in value] or [""]
    return [str(value)]
