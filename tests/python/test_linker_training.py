"""Entity linkers that learn, beside spaCy's from the same seed."""

import copy
import importlib
from typing import Any

import numpy
import pytest

import lexpool
from lexpool.kb import InMemoryLookupKB, KnowledgeBase, get_candidates
from lexpool.pipeline.legacy import EntityLinker_v1
from lexpool.training import SGD, Example

spacy = pytest.importorskip("spacy", reason="spaCy is the oracle")

GOLFER, PUBLISHER = "Q2146908", "Q7381115"
VECTORS = {GOLFER: [6, -4, 3], PUBLISHER: [9, 1, -7]}
TEXTS: list[tuple[str, dict[str, Any]]] = [
    (
        "Russ Cochran won a title. His son was there.",
        {
            "links": {(0, 12): {GOLFER: 1.0}},
            "entities": [(0, 12, "PERSON"), (26, 33, "RELATIVE")],
            "sent_starts": [1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0],
        },
    ),
    (
        "EC Comics is here. Russ Cochran reprints comics.",
        {
            "links": {(19, 31): {PUBLISHER: 1.0}, (0, 9): {"Q1": 1.0}},
            "entities": [(19, 31, "PERSON"), (0, 9, "ART")],
            "sent_starts": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0],
        },
    ),
    ("The weather is nice.", {"links": {}, "entities": [], "sent_starts": [1, -1, -1, -1, -1]}),
]
FIRST = {"@architectures": "spacy.EntityLinker.v1"}


def fill(kb: Any) -> Any:
    """Adds two persons of one name, and an entity that is linked and has no alias."""
    for entity, vector in VECTORS.items():
        kb.add_entity(entity=entity, freq=12, entity_vector=vector)
    kb.add_entity(entity="Q1", freq=1, entity_vector=[0, 0, 0])
    kb.add_alias("Russ Cochran", [GOLFER, PUBLISHER], [0.5, 0.5])
    return kb


def model(**own: Any) -> dict[str, Any]:
    tok2vec = {
        "@architectures": "spacy.HashEmbedCNN.v2",
        "pretrained_vectors": None,
        "width": 24,
        "depth": 2,
        "embed_size": 500,
        "window_size": 1,
        "maxout_pieces": 3,
        "subword_features": True,
    }
    return {"@architectures": "spacy.EntityLinker.v2", "tok2vec": tok2vec, **own}


def of(package: Any, **config: Any) -> tuple[Any, Any, list[Any]]:
    """Returns a pipeline of spaCy or lexpool with a linker, the linker, and examples."""
    numpy.random.seed(0)
    nlp = package.blank("en")
    linker = nlp.add_pipe("entity_linker", config={"model": model(), **config})
    kb = importlib.import_module(f"{package.__name__}.kb").InMemoryLookupKB
    linker.set_kb(lambda vocab: fill(kb(vocab, 3)))
    example = importlib.import_module(f"{package.__name__}.training").Example
    examples = [example.from_dict(nlp.make_doc(text), gold) for text, gold in TEXTS]
    return nlp, linker, examples


def annotate(examples: list[Any]) -> None:
    """Sets entities and sentences of predicted documents, and an entity of the last document that
    its reference lacks.
    """
    for example in examples:
        doc, gold = example.predicted, example.reference
        for token in doc:
            token.is_sent_start = gold[token.i].is_sent_start
        doc.ents = [(ent.label, ent.start, ent.end) for ent in gold.ents]
    examples[-1].predicted.ents = [(examples[0].reference.ents[0].label, 3, 4)]


CASES: list[dict[str, Any]] = [
    {},
    {"use_gold_ents": False},
    {"use_gold_ents": False, "n_sents": 1},
    {"model": model(**FIRST)},
    {"model": model(**FIRST), "n_sents": 1},
]


