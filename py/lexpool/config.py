"""Configurations in spaCy's format: sections with dots, one JSON value per line, ${...} for
references.

    [nlp]
    lang = "en"
    batch_size = 1000

    [nlp.tokenizer]
    @tokenizers = "spacy.Tokenizer.v1"

    [training]
    seed = ${system.seed}

They are read into nested dicts. A value of a key "@..." names a function of spaCy's, and is kept
unchanged.
"""

from __future__ import annotations

from ._errors import ConfigError
from ._narrow import is_dict, is_list, is_tuple
from ._saving.files import write_text_file
from ._saving.json import dumps, loads
from ._saving.packed import as_path
from ._typing import Any, cast

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from os import PathLike


__all__ = ["Config", "ConfigError", "deep_copy"]

# Limit for chains of references; longer ones are treated as circular.
_DEEPEST = 10
# Limit for the total number of characters and values that references refer to and insert. Without
# it a few lines that refer to each other several times would fill the memory or take hours.
_BUDGET = 1 << 20
# Limit for the nesting of sections, lists and dicts. Python's recursion limit is not much higher,
# and functions that read, copy or write values recurse for each level.
_LEVELS = 100
# Types whose values need no copy.
_IMMUTABLE = frozenset({str, int, float, bool})


class Config(dict[str, Any]):
    """Nested dicts that can be read from files and written to them."""

    def copy(self) -> Config:
        """Returns a deep copy. Raises ConfigError for more than 100 levels."""
        check_levels(self)
        return Config(deep_copy(dict(self)))

    def merge(self, updates: Mapping[str, Any]) -> Config:
        """Returns a copy updated with the values of another configuration.

        A section that names a different function ("@...") replaces the present section completely.
        Raises ConfigError for more than 100 levels.
        """
        check_levels(updates)
        return Config(_merged(dict(self.copy()), deep_copy(dict(updates))))

    def interpolate(self) -> Config:
        """Returns a copy with all references replaced by their values.

        Raises ConfigError for unknown or circular references, if they refer to more than 2**20
        characters and values in total, and for more than 100 levels.
        """
        return Config(_Resolver(self).section(self))

    @classmethod
    def from_str(
        cls,
        text: str,
        *,
        interpolate: bool = True,
        overrides: Mapping[str, Any] | None = None,
        origin: str = "the configuration",
    ) -> Config:
        """Reads a configuration.

        interpolate: whether references are replaced.
        overrides: values by dotted name, such as {"nlp.batch_size": 10}, in existing sections.
        origin: the name of the file, for errors.

        Raises ConfigError, a ValueError that names origin, section and key, also for more than 100
        levels of sections, lists and dicts.
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
        """Reads a file; see `from_str`. Raises OSError if it cannot be read."""
        try:
            text = as_path(path).read_text(encoding="utf8")
        except UnicodeDecodeError as error:
            raise ConfigError(f"{path}: byte {error.start} is not valid UTF-8") from None
        return cls.from_str(text, interpolate=interpolate, overrides=overrides, origin=str(path))

    @classmethod
    def from_bytes(cls, data: bytes, *, interpolate: bool = True) -> Config:
        """Reads the bytes of `to_bytes`. Raises ConfigError if they are not UTF-8."""
        try:
            text = data.decode("utf8")
        except UnicodeDecodeError as error:
            raise ConfigError(f"byte {error.start} is not valid UTF-8") from None
        return cls.from_str(text, interpolate=interpolate)

    def to_str(self) -> str:
        """Returns the configuration as the text of a file, with references unchanged.

        Raises ConfigError (E961) for a value that JSON cannot represent, or that is nested too
        deep.
        """
        lines: list[str] = []
        for name, section in _sections(self):
            lines.append(f"[{name}]")
            lines += [
                _line(key, _dump(value, f"{name}.{key}"))
                for key, value in section.items()
                if not _is_section(key, value)
            ]
            lines.append("")
        return "\n".join(lines).strip()

    def to_bytes(self) -> bytes:
        """Returns the text of a file in UTF-8."""
        return self.to_str().encode("utf8")

    def to_disk(self, path: str | PathLike[str]) -> None:
        """Writes the configuration to a file."""
        write_text_file(path, self.to_str())


def deep_copy(value: Any, copies: dict[int, Any] | None = None) -> Any:
    """Returns a deep copy, in which values that were shared are shared. Dicts and lists, of which
    configurations consist, are copied without `copy`, which takes five times as long.

    copies: the copies by the address of their originals, which the copied value keeps alive.
    """
    kind = cast("type[object]", type(value))
    if value is None or kind in _IMMUTABLE:
        return value
    copies = {} if copies is None else copies
    if id(value) in copies:
        return copies[id(value)]
    if kind is dict or kind is Config:
        made: Any = Config() if kind is Config else {}
        copies[id(value)] = made
        items: Mapping[str, Any] = value
        for key, inner in items.items():
            made[key] = deep_copy(inner, copies)
        return made
    if kind is list:
        copied: list[Any] = []
        copies[id(value)] = copied
        copied.extend(deep_copy(inner, copies) for inner in value)
        return copied
    from copy import deepcopy

    return deepcopy(value, copies)


def check_levels(config: Mapping[str, Any]) -> None:
    """Raises ConfigError for more than 100 levels, among them those of a dict in itself."""
    for key, value in config.items():
        if _is_deeper(value, _LEVELS):
            raise ConfigError(f"{key} {_NESTED}")


def _sections(config: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yields all sections with their names, the outer ones first."""
    level: list[tuple[str, dict[str, Any]]] = [("", dict(config))]
    for name, value in config.items():
        if not is_dict(value):
            raise ConfigError(
                f"expected a section for {name!r}, not a value; values belong into sections"
            )
    while level:
        inner: list[tuple[str, dict[str, Any]]] = []
        for name, section in level:
            for key, value in section.items():
                if not name or _is_section(key, value):
                    inner.append((f"{name}.{key}" if name else str(key), value))
        # A section that contains only other sections is written too, since spaCy requires it.
        yield from ((name, section) for name, section in inner)
        level = inner


