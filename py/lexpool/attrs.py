"""Attributes and their numbers, as spaCy's: `attrs.LOWER` is 66."""

from ._core import ATTRS as _ATTRS

IDS: dict[str, int] = dict(_ATTRS)
NAMES: list[str] = [name for name, _ in sorted(IDS.items(), key=lambda item: item[1])]
IOB_STRINGS: tuple[str, ...] = ("", "I", "O", "B")

globals().update({name: number for name, number in IDS.items() if name})


def __getattr__(name: str) -> int:
    # For names that are not in IDS; type checkers learn from it what the others are.
    raise AttributeError(f"no attribute {name!r}; those there are stand in lexpool.attrs.IDS")