@pytest.mark.parametrize("config", CASES)
def test_losses_and_first_weights_are_those_of_spacy(config: dict[str, Any]) -> None:
    found = []
    for package in (lexpool, spacy):
        nlp, linker, examples = of(package, **config)
        annotate(examples)
        optimizer = nlp.initialize(lambda examples=examples: examples)
        first = [node.get_param(name).copy() for node in linker.model.walk()
                 for name in node.param_names]  # fmt: skip
        losses = [nlp.update(examples, sgd=optimizer)["entity_linker"] for _ in range(10)]
        found.append((first, losses))
    (ours, losses), (theirs, their_losses) = found
    for own, other in zip(ours, theirs, strict=True):
        numpy.testing.assert_array_equal(own, other)
    assert losses == pytest.approx(their_losses, rel=1e-3, abs=1e-5)
    assert losses[-1] < losses[0]


@pytest.mark.parametrize("config", CASES)
def test_a_step_along_the_gradient_gives_the_weights_of_spacy(config: dict[str, Any]) -> None:
    thinc = pytest.importorskip("thinc.api")
    steps = []
    for package, optimizer in ((lexpool, SGD), (spacy, thinc.SGD)):
        nlp, linker, examples = of(package, **config)
        annotate(examples)
        nlp.initialize(lambda examples=examples: examples)

        def weights(linker: Any = linker) -> list[Any]:
            nodes = linker.model.walk()
            return [node.get_param(name).copy() for node in nodes for name in node.param_names]

        before = weights()
        loss = nlp.update(examples, sgd=optimizer(1.0, grad_clip=0.0))["entity_linker"]
        steps.append((loss, [a - b for a, b in zip(weights(), before, strict=True)]))
    (loss, ours), (their_loss, theirs) = steps
    assert loss == pytest.approx(their_loss, abs=1e-5)
    for own, other in zip(ours, theirs, strict=True):
        assert abs(own - other).max() <= 1e-5 * abs(other).max() + 1e-7
    assert any(abs(own).max() > 1e-3 for own in ours)


def test_the_loss_of_encodings_is_that_of_spacy() -> None:
    rows = numpy.random.default_rng(3).standard_normal((5, 3)).astype("f")
    found = []
    for package in (lexpool, spacy):
        nlp, linker, examples = of(package, use_gold_ents=False)
        annotate(examples)
        nlp.initialize(lambda examples=examples: examples)
        found.append(linker.get_loss(examples=examples, sentence_encodings=rows.copy()))
    (loss, gradient), (their_loss, their_gradient) = found
    assert loss == pytest.approx(their_loss, abs=1e-6)
    numpy.testing.assert_allclose(gradient, their_gradient, atol=1e-6)
    # The second entity has no link.
    assert not gradient[1].any()


def test_an_entity_learns_from_its_own_sentence_behind_one_that_the_reference_lacks() -> None:
    # spaCy gives the gradient of the n-th entity that matches to the n-th encoding.
    rows = numpy.random.default_rng(4).standard_normal((2, 3)).astype("f")
    found = []
    for package in (lexpool, spacy):
        nlp, linker, examples = of(package, use_gold_ents=False)
        nlp.initialize(lambda examples=examples: examples)
        example, strings = examples[1], nlp.vocab.strings
        person = strings.add("PERSON")
        # The reference has the second entity only: "Russ Cochran".
        example.predicted.ents = [(strings.add("ART"), 2, 3), (person, 5, 7)]
        example.reference.ents = [(person, strings.add(GOLFER), 5, 7)]
        found.append(linker.get_loss(examples=[example], sentence_encodings=rows.copy())[1])
    ours, theirs = found
    assert not ours[0].any()
    assert ours[1].any()
    assert theirs[0].any()
    assert not theirs[1].any()


def learned(**config: Any) -> tuple[Any, Any, list[Example]]:
    nlp, linker, examples = of(lexpool, **config)
    optimizer = nlp.initialize(lambda: examples)
    losses = [nlp.update(examples[:2], sgd=optimizer)["entity_linker"] for _ in range(60)]
    assert losses[-1] < 0.4 * losses[0]
    nlp.add_pipe("sentencizer", first=True)
    ruler = nlp.add_pipe("entity_ruler", before="entity_linker")
    ruler.add_patterns([{"label": "PERSON", "pattern": "Russ Cochran"}])
    return nlp, linker, examples


def links(nlp: Any) -> list[str]:
    return [ent.kb_id_ for doc in nlp.pipe([text for text, _ in TEXTS]) for ent in doc.ents]


