"""Tokens and spans: views on a document."""

import numpy as np
import pytest

import lexpool
from lexpool import Span, Token, attrs
from lexpool.tokens import SpanGroup


def test_a_tokens_neighbours_are_within_the_document(doc):
    assert doc[1].nbor() == doc[2]
    assert doc[1].nbor(-1) == doc[0]
    assert doc[1].nbor(i=0) == doc[1]
    for token, step in ((doc[0], -1), (doc[-1], 1), (doc[0], 2**62), (doc[0], -(2**63))):
        with pytest.raises(IndexError, match="E042"):
            token.nbor(step)


def test_tokens_are_equal_by_place(tokenizer):
    doc, other = tokenizer("the the"), tokenizer("the the")
    assert doc[0] == doc[0]
    assert doc[0] != doc[1]
    assert doc[0] != other[0]
    assert doc[0] != "the"
    assert doc[0] != None  # noqa: E711
    assert hash(doc[0]) == hash(doc[0])
    assert len({doc[0], doc[1], doc[0], other[0]}) == 3


def test_a_token_is_its_text(doc):
    token = doc[2]
    assert token.text == token.orth_ == str(token) == repr(token) == "world"
    assert len(token) == 5
    assert token.doc is doc
    assert token.lex == doc.vocab["world"]
    assert token.orth == doc.vocab.strings["world"]
    assert (token.i, token.idx, token.whitespace_) == (2, 7, "")


def test_a_tokens_flags_are_checked_by_name_or_number(doc):
    assert doc[0].check_flag("IS_ALPHA")
    assert doc[0].check_flag("is_title")
    assert doc[1].check_flag(attrs.IS_PUNCT)
    assert not doc[1].check_flag("IS_ALPHA")
    with pytest.raises(KeyError, match="E983"):
        doc[0].check_flag("NO_SUCH")
    with pytest.raises(TypeError):
        doc[0].check_flag(None)


def test_a_token_is_made_by_its_document_only():
    with pytest.raises(TypeError):
        Token()


def test_properties_are_the_columns_of_the_array(doc):
    names = ["orth", "lower", "norm", "shape", "prefix", "suffix", "lang", "idx"]
    flags = [name for name in dir(doc[0]) if name.startswith(("is_", "like_"))]
    names += [name for name in flags if name.upper() in attrs.IDS]
    columns = doc.to_array([name.upper() for name in names])
    assert [[int(getattr(token, name)) for name in names] for token in doc] == columns.tolist()


def test_flags_are_bools_and_ids_ints(doc):
    assert doc[0].is_alpha is True
    assert doc[1].is_alpha is False
    assert type(doc[0].lower) is int
    assert doc[0].rank == 2**64 - 1


def test_a_span_has_the_tokens_between_its_ends(doc):
    span = Span(doc, 1, 4, label="PLACE")
    assert [token.i for token in span] == [1, 2, 3]
    assert (span.start, span.end, len(span)) == (1, 4, 3)
    assert (span.start_char, span.end_char) == (5, 13)
    assert doc.text[span.start_char : span.end_char] == span.text == str(span) == repr(span)
    assert span.text_with_ws == span.text + doc[3].whitespace_
    assert (span.label_, span.label) == ("PLACE", doc.vocab.strings["PLACE"])
    assert span.doc is doc
    assert Span(doc, 1, 4, label=span.label) == span
    assert Span(doc, 1, 4).label == 0
    assert Span(doc, 1, 4).label_ == ""


@pytest.mark.parametrize(("start", "end"), [(0, 100), (3, 1), (-1, 2), (0, -1), (2**62, 2**62)])
def test_a_span_outside_of_the_document_is_refused(doc, start, end):
    with pytest.raises(IndexError, match="E035"):
        Span(doc, start, end)


def test_a_label_that_has_no_string_is_refused(doc):
    # spaCy refuses it when the span is made.
    with pytest.raises((ValueError, KeyError), match=r"E084|E018"):
        _ = Span(doc, 0, 1, label=2**50 + 1).label_


