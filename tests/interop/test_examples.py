"""One kernel in five languages: how many sentences begin with a capital, and the longest run of
punctuation.

    Cython   kernels/api_cython.pyx, without the GIL, through `lexpool.capi`
    C        kernels/walk.c, through ctypes: no Python.h, only the addresses of records
    Rust     the crate in `rust/`, through named capsules
    Numba    `numba_kernel` below, over columns of `doc.c`
    NumPy    `numpy_kernel` below

In C with Python.h there is one more, `kernels/api_kernel.c`, which is tested with the C API.
"""

import ctypes
from types import SimpleNamespace

import numpy as np
import pytest
from rust_crate import rust_kernels

from lexpool import Doc
from lexpool.attrs import IS_PUNCT, IS_TITLE

TEXT = (
    "He said: \"Well... is it?!\" Nobody knew. it was late -- (too late). 'And then?' she asked. "
    "They left; the Dog stayed!!! 42 of them came back."
) * 5


@pytest.fixture(scope="module")
def doc(nlp) -> Doc:
    doc = nlp.tokenizer(TEXT)
    for token in doc:
        token.is_sent_start = token.i == 0 or doc[token.i - 1].text in ".?!"
    return doc


def in_python(doc: Doc) -> tuple[int, int]:
    starts = sum(token.is_sent_start and token.is_title for token in doc)
    longest = run = 0
    for token in doc:
        run = run + 1 if token.is_punct else 0
        longest = max(longest, run)
    return starts, longest


def flags_of_tokens(doc: Doc) -> np.ndarray:
    """The flags of each token's word, by the position of its lexeme."""
    lexemes = np.concatenate([np.asarray(segment) for segment in doc.vocab.c.segments])
    return lexemes["flags"][np.asarray(doc.c)["lex"]]


def numpy_kernel(doc: Doc) -> tuple[int, int]:
    flags = flags_of_tokens(doc)
    is_start = np.asarray(doc.c)["facts"] >> 1 & 3 == 1
    starts = np.count_nonzero(is_start & (flags >> np.uint64(IS_TITLE) & np.uint64(1) != 0))
    is_punct = flags >> np.uint64(IS_PUNCT) & np.uint64(1) != 0
    ends = np.flatnonzero(np.diff(np.concatenate([[False], is_punct, [False]])))
    return int(starts), int((ends[1::2] - ends[::2]).max(initial=0))


def numba_kernel(doc: Doc) -> tuple[int, int]:
    import numba

    @numba.njit(nogil=True)
    def kernel(facts, flags, title, punct):
        starts = longest = run = 0
        for i in range(len(facts)):
            if facts[i] >> 1 & 3 == 1 and flags[i] >> title & 1:
                starts += 1
            run = run + 1 if flags[i] >> punct & 1 else 0
            longest = max(longest, run)
        return starts, longest

    # Numba has no structured arrays that are read-only; a column of one will do.
    facts = np.asarray(doc.c)["facts"]
    return kernel(facts, flags_of_tokens(doc), np.uint64(IS_TITLE), np.uint64(IS_PUNCT))


@pytest.fixture(scope="module")
def in_numpy():
    return numpy_kernel


@pytest.fixture(scope="module")
def in_numba():
    pytest.importorskip("numba", reason="numba is not installed")
    return numba_kernel


@pytest.fixture(scope="module")
def in_cython(toolchain):
    return toolchain.module("api_cython").examples


@pytest.fixture(scope="module")
def in_c(walk_c):
    def kernel(doc: Doc) -> tuple[int, int]:
        # The handles keep what the addresses point to; nothing else does.
        tokens, segments = doc.c, doc.vocab.c.segments
        n = len(segments)
        lexemes = (ctypes.c_void_p * n)(*(segment.address for segment in segments))
        lengths = (ctypes.c_size_t * n)(*map(len, segments))
        found = (ctypes.c_size_t * 2)()
        walk_c.example(tokens.address, len(tokens), lexemes, lengths, n, found)
        return found[0], found[1]

    return kernel


@pytest.fixture(scope="module")
def in_rust():
    """The kernel of the crate in `rust/`, which is not lexpool's own."""
    module = rust_kernels()
    return lambda doc: module.kernel(doc.c, doc.vocab.c.segments)


@pytest.fixture(params=["cython", "c", "rust", "numba", "numpy"])
def kernel(request):
    return request.getfixturevalue(f"in_{request.param}")


def test_a_kernel_finds_what_a_loop_in_python_finds(doc, kernel):
    assert kernel(doc) == in_python(doc) == (10, 3)
    assert kernel(doc[0:3].as_doc()) == in_python(doc[0:3].as_doc())
    assert kernel(Doc(doc.vocab)) == (0, 0)


class Forged:
    """A handle whose capsule has another name than was asked for."""

    def __init__(self, name: bytes) -> None:
        self.name = name

    def capsule(self, record: str, abi_version: int) -> object:
        make = ctypes.pythonapi.PyCapsule_New
        make.restype, make.argtypes = ctypes.py_object, [ctypes.c_char_p] * 2 + [ctypes.c_void_p]
        return make(self.name, self.name, None)


def test_a_kernel_in_rust_takes_no_other_records(doc, in_rust):
    for wrong in (doc[0].lex.c, doc.c[::2], doc.c[::-1], Forged(b"lexpool.TokenC.2")):
        with pytest.raises(ValueError):
            in_rust(SimpleNamespace(c=wrong, vocab=doc.vocab))
    with doc.c.writable() as tokens, pytest.raises(ValueError, match="nobody may write"):
        in_rust(SimpleNamespace(c=tokens, vocab=doc.vocab))
    with pytest.raises(AttributeError):
        in_rust(SimpleNamespace(c=b"bytes of one", vocab=doc.vocab))
