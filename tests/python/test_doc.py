"""Documents: made from words or by a tokenizer, read as sequences."""

import gc
import weakref

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scripts import texts

from lexpool import Doc, Span, Token, Vocab

WORD = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)


def test_a_document_is_a_sequence_of_tokens(doc):
    words = ["Hello", ",", "world", "!", " ", "It", "'s", "5", "o'clock", "in", "N.Y."]
    assert [token.text for token in doc] == words
    assert len(doc) == len(list(doc))
    assert [token.i for token in doc] == list(range(len(doc)))
    assert doc.text == doc.text_with_ws == str(doc) == "Hello, world!  It's 5 o'clock in N.Y. "
    assert repr(doc) == doc.text
    assert all(isinstance(token, Token) for token in doc)


@given(texts())
def test_tokens_tile_the_text(english, text):
    doc = english(text)
    assert "".join(token.text_with_ws for token in doc) == doc.text == text
    for token in doc:
        end = token.idx + len(token)
        assert text[token.idx : end] == token.text != ""
        assert token.text_with_ws == token.text + token.whitespace_
        assert text[end : end + len(token.whitespace_)] == token.whitespace_


@given(texts(max_size=20), st.integers(-30, 30), st.integers(-30, 30))
def test_indices_and_slices_are_those_of_a_list(english, text, i, j):
    doc = english(text)
    tokens = list(doc)
    for key in (slice(i, j), slice(None, j), slice(i, None), slice(None)):
        span = doc[key]
        assert isinstance(span, Span)
        assert [token.i for token in span] == [token.i for token in tokens[key]]
    if -len(tokens) <= i < len(tokens):
        assert doc[i] == tokens[i]
        assert doc[np.int64(i)] == tokens[i]
    else:
        with pytest.raises(IndexError, match="E040"):
            _ = doc[i]


@pytest.mark.parametrize("step", [2, -1, 3])
def test_a_slice_has_no_step(doc, step):
    with pytest.raises(ValueError, match="E057"):
        _ = doc[::step]


@pytest.mark.parametrize("key", ["a", None, 1.0, (1, 2)])
def test_keys_of_a_wrong_type_are_refused(doc, key):
    with pytest.raises(TypeError):
        _ = doc[key]


@given(st.lists(st.tuples(WORD, st.booleans())))
def test_a_document_from_words_has_these_words_and_spaces(words):
    doc = Doc(Vocab(), [word for word, _ in words], [space for _, space in words])
    assert [token.text for token in doc] == [word for word, _ in words]
    assert [token.whitespace_ == " " for token in doc] == [space for _, space in words]
    assert doc.text == "".join(word + " " * space for word, space in words)
    assert not doc.has_unknown_spaces


def test_words_may_be_ids_and_any_iterable(vocab):
    key = vocab.strings.add("two")
    doc = Doc(vocab, words=iter(["one", key, np.uint64(key)]), spaces=iter([1, 0, ""]))
    assert doc.text == "one twotwo"


def test_spaces_that_nobody_gave_are_unknown(vocab):
    doc = Doc(vocab, words=["a", "b"])
    assert doc.text == "a b "
    assert doc.has_unknown_spaces
    assert not Doc(vocab, words=["a"], spaces=[True]).has_unknown_spaces
    assert not Doc(vocab).has_unknown_spaces
    assert len(Doc(vocab)) == 0
    assert Doc(vocab).text == ""


@pytest.mark.parametrize(
    ("arguments", "error", "code"),
    [
        ({"spaces": [True]}, ValueError, "E908"),
        ({"words": ["a"], "spaces": []}, ValueError, "E027"),
        ({"words": ["a", "b"], "spaces": [True]}, ValueError, "E027"),
        ({"words": [b"a"]}, ValueError, "E028"),
        ({"words": ["a", ""]}, ValueError, "E031"),
        ({"words": [None]}, TypeError, "E1022"),
        ({"words": [["a"]]}, TypeError, "E1022"),
        ({"words": [2**40 + 1]}, KeyError, "E018"),
        ({"words": 3}, TypeError, None),
        ({"words": ["a"], "spaces": 3}, TypeError, None),
        ({"words": ["\ud800"]}, UnicodeEncodeError, None),
    ],
)
def test_words_that_make_no_document_are_refused(vocab, arguments, error, code):
    with pytest.raises(error, match=code):
        Doc(vocab, **arguments)


def test_the_first_token_starts_a_sentence_also_in_a_document_from_words(spacy, vocab):
    theirs = spacy.tokens.Doc(spacy.blank("en").vocab, words=["a", "b"])
    ours = Doc(vocab, words=["a", "b"])
    assert ours.to_array("SENT_START").tolist() == theirs.to_array("SENT_START").tolist() == [1, 0]


def test_documents_are_equal_by_identity(tokenizer):
    first, second = tokenizer("Hello"), tokenizer("Hello")
    assert first == first
    assert first != second
    assert len({first, second, first}) == 2


def test_a_document_can_be_referred_to_weakly(tokenizer):
    doc = tokenizer("Hello world")
    reference = weakref.ref(doc)
    assert reference() is doc
    del doc
    assert reference() is None


@pytest.mark.parametrize(
    "view", [lambda d: d[1], lambda d: d[0:2], iter, lambda d: memoryview(d.c)]
)
def test_a_view_keeps_its_document(tokenizer, view):
    doc = tokenizer("Hello world")
    kept, reference = view(doc), weakref.ref(doc)
    del doc
    gc.collect()
    assert reference().text == "Hello world"
    del kept
    assert reference() is None


def test_a_document_keeps_its_vocab(tokenizer):
    doc = tokenizer("Kept words")
    del tokenizer
    gc.collect()
    assert doc.vocab["Kept"].lower_ == doc[0].lower_ == "kept"
    assert doc.vocab is doc[0].vocab is doc[0:1].vocab


def test_the_text_is_the_one_that_was_given(tokenizer):
    ascii_text, other = "Hello world, " * 50, "H\u00e9llo w\u00f6rld, " * 50
    assert tokenizer(ascii_text).text is ascii_text
    assert tokenizer(other).text == other


def test_a_subclass_of_str_is_a_text(tokenizer):
    class Text(str):
        __slots__ = ()

    doc = tokenizer(Text("Hello, world"))
    assert doc.text == "Hello, world"
    assert len(doc) == 3


def test_the_records_are_what_the_tokens_say(doc):
    records = np.asarray(doc.c)
    assert records["idx"].tolist() == [token.idx for token in doc]
    assert (records["facts"] & 1).tolist() == doc.to_array("SPACY").tolist()
    assert len(doc.c) == len(doc)
    assert doc.c.itemsize == records.itemsize == 16
    assert doc.c.record == "TokenC"
    assert doc.c.owner is doc
    assert doc.c.address == records.ctypes.data
    with pytest.raises((BufferError, ValueError)):
        records.flags.writeable = True


def test_an_iterator_says_how_many_tokens_are_to_come(doc):
    iterator = iter(doc)
    assert iterator.__length_hint__() == len(doc)
    next(iterator)
    assert iterator.__length_hint__() == len(doc) - 1
    assert len(list(iterator)) == len(doc) - 1
    with pytest.raises(StopIteration):
        next(iterator)
