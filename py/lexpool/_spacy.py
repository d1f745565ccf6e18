"""Taking over the rules of a spaCy tokenizer, and the attribute getters of its vocab."""

import functools
from collections.abc import Callable, Mapping
from typing import Any

from ._core import ATTRS, Tokenizer, Vocab

PATTERNS = ("prefix_search", "suffix_search", "infix_finditer", "token_match", "url_match")

# spaCy's getters that lexpool computes itself, by module and name. What is not here stays a call
# into Python, made once for each new word.
_NATIVE: dict[tuple[str, str], str] = {
    ("spacy.lang.lex_attrs", name.lower()): name
    for name in (
        "LOWER", "PREFIX", "SUFFIX", "IS_ALPHA", "IS_DIGIT", "IS_LOWER", "IS_SPACE", "IS_TITLE",
        "IS_UPPER", "LIKE_EMAIL", "IS_PUNCT", "IS_ASCII", "IS_BRACKET", "IS_QUOTE",
        "IS_LEFT_PUNCT", "IS_RIGHT_PUNCT", "IS_CURRENCY", "LIKE_URL",
    )
} | {("spacy.lang.lex_attrs", "word_shape"): "SHAPE"}  # fmt: skip

_Getter = Callable[[str], Any]


def from_spacy(tokenizer: Any) -> Tokenizer:
    """A lexpool tokenizer with the rules and the attributes of a spaCy one."""
    patterns: dict[str, Any] = {name: getattr(tokenizer, name, None) for name in PATTERNS}
    if not hasattr(tokenizer, "rules"):
        kind = type(tokenizer).__name__
        raise TypeError(
            f"expected spaCy's Tokenizer, not {kind}; tokenizers that are not made of affix "
            "rules and special cases cannot be taken over"
        )
    vocab = vocab_from_spacy(tokenizer.vocab)
    rules = {
        text: [_names(attrs, tokenizer.vocab.strings) for attrs in tokens]
        for text, tokens in tokenizer.rules.items()
    }
    heuristics = tokenizer.faster_heuristics
    return Tokenizer(vocab, rules, faster_heuristics=heuristics, **patterns)


def vocab_from_spacy(vocab: Any) -> Vocab:
    """An empty vocab that gives new words the attributes that this spaCy vocab would give."""
    getters: Mapping[int, _Getter] = vocab.lex_attr_getters
    words = _WordLists(lang=vocab.lang)
    functions: dict[int, _Getter] = {}
    for attr, getter in getters.items():
        if not words.take(attr, getter):
            functions[attr] = getter
    absent = [attr for attr in ATTRS.values() if attr not in getters]
    return Vocab._with_native_getters(
        words.lang,
        stop_words=words.stop_words,
        norms=words.norms,
        number_words=words.number_words,
        ordinal_words=words.ordinal_words,
        ordinal_suffixes=words.ordinal_suffixes,
        absent=absent,
        functions=functions,
    )


class _WordLists:
    """The word lists behind a vocab's getters, as far as those are known here."""

    def __init__(self, lang: str) -> None:
        self.lang = lang
        self.stop_words: list[str] = []
        self.norms: dict[str, str] = {}
        self.number_words: list[str] = []
        self.ordinal_words: list[str] = []
        self.ordinal_suffixes: list[str] = []

    def take(self, attr: int, getter: _Getter) -> bool:
        """Whether lexpool does natively what the getter does, given its word lists."""
        if isinstance(getter, functools.partial):
            return self._take_partial(attr, getter)
        place = (getattr(getter, "__module__", ""), getattr(getter, "__name__", ""))
        if place == ("spacy.lang.lex_attrs", "like_num"):
            return attr == ATTRS["LIKE_NUM"]
        if place == ("spacy.lang.en.lex_attrs", "like_num") and attr == ATTRS["LIKE_NUM"]:
            return self._take_english_numbers()
        if place == ("spacy.lang.lex_attrs", "lower") and attr == ATTRS["NORM"]:
            return True
        return place in _NATIVE and ATTRS[_NATIVE[place]] == attr

    def _take_partial(self, attr: int, getter: functools.partial[Any]) -> bool:
        function, args, named = getter.func, getter.args, getter.keywords
        place = (function.__module__, function.__name__)
        if place == ("spacy.lang.lex_attrs", "is_stop") and attr == ATTRS["IS_STOP"]:
            self.stop_words = [word for word in named.get("stops", ()) if not args]
            return not args
        if place == ("spacy.lang.lex_attrs", "get_lang") and attr == ATTRS["LANG"]:
            self.lang = named.get("lang", "")
            return not args
        if place == ("spacy.util", "_get_attr_unless_lookup") and attr == ATTRS["NORM"]:
            default, tables = args
            if not all(type(table) is dict for table in tables):
                return False
            # The first table that has a word decides.
            for table in reversed(tables):
                self.norms.update(table)
            return self.take(attr, default)
        return False

    def _take_english_numbers(self) -> bool:
        from spacy.lang.en import lex_attrs

        self.number_words = list(lex_attrs._num_words)
        self.ordinal_words = list(lex_attrs._ordinal_words)
        self.ordinal_suffixes = ["st", "nd", "rd", "th"]
        return True


def _names(attrs: Mapping[Any, Any], strings: Any) -> dict[Any, Any]:
    """A special case's attributes with strings for values; spaCy also takes ids."""
    return {
        name: strings[value] if isinstance(value, int) else value for name, value in attrs.items()
    }
