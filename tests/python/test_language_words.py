"""Lexical attributes of words of each language are spaCy's, but for what COMPARE.md lists.

The words are those of `language_words.toml` in four casings: the language's own, and marks, numbers
and shapes that all languages share.
"""

import tomllib
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import pytest

from lexpool._core import vocab_of_language

ROOT = Path(__file__).parents[2]
WORDS = tomllib.loads((ROOT / "tests/python/language_words.toml").read_text(encoding="utf-8"))
# All attributes that are computed from a word, but IS_STOP, whose lists are lexpool's own.
ATTRS = (
    "like_num like_url like_email shape_ norm_ lower_ prefix_ suffix_ is_alpha is_ascii is_digit is_lower "
    "is_upper is_title is_punct is_space is_quote is_bracket is_left_punct is_right_punct is_currency"
).split()

# Differences that COMPARE.md lists, by the beginning of their row: language, attribute, words.
EXCUSED = {
    "`1,000` (ne), digits (grc) as `like_num`": {
        ("grc", "like_num"): "0 7 12 ² ٣ ۳ ३ ৩ ௩ １２",
        ("ne", "like_num"): "1,000 1.000,5",
    },
    "number words with a misprint or a space in spaCy's lists": {
        ("ml", "like_num"): "ഒന്ന് രണ്ട് പത്ത് ആയിരം",
    },
    "norms of hi and ne": {("ne", "norm_"): "काठमाडौं"},
    "`ı`, `İ` (la) as `like_num`": {("la", "like_num"): "ı İ"},
}


def casings(text):
    words = text.split()
    forms = [(word, word.lower(), word.upper(), word.capitalize()) for word in words]
    return list(dict.fromkeys(form for four in forms for form in four))


def excused(lang, attr):
    rows = [row.get((lang, attr), "") for row in EXCUSED.values()]
    return set(" ".join(rows).split())


def languages():
    import spacy.lang

    return sorted(module.name for module in iter_modules(spacy.lang.__path__) if module.ispkg)


def spacy_vocab(lang):
    """A vocab of spaCy's without the tokenizer, which takes seconds for some languages."""
    from spacy.language import BaseDefaults
    from spacy.vocab import create_vocab

    module = import_module(f"spacy.lang.{lang}")
    for own in vars(module).values():
        if (
            isinstance(own, type)
            and issubclass(own, BaseDefaults)
            and own.__module__ == module.__name__
        ):
            return create_vocab(lang, own)
    return create_vocab(lang, BaseDefaults)


@pytest.mark.parametrize("lang", sorted(WORDS["words"]))
def test_attributes_of_words_are_those_of_spacy(lang):
    theirs, own = spacy_vocab(lang), vocab_of_language(lang)
    found = {}
    for word in casings(WORDS["shared"] + WORDS["words"][lang]):
        one, other = theirs[word], own[word]
        for attr in ATTRS:
            if getattr(one, attr) != getattr(other, attr):
                found.setdefault(attr, set()).add(word)
    # Each excuse must be needed.
    assert found == {attr: excused(lang, attr) for attr in ATTRS if excused(lang, attr)}


def test_each_language_of_spacy_has_words():
    assert sorted(WORDS["words"]) == languages()
    assert all(len(words.split()) >= 6 for words in WORDS["words"].values())


@pytest.mark.parametrize("row", EXCUSED)
def test_each_excuse_is_a_row_of_the_comparison(row):
    assert f"\n| {row}" in (ROOT / "COMPARE.md").read_text(encoding="utf-8")
