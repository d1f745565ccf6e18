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

from ._core import merge_configs, read_config, write_config
from ._errors import ConfigError
from ._narrow import is_dict
from ._saving.files import write_text_file
from ._saving.packed import as_path
from ._typing import Any, cast

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from os import PathLike


__all__ = ["Config", "ConfigError", "deep_copy"]

# Limit for the nesting of sections, lists and dicts, as in Rust.
_LEVELS = 100
# Types whose values need no copy.
_IMMUTABLE = frozenset({str, int, float, bool})
_ORIGIN = "the configuration"


class Config(dict[str, Any]):
    """Nested dicts that can be read from files and written to them."""

    def copy(self) -> Config:
        """Returns a deep copy. Raises ConfigError for more than 100 levels."""
        return Config(deep_copy(dict(self)))

    def merge(self, updates: Mapping[str, Any]) -> Config:
        """Returns a copy updated with the values of another configuration.

        A section that names a different function ("@...") replaces the present section completely.
        Raises ConfigError (E961) for a value that JSON cannot have, and for more than 100 levels.
        """
        return Config(merge_configs(self, dict(updates)))

    def interpolate(self) -> Config:
        """Returns a copy with all references replaced by their values.

        Raises ConfigError for unknown or circular references (config-reference), if they refer to
        more than 2**20 characters and values in total, and as `merge` does.
        """
        return Config(read_config(self, _ORIGIN, {}, True))

    @classmethod
    def from_str(
        cls,
        text: str,
        *,
        interpolate: bool = True,
        overrides: Mapping[str, Any] | None = None,
        origin: str = _ORIGIN,
    ) -> Config:
        """Reads a configuration.

        interpolate: whether references are replaced.
        overrides: values by dotted name, such as {"nlp.batch_size": 10}, in existing sections.
        origin: the name of the file, for errors.

        Raises ConfigError, a ValueError that names origin, section and key, also for more than 100
        levels of sections, lists and dicts, and for integers of more than 64 bits.
        """
        return cls(read_config(text, origin, dict(overrides or {}), interpolate))

    @classmethod
    def from_disk(
        cls,
        path: str | PathLike[str],
        *,
        interpolate: bool = True,
        overrides: Mapping[str, Any] | None = None,
    ) -> Config:
        """Reads a file; see `from_str`. Raises OSError if it cannot be read."""
        data: bytes = as_path(path).read_bytes()
        return cls(read_config(data, str(path), dict(overrides or {}), interpolate))

    @classmethod
    def from_bytes(cls, data: bytes, *, interpolate: bool = True) -> Config:
        """Reads the bytes of `to_bytes`. Raises ConfigError if they are not UTF-8."""
        return cls(read_config(data, _ORIGIN, {}, interpolate))

    def to_str(self) -> str:
        """Returns the configuration as the text of a file, with references unchanged.

        Raises ConfigError (E961) for a value that JSON cannot represent, or that is nested too
        deep.
        """
        return write_config(self)

    def to_bytes(self) -> bytes:
        """Returns the text of a file in UTF-8."""
        return self.to_str().encode("utf8")

    def to_disk(self, path: str | PathLike[str]) -> None:
        """Writes the configuration to a file."""
        write_text_file(path, self.to_str())


def deep_copy(value: Any, copies: dict[int, Any] | None = None, levels: int = _LEVELS) -> Any:
    """Returns a deep copy, in which values that were shared are shared. Dicts and lists, of which
    configurations consist, are copied without `copy`, which takes five times as long.

    copies: the copies by the address of their originals, which the copied value keeps alive.
    levels: the most dicts and lists that may be nested in the value.

    Raises ConfigError for more levels.
    """
    kind = cast("type[object]", type(value))
    if value is None or kind in _IMMUTABLE:
        return value
    copies = {} if copies is None else copies
    if id(value) in copies:
        return copies[id(value)]
    if levels < 0 and kind in (dict, Config, list):
        raise ConfigError(f"a value is nested in more than {_LEVELS} levels; write it flatter")
    if is_dict(value) and kind in (dict, Config):
        copied_dict: dict[str, Any] = Config() if kind is Config else {}
        copies[id(value)] = copied_dict
        for key, inner in value.items():
            copied_dict[key] = deep_copy(inner, copies, levels - 1)
        return copied_dict
    if kind is list:
        copied_list: list[Any] = []
        copies[id(value)] = copied_list
        copied_list.extend(deep_copy(inner, copies, levels - 1) for inner in value)
        return copied_list
    from copy import deepcopy

    return deepcopy(value, copies)
