"""One kernel in several languages: how many sentences begin with a capital, and the longest run of
punctuation. The kernels in C and Cython stand in `kernels/api_kernel.c` and `kernels/api_cython.pyx`
and are tested with the C API, the one in Rust is the crate in `rust/`.
"""

import importlib.machinery
import importlib.util
import json
import subprocess
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from lexpool import Doc
from lexpool.attrs import IS_PUNCT, IS_TITLE

ROOT = Path(__file__).parents[2]
TEXT = (
    'He said: "Well... is it?!" Nobody knew. it was late -- (too late). \'And then?\' she asked. '
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


def in_numpy(doc: Doc) -> tuple[int, int]:
    flags = flags_of_tokens(doc)
    is_start = np.asarray(doc.c)["facts"] >> 1 & 3 == 1
    starts = np.count_nonzero(is_start & (flags >> np.uint64(IS_TITLE) & np.uint64(1) != 0))
    is_punct = flags >> np.uint64(IS_PUNCT) & np.uint64(1) != 0
    ends = np.flatnonzero(np.diff(np.concatenate([[False], is_punct, [False]])))
    return int(starts), int((ends[1::2] - ends[::2]).max(initial=0))


def in_numba(doc: Doc) -> tuple[int, int]:
    numba = pytest.importorskip("numba")

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
def in_rust():
    """The kernel of the crate in `rust/`, which is not lexpool's own."""
    command = ["cargo", "build", "--locked", "--release", "--quiet", "-p", "lexpool-interop"]
    built = subprocess.run(
        [*command, "--message-format=json"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert built.returncode == 0, built.stderr
    messages = [json.loads(line) for line in built.stdout.splitlines()]
    (library,) = (
        name
        for message in messages
        if message.get("target", {}).get("name") == "rust_kernels"
        for name in message.get("filenames", ())
    )
    loader = importlib.machinery.ExtensionFileLoader("rust_kernels", library)
    spec = importlib.util.spec_from_loader("rust_kernels", loader)
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return lambda doc: module.kernel(doc.c, doc.vocab.c.segments)


def test_a_kernel_in_rust_finds_it_too_and_takes_no_other_records(doc, in_rust):
    assert in_rust(doc) == in_python(doc) == (10, 3)
    assert in_rust(Doc(doc.vocab)) == (0, 0)
    for wrong in (doc[0].lex, doc[0:1], SimpleNamespace(c=doc.c[::2], vocab=doc.vocab)):
        with pytest.raises((TypeError, AttributeError)):
            in_rust(wrong)


@pytest.mark.parametrize("kernel", [in_numpy, in_numba])
def test_a_kernel_finds_what_a_loop_in_python_finds(doc, kernel):
    assert in_python(doc) == (10, 3)
    assert kernel(doc) == (10, 3)
    assert kernel(doc[0:3].as_doc()) == in_python(doc[0:3].as_doc())
