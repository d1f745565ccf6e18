"""Orders of additions in networks: equal labels in each, and results that depend on no batch."""

import numpy as np
import pytest
from trained_pipelines import TEXTS, make

import lexpool


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("pipeline") / "saved"
    make("hash_embed").to_disk(path)
    return path


def test_labels_are_the_same_in_each_order_of_additions(folder):
    def annotation(numerics):
        nlp = lexpool.load(folder, numerics=numerics)
        docs = list(nlp.pipe(TEXTS))
        return [[(t.tag_, t.dep_, t.head.i, t.ent_type_) for t in doc] for doc in docs], [
            doc.tensor for doc in docs
        ]

    fast, tensors = annotation("fast")
    for numerics in ("blis-generic", "blis-haswell", "blis-skx"):
        labels, others = annotation(numerics)
        assert labels == fast
        for tensor, other in zip(tensors, others, strict=True):
            assert np.allclose(tensor, other, atol=1e-4)
        assert any((tensor != other).any() for tensor, other in zip(tensors, others, strict=True))


def test_the_order_of_additions_can_be_changed_and_a_wrong_one_is_named(folder):
    nlp, exact = lexpool.load(folder), lexpool.load(folder, numerics="blis-generic")
    assert (nlp.numerics, exact.numerics) == ("fast", "blis-generic")
    text = TEXTS[0]
    before = nlp(text).tensor
    nlp.numerics = "blis-generic"
    assert (nlp(text).tensor == exact(text).tensor).all()
    nlp.numerics = "fast"
    assert (nlp(text).tensor == before).all()
    nlp.numerics = "exact"
    with pytest.raises(ValueError, match="expected one of fast, blis-generic"):
        nlp(text)


def test_a_document_has_the_same_bits_alone_and_in_any_batch(folder):
    nlp = lexpool.load(folder)
    texts = [text for text in TEXTS for _ in range(5)]
    alone = [nlp(text).tensor.tobytes() for text in texts]
    for batch_size, threads in ((1, 1), (7, 1), (1000, 1), (1000, 2)):
        docs = nlp.pipe(texts, batch_size=batch_size, n_threads=threads)
        assert [doc.tensor.tobytes() for doc in docs] == alone
    docs = [nlp.make_doc(text) for text in texts]
    assert [doc.tensor.tobytes() for doc in nlp.pipe(docs)] == alone