def _is_section(key: Any, value: Any) -> bool:
    """Returns whether a value below a section is written as a section."""
    return is_dict(value) and (_has_lines(key, value) or not _is_line(key))


def _has_lines(key: Any, value: Any) -> bool:
    """Returns whether a value is a section that is read again from lines of its own. What could be
    written neither as a line nor as a section makes the dict around it a value.
    """
    return (
        is_dict(value)
        and _is_section_name(key)
        and all(_is_key(key) or _has_lines(key, inner) for key, inner in value.items())
    )


def _is_section_name(key: Any) -> bool:
    """Returns whether a key is read again from the name of a section below another one: a dot would
    end the name of the outer section.
    """
    text = str(key)
    return text != "" and text == text.rstrip() and not any(map(text.__contains__, ".\n\r"))


def _is_key(key: Any) -> bool:
    """Returns whether a key is read again from the beginning of a line, here and by spaCy."""
    text = str(key)
    return _is_line(key) and text[0] != "[" and not any(map(text.__contains__, ":\r"))


def _is_line(key: Any) -> bool:
    """Returns whether a key is read again from the beginning of a line here."""
    text = str(key)
    return (
        text == text.strip()
        and text[:1] not in ("", "#", ";")
        and not any(map(text.__contains__, "=\n"))
    )


def _line(key: Any, value: str) -> str:
    """Returns the line of a value; two for what would be read as the name of a section."""
    line = f"{key} = {value}"
    if line[0] == "[" and line[-1] == "]" and "\n" not in line:
        return f"{line[:-1]}\n\t]"
    return line


