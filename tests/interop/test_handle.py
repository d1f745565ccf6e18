"""`.c`: records as other code sees them, what a lease may write, and what is refused."""

import ctypes
import gc
import pickle
import zlib

import numpy as np
import pytest

from lexpool import Doc, Pool, structs
from lexpool.errors import BusyError, StaleError

TEXT = "Apple isn't looking at U.K. startups, for $1 billion. Is it?"


@pytest.fixture
def doc(nlp) -> Doc:
    return nlp.tokenizer(TEXT)


def annotated(nlp) -> Doc:
    return Doc(
        nlp.vocab,
        words=["We", "saw", "New", "York", "."],
        tags=["PRP", "VBD", "NNP", "NNP", "."],
        pos=["PRON", "VERB", "PROPN", "PROPN", "PUNCT"],
        heads=[1, 1, 3, 1, 1],
        deps=["nsubj", "ROOT", "compound", "dobj", "punct"],
        ents=["O", "O", "B-GPE", "I-GPE", "O"],
    )


def numbers(doc: Doc) -> list[list[int]]:
    return doc.to_array(doc._get_array_attrs()).tolist()


def test_an_array_of_a_handle_copies_nothing(doc):
    array = np.asarray(doc.c)
    assert array.__array_interface__["data"] == (doc.c.address, True)
    assert array["idx"].tolist() == [token.idx for token in doc]
    through = np.array(type("", (), {"__array_interface__": doc.c.__array_interface__}), copy=False)
    assert through.dtype == array.dtype
    assert through.__array_interface__["data"] == array.__array_interface__["data"]
    with pytest.raises(ValueError, match="read-only"):
        array["idx"][0] = 7


def test_a_handle_is_indexed_and_cut_like_a_sequence(doc):
    handle, n = doc.c, len(doc)
    assert (len(handle), handle.record, handle.itemsize, handle.nbytes) == (n, "TokenC", 16, 16 * n)
    assert [handle[i].idx for i in range(-n, n)] == [token.idx for token in doc] * 2
    assert handle[0]["lex"] == handle[0].lex == handle[0].asdict()["lex"]
    assert (handle[0].sent_start, handle[0].spacy) == (1, 1)
    assert handle[1] == handle[1] != handle[2]
    for cut in (
        slice(2, 5),
        slice(None, None, 2),
        slice(None, None, -1),
        slice(9, 2),
        slice(-3, None),
    ):
        part = handle[cut]
        assert np.asarray(part)["idx"].tolist() == np.asarray(handle)["idx"][cut].tolist()
        assert (
            np.asarray(part[::-1])["idx"].tolist() == np.asarray(handle)["idx"][cut][::-1].tolist()
        )
    assert handle[::2].stride == 32
    for wrong in (n, -n - 1, 2**40):
        with pytest.raises(IndexError):
            handle[wrong]
    for wrong in ("lex", 1.5, None):
        with pytest.raises(TypeError):
            handle[wrong]
    with pytest.raises(AttributeError):
        handle[0].head


def test_every_view_has_its_record(nlp):
    doc = annotated(nlp)
    assert doc[2].c.address == doc.c[2:].address
    assert (doc[2:4].c.record, doc[2:4].c[0].start, doc[2:4].c[0].end) == ("SpanC", 2, 4)
    assert doc[0].lex.c[0].orth == doc[0].orth
    facets = doc.c[1:4]
    assert [facets.tags[i].tag for i in range(3)] == [token.tag for token in doc[1:4]]
    assert [facets.syntax[i].head for i in range(3)] == [0, 1, -2]
    assert [facets.entities[i].ent_type for i in range(3)] == [0, doc[2].ent_type, doc[3].ent_type]
    assert nlp.tokenizer("plain").c.tags is None


def test_lexemes_lie_in_segments_at_their_positions(nlp, doc):
    lexemes = nlp.vocab.c
    rows = np.concatenate([np.asarray(segment) for segment in lexemes.segments])
    assert len(rows) == len(lexemes)
    assert [int(rows["orth"][row.lex]) for row in map(doc.c.__getitem__, range(len(doc)))] == [
        token.orth for token in doc
    ]
    assert lexemes[doc.c[0].lex].address == doc[0].lex.c.address
    with pytest.raises(IndexError):
        lexemes[len(lexemes)]


def test_what_is_written_under_a_lease_is_in_the_document(nlp):
    doc = annotated(nlp)
    noun = nlp.vocab.strings.add("NN")
    with doc.c.writable() as tokens:
        assert not tokens.readonly
        np.asarray(tokens.tags)["tag"][0] = noun
        syntax = np.asarray(tokens.syntax)
        syntax["head"][3:] = [-1, -2]
        syntax["head"][2] = -1
        tokens.set_children_from_heads()
        assert syntax["l_kids"].tolist() == [0, 1, 0, 0, 0]
        np.asarray(tokens.entities)["ent_type"][2:4] = noun
    assert doc[0].tag_ == "NN"
    assert [token.head.i for token in doc] == [1, 1, 1, 2, 2]
    assert [ent.label_ for ent in doc.ents] == ["NN"]
    assert [token.i for token in doc[2].children] == [3, 4]


