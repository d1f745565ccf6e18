"""Settings by dotted name, and configurations in which they replace others."""

from __future__ import annotations

from os import fspath

from .._core import read_config
from .._narrow import is_dict
from .._typing import Mapping
from ..config import Config, deep_copy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from os import PathLike
    from typing import Any

__all__ = ["configured", "dict_to_dot", "dot_to_dict", "updated"]


def configured(
    config: str | PathLike[str] | Mapping[str, Any], overrides: Mapping[str, Any] | None
) -> tuple[Config, str]:
    """Returns the configuration of a file, or the configuration itself, with overrides by dotted
    name, and its name for errors.
    """
    if isinstance(config, Mapping):
        origin = "the configuration"
        return Config(read_config(dict(config), origin, dict(overrides or {}), False)), origin
    return Config.from_disk(config, interpolate=False, overrides=overrides), fspath(config)


def updated(config: Config, updates: Mapping[str, Any], origin: str) -> Config:
    """Returns the configuration with overrides, nested or by dotted name."""
    dotted = {key: value for key, value in updates.items() if "." in key}
    nested = config.merge({key: value for key, value in updates.items() if "." not in key})
    if not dotted:
        return nested
    return Config(read_config(nested, origin, dotted, False))


def dict_to_dot(obj: Mapping[str, Any], *, for_overrides: bool = False) -> dict[str, Any]:
    """Returns the values of nested dicts by their dotted names; dicts without values are left out.

    for_overrides: whether a dict that names a function ("@...") is one value.

    Raises TypeError for a key that is not a string.

    >>> dict_to_dot({"training": {"seed": 1, "batcher": {"size": 5}}})
    {'training.seed': 1, 'training.batcher.size': 5}
    """
    values: dict[str, Any] = {}
    for key, value in obj.items():
        if not isinstance(key, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError(f"expected a string as the key of {value!r:.80}, not {key!r}")
        if is_dict(value) and not (
            for_overrides and any(str(inner_key)[:1] == "@" for inner_key in value)
        ):
            below = dict_to_dot(value, for_overrides=for_overrides)
            values.update((f"{key}.{name}", inner) for name, inner in below.items())
        else:
            values[key] = value
    return values


def dot_to_dict(values: Mapping[str, Any]) -> dict[str, Any]:
    """Returns nested dicts of values by dotted names, which are lowercased: the inverse of
    `dict_to_dot`.

    Raises ValueError for a name that leads through a value.
    """
    root: dict[str, Any] = {}
    for name, value in values.items():
        *sections, key = name.lower().split(".")
        section = root
        for part in sections:
            inner: object = section.setdefault(part, {})
            if not is_dict(inner):
                raise ValueError(f"{name!r} leads through {part!r}, which is a value")
            section = inner
        # A longer name may lead into the dict, which is the caller's.
        section.setdefault(key, deep_copy(value) if is_dict(value) else value)
    return root