def _dump(value: Any, name: str) -> str:
    if isinstance(value, str) and _has_references(value):
        return value
    import json

    try:
        return json.dumps(_with_texts(value, _escaped), allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        kind = type(value).__name__
        raise ConfigError(f"[E961] {name}, a {kind}, cannot be written as JSON: {error}") from None


def _split_references(text: str) -> list[str]:
    """Splits a text at its references `${name}`: texts between them alternate with names."""
    before, *pieces = text.split("${")
    parts: list[str] = []
    # The pieces of the text since the last reference; joined once, since each could be long.
    plain = [before]
    for piece in pieces:
        name, brace, after = piece.partition("}")
        if brace and name.replace(".", "_").replace(":", "_").replace("_", "a").isalnum():
            parts += ["${".join(plain), name]
            plain = [after]
        else:
            plain.append(piece)
    return [*parts, "${".join(plain)]


def _has_references(text: str) -> bool:
    return "${" in text and len(_split_references(text)) > 1


def _escaped(text: str) -> str:
    """Returns a text without references as it is written: with each dollar sign that does not stand
    before a brace doubled. One with references is written as it is.
    """
    return text if _has_references(text) else text.replace("$", "$$").replace("$${", "${")


def _unescaped(text: str) -> str:
    """Undoes `_escaped`."""
    return text if _has_references(text) else text.replace("$$", "$")


def _with_texts(value: Any, change: Callable[[str], str]) -> Any:
    """Returns a value with its strings and keys, on all levels, as a function changes them."""
    if isinstance(value, str):
        return change(value)
    if is_dict(value):
        return {
            change(key) if isinstance(key, str) else key: _with_texts(inner, change)
            for key, inner in value.items()
        }
    if is_list(value) or is_tuple(value):
        return [_with_texts(item, change) for item in value]
    return value


class _TooDeepError(Exception):
    """A value with too many levels. Callers add its name."""


_NESTED = f"is nested in more than {_LEVELS} levels; write it flatter"


def _load(text: str, levels: int) -> Any:
    """Returns the value of a text in JSON, or the text itself if it is not JSON. A text with
    references is returned unchanged, until they are replaced.

    Raises _TooDeepError for more levels than `levels`.
    """
    referring = _has_references(text)
    plain = _unescaped(text)
    if plain.startswith("$"):
        return plain
    try:
        loaded: Any = loads(plain)
    except ValueError:
        # spaCy accepts True, False and None too.
        return {"True": True, "False": False, "None": None}.get(plain, plain)
    except RecursionError:
        raise _TooDeepError from None
    if _is_deeper(loaded, levels):
        raise _TooDeepError
    if not referring:
        return loaded
    # Each of its strings has references or not.
    return text if isinstance(loaded, str) else _with_texts(loaded, _unescaped)


def _is_deeper(value: Any, levels: int) -> bool:
    """Returns whether a value has more than `levels` nested lists and dicts. Iterative, because the
    value may be deeper than the recursion limit.
    """
    if levels >= 0 and not (is_dict(value) or is_list(value)):
        return False
    level: list[Any] = [value]
    for _ in range(levels + 1):
        holders = [held for held in level if is_dict(held) or is_list(held)]
        if not holders:
            return False
        level = [inner for held in holders for inner in (held.values() if is_dict(held) else held)]
    return True


def _read(text: str, origin: str) -> dict[str, Any]:
    config: dict[str, Any] = {}
    seen: set[str] = set()
    section: dict[str, Any] | None = None
    name, key = "", ""
    pending: dict[str, list[str]] = {}
    # The texts of the values of each section; they are parsed when all sections are known.
    values: list[tuple[dict[str, Any], str, str, dict[str, list[str]]]] = []
    for number, line in enumerate(text.split("\n"), start=1):
        stripped = line.strip()
        at = f"{origin}, line {number}"
        if not stripped or stripped[0] in "#;":
            continue
        if line[0].isspace() and key:
            # An indented line continues a value.
            pending[key].append(stripped)
        elif stripped[0] == "[" and stripped[-1] == "]":
            name, key = stripped[1:-1].strip(), ""
            if name in seen:
                raise ConfigError(f"{at}: a second section [{name}]")
            seen.add(name)
            section, pending = _enter(config, name, at), {}
            values.append((section, name, at, pending))
        elif section is None:
            raise ConfigError(
                f"{at}: expected the name of a section, such as [nlp], before {stripped!r}"
            )
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
            try:
                loaded = _load("\n".join(lines), _LEVELS - name.count(".") - 1)
            except _TooDeepError:
                raise ConfigError(f"{at}: in [{name}], {key!r} {_NESTED}") from None
            section[key] = loaded
    # Values come before inner sections, as in the file.
    return config


def _enter(config: dict[str, Any], name: str, at: str) -> dict[str, Any]:
    """Returns the section of a name, created in its parent, which has to exist."""
    parts = name.split(".")
    if not all(parts):
        raise ConfigError(
            f"{at}: [{name}] is not the name of a section; expected names joined by dots, "
            "such as [nlp.tokenizer]"
        )
    if len(parts) > _LEVELS:
        raise ConfigError(f"{at}: [{parts[0]}. ...] {_NESTED}")
    node = config
    for i, part in enumerate(parts[:-1], start=1):
        inner: Any = node.get(part)
        if inner is None and part == "*":
            inner = node[part] = {}
        if not is_dict(inner):
            raise ConfigError(
                f"{at}: the section [{'.'.join(parts[:i])}] is missing, which must come before "
                f"[{name}]"
            )
        node = inner
    made: dict[str, Any] = node.setdefault(parts[-1], {})
    return made


def _override(config: dict[str, Any], name: str, value: Any, origin: str) -> None:
    *sections, key = name.split(".")
    node: Any = config
    for section in sections:
        node = node.get(section) if is_dict(node) else None
    if not sections or not is_dict(node):
        raise ConfigError(
            f"{origin}: {name!r} cannot be overridden, because the section "
            f"[{'.'.join(sections)}] is missing; expected a key in one of {', '.join(config)}"
            if sections
            else f"{origin}: {name!r} cannot be overridden; expected a section and a key, such as "
            "'nlp.batch_size'"
        )
    node[key] = value


def _merged(defaults: dict[str, Any], updates: dict[str, Any]) -> dict[str, Any]:
    # spaCy's order: first the keys of the update, then the others.
    merged = dict(updates)
    for key, value in defaults.items():
        if key not in merged:
            merged[key] = value
        elif is_dict(value) and is_dict(merged[key]) and _same_function(value, merged[key]):
            merged[key] = _merged(value, merged[key])
    # The order of the defaults, so that files keep their order.
    return {
        key: merged[key] for key in [*defaults, *(key for key in merged if key not in defaults)]
    }


def _same_function(default: dict[str, Any], update: dict[str, Any]) -> bool:
    """Returns whether an update has the same registered function as the default, or none."""
    own = {key: value for key, value in update.items() if str(key).startswith("@")}
    return all(default.get(key) == value for key, value in own.items())


class _Resolver:
    """Replaces references by their values.

    Every value that a reference refers to is counted against the budget before it is read, and
    every text before it is inserted into another. So a configuration of n characters takes time
    proportional to n + `_BUDGET`, however its references are nested, even if the result is small.
    """

    def __init__(self, config: dict[str, Any]) -> None:
        self.config = config
        self.left = _BUDGET
        # The keys that lead to the current value, not joined: joining them for each value would
        # cost the length of a key as often as it has values.
        self.path: list[str] = []
        # The references that led to the current value.
        self.trail: list[str] = []

    def section(self, section: dict[str, Any]) -> dict[str, Any]:
        return {key: self.within(value, str(key)) for key, value in section.items()}

    def within(self, value: Any, key: str) -> Any:
        self.path.append(key)
        made = self.value(value)
        self.path.pop()
        return made

    def value(self, value: Any) -> Any:
        if self.trail:
            self.pay(_size(value), self.trail[-1])
        if len(self.path) > _LEVELS and (is_dict(value) or is_list(value)):
            raise self.error(_NESTED)
        if is_dict(value):
            return self.section(value)
        if is_list(value):
            return [self.within(item, str(i)) for i, item in enumerate(value)]
        if not isinstance(value, str):
            return value
        parts = _split_references(value)
        if len(parts) == 3 and not parts[0] and not parts[2]:
            return self.referred(parts[1])
        if len(parts) == 1:
            return value
        replaced = "".join(self.text(part) if i % 2 else part for i, part in enumerate(parts))
        try:
            return _load(replaced, _LEVELS + 1 - len(self.path))
        except _TooDeepError:
            raise self.error(_NESTED) from None

    def text(self, to: str) -> str:
        """Returns the text that replaces a reference within a text."""
        inner = self.referred(to)
        if is_dict(inner):
            raise self.error(f"${{{to}}} is a section, which cannot be part of a text")
        text = inner if isinstance(inner, str) else dumps(inner)
        self.pay(len(text), to)
        return text

    def referred(self, to: str) -> Any:
        if len(self.trail) >= _DEEPEST:
            raise self.error(f"${{{to}}} refers back to itself")
        node: Any = self.config
        for part in to.replace(":", ".").split("."):
            if not is_dict(node) or part not in node:
                raise self.error(f"${{{to}}} refers to {part!r}, which is missing")
            node = node[part]
        self.trail.append(to)
        found = self.value(node)
        self.trail.pop()
        return found

    def pay(self, size: int, to: str) -> None:
        self.left -= size
        if self.left < 0:
            raise self.error(
                f"with ${{{to}}}, references bring in more than {_BUDGET:,} characters and values, which is the limit "
                "for a configuration; write out what is needed"
            )

    def error(self, text: str) -> ConfigError:
        return ConfigError(f"{'.'.join(self.path)}: {text}")


def _size(value: Any) -> int:
    """Returns the number of characters of a value plus one, without the values that it contains."""
    if is_dict(value):
        return 1 + sum(len(str(key)) for key in value)
    if isinstance(value, str):
        return 1 + len(value)
    # A digit is about three bits.
    return 1 + value.bit_length() // 3 if isinstance(value, int) else 1
