"""Orders of additions in networks: equal labels in each, and results that depend on no batch."""

import copy
import pickle

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
    expected_names = "expected one of fast, blis-generic, blis-haswell, blis-skx$"
    with pytest.raises(ValueError, match=expected_names):
        nlp.numerics = "exact"
    assert (nlp(text).tensor == before).all()
    with pytest.raises(ValueError, match=expected_names):
        lexpool.load(folder, numerics="half")
    # Networks check it for themselves.
    nlp.get_pipe("tok2vec").model.numerics = "exact"
    with pytest.raises(ValueError, match=expected_names):
        nlp(text)


def test_no_decision_of_a_trained_pipeline_differs_by_default(trained_model, texts_folder):
    texts = (texts_folder / "web.txt").read_text("utf8").split("\n")
    found = {}
    for numerics in ("blis-generic", "fast"):
        nlp = lexpool.load(trained_model, numerics=numerics)
        attrs = ["TAG", "HEAD", "DEP", "SENT_START", "ENT_IOB", "ENT_TYPE"]
        found[numerics] = np.concatenate([doc.to_array(attrs) for doc in nlp.pipe(texts)])
    # The order of a kernel of BLIS gives the decisions of spaCy.
    expected = found["blis-generic"]
    assert len(expected) > 50_000
    assert (found["fast"] == expected).all()


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))])
def test_an_order_is_kept_by_copies_and_changes_no_weight_that_is_saved(folder, copied, tmp_path):
    nlp, exact = lexpool.load(folder), lexpool.load(folder, numerics="blis-generic")
    text = TEXTS[0]
    again = copied(exact)
    assert again.numerics == "blis-generic"
    assert (again(text).tensor == exact(text).tensor).all()
    again.numerics = "fast"
    assert (again(text).tensor == nlp(text).tensor).all()
    for name in ("tok2vec", "tagger"):
        assert exact.get_pipe(name).to_bytes() == nlp.get_pipe(name).to_bytes()
    exact.to_disk(tmp_path / "exact")
    assert (lexpool.load(tmp_path / "exact")(text).tensor == nlp(text).tensor).all()


@pytest.mark.parametrize("numerics", ["fast", "blis-haswell"])
def test_a_document_has_the_same_bits_alone_and_in_any_batch(folder, numerics):
    nlp = lexpool.load(folder, numerics=numerics)
    texts = [text for text in TEXTS for _ in range(5)]
    alone = [nlp(text).tensor.tobytes() for text in texts]
    for batch_size, threads in ((1, 1), (7, 1), (1000, 1), (1000, 2)):
        docs = nlp.pipe(texts, batch_size=batch_size, n_threads=threads)
        assert [doc.tensor.tobytes() for doc in docs] == alone
    docs = [nlp.make_doc(text) for text in texts]
    assert [doc.tensor.tobytes() for doc in nlp.pipe(docs)] == alone
