"""Getters: functions by which a vocab computes the lexical attributes of new words.

`LEX_ATTRS` has lexpool's own getters. A vocab computes them, and the getters of spaCy that it
recognizes, without a call into Python.
"""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable
from importlib import import_module

from ._core import ATTRS, LexAttrGetter, WordLists, attr_number, base_norms, native_attrs
from ._typing import Any

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, MutableMapping
    from typing import Never, SupportsIndex, TypeAlias, TypeGuard

    from ._core import Vocab

__all__ = [
    "LEX_ATTRS",
    "LexAttrGetter",
    "LexAttrGetters",
    "WordLists",
    "add_lookups",
    "base_norms",
]

Getter: TypeAlias = Callable[[str], Any]

LEX_ATTRS: dict[int, Getter] = {attr: LexAttrGetter(attr) for attr in native_attrs()}

# spaCy's getters with a native equivalent, by module and name. Other getters are called in
# Python, once for each new word.
_SPACY = "spacy.lang.lex_attrs"
_NATIVE: dict[tuple[str, str], str] = {
    (_SPACY, name.lower()): name
    for name in (
        "LOWER", "PREFIX", "SUFFIX", "IS_ALPHA", "IS_DIGIT", "IS_LOWER", "IS_SPACE", "IS_TITLE",
        "IS_UPPER", "LIKE_EMAIL", "IS_PUNCT", "IS_ASCII", "IS_BRACKET", "IS_QUOTE",
        "IS_LEFT_PUNCT", "IS_RIGHT_PUNCT", "IS_CURRENCY", "LIKE_URL", "LIKE_NUM",
    )
} | {(_SPACY, "word_shape"): "SHAPE"}  # fmt: skip


