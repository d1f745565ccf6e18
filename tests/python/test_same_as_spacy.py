"""A tokenizer taken over from spaCy gives spaCy's documents: tokens, offsets, attributes."""

import random

import numpy as np
import pytest
from comparing import ATTRS, differences
from hypothesis import given, settings, strategies as st
from scripts import generated, texts

import lexpool

LANGUAGES = ["de", "fr", "es", "it", "nl", "sv", "pl", "hu", "fi", "tr", "ru", "el", "xx"]
TRICKY = [
    "", " ", "  ", "\n", "a", " a", "a ", " a  b ", "\u00a0", "a\u00a0b", "a \u00a0 b", "\t\n a",
    "don't", "(don't)", "((don't))!", "I'm.", "can't've", "U.S.A.", "e.g.,", "...", "....", ":):)",
    "\u0301a", "a\u0301", "\u200b", "a\u200bb", "\ufeffx", "\x00", "a\x00b",
    "\U0001f468\u200d\U0001f469", "\uff11",
    "http://a.b/c?d=(e)", "www.x.com.", "a@b.com,", "1.000,00", "10km", "$10-$20", "A--B", "x-y-z",
    "\u00df\u1e9e", "\u0130\u0131", "\u01c5", "\u03a3\u03c2", "\u2460", "\u00b2", "\u0663",
]  # fmt: skip


def test_english_is_the_same_on_every_line_of_every_text(pair, lines):
    assert differences(*pair("en"), lines) == []


@pytest.mark.parametrize("lang", LANGUAGES)
def test_other_languages_are_the_same_on_real_lines(pair, lines, full, lang):
    some = lines if full else random.Random(lang).sample(lines, min(len(lines), 1500))
    assert differences(*pair(lang), some) == []


@pytest.mark.parametrize("lang", ["en", *LANGUAGES])
def test_generated_texts_of_each_script_are_the_same(pair, full, lang):
    some = generated(random.Random(lang), 30_000 if full else 1500)
    assert differences(*pair(lang), TRICKY + some) == []


@settings(max_examples=300)
@given(st.data())
def test_any_text_is_the_same_in_any_language(pair, data):
    lang = data.draw(st.sampled_from(["en", *LANGUAGES]))
    text = data.draw(texts())
    assert differences(*pair(lang), [text]) == []


def test_a_text_is_the_same_whatever_came_before(pair, sample):
    theirs, ours = pair("en")
    again = sample[:300]
    first = [ours(text).to_array(ATTRS) for text in again]
    for text in reversed(sample):
        ours(text)
    assert all(np.array_equal(ours(text).to_array(ATTRS), kept) for text, kept in zip(again, first))
    assert differences(theirs, ours, again) == []


@pytest.mark.parametrize("text", ["He's here", "' x", "Let's"])
def test_the_first_token_starts_a_sentence_where_spacy_forgets_it(pair, text):
    theirs, ours = pair("en")
    assert theirs("Go on").to_array("SENT_START").tolist() == [1, 0]
    assert not theirs(text).to_array("SENT_START").any()
    assert ours(text).to_array("SENT_START")[0] == 1
    assert not ours(text).to_array("SENT_START")[1:].any()


def test_ids_resolve_to_the_same_strings(pair, sample):
    theirs, ours = pair("en")
    for text in sample[:200]:
        for a, b in zip(theirs(text), ours(text), strict=True):
            assert (a.text, a.lower_, a.norm_, a.shape_) == (b.text, b.lower_, b.norm_, b.shape_)
            assert (a.prefix_, a.suffix_, a.lang_) == (b.prefix_, b.suffix_, b.lang_)
            assert (a.text_with_ws, a.whitespace_, a.idx) == (b.text_with_ws, b.whitespace_, b.idx)


@pytest.mark.parametrize("lang", ["en", "xx"])
def test_lexpools_own_rules_give_spacys_norm_of_every_character(spacy, lang):
    theirs, ours = spacy.blank(lang).vocab, lexpool.blank(lang).vocab
    signs = [
        "US$",
        "C$",
        "A$",
        "Mex$",
        "E\u00a3",
        "--",
        "---",
        "\u2014\u2014",
        "''",
        "``",
        "\u2019s",
    ]
    characters = map(chr, (*range(1, 0xD800), *range(0xE000, 0x20000)))
    wrong = [word for word in (*characters, *signs) if theirs[word].norm_ != ours[word].norm_]
    assert wrong == []
