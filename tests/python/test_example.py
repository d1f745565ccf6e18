"""Predicted documents beside references; spaCy's Example is the oracle."""

import warnings

import pytest
from hypothesis import given, strategies as st
from processes import python

import lexpool
from lexpool.training import Alignment, Example, validate_examples, validate_get_examples

WORDS = ["They", "saw", "New", "York", "City", ".", "It", "can", "not", "rain", "there", "."]
GOLD = ["They", "saw", "NewYork", "City", ".", "It", "cannot", "rain", "the", "re", "."]
ANNOTATION = {
    "words": GOLD,
    "spaces": [True, True, True, False, True, True, True, True, False, False, False],
    "tags": ["PRP", "VBD", "NNP", "NNP", ".", "PRP", "MD", "VB", "RB", "RB", "."],
    "pos": ["PRON", "VERB", "PROPN", "PROPN", "PUNCT", "PRON", "AUX", "VERB", "ADV", "X", "PUNCT"],
    "lemmas": ["they", "see", "NewYork", "City", ".", "it", "can", "rain", "there", "", "."],
    "morphs": ["Number=Plur", "", "", "", "", "Number=Sing", "", "", "", "", ""],
    "heads": [1, 1, 3, 1, 1, 7, 7, 7, 7, 8, 5],
    "deps": ["nsubj", "ROOT", "compound", "dobj", "punct", "nsubj", "aux", "ROOT", "a", "b", "p"],
    "entities": [(9, 21, "GPE"), (0, 4, "PER")],
    "cats": {"travel": 1.0, "weather": 0.5},
    "spans": {"all": [(0, 4, "PERSON", ""), (9, 21, "GPE", "Q60")], "none": []},
    "links": {(9, 21): {"Q60": 1.0, "Q61": 0.0}},
}


@pytest.fixture(scope="module")
def spacys(spacy):
    """Makes spaCy's example of words and annotation."""

    def make(words, annotation, **kwargs):
        doc = spacy.tokens.Doc(spacy.vocab.Vocab(), words=words, **kwargs)
        return spacy.training.Example.from_dict(doc, annotation)

    return make


def make(words, annotation, **kwargs):
    return Example.from_dict(lexpool.Doc(lexpool.Vocab(), words=words, **kwargs), annotation)


def bounds(spans):
    return [(span.start, span.end, span.label_) for span in spans]


def everything(example):
    """All that an example says of a reference, in values that compare."""
    ents, tags = example.get_aligned_ents_and_ner()
    fields = ("ORTH", "TAG", "POS", "LEMMA", "MORPH", "DEP", "ENT_TYPE", "HEAD", "ENT_KB_ID")
    return {
        "dict": example.to_dict(),
        "fields": [example.get_aligned(field) for field in (*fields, "ENT_IOB", "SENT_START")],
        "strings": [
            example.get_aligned(name, as_string=True) for name in ("TAG", "DEP", "ENT_IOB")
        ],
        "parse": [example.get_aligned_parse(projectivize=lifted) for lifted in (True, False)],
        "sents": example.get_aligned_sent_starts(),
        "ents": bounds(ents),
        "ner": tags,
        "ner alone": example.get_aligned_ner(),
        "y2x": bounds(example.get_aligned_spans_y2x(example.reference.ents)),
        "x2y": bounds(example.get_aligned_spans_x2y(list(example.predicted.ents))),
        "matching": bounds(example.get_matching_ents()),
        "split": [part.to_dict() for part in example.split_sents()],
        "text": example.text,
        "length": len(example),
    }


ENTS = ["B-PER", "O", "B-GPE", "I-GPE", "I-GPE", *["O"] * 7]


@pytest.mark.parametrize("words", [WORDS, GOLD, ["".join(WORDS)]])
def test_an_example_says_what_spacys_says(spacys, words):
    kwargs = {"ents": ENTS} if words is WORDS else {}
    assert everything(make(words, ANNOTATION, **kwargs)) == everything(
        spacys(words, ANNOTATION, **kwargs)
    )


def test_a_dictionary_gives_the_example_it_was_made_of(spacys):
    example = make(WORDS, ANNOTATION)
    again = Example.from_dict(example.predicted, example.to_dict())
    assert again.to_dict() == example.to_dict()
    # spaCy reads what we write.
    assert spacys(WORDS, example.to_dict()).to_dict() == example.to_dict()
    assert repr(example) == str(example) == str(example.to_dict())


