"""Validation of component settings against the parameters of their factories."""

from __future__ import annotations

from types import FunctionType

from .._core import check_settings
from .._errors import ConfigError
from .._narrow import is_list, is_tuple
from .._saving.json import dumps
from ..config import deep_copy
from .factories import BUILT_IN, OF_LANGUAGE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


# Factories of trained components that lexpool lacks, of spaCy and of packages beside it.
UNSUPPORTED = frozenset({"curated_transformer", "experimental_coref", "transformer"})


# The flag of code with a parameter such as `**settings`.
_VAR_KEYWORDS = 0x08
# Settings of lexpool's own factories that may have other types than their defaults.
_OTHER_KINDS: dict[str, tuple[str, ...]] = {
    "backoff": ("str", "null"),
    "max_length": ("int", "null"),
    "phrase_matcher_attr": ("str", "int", "null"),
    "punct_chars": ("list of str", "null"),
    "spans_key": ("str", "null"),
}


def checked(make: Any, settings: dict[str, Any], where: str) -> dict[str, Any]:
    """Returns settings with the defaults of a factory. Raises ConfigError for invalid settings."""
    parameters = _parameters(make)
    others = [key for key in parameters.names if key not in ("nlp", "name")]
    if parameters.takes_all:
        known = set(_own_defaults(make))
        unknown = [key for key in settings if known and key not in known]
    else:
        unknown = [key for key in settings if key not in others]
    if unknown:
        raise ConfigError(f"[{where}] has {unknown[0]!r}, which its factory does not take")
    # Defaults of other packages may have any type.
    for key, default in _own_defaults(make).items():
        kinds_of_key = _OTHER_KINDS.get(key) or _kind_of_default(default)
        if kinds_of_key and key in settings:
            check_kind(settings[key], kinds_of_key, f"[{where}]", key)
    if _own_defaults(make):
        check_settings(settings, f"[{where}]")
    filled = dict(settings)
    for key in others:
        if key in filled:
            continue
        if key not in parameters.defaults:
            raise ConfigError(f"[{where}] lacks {key!r}, which its factory takes")
        default = parameters.defaults[key]
        try:
            dumps(default)
        except (TypeError, ValueError):
            continue
        filled[key] = default
    return filled


class _Parameters:
    """The named parameters of a factory. `takes_all`: whether it takes any further keyword."""

    def __init__(self, names: list[str], defaults: dict[str, Any], takes_all: bool) -> None:
        self.names = names
        self.defaults = defaults
        self.takes_all = takes_all


def _parameters(make: Any) -> _Parameters:
    if type(make) is FunctionType and not vars(make):
        # `inspect` gives the same, and takes a tenth of the time of loading a pipeline to import.
        code = make.__code__
        n_positional, has_all = code.co_argcount, bool(code.co_flags & _VAR_KEYWORDS)
        names = list(code.co_varnames[: n_positional + code.co_kwonlyargcount])
        own: tuple[Any, ...] = make.__defaults__ or ()
        defaults = dict(zip(names[n_positional - len(own) : n_positional], own, strict=True))
        return _Parameters(names, {**defaults, **(make.__kwdefaults__ or {})}, has_all)
    from inspect import Parameter, signature

    found = signature(make).parameters
    several = (Parameter.VAR_KEYWORD, Parameter.VAR_POSITIONAL)
    named = {key: each for key, each in found.items() if each.kind not in several}
    defaults = {
        key: each.default for key, each in named.items() if each.default is not Parameter.empty
    }
    takes_all = any(each.kind is Parameter.VAR_KEYWORD for each in found.values())
    return _Parameters(list(named), defaults, takes_all)


def settings_with(settings: dict[str, Any], place: str, value: dict[str, Any]) -> dict[str, Any]:
    """Returns settings of a model in which the section of a place, such as "model.tok2vec", is
    another.
    """
    replaced: dict[str, Any] = deep_copy(settings)
    *outer, last = place.split(".")[1:]
    section = replaced
    for key in outer:
        section = section[key]
    section[last] = deep_copy(value)
    return replaced


def check_kind(value: object, kinds: tuple[str, ...], where: str, key: str) -> None:
    """Validates a simple setting. Kinds are "bool", "int", "str", "null", and "list of"
    one of these.

    Raises ConfigError, with the file, section and key, for a value of another kind.
    """
    if not any(_is_kind(value, kind) for kind in kinds):
        raise ConfigError(
            f"{where}: {key!r} is {value!r:.80}, not of the kind {' or '.join(kinds)}"
        )


def _is_kind(value: object, kind: str) -> bool:
    if kind == "bool":
        return isinstance(value, bool)
    if kind == "int":
        return isinstance(value, int) and not isinstance(value, bool)
    if kind == "str":
        return isinstance(value, str)
    if kind.startswith("list of "):
        of = kind.removeprefix("list of ")
        return (is_list(value) or is_tuple(value)) and all(_is_kind(item, of) for item in value)
    return value is None


def _kind_of_default(default: object) -> tuple[str, ...]:
    """Returns the kind of a simple default; empty for null, which has no kind, and for dicts."""
    return tuple(kind for kind in ("bool", "int", "str") if _is_kind(default, kind))


def _own_defaults(make: Any) -> dict[str, Any]:
    """Returns the default settings of one of lexpool's own factories; empty for other factories."""
    for own, meta in (*BUILT_IN.values(), *OF_LANGUAGE.values()):
        if own is make:
            return meta.default_config
    return {}