def test_a_span_is_indexed_from_its_own_start(doc):
    span = doc[2:6]
    tokens = list(span)
    assert span[0] == tokens[0] == doc[2]
    assert span[-1] == doc[5]
    assert span[np.int32(1)] == doc[3]
    for key in (slice(1, 3), slice(-2, None), slice(None, 100), slice(3, 1), slice(None)):
        assert list(span[key]) == tokens[key]
    for key in (4, -5, 100):
        with pytest.raises(IndexError, match="E1002"):
            _ = span[key]
    with pytest.raises(ValueError, match="E057"):
        _ = span[::2]


def test_spans_are_sequences_for_numpy(doc):
    span = doc[2:6]
    assert np.array(span).tolist() == list(span)
    assert np.array([span, doc[0:4]], dtype=object).shape == (2, 4)
    assert np.concatenate([span, doc[0:2]]).tolist() == [*span, *doc[0:2]]
    assert np.random.default_rng(0).choice(span) in list(span)
    assert list(reversed(span)) == list(span)[::-1]
    group = SpanGroup(doc, spans=[doc[0:2], doc[2:4]])
    assert np.array(group).shape == (2, 2)


@pytest.mark.parametrize(
    "name", ["tag_", "lemma_", "norm_", "dep_", "ent_type_", "ent_id_", "ent_kb_id_"]
)
def test_none_clears_what_a_token_has(spacy, name):
    found = []
    for module in (lexpool, spacy):
        doc = module.blank("en")("a b")
        setattr(doc[0], name, "X")
        assert getattr(doc[0], name) == "X"
        setattr(doc[0], name, None)
        found.append(getattr(doc[0], name))
    assert found[0] == found[1]


@pytest.mark.parametrize("name", ["label_", "kb_id_", "id_"])
def test_none_clears_what_a_span_has(doc, name):
    span = doc[0:2]
    setattr(span, name, "X")
    setattr(span, name, None)
    assert getattr(span, name) == ""


def test_a_part_of_speech_is_always_named(doc):
    with pytest.raises(TypeError, match="pos_ is set to a string"):
        doc[0].pos_ = None


def test_an_empty_span_has_no_text(doc):
    for i in (0, 3, len(doc)):
        span = doc[i:i]
        assert (len(span), span.text, span.text_with_ws, list(span)) == (0, "", "", [])
        assert span.start_char == span.end_char


def test_an_empty_span_stands_where_spacys_does(pair, sample):
    theirs, ours = pair("en")
    a, b = theirs(sample[0]), ours(sample[0])
    for i in range(len(a) + 1):
        assert (a[i:i].start_char, a[i:i].text) == (b[i:i].start_char, b[i:i].text)


def test_spans_are_equal_by_place_and_label(doc, tokenizer):
    assert doc[1:3] == doc[1:3]
    assert hash(doc[1:3]) == hash(doc[1:3])
    assert doc[1:3] != doc[1:4]
    assert doc[1:3] != Span(doc, 1, 3, "X")
    assert doc[1:3] != tokenizer(doc.text)[1:3]
    assert doc[1:3] != doc[1:3].text
    assert len({doc[1:3], doc[1:3], doc[1:4]}) == 2


def test_a_spans_array_is_the_documents_between_its_ends(doc):
    whole = doc.to_array(["ORTH", "IDX"])
    assert np.array_equal(doc[2:5].to_array(["ORTH", "IDX"]), whole[2:5])
    assert doc[2:5].to_array(["ORTH"]).shape == (3, 1)
    assert doc[2:5].to_array("ORTH").shape == (3, 1)
    assert doc[2:2].to_array(["ORTH"]).shape == (0, 1)


def test_spans_of_real_texts_are_spacys(pair, sample):
    theirs, ours = pair("en")
    for text in sample[:40]:
        a, b = theirs(text), ours(text)
        for start in range(len(a)):
            for end in range(start + 1, min(start + 6, len(a) + 1)):
                x, y = a[start:end], b[start:end]
                assert (x.text, x.text_with_ws) == (y.text, y.text_with_ws)
                assert (x.start_char, x.end_char) == (y.start_char, y.end_char)