def test_the_given_dictionary_stays_as_it_is():
    annotation = {"token_annotation": {"words": ["a"]}, "doc_annotation": {}, "cats": {"x": 1.0}}
    make(["a"], annotation)
    assert annotation == {
        "token_annotation": {"words": ["a"]},
        "doc_annotation": {},
        "cats": {"x": 1.0},
    }


@st.composite
def annotations(draw):
    text = "abcdefgh"

    def cut():
        places = sorted({0, 8, *draw(st.lists(st.integers(1, 7), max_size=6))})
        return [text[a:b] for a, b in zip(places, places[1:])]

    words, gold = cut(), cut()
    n = len(gold)
    annotation = {"words": gold, "spaces": [False] * n}
    heads = st.lists(st.integers(0, n - 1), min_size=n, max_size=n)
    if draw(st.booleans()):
        # A head to the left, or the token itself, never makes a cycle.
        annotation["heads"] = [min(head, i) for i, head in enumerate(draw(heads))]
        annotation["deps"] = draw(st.lists(st.sampled_from("xyz"), min_size=n, max_size=n))
    else:
        starts = st.sampled_from([True, False, None, 1, 0, -1])
        annotation["sent_starts"] = draw(st.lists(starts, min_size=n, max_size=n))
    annotation["tags"] = draw(st.lists(st.sampled_from("NV"), min_size=n, max_size=n))
    tags = st.sampled_from(["O", "U-A", "U-B", "-", None])
    annotation["entities"] = draw(st.lists(tags, min_size=n, max_size=n))
    return words, annotation


@given(annotations())
def test_any_annotation_aligns_as_in_spacy(spacys, given):
    words, annotation = given
    spaces = [False] * len(words)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = spacys(words, annotation, spaces=spaces)
        ours = make(words, annotation, spaces=spaces)
    assert ours.to_dict() == theirs.to_dict()
    for field in ("TAG", "DEP", "HEAD", "ENT_IOB", "SENT_START"):
        assert ours.get_aligned(field) == theirs.get_aligned(field)
    assert ours.get_aligned_ner() == theirs.get_aligned_ner()
    assert ours.get_aligned_sent_starts() == theirs.get_aligned_sent_starts()
    for lifted in (True, False):
        assert ours.get_aligned_parse(lifted) == theirs.get_aligned_parse(lifted)


def test_the_alignment_is_made_once_and_again_after_a_change():
    vocab = lexpool.Vocab()
    example = Example(lexpool.Doc(vocab, words=["a", "b"]), lexpool.Doc(vocab, words=["ab"]))
    first = example.alignment
    assert first.x2y.lengths.tolist() == [1, 1]
    assert example.alignment is first
    example.predicted = lexpool.Doc(vocab, words=["ab"])
    assert example.alignment.x2y.lengths.tolist() == [1]
    example.reference = lexpool.Doc(vocab, words=["a", "b"])
    assert example.alignment.x2y.lengths.tolist() == [2]
    assert (example.x, example.y) == (example.predicted, example.reference)


def test_a_known_alignment_is_taken():
    doc = lexpool.Doc(lexpool.Vocab(), words=["a", "b"])
    crossed = Alignment.from_indices([[1], [0]], [[1], [0]])
    example = Example(doc, doc.copy(), alignment=crossed)
    assert example.alignment is crossed
    assert example.get_aligned("ORTH", as_string=True) == ["b", "a"]
    assert example.copy().get_aligned("ORTH", as_string=True) == ["a", "b"]


def test_retokenizing_a_document_aligns_it_again():
    example = make(["New", "York"], {"words": ["New", "York"], "tags": ["A", "A"]})
    assert example.alignment.x2y.lengths.tolist() == [1, 1]
    with example.predicted.retokenize() as retokenizer:
        retokenizer.merge(example.predicted[0:2])
    assert example.alignment.x2y.lengths.tolist() == [2]
    assert example.get_aligned("TAG", as_string=True) == ["A"]


