"""`explain`, `find_prefix`, `find_suffix`: why a text is cut as it is."""

import random

import pytest
from hypothesis import example, given, strategies as st
from scripts import generated, texts

LANGUAGES = ["en", "de", "fr", "hu", "tr", "ru", "xx"]


def visible(doc) -> list[str]:
    return [token.text for token in doc if not token.is_space]


@example("a  b")
@example(" ")
@given(texts())
def test_an_explanation_has_the_tokens_of_the_document(english, text):
    assert [token for _, token in english.explain(text)] == visible(english(text))


@example("en", "a  b")
@given(st.sampled_from(LANGUAGES), texts())
def test_an_explanation_of_spacys_rules_has_the_tokens_of_the_document(pair, lang, text):
    _, ours = pair(lang)
    assert [token for _, token in ours.explain(text)] == visible(ours(text))


@pytest.mark.parametrize("lang", LANGUAGES)
def test_reasons_are_the_ones_that_spacy_gives(pair, sample, full, lang):
    theirs, ours = pair(lang)
    some = sample if full else sample[:300]
    for text in some + generated(random.Random(lang), 300):
        # Once for each text: it takes far longer than tokenizing.
        explained = theirs.explain(text)
        if visible(theirs(text)) == [token for _, token in explained]:
            assert ours.explain(text) == explained, text


def test_each_kind_of_rule_is_named(new_pair):
    _, ours = new_pair("en")
    ours.add_special_case("two words", [{"ORTH": "two "}, {"ORTH": "words"}])
    explained = ours.explain("(isn't a-b two words http://x.org/y).")
    assert explained == [
        ("PREFIX", "("), ("SPECIAL-1", "is"), ("SPECIAL-2", "n't"), ("TOKEN", "a"), ("INFIX", "-"),
        ("TOKEN", "b"), ("SPECIAL-1", "two "), ("SPECIAL-2", "words"),
        ("URL_MATCH", "http://x.org/y"), ("SUFFIX", ")"), ("SUFFIX", "."),
    ]  # fmt: skip


def test_a_token_that_begins_with_a_space_is_explained(new_pair):
    theirs, ours = new_pair("en")
    for tokenizer in (theirs, ours):
        tokenizer.add_special_case(" a-", [{"ORTH": " a-"}])
        assert [token.text for token in tokenizer("b  a- c")] == ["b", " a-", "c"]
    # spaCy's has "a-", which is not a token.
    explained = ours.explain("b  a- c")
    assert explained == [("TOKEN", "b"), ("SPECIAL-1", " a-"), ("TOKEN", "c")]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_affixes_are_found_as_spacy_finds_them(pair, sample, lang):
    theirs, ours = pair(lang)
    chunks = [chunk for text in sample[:300] for chunk in text.split()]
    for chunk in [*chunks, *"".join(generated(random.Random(lang), 500)).split()]:
        assert ours.find_prefix(chunk) == theirs.find_prefix(chunk), chunk
        assert ours.find_suffix(chunk) == theirs.find_suffix(chunk), chunk


def test_affixes_are_counted_in_characters(pair):
    _, ours = pair("en")
    assert ours.find_prefix("\u201cx") == 1
    assert ours.find_suffix("x\u2026") == 1
    assert ours.find_prefix("x") == ours.find_suffix("") == 0
