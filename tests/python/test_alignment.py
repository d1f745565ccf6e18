"""Tokenizations of one text laid over each other; spaCy's is the oracle."""

import pickle

import numpy as np
import pytest
from hypothesis import given, strategies as st
from processes import python

from lexpool.training import Alignment, AlignmentArray, get_alignments

texts = st.text(alphabet="abAB \n\u00e9\u0130\u00df", min_size=1, max_size=20)


def cut(text: str, cuts: list[int]) -> list[str]:
    places = sorted({0, len(text), *(place % (len(text) + 1) for place in cuts)})
    return [text[a:b] for a, b in zip(places, places[1:])]


@given(texts, st.lists(st.integers(0, 20)), st.lists(st.integers(0, 20)), st.booleans())
def test_any_two_tokenizations_align_as_in_spacy(spacy, text, first, second, bare):
    from spacy.training.align import get_alignments as expected

    x, y = cut(text, first), cut(text.swapcase() if bare else text, second)
    if bare:
        y = [word for word in ("".join(word.split()) for word in y) if word]
    try:
        result = expected(x, y)
    except ValueError:
        # Swapping the case of some letters makes other ones.
        with pytest.raises(ValueError, match=r"^\[E949\]"):
            get_alignments(x, y)
    else:
        # spaCy gives a last word that ends in whitespace of its own a row more.
        assert get_alignments(x, y) == (result[0][: len(x)], result[1][: len(y)])


@pytest.mark.parametrize(("x", "y"), [(["a"], ["b"]), (["a", "b"], ["a"]), ([], ["a"])])
def test_different_texts_do_not_align(x, y):
    with pytest.raises(ValueError, match=r"^\[E949\]"):
        Alignment.from_strings(x, y)


def test_words_must_be_strings():
    with pytest.raises(TypeError):
        get_alignments(["a", 1], ["a"])


@pytest.fixture
def array():
    return AlignmentArray([[0, 1, 2], [3], [], [4, 5, 6, 7], [8]])


def test_a_token_gives_its_positions_as_int32(array):
    assert array[0].dtype == np.int32
    assert [array[i].tolist() for i in range(5)] == [[0, 1, 2], [3], [], [4, 5, 6, 7], [8]]
    assert array[-1].tolist() == array[np.int64(4)].tolist() == [8]


def test_several_tokens_give_theirs_end_to_end(array):
    assert array[1:4].tolist() == [3, 4, 5, 6, 7]
    assert array[:].tolist() == list(range(9))
    assert [array[part].tolist() for part in (slice(2, 3), slice(3, 1), slice(9, 12))] == [
        [],
        [],
        [],
    ]
    assert array[-2:].tolist() == [4, 5, 6, 7, 8]
    assert array[0:2:1].tolist() == [0, 1, 2, 3]


def test_the_bounds_of_tokens_are_arrays_too(array):
    assert array.data.tolist() == list(range(9))
    assert array.lengths.tolist() == [3, 1, 0, 4, 1]
    assert array.starts.tolist() == [0, 3, 4, 4, 8]
    assert array.ends.tolist() == [3, 4, 4, 8, 9]
    assert array.lengths.dtype == array.starts.dtype == array.ends.dtype == np.int32


def test_what_is_no_place_in_an_array_is_refused(array):
    for index in (5, -6, 2**80):
        with pytest.raises(IndexError if index < 2**63 else ValueError):
            array[index]
    with pytest.raises(ValueError, match=r"\[E1027\].*only supports slicing with a step of 1"):
        array[::2]
    for index in ("a", 1.0, [0, 1], None):
        with pytest.raises(ValueError, match=r"\[E1028\]"):
            array[index]


def test_an_array_is_made_of_anything_that_gives_integers():
    assert AlignmentArray([]).data.tolist() == []
    assert AlignmentArray((np.array([1, 2]), range(3))).data.tolist() == [1, 2, 0, 1, 2]
    with pytest.raises(TypeError):
        AlignmentArray([[0, "a"]])
    with pytest.raises(OverflowError):
        AlignmentArray([[2**31]])


def test_equal_alignments_are_equal_and_travel():
    alignment = Alignment.from_strings(["ab", "c"], ["a", "bc"])
    assert alignment == Alignment.from_indices([[0, 1], [1]], [[0], [0, 1]])
    assert alignment != Alignment.from_indices([[0, 1], []], [[0], [0, 1]])
    assert pickle.loads(pickle.dumps(alignment)) == alignment


def test_without_numpy_arrays_are_memoryviews():
    python(
        """
        import sys
        sys.modules["numpy"] = None
        from lexpool.training import Alignment
        x2y = Alignment.from_strings(["ab", " ", "c"], ["a", "bc"]).x2y
        assert (x2y[0].tolist(), x2y[1].tolist(), x2y[-1].tolist()) == ([0, 1], [], [1])
        assert x2y[:].tolist() == x2y.data.tolist() == [0, 1, 1]
        assert x2y.lengths.tolist() == [2, 0, 1]
        """
    )