@pytest.mark.parametrize("config", [{}, {"model": model(**FIRST)}])
def test_a_linker_learns_and_is_saved_for_both(config: dict[str, Any], tmp_path: Any) -> None:
    nlp, linker, examples = learned(**config)
    assert isinstance(linker, EntityLinker_v1) == bool(config)
    assert links(nlp) == [GOLFER, PUBLISHER]
    nlp.to_disk(tmp_path / "saved")
    theirs, loaded = spacy.load(tmp_path / "saved"), lexpool.load(tmp_path / "saved")
    others = [theirs, loaded, lexpool.Language.from_spacy(theirs), pickled(nlp)]
    for other in others:
        assert links(other) == [GOLFER, PUBLISHER]
    scores = nlp.evaluate(examples)
    assert scores["nel_micro_f"] > 0.5
    their_examples = [
        spacy.training.Example.from_dict(theirs.make_doc(text), gold) for text, gold in TEXTS
    ]
    their_scores = theirs.evaluate(their_examples)
    for name in [name for name in scores if name.startswith("nel_")]:
        assert scores[name] == their_scores[name], name
    # A loaded linker learns on from its weights.
    again = [Example(loaded.make_doc(example.text), example.reference) for example in examples]
    loss = loaded.update(again, sgd=loaded.resume_training(), exclude=["entity_ruler"])
    assert loss["entity_linker"] == pytest.approx(
        nlp.update(examples, sgd=False)["entity_linker"], abs=1e-5
    )


def pickled(nlp: Any) -> Any:
    import pickle

    return pickle.loads(pickle.dumps(nlp))


def test_a_knowledge_base_is_loaded_as_the_configuration_says(tmp_path: Any) -> None:
    fill(InMemoryLookupKB(lexpool.Vocab(), 3)).to_disk(tmp_path / "kb")
    nlp, _, examples = of(lexpool)
    config = nlp.config.copy()
    config["initialize"] = {"components": {"entity_linker": {"kb_loader": {
        "@misc": "spacy.KBFromFile.v1", "kb_path": str(tmp_path / "kb")}}}}  # fmt: skip
    other = lexpool.Language.from_config(config)
    other.initialize(lambda: [Example(other.make_doc(eg.text), eg.reference) for eg in examples])
    linker = other.get_pipe("entity_linker")
    assert linker.kb.get_vector(GOLFER) == VECTORS[GOLFER]
    assert linker.model.get_dim("nO") == 3


def test_what_cannot_be_learned_from_is_refused() -> None:
    nlp, linker, examples = of(lexpool)
    with pytest.raises(ValueError, match="E109"):
        linker.update(examples)
    with pytest.raises(TypeError, match="E930"):
        linker.initialize([])
    with pytest.raises(ValueError, match="E885"):
        linker.initialize(lambda: examples, kb_loader=3)
    nlp.initialize(lambda: examples)
    before = linker.model.to_bytes()
    for method, argument in ((linker.add_label, "X"), (linker.rehearse, examples)):
        with pytest.raises(NotImplementedError):
            method(argument)
    linker.set_kb(lambda vocab: InMemoryLookupKB(vocab, 3))
    for call in (linker.update, lambda _: nlp.initialize(lambda: examples)):
        with pytest.raises(ValueError, match="E139"):
            call(examples)
    wide = InMemoryLookupKB(nlp.vocab, 4)
    wide.add_entity(GOLFER, 1, [1, 2, 3, 4])
    wide.add_alias("Russ Cochran", [GOLFER], [1.0])
    linker.kb = wide
    with pytest.raises(RuntimeError, match="E147"):
        nlp.update(examples)
    linker.kb = None
    with pytest.raises(ValueError, match="E1018"):
        nlp.update(examples)
    assert linker.model.to_bytes() == before


def test_a_batch_without_candidates_or_links_teaches_nothing() -> None:
    nlp, _, examples = of(lexpool)
    optimizer = nlp.initialize(lambda: examples)
    assert nlp.update(examples[2:], sgd=optimizer) == {"entity_linker": 0.0}
    first, _, others = of(lexpool, model=model(**FIRST))
    first.initialize(lambda: others)
    with pytest.warns(UserWarning, match="W093"):
        assert first.update(others[2:], sgd=False) == {"entity_linker": 0.0}


