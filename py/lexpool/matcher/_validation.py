"""Validation of patterns before they are compiled."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from .. import attrs
from .._narrow import is_dict
from .._typing import Any

ATTR_NAMES: dict[int, str] = {number: name for name, number in attrs.IDS.items()}

_Problems = Iterator[str]
_Check = Callable[[str, Any], _Problems]

_OPERATORS = ("+", "*", "?", "!")
_REPETITION = r"\{[0-9]+\}|\{[0-9]+,[0-9]*\}|\{[0-9]*,[0-9]+\}"
_FUZZY = ["FUZZY", *(f"FUZZY{edits}" for edits in range(1, 10))]
_SETS = ["IN", "NOT_IN", "IS_SUBSET", "IS_SUPERSET", "INTERSECTS"]
_COMPARISONS = ["==", "!=", ">=", "<=", ">", "<"]
# The types that a list of values may have.
_LISTS: tuple[type[Any], ...] = (list, tuple, set, frozenset)


def problems(pattern: list[Any]) -> list[str]:
    """Returns all errors of a pattern, each with its element and field; empty if it is valid."""
    return [problem for i, spec in enumerate(pattern) for problem in _spec(f"[{i}]", spec)]


def is_token_attr(name: str) -> bool:
    """Returns whether patterns may test an attribute, given by its upper-case name."""
    return name in _FIELDS and name not in ("OP", "_")


def _spec(place: str, spec: Any) -> _Problems:
    if not is_dict(spec):
        yield f"{place}: expected a dict, not {spec!r}"
        return
    for key, value in spec.items():
        name = ATTR_NAMES.get(key, key) if isinstance(key, int) else key
        check = _field(name, _FIELDS)
        if check is None:
            yield f"{place}: unknown attribute {name!r}"
        elif value is None:
            yield f"{place} {name}: None is not a value; remove the attribute"
        else:
            yield from check(f"{place} {name}", value)


def _field(name: Any, fields: dict[str, _Check]) -> _Check | None:
    """Returns the check of a field, or None for a name that is unknown or mixes cases."""
    if not isinstance(name, str) or name not in (name.upper(), name.lower()):
        return None
    return fields.get(name.upper())


def _predicates(place: str, given: dict[Any, Any], fields: dict[str, _Check]) -> _Problems:
    for name, value in given.items():
        check = _field(name, fields)
        if check is None:
            yield f"{place}: unknown predicate {name!r}; expected one of {', '.join(fields)}"
        else:
            yield from check(f"{place} {name}", value)


def _is_int(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: Any) -> bool:
    return _is_int(value) or isinstance(value, float)


def _text(place: str, value: Any) -> _Problems:
    if not isinstance(value, str):
        yield f"{place}: expected a string, not {value!r}"


def _number(place: str, value: Any) -> _Problems:
    if not _is_number(value):
        yield f"{place}: expected a number, not {value!r}"


def _several(kind: str, fits: Callable[[Any], bool]) -> _Check:
    def check(place: str, value: Any) -> _Problems:
        if not isinstance(value, _LISTS):
            yield f"{place}: expected a list of {kind}, not {value!r}"
            return
        for item in value:
            if not fits(item):
                yield f"{place}: expected {kind} only, not {item!r}"

    return check


def _text_or_predicates(place: str, value: Any) -> _Problems:
    if is_dict(value):
        yield from _predicates(place, value, _TEXT_PREDICATES)
    else:
        yield from _text(place, value)


def _number_or_predicates(place: str, value: Any) -> _Problems:
    if is_dict(value):
        yield from _predicates(place, value, _NUMBER_PREDICATES)
    else:
        yield from _number(place, value)


def _flag(place: str, value: Any) -> _Problems:
    if not isinstance(value, bool):
        yield f"{place}: expected True or False, not {value!r}"


def _iob(place: str, value: Any) -> _Problems:
    if value not in ("", "I", "O", "B") and not (_is_int(value) and 0 <= value <= 3):
        yield f"{place}: expected 'I', 'O', 'B', '' or their numbers, not {value!r}"


def _operator(place: str, value: Any) -> _Problems:
    # Most operators are one character, and loading a pipeline needs no `re` for them.
    if value in _OPERATORS:
        return
    from re import fullmatch

    if not isinstance(value, str) or not fullmatch(_REPETITION, value):
        yield f"{place}: expected +, *, ?, !, {{n}}, {{n,m}}, {{n,}} or {{,m}}, not {value!r}"


def _extensions(place: str, value: Any) -> _Problems:
    if not is_dict(value):
        yield f"{place}: expected a dict of extension attributes, not {value!r}"
        return
    for name, wanted in value.items():
        if not isinstance(name, str):
            yield f"{place}: expected names of extension attributes, not {name!r}"
        elif is_dict(wanted):
            as_text = list(_predicates(f"{place} {name}", wanted, _TEXT_PREDICATES))
            if as_text and list(_predicates("", wanted, _NUMBER_PREDICATES)):
                yield from as_text
        elif not isinstance(wanted, (str, int, float, list)):
            yield f"{place} {name}: expected a string, a number, a list or a dict, not {wanted!r}"


_TEXT_PREDICATES: dict[str, _Check] = {
    **dict.fromkeys(["REGEX", *_FUZZY], _text_or_predicates),
    **dict.fromkeys(_SETS, _several("strings", lambda item: isinstance(item, str))),
}
_NUMBER_PREDICATES: dict[str, _Check] = {
    "REGEX": _text,
    **dict.fromkeys(_SETS, _several("whole numbers", _is_int)),
    **dict.fromkeys(_COMPARISONS, _number),
}
_TEXTS = "ORTH TEXT LOWER POS TAG MORPH DEP LEMMA SHAPE ENT_TYPE ENT_ID ENT_KB_ID NORM"
_FLAGS = (
    "SPACY IS_ALPHA IS_ASCII IS_DIGIT IS_LOWER IS_UPPER IS_TITLE IS_PUNCT IS_SPACE IS_BRACKET "
    "IS_QUOTE IS_LEFT_PUNCT IS_RIGHT_PUNCT IS_CURRENCY IS_STOP IS_SENT_START SENT_START LIKE_NUM "
    "LIKE_URL LIKE_EMAIL"
)
_FIELDS: dict[str, _Check] = {
    **dict.fromkeys(_TEXTS.split(), _text_or_predicates),
    **dict.fromkeys(_FLAGS.split(), _flag),
    "LENGTH": _number_or_predicates,
    "ENT_IOB": _iob,
    "OP": _operator,
    "_": _extensions,
}
