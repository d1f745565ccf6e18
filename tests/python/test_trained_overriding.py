"""Trained components whose methods or settings were changed in Python."""

import copy
import pickle
from functools import partial
from pathlib import Path

import numpy
import pytest

import lexpool
from lexpool.pipeline.ner import EntityRecognizer
from lexpool.pipeline.ragged import Ragged
from lexpool.pipeline.spancat import SpanCategorizer, build_ngram_suggester
from lexpool.pipeline.tagger import Tagger

FOLDER = Path(__file__).parents[1] / "files" / "pipelines" / "networks"
TEXT = "Ada Lovelace wrote programs in London. She liked it."


@pytest.fixture
def nlp():
    return lexpool.load(FOLDER)


def tags(docs):
    return [[token.tag_ for token in doc] for doc in docs]


def replace(nlp, name, component):
    """Puts a component with the files of another one in its place."""
    old = nlp.get_pipe(name)
    component.from_bytes(old.to_bytes(exclude=["vocab"]))
    at = nlp.component_names.index(name)
    nlp.remove_pipe(name)
    return nlp.add_pipe(component, name=name, before=at if at < len(nlp.components) else None)


def test_a_method_that_is_set_on_a_component_replaces_its_own(nlp):
    tagger = nlp.get_pipe("tagger")
    last = len(tagger.labels) - 1
    sizes = []

    def predict(docs):
        docs = list(docs)
        sizes.append(len(docs))
        return [numpy.full(len(doc), last) for doc in docs]

    tagger.predict = predict
    doc = nlp(TEXT)
    assert tags([doc]) == [[tagger.labels[last]] * len(doc)]
    assert tags(nlp.pipe([TEXT] * 5, batch_size=2)) == tags([doc] * 5)
    assert sizes == [1, 2, 2, 1]
    del tagger.predict
    assert tags(nlp.pipe([TEXT])) == tags([lexpool.load(FOLDER)(TEXT)])


def test_a_subclass_decides_the_scores(nlp):
    class Constant(Tagger):
        def predict(self, docs):
            return [numpy.full(len(doc), len(self.labels) - 1) for doc in docs]

    own = nlp.get_pipe("tagger")
    tagger = replace(nlp, "tagger", Constant(nlp.vocab, own.model, "tagger"))
    assert tagger.native() is None
    expected = [[own.labels[-1]] * 11]
    assert tags([nlp(TEXT)]) == expected
    assert tags(nlp.pipe([TEXT])) == expected
    assert tags(tagger.pipe([nlp.make_doc(TEXT)])) == expected


def test_a_subclass_without_methods_of_its_own_runs_natively(nlp):
    class Same(Tagger):
        pass

    expected = tags([nlp(TEXT)])
    tagger = replace(nlp, "tagger", Same(nlp.vocab, nlp.get_pipe("tagger").model, "tagger"))
    assert tagger.native() is not None
    assert tags([nlp(TEXT)]) == expected


def test_a_subclass_sets_the_annotation(nlp):
    class Marked(EntityRecognizer):
        def set_annotations(self, docs, scores):
            super().set_annotations(docs, scores)
            for doc in docs:
                doc.user_data["entities"] = len(doc.ents)

    old = nlp.get_pipe("beam_ner")
    expected = nlp(TEXT)
    ner = Marked(nlp.vocab, old.model, "beam_ner", moves=old.moves)
    replace(nlp, "beam_ner", ner)
    ner.cfg.update(old.cfg)
    for doc in (nlp(TEXT), next(nlp.pipe([TEXT]))):
        assert [(ent.start, ent.end) for ent in doc.ents] == [
            (ent.start, ent.end) for ent in expected.ents
        ]
        assert doc.user_data["entities"] == len(expected.ents)


def test_the_error_of_an_overridden_method_goes_to_the_handler_with_its_batch(nlp):
    tagger = nlp.get_pipe("tagger")
    own = tagger.predict

    def predict(docs):
        if any("bad" in doc.text for doc in docs):
            raise RuntimeError("refused")
        return own(docs)

    tagger.predict = predict
    with pytest.raises(RuntimeError, match="refused"):
        nlp("a bad text")
    skipped = []
    tagger.set_error_handler(lambda name, proc, docs, error: skipped.extend(docs))
    texts = ["one", "a bad text", "two", "three"]
    assert [doc.text for doc in nlp.pipe(texts, batch_size=2)] == ["two", "three"]
    assert [doc.text for doc in skipped] == ["one", "a bad text"]


def test_an_error_of_the_linker_leaves_one_document_out(nlp):
    linker = nlp.get_pipe("entity_linker")
    docs = [nlp(TEXT, disable="entity_linker") for _ in range(3)]
    bare = nlp.make_doc("Ada Lovelace")
    bare.set_ents([lexpool.tokens.Span(bare, 0, 2, "PERSON")])
    docs.insert(1, bare)
    skipped = []
    linker.set_error_handler(lambda name, proc, failed, error: skipped.extend(failed))
    done = list(linker.pipe(docs))
    assert [doc is bare for doc in done] == [False] * 3
    assert len(skipped) == 1 and skipped[0] is bare


