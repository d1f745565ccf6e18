"""Code compiled against spaCy's own declarations, run over lexpool's documents."""

import numpy as np
import pytest

import lexpool
from lexpool import Doc


@pytest.fixture(scope="module")
def kernel(toolchain):
    pytest.importorskip("spacy", reason="spaCy is not installed")
    return toolchain.module("spacy_tokens", language="c++", include=(np.get_include(),))


@pytest.fixture
def doc() -> Doc:
    return Doc(
        lexpool.blank("en").vocab,
        words=["We", "saw", "New", "York", "."],
        heads=[1, 1, 3, 1, 1],
        deps=["nsubj", "ROOT", "compound", "dobj", "punct"],
    )


def test_tokens_flags_and_trees_are_walked_as_spacys(kernel, doc):
    tokens = doc.c.as_spacy()
    expected = [
        (token.idx, token.lower, token.is_alpha, 1, len(list(token.subtree))) for token in doc
    ]
    assert kernel.walk(tokens.address, len(tokens)) == expected


def test_a_look_beyond_the_tokens_finds_padding(kernel, doc):
    tokens = doc.c.as_spacy()
    assert kernel.beyond(tokens.address, len(tokens)) == [(0, 0, 0)] * 10


def test_tags_and_heads_that_it_writes_are_the_documents(kernel, doc):
    tag = doc.vocab.strings.add("TAG")
    with doc.c.as_spacy(writable=True) as tokens:
        kernel.chain(tokens.address, len(tokens), tag)
    assert [token.head.i for token in doc] == [0, 0, 1, 2, 3]
    assert {token.tag_ for token in doc} == {"TAG"}
    assert [len(list(token.subtree)) for token in doc] == [5, 4, 3, 2, 1]
    with doc.c.as_spacy(writable=True) as tokens:
        again = kernel.walk(tokens.address, len(tokens))
    assert [row[3] for row in again] == [0] * 5