class LexAttrGetters(dict[int, Getter]):
    """The getters of a vocab, by attribute; each change updates the vocab immediately.

    Keys are numbers or names. A change that the vocab rejects, such as a getter that is not
    callable (ValueError), is not made.
    """

    def __init__(self, vocab: Vocab, getters: Mapping[int, Getter]) -> None:
        super().__init__(getters)
        self._vocab = weakref.ref(vocab)

    def replace(self, getters: Mapping[Any, Getter]) -> None:
        """Replaces all getters by others."""
        changed = {attr_number(attr): getter for attr, getter in getters.items()}
        vocab = self._vocab()
        if vocab is not None:
            vocab._take_getters(changed)
        super().clear()
        super().update(changed)

    def __setitem__(self, attr: SupportsIndex | str, getter: Getter) -> None:
        self.replace({**self, attr_number(attr): getter})

    def __delitem__(self, attr: SupportsIndex | str) -> None:
        self.pop(attr)

    def update(self, *args: Any, **named: Getter) -> None:
        """Sets the getters of a mapping, or of pairs."""
        getters = {attr_number(attr): getter for attr, getter in dict(*args, **named).items()}
        self.replace({**self, **getters})

    def __ior__(self, other: Any) -> LexAttrGetters:  # type: ignore[override, misc]
        self.update(other)
        return self

    def setdefault(self, attr: Any, default: Any = None) -> Any:
        """Returns the getter of an attribute, after setting it to `default` if the attribute has no
        getter.
        """
        if attr_number(attr) not in self:
            self[attr] = default
        return self[attr_number(attr)]

    def pop(self, attr: Any, *default: Any) -> Any:
        """Removes the getter of an attribute and returns it."""
        rest = dict(self)
        getter = rest.pop(attr_number(attr), *default)
        self.replace(rest)
        return getter

    def popitem(self) -> tuple[int, Getter]:
        """Removes the last getter and returns it with its attribute."""
        if not self:
            raise KeyError("the dict of getters is empty")
        attr = next(reversed(self))
        return attr, self.pop(attr)

    def clear(self) -> None:
        """Removes all getters."""
        self.replace({})

    def copy(self) -> dict[int, Getter]:
        """Returns the getters as a dict, independent of the vocab."""
        return dict(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (dict(self),)

    def __copy__(self) -> Never:
        raise TypeError("the getters of a vocab cannot be its copy's; use `copy()` for a dict")


class AbsentGetter:
    """The placeholder of a function that a vocab had before it was saved, since files contain no
    code.

    Assign the function, or delete the placeholder, before the vocab gets a new word.
    """

    def __init__(self, attr: int) -> None:
        self.attr = attr

    def __call__(self, word: str) -> Never:
        raise RuntimeError(
            f"[getters-missing] {word!r} is new, and the function for {self._name()} is not in the"
            " file of the vocab, for files have no code: give it to `Vocab.open`, or set it in"
            " `lex_attr_getters`"
        )

    def __repr__(self) -> str:
        return f"<AbsentGetter {self._name()}>"

    def _name(self) -> str:
        return next(name for name, number in ATTRS.items() if number == self.attr)


def add_lookups(default: Getter, *tables: Mapping[str, Any]) -> Getter:
    """Returns a getter that looks a word up in tables, in order, and calls `default` if none has
    it.
    """
    return functools.partial(_unless_in_tables, default, tables)


def _unless_in_tables(default: Getter, tables: Iterable[Mapping[str, Any]], word: str) -> Any:
    for table in tables:
        if word in table:
            return table[word]
    return default(word)


def extend_norms(getters: MutableMapping[int, Getter], table: Mapping[str, Any]) -> None:
    """Makes the getter of norms look words up in a table first; a table is added only once."""
    present = getters.get(ATTRS["NORM"], LEX_ATTRS[ATTRS["NORM"]])
    if _is_partial(present) and present.func is _unless_in_tables:
        if any(other is table for other in present.args[1]):
            return
    getters[ATTRS["NORM"]] = add_lookups(present, table)


def without_norms(getters: Mapping[int, Getter], table: Any) -> dict[int, Getter]:
    """Returns the getters as they were before `extend_norms`."""
    getters, norm = dict(getters), ATTRS["NORM"]
    present = getters.get(norm)
    if _is_partial(present) and present.func is _unless_in_tables:
        default, tables = present.args
        if table is not None and len(tables) == 1 and tables[0] is table:
            getters[norm] = default
    return getters


def _is_partial(getter: object) -> TypeGuard[functools.partial[Any]]:
    return isinstance(getter, functools.partial)


def word_lists(lang: str, lists: Mapping[str, Any]) -> WordLists:
    """Returns word lists from their pickled form."""
    return WordLists(lang, **lists)


def compiled(
    getters: Mapping[int, Getter],
) -> tuple[WordLists, list[int], dict[int, Getter]]:
    """Splits getters into native ones, with their word lists, and those that are called in
    Python.
    """
    words = _RecognizedGetters()
    native = [attr for attr, getter in getters.items() if words.take(attr, getter)]
    called = {attr: getter for attr, getter in getters.items() if attr not in native}
    return words.lists(), native, called


class _RecognizedGetters:
    """The word lists of the getters with a native equivalent."""

    def __init__(self) -> None:
        self.lang = ""
        self.stop_words: list[str] = []
        self.norms: dict[str, str] = {}
        self.number_words: list[str] = []
        self.ordinal_suffixes: list[str] = []
        self.number_form = ""
        self.currency_words: list[str] = []
        self.norm_suffixes: list[str] = []

    def lists(self) -> WordLists:
        return WordLists(
            self.lang,
            stop_words=self.stop_words,
            norms=self.norms,
            number_words=self.number_words,
            ordinal_suffixes=self.ordinal_suffixes,
            number_form=self.number_form,
            currency_words=self.currency_words,
            norm_suffixes=self.norm_suffixes,
        )

    def take(self, attr: int, getter: Getter) -> bool:
        """Returns whether lexpool has a native equivalent of the getter, and collects its word
        lists.
        """
        if isinstance(getter, LexAttrGetter):
            return self._take_own(attr, getter)
        if _is_partial(getter):
            return self._take_partial(attr, getter)
        place = (getattr(getter, "__module__", ""), getattr(getter, "__name__", ""))
        if place == ("spacy.lang.en.lex_attrs", "like_num") and attr == ATTRS["LIKE_NUM"]:
            return self._take_english_numbers()
        if place == (_SPACY, "lower") and attr == ATTRS["NORM"]:
            return True
        return place in _NATIVE and ATTRS[_NATIVE[place]] == attr

    def _take_own(self, attr: int, getter: LexAttrGetter) -> bool:
        if getter.attr != attr:
            return False
        words = getter.words
        if attr == ATTRS["LANG"]:
            self.lang = words.lang
        elif attr == ATTRS["IS_STOP"]:
            self.stop_words = words.stop_words
        elif attr == ATTRS["NORM"]:
            self.norms = {**words.norms, **self.norms}
            self.norm_suffixes = words.norm_suffixes
        elif attr == ATTRS["IS_CURRENCY"]:
            self.currency_words = words.currency_words
        elif attr == ATTRS["LIKE_NUM"]:
            self.number_words = words.number_words
            self.ordinal_suffixes = words.ordinal_suffixes
            self.number_form = words.number_form
        return True

    def _take_partial(self, attr: int, getter: functools.partial[Any]) -> bool:
        function, args, named = getter.func, getter.args, getter.keywords
        place = (getattr(function, "__module__", ""), getattr(function, "__name__", ""))
        if place == (_SPACY, "is_stop") and attr == ATTRS["IS_STOP"] and not args:
            self.stop_words = list(named.get("stops", ()))
            return True
        if place == (_SPACY, "get_lang") and attr == ATTRS["LANG"] and not args:
            self.lang = named.get("lang", "")
            return True
        is_lookup = function is _unless_in_tables or place == (
            "spacy.util",
            "_get_attr_unless_lookup",
        )
        if is_lookup and attr == ATTRS["NORM"] and not named:
            return self._take_norms(*args)
        return False

    def _take_norms(self, default: Getter, tables: Iterable[Any]) -> bool:
        tables = list(tables)
        # Other mappings may change, or contain values of any type.
        if not all(type(table) is dict for table in tables):
            return False
        before = self.norms
        # The first table with the word takes precedence.
        self.norms = {key: norm for table in reversed(tables) for key, norm in table.items()}
        self.norms |= before
        if self.take(ATTRS["NORM"], default):
            return True
        self.norms = before
        return False

    def _take_english_numbers(self) -> bool:
        lex_attrs = import_module("spacy.lang.en.lex_attrs")
        self.number_words = [*lex_attrs._num_words, *lex_attrs._ordinal_words]
        self.ordinal_suffixes = ["st", "nd", "rd", "th"]
        return True
