"""Links of entities, with spaCy's linker and a function in place of its model as the measure."""

import importlib
import random
import zlib
from functools import cache

import pytest

import lexpool
from lexpool.kb import InMemoryLookupKB

np = pytest.importorskip("numpy")
WIDTH = 5
WORDS = ["Ada", "Bob", "Eve", "New", "York", "sees", "and", "of"]
ALIASES = ["Ada", "Bob", "Eve", "New York", "York", "Ada Bob", "sees and"]
LABELS = ["PERSON", "GPE"]


class Encoder:
    """A function of a document's text, entities and sentences in the place of a model."""

    class ops:
        xp = np

    def encode(self, doc):
        seen = repr(
            (doc.text, [(e.start, e.end, e.label_) for e in doc.ents], len(list(doc.sents)))
        )
        seed = zlib.crc32(seen.encode())
        if seed % 7 == 0:
            return np.zeros(WIDTH, dtype="f4")
        return np.random.default_rng(seed).standard_normal(WIDTH).astype("f4")

    def predict(self, docs):
        return np.array([self.encode(doc) for doc in docs])


def fill(kb, rng):
    """Adds entities, some with equal or zero vectors, and aliases with one to five candidates."""
    for n in range(12):
        row = [0.0] * WIDTH if n % 6 == 5 else [rng.gauss(0, 1) for _ in range(WIDTH)]
        kb.add_entity(f"Q{n}", n, row)
    for alias in ALIASES[:-1]:
        chosen = rng.sample(range(12), rng.randint(1, 5))
        kb.add_alias(alias, [f"Q{n}" for n in chosen], [rng.uniform(0, 0.2) for _ in chosen])
    return kb


def random_doc(rng):
    """Arguments of a document with entities and sentences."""
    n = rng.choice([0, 1, 2, 8, 30])
    words = rng.choices(WORDS, k=n)
    starts = [i == 0 or rng.random() < 0.25 for i in range(n)]
    ents, at = ["O"] * n, 0
    while at < n:
        width = rng.randint(1, 3)
        if rng.random() < 0.6 and at + width <= n:
            label = rng.choice(LABELS)
            ents[at : at + width] = [f"B-{label}"] + [f"I-{label}"] * (width - 1)
        at += width
    return {"words": words, "sent_starts": starts, "ents": ents}


def settings_of(rng):
    return {
        "n_sents": rng.choice([0, 0, 1, 2]),
        "labels_discard": rng.choice([[], [], ["GPE"], LABELS]),
        "incl_prior": rng.random() < 0.7,
        "incl_context": rng.random() < 0.8,
    }


@cache
def blank():
    return pytest.importorskip("spacy").blank("en")


def their_linker(nlp, settings, threshold, v1):
    from spacy.kb import get_candidates, get_candidates_batch
    from spacy.ml.models.entity_linker import empty_kb_for_config
    from spacy.pipeline.entity_linker import EntityLinker
    from spacy.pipeline.legacy.entity_linker import EntityLinker_v1

    common = {**settings, "entity_vector_length": WIDTH, "get_candidates": get_candidates}
    if v1:
        return EntityLinker_v1(nlp.vocab, Encoder(), **common)
    return EntityLinker(
        nlp.vocab,
        Encoder(),
        **common,
        get_candidates_batch=get_candidates_batch,
        generate_empty_kb=empty_kb_for_config(),
        use_gold_ents=False,
        candidates_batch_size=1,
        threshold=threshold,
    )


def named(kb, links):
    return ["NIL" if link is None else kb.vocab.strings[link] for link in links]


def link(kb, doc, encode=None, **settings):
    encoder = encode or Encoder().encode
    defaults = {
        "n_sents": 0,
        "labels_discard": [],
        "incl_prior": True,
        "incl_context": True,
        "threshold": None,
        "v1": False,
    }
    return kb.table.link(doc, lambda i, j: encoder(doc[i:j].as_doc()), **defaults | settings)


