"""Whole pipelines beside spaCy's: the same annotation, and files that both read."""

import pytest
from hypothesis import given, settings, strategies as st
from scripts import texts

import lexpool
from lexpool import Tokenizer
from lexpool.lookups import Lookups

spacy = pytest.importorskip("spacy")

PATTERNS = [
    {"label": "ORG", "pattern": "Apple"},
    {"label": "ORG", "pattern": [{"LOWER": "some"}, {"LOWER": "company"}], "id": "company"},
    {"label": "GPE", "pattern": [{"TEXT": "U.S."}]},
    {"label": "NUM", "pattern": [{"LIKE_NUM": True}, {"LIKE_NUM": True, "OP": "?"}]},
]
LEMMAS = {"words": "word", "went": "go", "bought": "buy", "companies": "company"}
SAMPLE = [
    "Apple bought some company. They went to the U.S. in 1990, for 2 3 words!",
    "",
    "  \n ",
    "Is it Some Company? No... It's not. 10 companies went.",
    "words words words",
    "\u4f60\u597d\u3002 \u0410\u043f\u043f\u043b\u0435? e\u0301 \U0001f600!",
]


def filled(nlp, lookups):
    """A blank pipeline of spaCy's or lexpool's with components."""
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("entity_ruler").add_patterns(PATTERNS)
    ruler = nlp.add_pipe("attribute_ruler")
    ruler.add([[{"LOWER": "the"}]], {"POS": "DET", "TAG": "DT"})
    nlp.add_pipe("merge_entities")
    # Behind the one that merges: groups follow their words here, and not in spaCy.
    nlp.add_pipe("span_ruler", config={"spans_key": "found"}).add_patterns(PATTERNS)
    lookups.add_table("lemma_lookup", LEMMAS)
    nlp.add_pipe("lemmatizer", config={"mode": "lookup"}).initialize(lookups=lookups)
    return nlp


@pytest.fixture(scope="module")
def both():
    from spacy.lookups import Lookups as SpacyLookups

    theirs = filled(spacy.blank("en"), SpacyLookups())
    ours = filled(
        lexpool.Language("en", Tokenizer.from_spacy(spacy.blank("en").tokenizer)), Lookups()
    )
    return theirs, ours


def annotation(doc):
    return {
        "tokens": [
            (token.text, token.lemma_, token.pos_, token.tag_, token.is_sent_start) for token in doc
        ],
        "ents": [(ent.start, ent.end, ent.label_, ent.id_) for ent in doc.ents],
        "spans": {
            name: [(span.start, span.end, span.label_, span.id_) for span in group]
            for name, group in doc.spans.items()
        },
        "sents": [(sent.start, sent.end) for sent in doc.sents] if len(doc) else [],
    }


@pytest.mark.parametrize("n_threads", [0, 1, 2])
def test_a_pipeline_annotates_as_spacys_does(both, n_threads):
    theirs, ours = both
    expected = [annotation(theirs(text)) for text in SAMPLE]
    assert [annotation(ours(text)) for text in SAMPLE] == expected
    for batch_size in (1, 4, 100):
        docs = ours.pipe(SAMPLE * 3, batch_size=batch_size, n_threads=n_threads)
        assert [annotation(doc) for doc in docs] == expected * 3


@settings(max_examples=60, deadline=None)
@given(st.lists(texts(max_size=20) | st.sampled_from(SAMPLE), max_size=8))
def test_texts_of_all_sorts_are_annotated_as_spacy_does(both, some):
    theirs, ours = both
    expected = [annotation(theirs(text)) for text in some]
    assert [annotation(doc) for doc in ours.pipe(some, batch_size=3)] == expected


def test_components_are_shown_as_spacy_shows_them(both):
    theirs, ours = both
    assert ours.pipe_names == theirs.pipe_names
    assert ours.pipe_factories == theirs.pipe_factories
    assert ours.pipe_labels == theirs.pipe_labels
    for name in ours.component_names:
        assert dict(ours.get_pipe_config(name)) == dict(theirs.get_pipe_config(name)), name
        meta, their_meta = ours.get_pipe_meta(name), theirs.get_pipe_meta(name)
        assert meta.factory == their_meta.factory
        assert list(meta.assigns) == list(their_meta.assigns)
        assert list(meta.requires) == list(their_meta.requires)
        assert meta.retokenizes == their_meta.retokenizes
        assert dict(meta.default_score_weights) == dict(their_meta.default_score_weights)


def test_a_pipeline_of_spacys_loads_here(both, tmp_path):
    theirs, _ = both
    theirs.to_disk(tmp_path)
    loaded = lexpool.load(tmp_path)
    for text in SAMPLE:
        assert annotation(loaded(text)) == annotation(theirs(text))
    assert loaded.config["components"] == theirs.config["components"]
    few = lexpool.load(tmp_path, exclude=["lemmatizer", "merge_entities"], disable="span_ruler")
    assert few.component_names == ["sentencizer", "entity_ruler", "attribute_ruler", "span_ruler"]
    assert few.disabled == ["span_ruler"]


def test_a_pipeline_of_lexpools_loads_there(both, tmp_path):
    _, ours = both
    ours.to_disk(tmp_path / "one")
    loaded = spacy.load(tmp_path / "one")
    for text in SAMPLE:
        assert annotation(loaded(text)) == annotation(ours(text))
    loaded.to_disk(tmp_path / "two")
    again = lexpool.load(tmp_path / "two")
    for text in SAMPLE:
        assert annotation(again(text)) == annotation(ours(text))


def test_bytes_of_spacys_pipeline_are_read_here(both):
    theirs, _ = both
    ours = lexpool.Language.from_config(theirs.config)
    ours.from_bytes(theirs.to_bytes())
    for text in SAMPLE:
        assert annotation(ours(text)) == annotation(theirs(text))


def test_a_pipeline_without_the_weights_of_a_component_says_which(tmp_path):
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("tagger")
    nlp.to_disk(tmp_path, exclude=["tagger"])
    with pytest.raises(ValueError, match="model-files.*model is missing"):
        lexpool.load(tmp_path)
    loaded = lexpool.load(tmp_path, exclude=["tagger"])
    assert loaded.pipe_names == ["sentencizer"]
    assert [sent.text for sent in loaded("One. Two.").sents] == ["One.", "Two."]