def test_a_lease_shuts_everybody_else_out_and_ends(nlp):
    doc = annotated(nlp)
    token, span = doc[0], doc[1:3]
    lease = doc.c.writable()
    with lease:
        for use in (
            lambda: doc.text, lambda: token.text, lambda: token.i, lambda: span.text,
            lambda: len(doc), lambda: list(doc), lambda: doc.c, lambda: doc.to_bytes(),
            lambda: setattr(token, "tag_", "X"), lambda: doc.c.writable(), lambda: pickle.dumps(doc),
        ):  # fmt: skip
            with pytest.raises(BusyError):
                use()
    assert token.text == "We"
    with pytest.raises(RuntimeError, match="once"):
        lease.__enter__()
    with pytest.raises(RuntimeError, match="not open"):
        lease.__exit__(None, None, None)
    first, second = doc.c.writable(), doc.c.writable()
    with first, pytest.raises(BusyError):
        second.__enter__()
    late = doc.c.writable()
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[2:4])
    with pytest.raises(StaleError, match="again"):
        late.__enter__()
    abandoned = doc.c.writable()
    abandoned.__enter__()
    del abandoned
    gc.collect()
    assert doc.text.startswith("We")


def fault(facet, field, i, value):
    def write(tokens):
        records = tokens if facet is None else getattr(tokens, facet)
        np.asarray(records)[field][i] = value

    return write


@pytest.mark.parametrize(
    ("code", "write"),
    [
        ("E190", fault("syntax", "head", 0, -1)),
        ("E190", fault("syntax", "head", 4, 1)),
        ("E190", fault("syntax", "head", 4, 2**31 - 1)),
        ("E1021", fault("tags", "pos", 0, 7)),
        ("edit-token", fault("tags", "flags", 0, 1)),
        ("edit-token", fault(None, "lex", 1, 2**31 + 5)),
        ("edit-token", fault(None, "idx", 1, 0)),
        ("edit-token", fault(None, "byte", 1, 2**32 - 1)),
        ("edit-token", fault(None, "facts", 1, 2**32 - 1)),
        ("edit-iob", fault("entities", "ent_type", 3, 5)),
        ("E043", fault(None, "facts", 0, 5)),
    ],
)
def test_records_that_do_not_hold_leave_the_document_as_it_was(nlp, code, write):
    doc = annotated(nlp)
    before = numbers(doc)
    with pytest.raises(ValueError, match=code), doc.c.writable() as tokens:
        np.asarray(tokens.tags)["tag"][1] = 3
        write(tokens)
    assert numbers(doc) == before
    with pytest.raises(KeyError, match="own"), doc.c.writable() as tokens:
        np.asarray(tokens.tags)["tag"][1] = 3
        raise KeyError("own")
    assert numbers(doc) == before


def test_what_is_written_after_a_lease_changes_nothing(nlp):
    doc = annotated(nlp)
    with doc.c.writable() as tokens:
        heads = np.asarray(tokens.syntax)["head"]
    before = numbers(doc)
    heads[:] = 1_000_000
    assert numbers(doc) == before


def test_a_handle_outlives_its_document_edits_and_zones(nlp):
    doc = annotated(nlp)
    handle, expected = doc.c, np.asarray(doc.c).tolist()
    pickle.loads(pickle.dumps(doc))
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[2:4])
    assert np.asarray(handle).tolist() == expected
    with pytest.raises(StaleError, match="take doc.c again"):
        handle.tags
    with pytest.raises(StaleError):
        handle.writable()
    del doc
    gc.collect()
    assert np.asarray(handle).tolist() == expected
    with nlp.vocab.memory_zone():
        transient = nlp.tokenizer("zzyzx quuxly")
        lexeme, tokens = transient[0].lex.c, transient.c
        length = lexeme[0].length
    del transient
    gc.collect()
    assert lexeme[0].length == length == 5
    assert tokens[1].idx == 6


def test_spacys_records_are_those_of_its_declarations(nlp):
    doc = annotated(nlp)
    exported = np.asarray(doc.c.as_spacy())
    assert exported.dtype.itemsize == 120
    assert exported["tag"].tolist() == [token.tag for token in doc]
    assert exported["head"].tolist() == [token.head.i - token.i for token in doc]
    assert exported["l_edge"].tolist() == [token.left_edge.i for token in doc]
    assert exported["lex"].tolist() == [token.lex.c.address for token in doc]
    with doc.c.as_spacy(writable=True) as tokens:
        records = np.asarray(tokens)
        records["tag"] = 7
        records["head"][3:] = [-1, -3]
    assert (doc[3].head.i, doc[4].tag) == (2, 7)
    before = numbers(doc)
    for field, value in (("lex", 0), ("idx", 4), ("spacy", 3), ("head", 9), ("ent_iob", 7)):
        with pytest.raises(ValueError), doc.c.as_spacy(writable=True) as tokens:
            np.asarray(tokens)[field][1] = value
        assert numbers(doc) == before
    with pytest.raises(ValueError, match="whole documents only"):
        doc.c[1:].as_spacy()
    with pytest.raises(RuntimeError, match="once"):
        doc.c.as_spacy().owner.__enter__()


