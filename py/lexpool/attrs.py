"""Attributes and their numbers, as spaCy's: `attrs.LOWER` is 66."""

from __future__ import annotations

from operator import index

from ._core import ATTRS as _ATTRS, IOB_STRINGS as _IOB_STRINGS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


IDS: dict[str, int] = dict(_ATTRS)
NAMES: list[str] = [name for name, _ in sorted(IDS.items(), key=lambda item: item[1])]
IOB_STRINGS: tuple[str, ...] = tuple(_IOB_STRINGS)

globals().update({name: number for name, number in IDS.items() if name})

# Morphological features that spaCy's old tag maps list beside attributes, recognized in this
# spelling, in lower case and in upper case.
_RENAMED = {"F": "ORTH", "L": "LEMMA", "pos": "TAG"}
_DROPPED = ("morph", "number", "tenspect")
_FEATURES = """
    Abbr AdjType AdpType AdvType Animacy Aspect Case ConjType Degree Derivation Echo Foreign Gender
    Hyph Mood NameType Negative NounType NumForm NumType NumValue Number Other PartType Person Polarity
    Polite Poss PrepCase PronType PunctSide PunctType Reflex StyleVariant Tense Variant VerbForm
    VerbType Voice
""".split()


def intify_attr(name: Any) -> int | None:
    """Returns the number of an attribute by its name in any case, None for an unknown name, and
    numbers unchanged.
    """
    if isinstance(name, str):
        number = IDS.get(name)
        return IDS.get(name.upper()) if number is None else number
    return name if isinstance(name, int) else index(name)


def intify_attrs(
    stringy_attrs: Mapping[Any, Any], strings_map: Any = None, _do_deprecated: bool = False
) -> dict[int, Any]:
    """Returns the attributes with numbers in place of names, without unknown names.

    strings_map: a string store or mapping that converts string values to ids.
    _do_deprecated: first converts the keys of spaCy's old tag maps in the given dict.


    Raises ValueError (E1025) if ENT_IOB is a string other than "I", "O", "B" and "".
    """
    if _do_deprecated:
        modernize(stringy_attrs)
    by_number: dict[int, Any] = {}
    for name, value in stringy_attrs.items():
        number = intify_attr(name)
        if number is None:
            continue
        if number == IDS["ENT_IOB"] and isinstance(value, str):
            if value not in IOB_STRINGS:
                raise ValueError(
                    f"[E1025] ENT_IOB is one of {IOB_STRINGS} or a number, not {value!r}"
                )
            value = IOB_STRINGS.index(value)
        elif isinstance(value, str) and strings_map is not None:
            value = strings_map.add(value) if hasattr(strings_map, "add") else strings_map[value]
        by_number[number] = value
    return by_number


def modernize(attrs: Any) -> None:
    """Converts, in place, the keys that spaCy's old tag maps have beside attributes."""
    for old, new in _RENAMED.items():
        if old in attrs:
            attrs[new] = attrs.pop(old)
    for name in _DROPPED:
        attrs.pop(name, None)
    for name in _FEATURES:
        spelling = next((s for s in (name, name.lower(), name.upper()) if s in attrs), None)
        attrs.pop(spelling, None)


def __getattr__(name: str) -> int:
    # Raises for names that are not in IDS. Type checkers take the types of the others from it.
    raise AttributeError(f"no attribute {name!r}; lexpool.attrs.IDS lists all attributes")