def test_candidates_of_functions_are_learned_from_and_linked() -> None:
    def lower(kb: Any, mention: Any) -> Any:
        return kb.get_alias_candidates(mention.text.title())

    def lower_batch(kb: Any, mentions: Any) -> Any:
        return [lower(kb, mention) for mention in mentions]

    text = "russ cochran won a title."
    results = []
    for size in (1, 2):
        nlp, linker, _ = learned(candidates_batch_size=size)
        ruler = nlp.get_pipe("entity_ruler")
        ruler.add_patterns([{"label": "PERSON", "pattern": "russ cochran"}])
        assert [ent.kb_id_ for ent in nlp(text).ents] == ["NIL"]
        linker.get_candidates, linker.get_candidates_batch = lower, lower_batch
        assert links(nlp) == [GOLFER, PUBLISHER]
        (found,) = [ent.kb_id_ for ent in nlp(text).ents]
        assert found in VECTORS
        linker.threshold = 1.0
        assert [ent.kb_id_ for ent in nlp(text).ents] == ["NIL"]
        linker.threshold, linker.labels_discard = None, ["PERSON"]
        assert links(nlp) == ["NIL", "NIL"]
        gold = {"entities": [(0, 12, "PERSON")], "links": {(0, 12): {GOLFER: 1.0}}}
        example = Example.from_dict(nlp.make_doc(text), gold)
        results.append(nlp.update([example], sgd=False)["entity_linker"])
        linker.get_candidates = get_candidates
        linker.get_candidates_batch = importlib.import_module("lexpool.kb").get_candidates_batch
        assert nlp.update([example], sgd=False)["entity_linker"] == 0.0
    assert results[0] == results[1] > 0.0


class OwnKB(KnowledgeBase):
    """A knowledge base in Python, around a native table."""

    def __init__(self, vocab: Any, inner: InMemoryLookupKB) -> None:
        super().__init__(vocab, inner.entity_vector_length)
        self.inner = inner

    def get_candidates(self, mention: Any) -> Any:
        return self.inner.get_candidates(mention)

    def get_vector(self, entity: str) -> Any:
        return self.inner.get_vector(entity)

    def to_bytes(self, **kwargs: Any) -> bytes:
        return self.inner.to_bytes()

    def from_bytes(self, bytes_data: bytes, **kwargs: Any) -> Any:
        return self.inner.from_bytes(bytes_data)

    def to_disk(self, path: Any, **kwargs: Any) -> None:
        self.inner.to_disk(path)

    def from_disk(self, path: Any, **kwargs: Any) -> None:
        self.inner.from_disk(path)


def test_a_knowledge_base_in_python_gives_the_same_weights_and_links() -> None:
    results = []
    for is_own in (False, True):
        nlp, linker, examples = of(lexpool)
        if is_own:
            linker.set_kb(lambda vocab, kb=linker.kb: OwnKB(vocab, kb))
        optimizer = nlp.initialize(lambda examples=examples: examples)
        losses = [nlp.update(examples, sgd=optimizer)["entity_linker"] for _ in range(20)]
        nlp.add_pipe("sentencizer", first=True)
        ruler = nlp.add_pipe("entity_ruler", before="entity_linker")
        ruler.add_patterns([{"label": "PERSON", "pattern": "Russ Cochran"}])
        results.append((losses, linker.model.to_bytes(), links(nlp)))
    assert results[0] == results[1]


def test_the_knowledge_base_may_change_between_updates() -> None:
    nlp, linker, examples = of(lexpool)
    nlp.initialize(lambda: examples)
    before = nlp.update(examples, sgd=False)["entity_linker"]
    other = copy.deepcopy(VECTORS)
    other[GOLFER], other[PUBLISHER] = other[PUBLISHER], other[GOLFER]
    linker.kb.set_entities([*other, "Q1"], [1, 1, 1], [*other.values(), [0, 0, 0]])
    assert nlp.update(examples, sgd=False)["entity_linker"] != before