def test_capsules_are_named_after_record_and_version(doc):
    get_name = ctypes.pythonapi.PyCapsule_GetName
    get_name.restype, get_name.argtypes = ctypes.c_char_p, [ctypes.py_object]
    get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
    get_pointer.restype, get_pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    capsule = doc.c.capsule("TokenC", 1)
    assert get_name(capsule) == b"lexpool.TokenC.1"
    words = (ctypes.c_size_t * 4).from_address(get_pointer(capsule, b"lexpool.TokenC.1"))
    assert list(words)[1:] == [doc.c.address, len(doc), 16]
    with pytest.raises(ValueError, match="incorrect name"):
        get_pointer(capsule, b"lexpool.TokenC.2")
    with pytest.raises(ValueError, match="LexemeC was requested, but these records are TokenC"):
        doc.c.capsule("LexemeC")
    with pytest.raises(ValueError, match="version 99 .* has version 1"):
        doc.c.capsule("TokenC", 99)


def test_ctypes_and_cffi_point_to_the_records(doc):
    array = doc.c.ctypes()
    assert [record.idx for record in array] == [token.idx for token in doc]
    assert ctypes.addressof(array) == doc.c.address
    assert doc.c.as_spacy().ctypes()[3].idx == doc[3].idx
    cffi = pytest.importorskip("cffi")
    ffi = cffi.FFI()
    ffi.cdef(structs.cdef())
    assert doc.c.cffi(ffi)[3].idx == doc[3].idx
    assert ffi.sizeof("SpacyTokenC") == 120
    for taken in (doc.c[::2].ctypes, lambda: doc.c[::2].cffi(ffi)):
        with pytest.raises(ValueError, match="not contiguous"):
            taken()


def test_a_pool_gives_zeroed_memory_and_keeps_what_it_owns():
    pool = Pool()
    address = pool.alloc(10, 8)
    assert address % 16 == 0
    assert (pool.size, pool.addresses) == (80, {address: 80})
    assert bytes((ctypes.c_char * 80).from_address(address)) == bytes(80)
    ctypes.memmove(address, b"abcdefgh", 8)
    moved = pool.realloc(address, 200)
    assert bytes((ctypes.c_char * 9).from_address(moved)) == b"abcdefgh\0"
    assert list(pool.addresses) == [moved]
    rows = pool.alloc_records(structs.TokenC, 5)
    np.asarray(rows)["idx"] = range(5)
    assert [row[4].idx for row in pool.c] == [4]
    kept = type("Kept", (), {})()
    assert pool.own(kept) is kept
    pool.free(moved)
    for wrong in (moved, 0, 12345):
        with pytest.raises(KeyError):
            pool.free(wrong)
    with pytest.raises(OverflowError):
        pool.alloc(-1)
    with pytest.raises(MemoryError):
        pool.alloc(2**62, 8)
    with pytest.raises(ValueError, match='unknown record "Nothing"'):
        pool.alloc_records("Nothing", 1)
    array = np.asarray(rows)
    del pool, rows
    gc.collect()
    assert array["idx"].tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("contiguous", [0x20, 0x40, 0x80], ids=["C", "F", "any"])
def test_a_stepped_handle_is_no_contiguous_buffer(doc, contiguous):
    get, strides = ctypes.pythonapi.PyObject_GetBuffer, 0x18
    get.argtypes = ctypes.py_object, ctypes.c_void_p, ctypes.c_int
    view = (ctypes.c_char * 256)()
    for stepped in (doc.c[::-1], doc.c[::2], Pool().alloc_records("TokenC", 3)[::-1]):
        with pytest.raises(BufferError, match="without a step"):
            get(stepped, view, contiguous | strides)
    for whole in (doc.c, doc.c[::2][:1], doc.c[2:4]):
        assert get(whole, view, contiguous | strides) == 0
        ctypes.pythonapi.PyBuffer_Release(view)


def test_slices_of_stepped_handles_are_the_records_at_their_places(nlp):
    doc = nlp("a b c d e f g h")
    with doc.c[2:7].writable() as tokens:
        for at, part in {
            3: tokens[::-1][3:4],
            4: tokens[::2][1:2],
            6: tokens[::-2][:1],
            2: tokens[::-1][::-1][:1],
        }.items():
            np.asarray(part.tags)["lemma"] = nlp.vocab.strings.add(f"lemma of {at}")
            assert len(part.syntax) == len(part.entities) == 1
    assert [token.lemma_ for token in doc] == [
        f"lemma of {i}" if i in (2, 3, 4, 6) else "" for i in range(8)
    ]
    # Read-only ones are found in the document by their places.
    assert len(doc.c[::-1][1:2].tags) == 1


def test_a_buffer_that_cannot_be_given_is_refused(doc):
    with pytest.raises(TypeError, match="not writable"):
        (ctypes.c_char * 16).from_buffer(doc.c)
    with pytest.raises(BufferError, match="request strides"):
        zlib.crc32(doc.c[::2])