def test_a_sentence_that_starts_with_whitespace_starts_at_its_first_aligned_token():
    annotation = {"words": ["a", " ", "b"], "sent_starts": [1, 1, -1]}
    assert make(["a", "b"], annotation).get_aligned_sent_starts() == [True, True]


def test_missing_words_and_spaces_are_taken_from_what_is_known():
    assert make(["a", "b"], {"tags": ["X", "Y"]}).reference.text == "a b "
    given = {"words": ["a", "b"], "text": "ab"}
    assert make(["a", "b"], given).reference.text == "ab"
    assert make(["a", "b"], {"words": ["a", "b"]}).reference.text == "a b "


def test_only_documents_make_an_example():
    doc = lexpool.Doc(lexpool.Vocab(), words=["a"])
    for predicted, reference in ((None, doc), (doc, None), ("a", doc)):
        with pytest.raises(TypeError, match=r"^\[E972\]"):
            Example(predicted, reference)
    example = Example(doc, doc)
    with pytest.raises(TypeError, match=r"^\[E972\]"):
        example.predicted = None
    with pytest.raises(AttributeError):
        example.x = doc
    for arguments in ((None, {}), (doc, None)):
        with pytest.raises(ValueError, match=r"^\[E976\]"):
            Example.from_dict(*arguments)
    for arguments in (("a", {}), (doc, [])):
        with pytest.raises(TypeError, match=r"^\[E976\]"):
            Example.from_dict(*arguments)


WRONG = [
    ({"no_such": ["x"]}, KeyError, "E983"),
    ({"doc_annotation": {"no_such": 1}}, ValueError, "E974"),
    ({"tags": ["X", 3]}, TypeError, "E969"),
    ({"tags": ["X"]}, ValueError, "E971"),
    ({"heads": [0, 7], "deps": ["a", "b"]}, ValueError, "E190"),
    ({"entities": "O O"}, ValueError, "E973"),
    ({"entities": [3]}, ValueError, "E973"),
    ({"entities": [(0, 3, "A"), (2, 4, "B")]}, ValueError, "E103"),
    ({"spans": [(0, 1)]}, ValueError, "E879"),
    ({"spans": {"x": (0, 1)}}, ValueError, "E879"),
    ({"spans": {"x": [[0]]}}, ValueError, "E879"),
    ({"links": {(0, 2): {"A": 1.0, "B": 1.0}}}, ValueError, "E980"),
    ({"links": {(0, 1): {"A": 1.0}}}, ValueError, "E981"),
]


@pytest.mark.parametrize(("annotation", "error", "code"), WRONG)
def test_wrong_annotation_is_refused_by_code(annotation, error, code):
    with pytest.raises(error, match=rf"\[{code}\]"):
        make(["ab", "cd"], annotation)


def test_texts_that_differ_do_not_align():
    with pytest.raises(ValueError, match=r"^\[E949\]"):
        make(["a"], {"words": ["b"]}).alignment


def test_examples_are_checked_before_learning():
    doc = lexpool.Doc(lexpool.Vocab(), words=["a"])
    example = Example(doc, doc)
    validate_examples([example], "learn")
    validate_get_examples(lambda: [example], "learn")
    for wrong in (3, [example, doc]):
        with pytest.raises(TypeError, match=r"^\[E978\] learn"):
            validate_examples(wrong, "learn")
    for wrong in (None, [example], list):
        with pytest.raises(TypeError, match=r"^\[E930\] learn"):
            validate_get_examples(wrong, "learn")
    with pytest.raises(TypeError, match=r"^\[E978\] learn"):
        validate_get_examples(lambda: [doc], "learn")


def test_examples_work_without_numpy():
    python(
        """
        import sys
        sys.modules["numpy"] = None
        from lexpool import Doc, Vocab
        from lexpool.training import Example
        annotation = {"words": ["a", "bc"], "tags": ["X", "Y"], "heads": [1, 1], "deps": ["d", "e"]}
        example = Example.from_dict(Doc(Vocab(), words=["ab", "c"]), annotation)
        assert example.get_aligned("TAG", as_string=True) == [None, "Y"]
        assert example.get_aligned_parse() == ([None, None], [None, "e"])
        assert example.alignment.x2y[0:2].tolist() == [0, 1, 1]
        assert example.get_aligned_sent_starts() == [True, False]
        """
    )