def test_components_annotate_the_same_from_python(nlp):
    texts = [TEXT, "", "Yes", "London is a city.\n", TEXT[::-1]]
    expected = [doc.to_json() for doc in nlp.pipe(texts)]
    assert any(doc["spans"]["sc"] for doc in expected)
    for _, component in nlp.components:
        own = type(component).predict
        component.predict = partial(own, component)
        assert component.native() is None
    assert [doc.to_json() for doc in nlp.pipe(texts)] == expected
    assert [doc.to_json() for doc in nlp.pipe(texts, batch_size=2)] == expected
    assert [nlp(text).to_json() for text in texts] == expected


def test_a_suggester_that_is_set_replaces_that_of_the_settings(nlp):
    spancat = nlp.get_pipe("spancat")
    spancat.cfg["threshold"] = 0.0
    spancat.suggester = build_ngram_suggester([1])
    for doc in (nlp(TEXT), next(nlp.pipe([TEXT]))):
        assert {len(span) for span in doc.spans[spancat.key]} == {1}


def test_a_function_is_a_suggester(nlp):
    def first_words(docs, *, ops=None):
        return Ragged([(0, 1) for _ in docs], [1 for _ in docs])

    def as_lists(docs):
        return [[(0, 1)] for _ in docs]

    old = nlp.get_pipe("spancat")
    for suggester in (first_words, as_lists):
        spancat = SpanCategorizer(nlp.vocab, old.model, suggester, threshold=0.0)
        spancat.from_bytes(old.to_bytes(exclude=["vocab"]), exclude=["vocab"])
        spancat.cfg["threshold"] = 0.0
        doc = spancat(nlp(TEXT))
        assert {(span.start, span.end) for span in doc.spans[spancat.key]} == {(0, 1)}


def test_a_suggester_for_other_documents_is_an_error(nlp):
    spancat = nlp.get_pipe("spancat")
    spancat.suggester = lambda docs: [[(0, 1)]]
    with pytest.raises(ValueError, match="spans of 2 documents, got those of 1"):
        spancat.predict([nlp.make_doc("one"), nlp.make_doc("two")])
    with pytest.raises(ValueError, match="expected 1 rows"):
        Ragged([(0, 1)], [2])


@pytest.mark.parametrize("texts", [[TEXT, "", "Yes"], [""], []])
def test_predictions_of_spans_have_the_form_of_spacy(nlp, spacy, texts):
    other = spacy.load(FOLDER)
    ours, theirs = ([pipe.make_doc(text) for text in texts] for pipe in (nlp, other))
    for pipe, docs in ((nlp, ours), (other, theirs)):
        docs[:] = [pipe.get_pipe("tok2vec")(doc) for doc in docs]
    indices, scores = nlp.get_pipe("spancat").predict(ours)
    their_indices, their_scores = other.get_pipe("spancat").predict(theirs)
    assert indices.lengths.tolist() == their_indices.lengths.tolist()
    assert indices.dataXd.tolist() == their_indices.dataXd.tolist()
    assert [part.dataXd.tolist() for part in indices] == [
        part.dataXd.tolist() for part in their_indices
    ]
    assert scores.shape == their_scores.shape
    assert scores == pytest.approx(their_scores, abs=1e-5)
    if texts:
        found = nlp.get_pipe("span_finder").predict(ours)
        expected = other.get_pipe("span_finder").predict(theirs)
        assert found.shape == expected.shape
        assert found == pytest.approx(expected, abs=1e-5)


def test_new_span_categorizers_have_the_settings_of_spacy(spacy):
    for name in ("spancat", "spancat_singlelabel"):
        ours, theirs = (blank("en").add_pipe(name) for blank in (lexpool.blank, spacy.blank))
        assert ours.cfg == theirs.cfg


def test_changes_inside_of_the_settings_apply_to_the_next_document(nlp):
    textcat = nlp.get_pipe("textcat")
    nlp(TEXT)
    textcat.cfg["labels"][0] = "NEW"
    assert "NEW" in nlp(TEXT).cats
    assert "NEW" in next(nlp.pipe([TEXT])).cats


@pytest.mark.parametrize("is_used", [False, True])
@pytest.mark.parametrize("copied", [copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))])
def test_a_trained_pipeline_is_copied_and_pickled(nlp, is_used, copied):
    if is_used:
        nlp(TEXT)
        assert nlp.get_pipe("parser").model.name
    again = copied(nlp)
    assert again.vocab is not nlp.vocab
    assert again.get_pipe("parser").vocab is again.vocab
    expected = nlp(TEXT).to_json()
    assert again(TEXT).to_json() == expected
    assert next(again.pipe([TEXT])).to_json() == expected
    parser = copied(nlp.get_pipe("parser"))
    assert parser.to_bytes() == nlp.get_pipe("parser").to_bytes()
