"""Configurations as spaCy writes them: sections with dots, a JSON value a line, ${...} for references.

    [nlp]
    lang = "en"
    batch_size = 1000

    [nlp.tokenizer]
    @tokenizers = "spacy.Tokenizer.v1"

    [training]
    seed = ${system.seed}

Read into nested dicts. What stands under "@..." names a function of spaCy's, and is kept as it is.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator, Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from ._files import write_text_file
from ._narrow import is_dict, is_list
from .errors import ConfigError

__all__ = ["Config", "ConfigError"]

_REFERENCE = re.compile(r"\$\{([\w.:]+)\}")
# How far references lead to references; beyond that they go round.
_DEEPEST = 10
# The characters and values that references may bring in all together. Without a limit a few lines that refer
# to each other several times each would fill the memory.
_BUDGET = 1 << 20


class Config(dict[str, Any]):
    """Nested dicts, with the forms that they have in files."""

    def copy(self) -> Config:
        """A copy of all levels."""
        return Config(copy.deepcopy(dict(self)))

    def merge(self, updates: Mapping[str, Any]) -> Config:
        """A copy with the values of another, which has its way where both have one.

        A section that names another function ("@...") than the present one takes its place whole.
        """
        return Config(_merged(dict(self.copy()), copy.deepcopy(dict(updates))))

    def interpolate(self) -> Config:
        """A copy with what references refer to in their places.

        Raises ConfigError for those that lead nowhere or in a circle, and where they bring in more than
        2**20 characters and values all together.
        """
        return Config(_Resolver(self).section(self, ""))

    @classmethod
    def from_str(
        cls,
        text: str,
        *,
        interpolate: bool = True,
        overrides: Mapping[str, Any] | None = None,
        origin: str = "the configuration",
    ) -> Config:
        """Read a configuration.

        interpolate: whether references are replaced. overrides: values by dotted name, such as
            {"nlp.batch_size": 10}, in sections that are there. origin: the file, for errors.

        Raises ConfigError, a ValueError that names origin, section and key.
        """
        config = cls(_read(text, origin))
        for name, value in (overrides or {}).items():
            _override(config, name, value, origin)
        try:
            return config.interpolate() if interpolate else config
        except ConfigError as error:
            raise ConfigError(f"{origin}: {error}") from None

    @classmethod
    def from_disk(
        cls,
        path: str | PathLike[str],
        *,
        interpolate: bool = True,
        overrides: Mapping[str, Any] | None = None,
    ) -> Config:
        """Read a file; see `from_str`. Raises OSError where it cannot be read."""
        try:
            text = Path(path).read_text(encoding="utf8")
        except UnicodeDecodeError as error:
            raise ConfigError(f"{path}: byte {error.start} is no UTF-8") from None
        return cls.from_str(
            text, interpolate=interpolate, overrides=overrides, origin=str(path)
        )

    @classmethod
    def from_bytes(cls, data: bytes, *, interpolate: bool = True) -> Config:
        """Read what `to_bytes` gave."""
        return cls.from_str(data.decode("utf8"), interpolate=interpolate)

    def to_str(self) -> str:
        """The configuration as it stands in a file, references as they are.

        Raises ConfigError (E961) for a value that JSON does not have.
        """
        lines: list[str] = []
        for name, section in _sections(self):
            lines.append(f"[{name}]")
            lines += [
                f"{key} = {_dump(value, f'{name}.{key}')}"
                for key, value in section.items()
                if not is_dict(value)
            ]
            lines.append("")
        return "\n".join(lines).strip()

    def to_bytes(self) -> bytes:
        """The same in UTF-8."""
        return self.to_str().encode("utf8")

    def to_disk(self, path: str | PathLike[str]) -> None:
        """Write a file."""
        write_text_file(path, self.to_str())


def _sections(config: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """All sections with their names, the outer ones first."""
    level: list[tuple[str, dict[str, Any]]] = [("", dict(config))]
    for name, value in config.items():
        if not is_dict(value):
            raise ConfigError(f"the value of {name!r} is in no section")
    while level:
        inner: list[tuple[str, dict[str, Any]]] = []
        for name, section in level:
            for key, value in section.items():
                if is_dict(value):
                    inner.append((f"{name}.{key}" if name else str(key), value))
        # A section of which only the inner ones have values is written too: spaCy wants it.
        yield from ((name, section) for name, section in inner)
        level = inner


def _dump(value: Any, name: str) -> str:
    if isinstance(value, str) and _REFERENCE.search(value):
        return value
    try:
        written = json.dumps(value, allow_nan=False)
    except (TypeError, ValueError) as error:
        kind = type(value).__name__
        raise ConfigError(f"[E961] {name} is a {kind}, which JSON does not have: {error}") from None
    return re.sub(r"\$(?!\{)", "$$", written)


def _load(value: str) -> Any:
    """A value, or its text where that is no JSON. One with a reference waits until that is replaced."""
    if _REFERENCE.search(value):
        try:
            loaded = json.loads(value)
        except ValueError:
            return value
        return value if isinstance(loaded, str) else loaded
    value = value.replace("$$", "$")
    try:
        return json.loads(value)
    except ValueError:
        # As spaCy has True, False and None too.
        return {"True": True, "False": False, "None": None}.get(value, value)


def _read(text: str, origin: str) -> dict[str, Any]:
    config: dict[str, Any] = {}
    seen: set[str] = set()
    section: dict[str, Any] | None = None
    name, key = "", ""
    pending: dict[str, list[str]] = {}
    # The texts of the values of each section; they are read when all sections are there.
    values: list[tuple[dict[str, Any], str, str, dict[str, list[str]]]] = []
    for number, line in enumerate(text.split("\n"), start=1):
        stripped = line.strip()
        at = f"{origin}, line {number}"
        if not stripped or stripped[0] in "#;":
            continue
        if line[0].isspace() and key:
            # A value goes on where a line is indented.
            pending[key].append(stripped)
        elif stripped[0] == "[" and stripped[-1] == "]":
            name, key = stripped[1:-1].strip(), ""
            if name in seen:
                raise ConfigError(f"{at}: a second section [{name}]")
            seen.add(name)
            section, pending = _enter(config, name, at), {}
            values.append((section, name, at, pending))
        elif section is None:
            raise ConfigError(f"{at}: {stripped!r} stands in no section")
        else:
            key, equals, value = (part.strip() for part in stripped.partition("="))
            if not equals or not key:
                raise ConfigError(f"{at}: in [{name}], expected 'key = value', got {stripped!r}")
            if key in pending:
                raise ConfigError(f"{at}: [{name}] has {key!r} twice")
            pending[key] = [value]
    for section, name, at, given in values:
        for key, lines in given.items():
            if key in section:
                raise ConfigError(f"{at}: [{name}] has {key!r} as a value and as a section")
            section[key] = _load("\n".join(lines))
    # Values come before the sections within, as they stand in the file.
    return config


def _enter(config: dict[str, Any], name: str, at: str) -> dict[str, Any]:
    """The section of a name, made in the one around it, which has to be there."""
    parts = name.split(".")
    if not all(parts):
        raise ConfigError(f"{at}: [{name}] is no name of a section")
    node = config
    for i, part in enumerate(parts[:-1], start=1):
        inner: Any = node.get(part)
        if inner is None and part == "*":
            inner = node[part] = {}
        if not is_dict(inner):
            raise ConfigError(f"{at}: [{name}] lies in a section that is not there, "
                              f"[{'.'.join(parts[:i])}]")
        node = inner
    made: dict[str, Any] = node.setdefault(parts[-1], {})
    return made


def _override(config: dict[str, Any], name: str, value: Any, origin: str) -> None:
    *sections, key = name.split(".")
    node: Any = config
    for section in sections:
        node = node.get(section) if is_dict(node) else None
    if not sections or not is_dict(node):
        raise ConfigError(f"{origin}: {name!r} cannot be overridden, for there is no section "
                          f"[{'.'.join(sections)}]")
    node[key] = value


def _merged(defaults: dict[str, Any], updates: dict[str, Any]) -> dict[str, Any]:
    # spaCy's order: that of the update first, then what it has not.
    merged = dict(updates)
    for key, value in defaults.items():
        if key not in merged:
            merged[key] = value
        elif is_dict(value) and is_dict(merged[key]) and _same_function(value, merged[key]):
            merged[key] = _merged(value, merged[key])
    # As in the defaults, so that files keep their order.
    return {key: merged[key] for key in [*defaults, *(key for key in merged if key not in defaults)]}


def _same_function(default: dict[str, Any], update: dict[str, Any]) -> bool:
    """Whether an update is about the function that is there; one without a name of its own is."""
    own = {key: value for key, value in update.items() if str(key).startswith("@")}
    return all(default.get(key) == value for key, value in own.items())


class _Resolver:
    """Puts what references refer to in their places.

    Each reference pays for what it brings in, wherever that then goes; so the work of all of them is bounded
    by the size of the configuration and `_BUDGET`, however they refer to each other.
    """

    def __init__(self, config: dict[str, Any]) -> None:
        self.config = config
        self.left = _BUDGET

    def section(self, section: dict[str, Any], name: str, depth: int = 0) -> dict[str, Any]:
        prefix = f"{name}." if name else ""
        return {
            key: self.value(value, f"{prefix}{key}", depth) for key, value in section.items()
        }

    def value(self, value: Any, name: str, depth: int) -> Any:
        if is_dict(value):
            return self.section(value, name, depth)
        if is_list(value):
            return [self.value(item, name, depth) for item in value]
        if not isinstance(value, str):
            return value
        whole = _REFERENCE.fullmatch(value)
        if whole:
            return self.referred(whole[1], name, depth)

        def replace(found: re.Match[str]) -> str:
            inner = self.referred(found[1], name, depth)
            if is_dict(inner):
                raise ConfigError(f"{name}: {found[0]} is a section, which fits in no text")
            if isinstance(inner, str):
                return inner
            written = json.dumps(inner)
            self.pay(len(written), found[1], name)
            return written

        replaced = _REFERENCE.sub(replace, value)
        return replaced if replaced == value else _load(replaced)

    def referred(self, to: str, name: str, depth: int) -> Any:
        if depth >= _DEEPEST:
            raise ConfigError(f"{name}: ${{{to}}} leads round in a circle")
        node: Any = self.config
        for part in to.replace(":", ".").split("."):
            if not is_dict(node) or part not in node:
                raise ConfigError(f"{name}: ${{{to}}} leads nowhere")
            node = node[part]
        found = self.value(node, name, depth + 1)
        self.pay(_size(found), to, name)
        return copy.deepcopy(found)

    def pay(self, size: int, to: str, name: str) -> None:
        self.left -= size
        if self.left < 0:
            raise ConfigError(
                f"{name}: with ${{{to}}}, references bring in more than {_BUDGET:,} characters and values, which "
                "is the limit for a configuration; write out what is needed"
            )


def _size(value: Any) -> int:
    """The number of values in a value, itself included, and of the characters in them."""
    if is_dict(value):
        return 1 + sum(len(str(key)) + _size(inner) for key, inner in value.items())
    if is_list(value):
        return 1 + sum(map(_size, value))
    return 1 + len(value) if isinstance(value, str) else 1
