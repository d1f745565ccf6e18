"""Compiles patterns in spaCy's form to the conditions of the native matcher."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Callable

from .. import attrs
from .._core import get_string_id, is_searchable, levenshtein_compare
from .._narrow import is_dict, is_iterable
from .._typing import Any, cast
from ._validation import is_token_attr

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import TypeAlias

    from .._core import Doc, Vocab

FuzzyCompare: TypeAlias = Callable[[str, str, int], bool]
# A condition: its kind, the number of its attribute (or -1), and its values.
Condition: TypeAlias = tuple[Any, ...]
# An operator with the conditions that a token must fulfil, all of them.
Element: TypeAlias = tuple[str, list[Condition]]

_ENT_IOB: int = attrs.IDS["ENT_IOB"]
_MORPH: int = attrs.IDS["MORPH"]
_IOB = ("", "I", "O", "B")
_MOST_ID = 2**64 - 1
_FUZZY = {"FUZZY": -1, **{f"FUZZY{edits}": edits for edits in range(1, 10)}}
_COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "!=": operator.ne,
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
}
_SETS: dict[str, Callable[[Any, Any], Any]] = {
    "IS_SUBSET": operator.le,
    "IS_SUPERSET": operator.ge,
    "INTERSECTS": lambda own, wanted: bool(own & wanted),
}
_LISTS = ("IN", "NOT_IN", *_SETS)


class Questions:
    """Numbered Python functions that evaluate a condition on a token or a string."""

    def __init__(self) -> None:
        self._functions: list[tuple[str | None, Callable[[Any], Any]]] = []

    def of_token(self, extension: str, function: Callable[[Any], Any]) -> Condition:
        """Returns a condition on the value of an extension attribute."""
        self._functions.append((extension, function))
        return ("ASK", -1, len(self._functions) - 1)

    def of_text(self, attr: int, function: Callable[[Any], Any]) -> Condition:
        """Returns a condition on the string of an attribute."""
        self._functions.append((None, function))
        return ("ASK_TEXT", attr, len(self._functions) - 1)

    def answerer(self, doc: Doc) -> Callable[[int, int, str | None], bool]:
        """Returns the callback that answers the questions about a document. The callback raises
        ValueError (E125) if a function returns neither True nor False.
        """

        def evaluate(number: int, token: int, text: str | None) -> bool:
            extension, function = self._functions[number]
            answer = function(text if extension is None else doc[token]._.get(extension))
            if answer is not True and answer is not False:
                raise ValueError(f"[E125] a predicate returned {answer!r}; expected True or False")
            return answer

        return evaluate


class _Attempt:
    """A context manager; `contextlib` would take a third of the import of matchers."""

    def __init__(self, compiler: Compiler) -> None:
        self._compiler = compiler
        self._known = set(compiler.attrs)

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, *_error: object) -> None:
        if kind is not None:
            self._compiler.attrs = self._known


class Compiler:
    """Compiles the patterns of one matcher."""

    def __init__(self, vocab: Vocab, questions: Questions, fuzzy_compare: FuzzyCompare) -> None:
        self._vocab = vocab
        self._questions = questions
        self._fuzzy_compare = fuzzy_compare
        self.attrs: set[int] = set()
        """The attributes whose values patterns test."""

    def attempt(self) -> _Attempt:
        """Drops the attributes of patterns whose compilation fails in a `with` block."""
        return _Attempt(self)

    def pattern(self, specs: Iterable[Any]) -> list[Element]:
        """Returns the elements of a pattern.

        Raises ValueError: E154 if an element or its extension attributes are not a dict, or
        if no token can have a number; E152 for an unknown attribute; E153 for a value of a wrong
        type.
        """
        return [self._element(spec) for spec in specs]

    def _element(self, spec: Any) -> Element:
        if not spec:
            return ("1", [])
        if not is_dict(spec):
            raise ValueError(f"[E154] expected a dict for an element of a pattern, not {spec!r}")
        op = "1"
        conditions: list[Condition] = []
        for key, value in spec.items():
            name = key.upper() if isinstance(key, str) else key
            if name == "OP":
                op = value if isinstance(value, str) else repr(value)
            elif name == "_":
                if not is_dict(value):
                    text = f"[E154] expected a dict of extension attributes, not {value!r}"
                    raise ValueError(text)
                for extension, wanted in value.items():
                    conditions += self._extension(extension, wanted)
            else:
                attr = attr_number(name)
                if attr is None:
                    raise ValueError(f"[E152] unknown attribute {key!r}")
                conditions += self._attr(attr, value)
        return op, conditions

    def _attr(self, attr: int, value: Any) -> list[Condition]:
        if is_dict(value):
            return self._predicates(attr, value)
        if isinstance(value, str):
            if attr == _ENT_IOB and value in _IOB:
                number = _IOB.index(value)
            else:
                number = self._vocab.strings.add(value)
        elif isinstance(value, int):
            number = int(value)
        else:
            kind = type(value).__name__
            raise ValueError(f"[E153] expected a string, a number or a dict, not {kind}")
        if not 0 <= number <= _MOST_ID:
            raise ValueError(f"[E154] {number} is not an attribute value; expected 0 to 2^64 - 1")
        self.attrs.add(attr)
        return [("IS", attr, number)]

    def _predicates(
        self, attr: int, predicates: Mapping[Any, Any], search: str = "", edits: int = -1
    ) -> list[Condition]:
        """Returns the conditions of a dict of predicates. Inside of REGEX or FUZZY, lists contain
        expressions to search for, or strings to compare with."""
        conditions: list[Condition] = []
        for given, value in predicates.items():
            name = given.upper() if isinstance(given, str) else given
            if name == "REGEX" and is_dict(value):
                conditions += self._predicates(attr, value, "REGEX")
            elif name in _FUZZY and is_dict(value):
                conditions += self._predicates(attr, value, "FUZZY", _FUZZY[name])
            elif name == "REGEX":
                conditions.append(self._regex(attr, "", [value]))
            elif name in _FUZZY:
                conditions.append(self._fuzzy(attr, "", [value], _FUZZY[name]))
            elif name in ("IN", "NOT_IN") and search:
                negated = "NOT_" if name == "NOT_IN" else ""
                if search == "REGEX":
                    conditions.append(self._regex(attr, negated, list(value)))
                else:
                    conditions.append(self._fuzzy(attr, negated, list(value), edits))
            elif name in _LISTS:
                conditions.append(self._list(attr, name, value, bool(search)))
            elif name in _COMPARISONS:
                if not isinstance(value, (int, float)):
                    raise ValueError(f"[E153] {name} compares with a number, not {value!r}")
                conditions.append((name, attr, value))
            else:
                warn_unknown(predicates)
        return conditions

    def _regex(self, attr: int, negated: str, sources: list[str]) -> Condition:
        import re

        compiled = [re.compile(source) for source in sources]
        if all(_is_searchable(source) for source in sources):
            return (f"{negated}REGEX", attr, sources)
        expected = not negated

        def search(text: str) -> bool:
            return any(one.search(text) for one in compiled) is expected

        return self._questions.of_text(attr, search)

    def _fuzzy(self, attr: int, negated: str, strings: list[str], edits: int) -> Condition:
        compare = self._fuzzy_compare
        if compare is levenshtein_compare:
            return (f"{negated}FUZZY", attr, strings, edits)
        if not negated and len(strings) == 1:
            (wanted,) = strings
            return self._questions.of_text(
                attr, lambda text: text == wanted or compare(text, wanted, edits)
            )
        expected = not negated

        def compare_all(text: str) -> bool:
            return any(compare(text, wanted, edits) for wanted in strings) is expected

        return self._questions.of_text(attr, compare_all)

    def _list(self, attr: int, name: str, values: Iterable[Any], stored: bool) -> Condition:
        if attr == _MORPH:
            return (name, attr, [self._vocab.morphology.add(value) for value in values])
        if stored:
            values = [self._vocab.strings.add(value) for value in values]
        keys = [get_string_id(value) for value in values]
        ids = [int(key) for key in keys if _is_id(key)]
        if name == "IS_SUPERSET" and len(ids) < len(keys):
            # No token has all the values.
            return ("IN", attr, [])
        return (name, attr, ids)

    def _extension(self, extension: str, wanted: Any) -> list[Condition]:
        ask = self._questions.of_token
        if not is_dict(wanted):
            if isinstance(wanted, str):
                self._vocab.strings.add(wanted)
            same = get_string_id(wanted)
            return [ask(extension, lambda value: bool(get_string_id(value) == same))]
        conditions: list[Condition] = []
        for name, value in wanted.items():
            function = self._of_value(name.upper() if isinstance(name, str) else name, value)
            if function is not None:
                conditions.append(ask(extension, function))
        return conditions

    def _of_value(self, name: Any, wanted: Any) -> Callable[[Any], Any] | None:
        """Returns the function that evaluates a predicate on an extension attribute's value, or
        None for an unknown predicate.
        """
        if name in _COMPARISONS:
            compare = _COMPARISONS[name]
            return lambda value: compare(value, wanted)
        if name == "REGEX":
            import re

            search = re.compile(cast(str, wanted)).search
            return lambda value: bool(search(value))
        if name in _FUZZY:
            edits, similar = _FUZZY[name], self._fuzzy_compare
            return lambda value: wanted == value or similar(value, wanted, edits)
        if name not in _LISTS:
            return None
        ids = {get_string_id(item) for item in wanted}
        if name in _SETS:
            relates = _SETS[name]

            def related(value: Any) -> Any:
                own = _as_ids(value)
                return own is not None and relates(own, ids)

            return related
        expected = name == "IN"

        def listed(value: Any) -> bool:
            return isinstance(value, (str, int)) and (get_string_id(value) in ids) is expected

        return listed


def attr_number(name: Any) -> int | None:
    """Returns the number of an attribute, given by its upper-case name or its number."""
    if not isinstance(name, str):
        return name if isinstance(name, int) and 0 <= name < 2**32 else None
    name = {"TEXT": "ORTH", "IS_SENT_START": "SENT_START"}.get(name, name)
    return attrs.IDS.get(name)


def phrase_attr(attr: int | str | None) -> int:
    """Returns the number of the attribute that phrases are compared by. Raises ValueError (E152)
    for an unknown name, OverflowError (E152) for a number that no attribute can have.
    """
    if isinstance(attr, int) and 0 <= attr < 2**32:
        return attr
    if isinstance(attr, int):
        raise OverflowError(f"[E152] unknown attribute {attr}")
    name = "ORTH" if attr is None else attr.upper()
    number = attr_number(name)
    if number is None or not is_token_attr(name):
        raise ValueError(f"[E152] unknown attribute {attr!r}")
    return number


def warn_unknown(predicates: Mapping[Any, Any]) -> None:
    """Warns (W035) about an unknown predicate, which is ignored."""
    text = f"[W035] an unknown predicate in {predicates!r} is ignored"
    warnings.warn(text, UserWarning, stacklevel=2)


def _is_id(key: Any) -> bool:
    return isinstance(key, (int, float)) and key == int(key) and 0 <= key <= _MOST_ID


def _as_ids(value: Any) -> set[Any] | None:
    if isinstance(value, (str, int)):
        return {get_string_id(value)}
    if not is_iterable(value):
        return None
    items = list(value)
    if all(isinstance(item, (str, int)) for item in items):
        return {get_string_id(item) for item in items}
    return None


def _is_searchable(source: str) -> bool:
    # Only Python's `re` can search for a lone surrogate.
    return not any("\ud800" <= char <= "\udfff" for char in source) and is_searchable(source)
