"""`Doc.tensor`: what Python sets, beside the copy that native code reads."""

import gc
import pickle
import weakref

import numpy as np
import pytest
from processes import python

import lexpool
from lexpool.pipeline import DocCleaner
from lexpool.tokens import Doc

# Arrays that native code does not read, for a document of four tokens.
OTHERS = {
    "another type": lambda: np.arange(8.0).reshape(4, 2),
    "one axis": lambda: np.arange(4, dtype="f"),
    "three axes": lambda: np.arange(8, dtype="f").reshape(4, 2, 1),
    "too many rows": lambda: np.arange(10, dtype="f").reshape(5, 2),
    "no columns": lambda: np.zeros((4, 0), dtype="f"),
    "another byte order": lambda: np.arange(8, dtype=">f4").reshape(4, 2),
}
ROWS = [[0, 1], [2, 3], [4, 5], [6, 7]]


@pytest.fixture
def doc():
    return lexpool.blank("en")("one two three four")


def rows():
    return np.arange(8, dtype="f").reshape(4, 2)


def loaded(doc):
    """Returns a copy whose tensor only native code knows so far."""
    return Doc(doc.vocab).from_bytes(doc.to_bytes())


def merged(doc, start, end):
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[start:end])


def test_a_new_document_has_the_empty_tensor_of_spacys(doc, spacy):
    theirs = spacy.blank("en")("one").tensor
    assert doc.tensor is doc.tensor
    assert (doc.tensor.shape, doc.tensor.dtype) == (theirs.shape, theirs.dtype)


@pytest.mark.parametrize("make", [rows, *OTHERS.values()], ids=["rows", *OTHERS])
def test_an_array_is_kept_as_it_was_set(doc, make):
    given = make()
    doc.tensor = given
    assert doc.tensor is given
    for copy in (doc.copy(), loaded(doc), pickle.loads(pickle.dumps(doc))):
        assert copy.tensor is not given
        assert copy.tensor.dtype == given.dtype
        assert copy.tensor.tolist() == given.tolist()
        assert copy.tensor is copy.tensor


@pytest.mark.parametrize("make", [rows, *OTHERS.values()], ids=["rows", *OTHERS])
def test_bytes_are_spacys(doc, spacy, make):
    theirs = spacy.blank("en")("one two three four")
    theirs.tensor = doc.tensor = make()
    assert spacy.tokens.Doc(theirs.vocab).from_bytes(doc.to_bytes()).tensor.tolist() == (
        theirs.tensor.tolist()
    )
    ours, expected = (lexpool.msgpack.unpackb(d.to_bytes())["tensor"] for d in (doc, theirs))
    assert (ours.dtype, ours.tolist()) == (expected.dtype, expected.tolist())
    assert doc.to_dict()["tensor"].tolist() == theirs.to_dict()["tensor"].tolist()


def test_a_tensor_in_the_order_of_columns_is_read_by_rows(doc):
    doc.tensor = np.asfortranarray(rows())
    assert loaded(doc).tensor.tolist() == ROWS
    doc.tensor = np.arange(32, dtype="f").reshape(8, 4)[::2, ::2]
    assert loaded(doc).tensor.tolist() == doc.tensor.tolist()


def test_a_change_in_place_is_seen_wherever_the_tensor_is_read(doc):
    given = rows()
    doc.tensor = given
    for number, read in enumerate(
        (
            Doc.copy,
            loaded,
            lambda doc: pickle.loads(pickle.dumps(doc)),
            lambda doc: Doc.from_docs([doc]),
            lambda doc: doc[:].as_doc(),
        )
    ):
        given[1, 1] = 100 + number
        assert read(doc).tensor[1, 1] == 100 + number
    given[3] = np.nan
    assert np.isnan(doc.copy().tensor[3]).all()
    given[3] = 8
    merged(doc, 2, 4)
    assert doc.tensor.tolist() == [[0, 1], [2, 104], [8, 8]]
    assert given[3].tolist() == [8, 8]


def test_a_tensor_that_only_native_code_knows_follows_its_tokens(doc):
    doc.tensor = rows()
    made = loaded(doc)
    merged(made, 0, 2)
    assert made.tensor.tolist() == ROWS[1:]
    made.tensor[0] = 9
    assert made.copy().tensor.tolist() == [[9, 9], *ROWS[2:]]


@pytest.mark.parametrize("name", ["another type", "one axis", "three axes"])
def test_other_tensors_follow_their_tokens_too(doc, name):
    doc.tensor = OTHERS[name]()
    expected = doc.tensor[[1, 2, 3]]
    merged(doc, 0, 2)
    assert doc.tensor.tolist() == expected.tolist()
    assert doc.tensor.dtype == expected.dtype


