"""Entities as tags; spaCy's functions are the oracle."""

import warnings

import pytest
from hypothesis import given, strategies as st

from lexpool import training

iob_tags = st.lists(st.sampled_from(["O", "B-A", "I-A", "B-B", "I-B", "L-A", "B-A-B", "-", "X"]))
biluo = st.lists(st.sampled_from(["O", "B-A", "I-A", "L-A", "U-A", "U-B", "-", None, "L-B", "X"]))


def outcome(function, *args):
    try:
        return function(*args)
    except ValueError as error:
        return str(error)[:6]


@given(iob_tags)
def test_iob_becomes_biluo_as_in_spacy(spacy, tags):
    assert outcome(training.iob_to_biluo, tags) == outcome(spacy.training.iob_to_biluo, tags)


@given(biluo)
def test_biluo_becomes_iob_and_entities_as_in_spacy(spacy, tags):
    assert training.biluo_to_iob(tags) == spacy.training.biluo_to_iob(tags)
    theirs = outcome(spacy.training.tags_to_entities, tags)
    assert outcome(training.tags_to_entities, tags) == theirs


def test_tags_may_come_from_any_iterable_of_strings():
    assert training.iob_to_biluo(iter(["B-A"])) == ["U-A"]
    for function in (training.iob_to_biluo, training.biluo_to_iob, training.tags_to_entities):
        with pytest.raises(TypeError):
            function(["O", 3])


def test_a_label_keeps_what_looks_like_a_prefix():
    # spaCy replaces the first "U-" wherever it stands.
    assert training.biluo_to_iob(["I-EU-X", "L-EL-AL"]) == ["I-EU-X", "I-EL-AL"]


def test_a_tag_falls_into_letter_and_label():
    assert training.split_bilu_label("B-EL-AL") == ("B", "EL-AL")
    assert training.remove_bilu_prefix("B-EL-AL") == "EL-AL"
    with pytest.raises(ValueError, match="unpack"):
        training.split_bilu_label("O")
    with pytest.raises(IndexError):
        training.remove_bilu_prefix("O")


WORDS = ["I", "like", "New", "York", ",", "and", "Berlin", "."]
entities = st.lists(
    st.tuples(st.integers(0, 34), st.integers(0, 34), st.sampled_from(["A", "B", "", "C-D"])),
    max_size=4,
)


@pytest.fixture(scope="module")
def docs(spacy):
    import lexpool

    theirs = spacy.tokens.Doc(spacy.vocab.Vocab(), words=WORDS)
    return theirs, lexpool.Doc(lexpool.Vocab(), words=WORDS)


def quietly(function, *args):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = outcome(function, *args)
    return result, [str(warning.message)[:6] for warning in caught]


@given(entities, st.sampled_from(["O", "-", None]))
def test_offsets_become_tags_as_in_spacy(spacy, docs, given, missing):
    theirs, ours = docs
    expected = quietly(spacy.training.offsets_to_biluo_tags, theirs, given, missing)
    assert quietly(training.offsets_to_biluo_tags, ours, given, missing) == expected


def test_a_numeric_label_is_written_out(docs):
    assert training.offsets_to_biluo_tags(docs[1], [(0, 1, 380)])[0] == "U-380"


def test_offsets_far_outside_cost_nothing(docs):
    with pytest.warns(UserWarning, match="W030"):
        tags = training.offsets_to_biluo_tags(docs[1], [(-(2**62), 2**62, "A")])
    assert tags == ["-"] * len(WORDS)


def test_tags_become_spans_and_offsets(docs):
    doc = docs[1]
    tags = ["O", "-", "B-A", "L-A", "O", "O", "U-B", None]
    spans = training.biluo_tags_to_spans(doc, tags)
    assert [(span.start, span.end, span.label_) for span in spans] == [
        (1, 2, ""),
        (2, 4, "A"),
        (6, 7, "B"),
        (7, 8, ""),
    ]
    offsets = training.biluo_tags_to_offsets(doc, tags)
    assert offsets[1] == (7, 15, "A")
    assert training.offsets_to_biluo_tags(doc, offsets[1:3]) == [
        *["O", "O", "B-A", "L-A", "O", "O", "U-B", "O"]
    ]


def test_the_entities_of_a_document_become_tags(docs):
    import lexpool

    ents = ["O", "", "B-A", "I-A", "O", "O", "B-B", ""]
    doc = lexpool.Doc(lexpool.Vocab(), words=WORDS, ents=ents)
    assert training.doc_to_biluo_tags(doc) == ["O", "O", "B-A", "L-A", "O", "O", "U-B", "O"]
    partial = ["O", "-", "B-A", "L-A", "O", "O", "U-B", "-"]
    assert training.doc_to_biluo_tags_with_partial(doc) == partial
