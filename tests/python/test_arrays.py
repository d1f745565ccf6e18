"""`to_array` and `count_by`: attributes in bulk, with NumPy and without."""

from collections import Counter

import numpy as np
import pytest
from processes import python

from lexpool import Doc, attrs


@pytest.mark.parametrize(
    ("given", "shape"),
    [
        ("ORTH", (4,)),
        ("orth", (4,)),
        (attrs.ORTH, (4,)),
        (np.uint64(attrs.ORTH), (4,)),
        (["ORTH"], (4,)),
        (("ORTH", "lower"), (4, 2)),
        ([attrs.ORTH, "IDX", np.int32(1)], (4, 3)),
        (iter(["ORTH", "ORTH"]), (4, 2)),
        (np.array([65, 66]), (4, 2)),
        ([], (4, 0)),
    ],
)
def test_the_shape_follows_what_was_asked_for(tokenizer, given, shape):
    array = tokenizer("Hello, big world").to_array(given)
    assert array.shape == shape
    assert array.dtype == np.uint64


@pytest.mark.parametrize("given", ["ORTH", ["ORTH"], ["ORTH", "LOWER"]])
def test_a_document_without_tokens_has_an_empty_array_of_spacys_shape(spacy, vocab, given):
    theirs = spacy.tokens.Doc(spacy.blank("en").vocab).to_array(given)
    array = Doc(vocab).to_array(given)
    assert (array.shape, array.dtype) == (theirs.shape, theirs.dtype)


def test_every_attribute_is_spacys(pair, sample):
    theirs, ours = pair("en")
    for name, number in attrs.IDS.items():
        for text in sample[:3]:
            expected = theirs(text).to_array(number)
            assert np.array_equal(ours(text).to_array(number), expected), name
            assert np.array_equal(ours(text).to_array(name), expected), name


def test_an_array_is_a_copy_of_its_own(doc):
    array = doc.to_array("ORTH")
    array[0] = 7
    assert doc.to_array("ORTH")[0] == doc[0].orth


@pytest.mark.parametrize("name", ["NO_SUCH", ["ORTH", "NO_SUCH"]])
def test_an_unknown_attribute_is_refused(doc, name):
    with pytest.raises(KeyError, match="E983"):
        doc.to_array(name)
    with pytest.raises(KeyError, match="E983"):
        doc.count_by(name if isinstance(name, str) else name[1])


def test_an_attribute_of_unknown_number_reads_as_0(doc):
    array = doc.to_array([99_999, "ORTH"])
    assert not array[:, 0].any()
    assert np.array_equal(array[:, 1], doc.to_array("ORTH"))
    with pytest.raises(KeyError, match="E983"):
        doc.count_by(99_999)


def test_tokens_that_are_not_excluded_are_counted(doc):
    every = doc.count_by("IS_ALPHA")
    assert max(every.values()) > 1
    assert doc.count_by("IS_ALPHA", exclude=lambda _: False) == every
    assert doc.count_by("IS_ALPHA", exclude=lambda token: not token.is_alpha) == {1: every[1]}
    assert doc.count_by("IS_ALPHA", exclude=lambda _: True) == {}


def test_counts_are_added_to_numbers_of_any_size(doc):
    for large in (2**64 - 1, 2**70, 0.5):
        counts = {doc[0].orth: large}
        doc.count_by("ORTH", counts=counts)
        assert counts[doc[0].orth] == large + doc.count_by("ORTH")[doc[0].orth]


@pytest.mark.parametrize("given", [None, 1.5, [None], [["ORTH"]], object()])
def test_what_is_no_attribute_is_refused(doc, given):
    with pytest.raises(TypeError):
        doc.to_array(given)
    with pytest.raises(TypeError):
        doc.count_by(given)


@pytest.mark.parametrize("name", ["ORTH", "LOWER", "SHAPE", "IS_ALPHA", "LENGTH", "SPACY", "NORM"])
def test_counts_are_spacys(pair, sample, name):
    theirs, ours = pair("en")
    text = "\n".join(sample[:30])
    counts = ours(text).count_by(name)
    assert counts == theirs(text).count_by(attrs.IDS[name])
    assert counts == ours(text).count_by(attrs.IDS[name])
    assert counts == Counter(ours(text).to_array(name).tolist())


def test_without_numpy_there_are_memoryviews_of_the_same_shape():
    python(
        """
        import sys
        sys.modules["numpy"] = None
        import lexpool
        doc = lexpool.blank("en")("Hello, big world")
        one = doc.to_array("IDX")
        assert isinstance(one, memoryview)
        assert (one.format, one.shape, one.tolist()) == ("Q", (4,), [0, 5, 7, 11])
        two = doc.to_array(["IDX", "LENGTH"])
        assert two.shape == (4, 2)
        assert two.tolist() == [[0, 5], [5, 1], [7, 3], [11, 5]]
        assert doc[1:3].to_array(["IDX"]).tolist() == [[5], [7]]
        assert lexpool.Doc(doc.vocab).to_array(["IDX", "LENGTH"]).tolist() == []
        assert doc.to_array([]).tolist() == []
        assert doc.count_by("IS_ALPHA") == {1: 3, 0: 1}
        assert memoryview(doc.c).shape == (4,)
        """
    )


@pytest.mark.parametrize("words", [10, 30_000])
def test_a_program_that_replaces_numpys_functions_gets_the_same_arrays(words):
    python(
        f"""
        import numpy as np
        from lexpool import Doc, Vocab

        real = np.empty
        np.empty = lambda shape, dtype: real((1,), dtype)
        doc = Doc(Vocab(), words=["a"] * {words})
        array = doc.to_array(["LOWER", "ORTH", "LENGTH"])
        assert type(array) is np.ndarray and array.dtype == "uint64"
        assert array.shape == ({words}, 3) and array.flags.owndata and array.flags.writeable
        assert (array[:, 2] == 1).all()
        """
    )