@pytest.mark.parametrize("make", OTHERS.values(), ids=OTHERS)
def test_another_tensor_replaces_the_native_one(doc, make):
    doc.tensor = rows()
    given = make()
    doc.tensor = given
    assert doc.copy().tensor.tolist() == given.tolist()
    assert doc.copy().tensor.dtype == given.dtype


def test_a_cleared_tensor_is_gone(doc):
    def cleaned(doc):
        DocCleaner({"tensor": None})(doc)

    for clear in (
        cleaned,
        lambda doc: setattr(doc, "tensor", None),
        lambda doc: delattr(doc, "tensor"),
    ):
        doc.tensor = rows()
        clear(doc)
        assert doc.tensor is None
        assert doc.copy().tensor is None
        assert doc[0:2].tensor is None
        assert not doc.has_vector


def test_joined_documents_and_cut_ones_have_the_rows_of_their_tokens(doc, spacy):
    doc.tensor = rows()
    theirs = spacy.blank("en")("one two three four")
    theirs.tensor = rows()
    both = [doc, theirs]
    joined = [type(d).from_docs([d, d[1:3].as_doc(), d]).tensor for d in both]
    assert joined[0].tolist() == joined[1].tolist()
    assert Doc.from_docs([doc, doc], exclude=["tensor"]).tensor.size == 0
    assert [d[1:3].as_doc().tensor.tolist() for d in both] == [ROWS[1:3]] * 2
    for d in both:
        other = type(d)(d.vocab, words=["a"])
        other.tensor = np.zeros((1, 3), dtype="f")
        with pytest.raises(ValueError, match="dimension"):
            type(d).from_docs([d, other])


@pytest.mark.parametrize("is_loaded", [False, True])
def test_vectors_fall_back_to_the_tensor_as_in_spacy(spacy, is_loaded):
    nlp, theirs = lexpool.blank("en"), spacy.blank("en")
    text = "one two three four five six seven"
    tensor = np.random.default_rng(0).standard_normal((7, 5), dtype="f")
    ours, theirs = nlp(text), theirs(text)
    ours.tensor = theirs.tensor = tensor
    ours = loaded(ours) if is_loaded else ours
    assert ours.has_vector and ours[1].has_vector and ours[1:3].has_vector
    for read in (
        lambda d: d,
        lambda d: d[2],
        lambda d: d[1:6],
    ):
        assert read(ours).vector.tobytes() == read(theirs).vector.tobytes()
        assert read(ours).vector_norm == read(theirs).vector_norm
    assert ours[3].tensor.tolist() == tensor[3].tolist()


def test_columns_are_appended(doc, spacy):
    theirs = spacy.blank("en")("one two three four")
    for d in (doc, theirs):
        given = rows().astype("float64")
        d.extend_tensor(given)
        given[:] = 0
        d.extend_tensor(np.ones((4, 1), dtype="f"))
    assert doc.tensor.tolist() == theirs.tensor.tolist()
    assert doc.tensor.dtype == theirs.tensor.dtype == np.float32
    assert loaded(doc).tensor.tolist() == doc.tensor.tolist()


def test_a_document_in_its_own_tensor_is_freed(doc):
    class Rows(np.ndarray):
        owner: object

    given = rows().view(Rows)
    given.owner = doc = Doc(doc.vocab, words=list("abcd"))
    doc.tensor = given
    assert doc.tensor is given
    ref = weakref.ref(given)
    del doc, given
    gc.collect()
    assert ref() is None


def test_without_numpy_a_tensor_is_a_memoryview():
    python(
        """
        import pickle, sys
        sys.modules["numpy"] = None
        import lexpool
        from lexpool.tokens import Doc

        doc = lexpool.blank("en")("a b c d")
        assert (doc.tensor.format, doc.tensor.tolist(), doc.vector.tolist()) == ("f", [], [])
        assert doc[:2].as_doc().tensor.tolist() == []
        given = memoryview(bytearray(32)).cast("f", (4, 2))
        doc.tensor = given
        given[1, 1] = 4
        rows = [[0, 0], [0, 4], [0, 0], [0, 0]]
        for copy in (doc.copy(), pickle.loads(pickle.dumps(doc)), Doc.from_docs([doc])):
            assert isinstance(copy.tensor, memoryview) and copy.tensor.tolist() == rows
        assert doc[1].tensor.tolist() == doc[1].vector.tolist() == [0, 4]
        assert doc[1:3].tensor.tolist() == doc[1:3].as_doc().tensor.tolist() == rows[1:3]
        assert (doc.vector.tolist(), doc[1:3].vector.tolist()) == ([0, 1], [0, 2])
        with doc.retokenize() as retokenizer:
            retokenizer.merge(doc[0:2])
        assert doc.tensor.tolist() == rows[1:]
        """
    )