@pytest.mark.parametrize("v1", [False, True])
@pytest.mark.parametrize("seed", range(40))
def test_links_are_those_of_spacys_linker_whose_candidates_are_in_order(seed, v1, monkeypatch):
    spacy = pytest.importorskip("spacy")
    # spaCy shuffles candidates, so that one of equal ones wins by chance.
    monkeypatch.setattr(random, "shuffle", lambda candidates: None)
    rng = random.Random(seed)
    settings, threshold = settings_of(rng), rng.choice([None, None, 0.0, 0.3, 0.9])
    nlp = blank()
    theirs = their_linker(nlp, settings, threshold, v1)
    fill(theirs.kb, random.Random(seed))
    ours = fill(InMemoryLookupKB(lexpool.Vocab(), WIDTH), random.Random(seed))
    found = set()
    for _ in range(15):
        given = random_doc(rng)
        their_doc = spacy.tokens.Doc(nlp.vocab, **given)
        doc = lexpool.Doc(ours.vocab, **given)
        links = named(ours, link(ours, doc, **settings, threshold=threshold, v1=v1))
        with np.errstate(invalid="ignore"):  # of vectors without a direction
            assert links == theirs.predict([their_doc])
        found.update(links)
    assert found


def test_a_document_without_sentences_is_an_error_even_without_entities():
    kb = fill(InMemoryLookupKB(lexpool.Vocab(), WIDTH), random.Random(1))
    with pytest.raises(ValueError, match="E030"):
        link(kb, lexpool.Doc(kb.vocab, words=["a", "b"]))
    for words in ([], ["a"]):
        assert link(kb, lexpool.Doc(kb.vocab, words=words)) == []


def ada(kb):
    return lexpool.Doc(kb.vocab, words=["Ada"], ents=["B-PERSON"])


def tied():
    kb = InMemoryLookupKB(lexpool.Vocab(), 1)
    kb.set_entities(["Q1", "Q2", "Q3"], [1, 1, 1], [[0.5], [2.0], [0.5]])
    kb.add_alias("Ada", ["Q3", "Q1", "Q2"], [0.2, 0.2, 0.2])
    return kb


def test_the_first_of_equal_candidates_wins_in_the_order_of_the_alias():
    kb = tied()
    for settings in ({"incl_context": False}, {"incl_prior": False}, {}):
        assert named(kb, link(kb, ada(kb), lambda _: [1.0], **settings)) == ["Q3"]


def test_faults_of_the_encoder_are_raised():
    kb = tied()

    def fail(doc):
        raise RuntimeError("out of order")

    with pytest.raises(RuntimeError, match="out of order"):
        link(kb, ada(kb), fail)
    with pytest.raises(ValueError, match=r"\[kb-encoding\] .* 2 numbers; expected 1"):
        link(kb, ada(kb), lambda _: [1.0, 2.0])
    with pytest.raises(TypeError):
        link(kb, ada(kb), lambda _: ["x"])
    for threshold in (-0.1, 1.1, float("nan")):
        with pytest.raises(ValueError, match=r"\[E1043\]"):
            link(kb, ada(kb), threshold=threshold)


def test_a_knowledge_base_can_be_changed_by_the_encoder_without_effect_on_the_call():
    kb = tied()

    def encode(doc):
        kb.set_entities([], [], [])
        return [1.0]

    assert named(kb, link(kb, ada(kb), encode)) == ["Q3"]
    assert kb.is_empty()


def test_a_linker_of_prior_probabilities_alone_is_loaded_without_weights(tmp_path):
    theirs = pytest.importorskip("spacy").blank("en")
    theirs.add_pipe("entity_ruler").add_patterns([{"label": "PER", "pattern": "Ada"}])
    theirs.add_pipe("sentencizer")
    linker = theirs.add_pipe("entity_linker", config={"incl_context": False})

    def make_kb(vocab):
        kb = importlib.import_module("spacy.kb").InMemoryLookupKB(vocab, entity_vector_length=1)
        kb.add_entity(entity="Q1", freq=12, entity_vector=[1])
        kb.add_alias(alias="Ada", entities=["Q1"], probabilities=[0.5])
        return kb

    linker.set_kb(make_kb)
    theirs.to_disk(tmp_path / "saved")
    assert [ent.kb_id_ for ent in theirs("Ada wrote.").ents] == ["Q1"]
    for ours in (lexpool.Language.from_spacy(theirs), lexpool.load(tmp_path / "saved")):
        assert [ent.kb_id_ for ent in ours("Ada wrote.").ents] == ["Q1"]
    config = ours.config.copy()
    config["components"]["entity_linker"]["incl_context"] = True
    with pytest.raises(ValueError, match="E109"):
        lexpool.Language.from_config(config).from_bytes(theirs.to_bytes(), exclude=["config"])
