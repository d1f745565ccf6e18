"""Errors of Doc(): the same as spaCy's, and for two faults the one that spaCy raises."""

import warnings

import numpy as np
import pytest

from lexpool.tokens import Doc

RIGHT = {"words": ["a", "b", "c"], "spaces": [True, False, False]}


class Unready:
    """Neither true nor false."""

    def __bool__(self):
        raise ArithmeticError("not yet")


FAULTS = {
    "words without a length": {"words": 3},
    "a word of bytes": {"words": [b"a", "b", "c"]},
    "a word of no type": {"words": ["a", 1.5j, "c"]},
    "an id that no word has": {"words": ["a", 2**60, "c"]},
    "an empty word": {"words": ["a", "b", ""]},
    "an empty word first": {"words": ["", b"b", "c"]},
    "two spaces": {"spaces": [True, True]},
    "a space that is neither": {"spaces": [True, True, Unready()]},
    "heads that are none": {"heads": 3},
    "a head as a string": {"heads": [0, "0", 0]},
    "heads alone": {"heads": [0, 0, 0]},
    "a head outside": {"heads": [0, 0, 3], "deps": ["dep"] * 3},
    "a head before all": {"heads": [0, -1, 0], "deps": ["dep"] * 3},
    "a head far off": {"heads": [0, 2**31 + 1, 0], "deps": ["dep"] * 3},
    "a head of 70 bits": {"heads": [0, 2**70, 0], "deps": ["dep"] * 3},
    "a head of a large float": {"heads": [0, 1e20, 0], "deps": ["dep"] * 3},
    "a head that is no number": {"heads": [0, float("nan"), 0], "deps": ["dep"] * 3},
    "a dep that is no string": {"deps": ["dep", 3, None]},
    "two deps": {"deps": ["dep"] * 2},
    "starts that are none": {"sent_starts": 1},
    "two starts": {"sent_starts": [True, None]},
    "an unknown part of speech": {"pos": ["NOUN", "noun", "X"]},
    "a part of speech by number": {"pos": ["NOUN", 92, "X"]},
    "four parts of speech": {"pos": ["NOUN"] * 4},
    "a tag of entities that is first and no string": {"ents": [3, "O", "O"]},
    "one behind nothing": {"ents": [None, 3, "O"]},
    "one behind an empty tag": {"ents": ["", 3, "O"]},
    "one behind an inside": {"ents": ["B-X", "I-X", 1.5]},
    "one behind a wrong tag": {"ents": ["X", 3, "O"]},
    "a wrong tag of entities": {"ents": ["O", "L-X", "O"]},
    "a tag of entities without a type": {"ents": ["O", "B-", "O"]},
    "two tags of entities": {"ents": ["O", "O"]},
    "a lemma that is no string": {"lemmas": ["a", 3, "c"]},
    "four lemmas": {"lemmas": ["a"] * 4},
    "a tag that is no string": {"tags": ["a", object(), "c"]},
    "features that are no string": {"morphs": ["A=B", 3.5, ""]},
    "features without a value": {"morphs": ["A=B", "Odd", ""]},
    "two features": {"morphs": ["A=B", "A=B"]},
}
ACCEPTED = {
    "fractional heads": {"heads": [1.5, 0.5, 1.5], "deps": ["dep"] * 3},
    "heads before their tokens by a part": {"heads": [-0.5, 0.25, 0.5], "deps": ["dep"] * 3},
    "heads of numpy": {"heads": np.array([1, 1, 1]), "deps": ["dep"] * 3},
    "heads that are flags": {"heads": [True, True, False], "deps": ["dep"] * 3},
    "relations with an empty list of heads": {"heads": [], "deps": ["dep"] * 3},
    "starts of other types": {"sent_starts": [np.True_, 1.0, np.int8(-1)]},
    "starts that say nothing": {"sent_starts": [True, "yes", 2]},
    "names as bytes": {"tags": [b"NN", "NN", b"\xc3\xa9"], "lemmas": [b"a", "", "c"]},
    "names as a string": {"tags": "XYZ"},
    "features that are nothing": {"morphs": [None, 0, {}]},
    "features as bytes": {"morphs": [b"A=B", "", "A=B"]},
    "an outside with a type": {"ents": ["O-X", "I-X", "O"]},
}


@pytest.fixture(scope="module")
def libraries(spacy, pair):
    import spacy.tokens

    theirs, ours = pair("en")
    return (spacy.tokens.Doc, theirs.vocab), (Doc, ours.vocab)


def raised(library, given):
    """The name of the exception that Doc() raises, or what the document then says."""
    make, vocab = library
    names = ["TAG", "POS", "LEMMA", "HEAD", "DEP", "SENT_START", "ENT_IOB", "ENT_TYPE", "MORPH"]
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            doc = make(vocab, **{**RIGHT, **given})
        except Exception as error:
            return type(error).__name__
    return doc.to_array(names).tolist(), [w.category for w in warned]


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_raises_what_it_raises_in_spacy(libraries, fault):
    theirs, ours = (raised(each, FAULTS[fault]) for each in libraries)
    assert isinstance(theirs, str)
    assert ours == theirs


@pytest.mark.parametrize("fault", FAULTS)
def test_of_two_faults_the_first_of_spacys_is_named(libraries, fault):
    found = []
    for other in FAULTS:
        both = {**FAULTS[fault], **FAULTS[other]}
        theirs, ours = (raised(each, both) for each in libraries)
        if ours != theirs:
            found.append((other, theirs, ours))
    assert found == []


@pytest.mark.parametrize("given", ACCEPTED)
def test_what_spacy_accepts_is_accepted_and_means_the_same(libraries, given):
    theirs, ours = (raised(each, ACCEPTED[given]) for each in libraries)
    assert not isinstance(theirs, str)
    assert ours == theirs
