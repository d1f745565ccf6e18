"""Components that learn by `nlp.update`, beside spaCy's from the same seed."""

import copy
import gc
import math
import pickle
import random
import threading
from typing import Any

import numpy
import pytest

import lexpool
from lexpool.msgpack import packb, unpackb
from lexpool.training import SGD, Adam, Example, Optimizer

spacy = pytest.importorskip("spacy", reason="spaCy is the oracle")

TEXTS: list[tuple[str, dict[str, Any]]] = [
    (
        "I like green eggs",
        {
            "tags": ["N", "V", "J", "N"],
            "pos": ["PRON", "VERB", "ADJ", "NOUN"],
            "morphs": ["Person=1", "Tense=Pres", "", "Number=Plur"],
            "lemmas": ["I", "like", "green", "egg"],
            "heads": [1, 1, 3, 1],
            "deps": ["nsubj", "ROOT", "amod", "dobj"],
            "sent_starts": [1, 0, 0, 0],
            "entities": [(7, 17, "FOOD")],
            "spans": {"sc": [(7, 17, "FOOD")]},
            "cats": {"POS": 1.0, "NEG": 0.0},
        },
    ),
    (
        "Eat blue ham",
        {
            "tags": ["V", "J", "N"],
            "pos": ["VERB", "ADJ", "NOUN"],
            "morphs": ["Tense=Pres", "", "Number=Sing"],
            "lemmas": ["eat", "blue", "ham"],
            "heads": [0, 2, 0],
            "deps": ["ROOT", "amod", "dobj"],
            "sent_starts": [1, 0, 0],
            "entities": [(4, 12, "FOOD")],
            "spans": {"sc": [(4, 12, "FOOD")]},
            "cats": {"POS": 0.0, "NEG": 1.0},
        },
    ),
]
SETTINGS: dict[str, dict[str, Any]] = {
    "tagger": {},
    "morphologizer": {},
    "senter": {},
    "trainable_lemmatizer": {"min_tree_freq": 1},
    "parser": {"min_action_freq": 1},
    "ner": {},
    "textcat": {},
    "textcat_multilabel": {},
    "spancat": {},
    "spancat_singlelabel": {},
    "span_finder": {},
}
# Parsers drop a tenth of their hidden rows at random, and the two draw other numbers.
RANDOM = ("parser", "ner")


def trained(factory: str, n: int = 60, **update: Any) -> tuple[Any, list[Example], list[float]]:
    """Returns a pipeline of one component after some updates, the examples and the losses."""
    numpy.random.seed(0)
    nlp = lexpool.blank("en")
    nlp.add_pipe(factory, config=SETTINGS[factory])
    examples = [Example.from_dict(nlp.make_doc(text), gold) for text, gold in TEXTS]
    optimizer = nlp.initialize(lambda: examples)
    losses = [nlp.update(examples, sgd=optimizer, **update)[factory] for _ in range(n)]
    return nlp, examples, losses


def spacy_losses(factory: str, n: int) -> tuple[Any, list[float]]:
    numpy.random.seed(0)
    nlp = spacy.blank("en")
    nlp.add_pipe(factory, config=SETTINGS[factory])
    examples = [spacy.training.Example.from_dict(nlp.make_doc(text), gold) for text, gold in TEXTS]
    optimizer = nlp.initialize(lambda: examples)
    return nlp, [nlp.update(examples, sgd=optimizer)[factory] for _ in range(n)]


def annotation(doc: Any) -> Any:
    """Returns all annotation of a document, with scores in few digits."""
    return (
        doc.to_array(["TAG", "POS", "MORPH", "LEMMA", "HEAD", "DEP", "SENT_START", "ENT_TYPE"])
        .tolist(),
        {label: round(score, 4) for label, score in doc.cats.items()},
        {key: [(span.start, span.end, span.label_) for span in doc.spans[key]] for key in doc.spans},
    )  # fmt: skip


def right(factory: str, doc: Any, gold: dict[str, Any]) -> bool:
    """Returns whether a document has the annotation that its component was shown."""
    spans = [(7, 17, "FOOD")] if len(doc) == 4 else [(4, 12, "FOOD")]
    found: dict[str, tuple[Any, Any]] = {
        "tagger": ([token.tag_ for token in doc], gold["tags"]),
        "morphologizer": (
            [(token.pos_, str(token.morph)) for token in doc],
            list(zip(gold["pos"], gold["morphs"], strict=True)),
        ),
        "senter": ([bool(token.is_sent_start) for token in doc], [True] + [False] * (len(doc) - 1)),
        "trainable_lemmatizer": ([token.lemma_ for token in doc], gold["lemmas"]),
        "parser": ([token.head.i for token in doc], gold["heads"]),
        "ner": ([(e.start_char, e.end_char, e.label_) for e in doc.ents], spans),
    }
    if factory.startswith("textcat"):
        return all(abs(doc.cats[label] - value) < 0.1 for label, value in gold["cats"].items())
    if factory.startswith("span"):
        return [(s.start_char, s.end_char) for s in doc.spans["sc"]] == [spans[0][:2]]
    one, other = found[factory]
    return bool(one == other)


@pytest.mark.parametrize("factory", [name for name in SETTINGS if name not in RANDOM])
def test_losses_are_those_of_spacy(factory: str) -> None:
    # Adam makes whole steps of gradients that differ from 0 by rounding alone.
    n, tolerance = (3, 0.05) if factory == "span_finder" else (12, 2e-3)
    _, _, ours = trained(factory, n)
    _, theirs = spacy_losses(factory, n)
    assert ours == pytest.approx(theirs, rel=tolerance, abs=2e-5)


@pytest.mark.parametrize("factory", [name for name in SETTINGS if name not in RANDOM])
def test_a_step_along_the_gradient_gives_the_weights_of_spacy(factory: str) -> None:
    thinc = pytest.importorskip("thinc.api")
    nlp, examples, _ = trained(factory, 0)
    theirs, _ = spacy_losses(factory, 0)
    before = [node.params for node in nlp.get_pipe(factory).model.walk()]
    nlp.update(examples, sgd=SGD(1.0, grad_clip=0.0))
    others = [spacy.training.Example.from_dict(theirs.make_doc(text), gold) for text, gold in TEXTS]
    theirs.update(others, sgd=thinc.SGD(1.0, grad_clip=0.0))
    nodes = theirs.get_pipe(factory).model.walk()
    for node, other, old in zip(nlp.get_pipe(factory).model.walk(), nodes, before, strict=True):
        for name, array in node.params.items():
            if array is not None:
                most = abs(array - old[name]).max(initial=0.0)
                assert abs(array - other.get_param(name)).max() <= 1e-5 * most + 1e-6


@pytest.mark.parametrize("factory", SETTINGS)
def test_first_weights_are_those_of_spacy(factory: str) -> None:
    nlp, _, _ = trained(factory, 0)
    theirs, _ = spacy_losses(factory, 0)
    ours = nlp.get_pipe(factory).model
    nodes = list(theirs.get_pipe(factory).model.walk())
    compared = 0
    for node, other in zip(ours.walk(), nodes, strict=True):
        for name, array in node.params.items():
            if array is not None:
                # The scale of a parser's first layer is found by sums whose order differs.
                numpy.testing.assert_allclose(array, other.get_param(name), rtol=1e-5, atol=1e-6)
                compared += array.size
    assert compared > 1000


@pytest.mark.parametrize("factory", SETTINGS)
def test_a_component_learns_two_sentences_by_heart(factory: str) -> None:
    nlp, _, losses = trained(factory, 150 if factory == "senter" else 70)
    assert losses[-1] < 0.05 * losses[0]
    for text, gold in TEXTS:
        assert right(factory, nlp(text), gold), (factory, text)
    texts = [text for text, _ in TEXTS] + ["They like ham and eggs", ""]
    called = [annotation(nlp(text)) for text in texts]
    assert [annotation(doc) for doc in nlp.pipe(texts)] == called
    assert [annotation(doc) for doc in nlp.pipe(texts, n_threads=1, batch_size=2)] == called


@pytest.mark.parametrize("factory", SETTINGS)
def test_a_trained_pipeline_is_saved_and_loaded(factory: str, tmp_path: Any) -> None:
    nlp, examples, _ = trained(factory, 30)
    texts = [text for text, _ in TEXTS] + ["They like ham and eggs"]
    before = [annotation(nlp(text)) for text in texts]
    nlp.to_disk(tmp_path / "model")
    loaded = lexpool.load(tmp_path / "model")
    assert [annotation(loaded(text)) for text in texts] == before
    other = lexpool.blank("en")
    other.add_pipe(factory, config=SETTINGS[factory])
    other.from_bytes(nlp.to_bytes())
    assert [annotation(other(text)) for text in texts] == before
    assert other.to_bytes(exclude=["meta.json", "vocab"]) == nlp.to_bytes(
        exclude=["meta.json", "vocab"]
    )
    theirs = spacy.load(tmp_path / "model")
    assert [annotation(theirs(text)) for text in texts] == before
    # A loaded pipeline learns on from its weights.
    again = [Example(loaded.make_doc(eg.text), eg.reference) for eg in examples]
    loss = loaded.update(again, sgd=loaded.resume_training())[factory]
    assert loss == pytest.approx(nlp.update(examples, sgd=False)[factory], rel=0.5, abs=1e-3)


def test_labels_are_found_or_given_or_added() -> None:
    nlp, examples, _ = trained("tagger", 0)
    tagger = nlp.get_pipe("tagger")
    assert tagger.labels == ("J", "N", "V")
    assert tagger.label_data == ("J", "N", "V")
    tagger.initialize(lambda: examples, nlp=nlp, labels=["X"])
    assert tagger.labels == ("J", "N", "V", "X")
    other = lexpool.blank("en").add_pipe("tagger")
    assert (other.add_label("N"), other.add_label("N")) == (1, 0)
    with pytest.raises(ValueError, match="E187"):
        other.add_label(3)
    with pytest.raises(ValueError, match="E922"):
        tagger.add_label("Y")


def test_a_component_without_labels_is_refused() -> None:
    for factory in ("tagger", "morphologizer", "spancat", "textcat_multilabel"):
        nlp = lexpool.blank("en")
        nlp.add_pipe(factory)
        with pytest.raises(ValueError, match="E143"):
            nlp.initialize()


def test_arguments_of_another_type_are_refused() -> None:
    nlp, examples, _ = trained("tagger", 0)
    with pytest.raises(TypeError, match="E930"):
        nlp.initialize([])
    with pytest.raises(TypeError, match="E978"):
        nlp.update(["text"])
    with pytest.raises(ValueError, match="E989"):
        nlp.update(examples, examples)
    with pytest.raises(TypeError, match="E978"):
        nlp.get_pipe("tagger").update([nlp.make_doc("a")])
    with pytest.raises(TypeError, match="optimizer-settings"):
        nlp.update(examples, sgd=0.1)
    assert nlp.update([]) == {}


def test_an_update_without_weights_is_refused() -> None:
    nlp = lexpool.blank("en")
    nlp.add_pipe("tagger").add_label("N")
    example = Example.from_dict(nlp.make_doc("a"), {"tags": ["N"]})
    with pytest.raises(ValueError, match="E109"):
        nlp.update([example])


def test_gradients_are_kept_until_the_weights_are_changed() -> None:
    nlp, examples, _ = trained("tagger", 0)
    before = nlp.get_pipe("tagger").model.to_bytes()
    first = nlp.update(examples, sgd=False)
    assert nlp.get_pipe("tagger").model.to_bytes() == before
    assert nlp.update(examples, sgd=False) == first
    nlp.get_pipe("tagger").finish_update(Optimizer(0.001))
    assert nlp.get_pipe("tagger").model.to_bytes() != before


def test_a_failed_update_changes_nothing() -> None:
    nlp, examples, _ = trained("tagger", 5)
    before = nlp.get_pipe("tagger").model.to_bytes()
    other = Example(nlp.make_doc("one"), nlp.make_doc("two"))
    with pytest.raises(ValueError, match="E949"):
        nlp.update([*examples, other])
    unknown = Example.from_dict(nlp.make_doc("one"), {"tags": ["UNKNOWN"]})
    with pytest.raises(ValueError, match="training-corpus.*UNKNOWN"):
        nlp.update([*examples, unknown])
    assert nlp.get_pipe("tagger").model.to_bytes() == before
    assert nlp.update(examples)["tagger"] > 0.0
    assert nlp("I like ham")[0].tag_ in ("J", "N", "V")


def test_a_wrong_optimizer_leaves_no_gradients() -> None:
    results = []
    for is_wrong in (False, True):
        nlp, examples, _ = trained("tagger", 1)
        if is_wrong:
            with pytest.raises(TypeError, match="optimizer-settings"):
                nlp.update(examples, sgd=object())
        nlp.update(examples, sgd=SGD(0.01, grad_clip=0.0))
        results.append(nlp.get_pipe("tagger").model.to_bytes())
    assert results[0] == results[1]


def test_rows_of_an_earlier_update_are_not_learned_from() -> None:
    nlp = lexpool.blank("en")
    nlp.add_pipe("tok2vec")
    listener = {"@architectures": "spacy.Tok2VecListener.v1", "width": 96, "upstream": "*"}
    nlp.add_pipe("tagger", config={"model": {"@architectures": "spacy.Tagger.v2",
                                             "tok2vec": listener}})  # fmt: skip
    examples = [Example.from_dict(nlp.make_doc(text), gold) for text, gold in TEXTS]
    nlp.initialize(lambda: examples)
    nlp.update(examples, exclude=["tagger"])
    # The rows of that update are gone: the tagger does not learn from them.
    with pytest.raises(ValueError, match="E203"):
        nlp.update(examples, exclude=["tok2vec"])


def test_components_learn_from_shared_rows() -> None:
    numpy.random.seed(0)
    nlp = lexpool.blank("en")
    shared = nlp.add_pipe("tok2vec")
    listener = {"@architectures": "spacy.Tok2VecListener.v1", "width": 96, "upstream": "*"}
    tagger = {"@architectures": "spacy.Tagger.v2", "tok2vec": listener}
    nlp.add_pipe("tagger", config={"model": tagger})
    nlp.add_pipe("senter", config={"model": tagger})
    assert shared.listening_components == ["tagger", "senter"]
    examples = [Example.from_dict(nlp.make_doc(text), gold) for text, gold in TEXTS]
    optimizer = nlp.initialize(lambda: examples)
    before = shared.model.to_bytes()
    losses: dict[str, float] = {}
    for _ in range(60):
        losses = nlp.update(examples, sgd=optimizer)
    assert set(losses) == {"tok2vec", "tagger", "senter"}
    assert losses["tagger"] < 0.01
    assert shared.model.to_bytes() != before
    for text, gold in TEXTS:
        assert [token.tag_ for token in nlp(text)] == gold["tags"]
    # A shared component that does not learn has to annotate.
    with pytest.raises(ValueError, match="E203"):
        nlp.update(examples, exclude=["tok2vec"])
    kept = shared.model.to_bytes()
    nlp.update(examples, exclude=["tok2vec"], annotates=["tok2vec"])
    assert shared.model.to_bytes() == kept


def test_listeners_are_replaced_by_copies(tmp_path: Any) -> None:
    nlp = lexpool.blank("en")
    shared = nlp.add_pipe("tok2vec")
    listener = {"@architectures": "spacy.Tok2VecListener.v1", "width": 96, "upstream": "*"}
    model = {"@architectures": "spacy.Tagger.v2", "tok2vec": listener}
    nlp.add_pipe("tagger", config={"model": model})
    ner = lexpool.blank("en").get_factory_meta("ner").default_config["model"]
    nlp.add_pipe("ner", config={"model": {**ner, "tok2vec": listener}})
    examples = [Example.from_dict(nlp.make_doc(text), gold) for text, gold in TEXTS]
    optimizer = nlp.initialize(lambda: examples)
    for _ in range(30):
        nlp.update(examples, sgd=optimizer)
    texts = [text for text, _ in TEXTS] + ["They like ham and eggs"]
    before = [annotation(nlp(text)) for text in texts]
    for name, code in (("tok", "E889"), ("tagger", "E888")):
        with pytest.raises(ValueError, match=code):
            nlp.replace_listeners(name, "ner", ["model.tok2vec"])
    with pytest.raises(ValueError, match="E887"):
        nlp.replace_listeners("tok2vec", "ner", ["model.tok2vec", "model.other"])
    with pytest.raises(ValueError, match="E886"):
        nlp.replace_listeners("tok2vec", "ner", ["model.other"])
    nlp.replace_listeners("tok2vec", "tagger", ["model.tok2vec"])
    nlp.replace_listeners("tok2vec", "ner", ["model.tok2vec"])
    assert shared.listening_components == []
    nlp.remove_pipe("tok2vec")
    assert [annotation(nlp(text)) for text in texts] == before
    nlp.update(examples, sgd=optimizer)
    nlp.to_disk(tmp_path / "model")
    after = [annotation(nlp(text)) for text in texts]
    assert [annotation(spacy.load(tmp_path / "model")(text)) for text in texts] == after


def test_a_component_of_another_pipeline_learns_on() -> None:
    source, _, _ = trained("ner", 60)
    nlp = lexpool.blank("en")
    nlp.add_pipe("ner", source=source)
    examples = [
        Example.from_dict(nlp.make_doc("Drink cold tea"), {"entities": [(6, 14, "DRINK")]}),
        *(Example.from_dict(nlp.make_doc(text), gold) for text, gold in TEXTS),
    ]
    optimizer = nlp.resume_training()
    assert nlp.get_pipe("ner").labels == ("FOOD",)
    for _ in range(80):
        nlp.update(examples, sgd=optimizer)
    assert nlp.get_pipe("ner").labels == ("DRINK", "FOOD")
    doc = nlp("Drink cold tea")
    assert [(ent.text, ent.label_) for ent in doc.ents] == [("cold tea", "DRINK")]
    assert nlp.evaluate(examples)["ents_f"] == 1.0


def test_labels_are_added_to_a_trained_component() -> None:
    for factory in ("ner", "parser"):
        nlp, examples, _ = trained(factory, 20)
        pipe = nlp.get_pipe(factory)
        n = pipe.moves.n_moves
        assert (pipe.add_label("NEW"), pipe.add_label("NEW")) == (1, 0)
        assert pipe.moves.n_moves > n
        nlp.update(examples)
        assert len(nlp("I like blue eggs")) == 4
    nlp = lexpool.blank("en")
    bow = {"@architectures": "spacy.TextCatBOW.v3", "exclusive_classes": True, "ngram_size": 1}
    model = {**bow, "no_output_layer": False, "length": 262144}
    pipe = nlp.add_pipe("textcat", config={"model": model})
    examples = [Example.from_dict(nlp.make_doc(text), gold) for text, gold in TEXTS]
    nlp.initialize(lambda: examples)
    assert pipe.is_resizable
    before = nlp("Eat ham").cats
    pipe.add_label("NEW")
    after = nlp("Eat ham").cats
    assert after.pop("NEW") < 1e-6
    assert after == pytest.approx(before)


def test_an_optimizer_of_thinc_is_read() -> None:
    thinc = pytest.importorskip("thinc.api")
    ours, _, _ = trained("tagger", 0)
    numpy.random.seed(0)
    settings = {"L2": 0.01, "use_averages": False}
    results = []
    for optimizer in (thinc.Adam(0.002, **settings), Adam(0.002, **settings)):
        nlp, examples, _ = trained("tagger", 0)
        losses = [nlp.update(examples, sgd=optimizer)["tagger"] for _ in range(5)]
        results.append((losses, nlp.get_pipe("tagger").model.to_bytes()))
    assert results[0] == results[1]
    del ours


def test_schedules_go_on_step_by_step() -> None:
    optimizer = Optimizer({"@schedules": "warmup_linear.v1", "initial_rate": 0.1,
                           "warmup_steps": 2, "total_steps": 4})  # fmt: skip
    rates = []
    for _ in range(4):
        rates.append(optimizer.learn_rate)
        optimizer.step_schedules()
    assert rates == pytest.approx([0.0, 0.05, 0.1, 0.05])
    other = Adam([0.3, 0.2])
    other.step_schedules()
    other.step_schedules()
    assert other.learn_rate == 0.2
    with pytest.raises(ValueError, match="optimizer-settings"):
        Adam("fast")
    assert SGD(0.1).method == "sgd"


def test_an_optimizer_is_saved_with_what_it_keeps() -> None:
    nlp, examples, _ = trained("tagger", 0)
    optimizer = Adam(0.001)
    for _ in range(5):
        nlp.update(examples, sgd=optimizer)
    saved, weights = optimizer.to_bytes(), nlp.to_bytes()
    nlp.update(examples, sgd=optimizer)
    other = lexpool.blank("en")
    other.add_pipe("tagger")
    other.from_bytes(weights)
    again = Adam(0.001).from_bytes(saved)
    other.update([Example(other.make_doc(eg.text), eg.reference) for eg in examples], sgd=again)
    ours, theirs = (each.get_pipe("tagger").model.to_bytes() for each in (nlp, other))
    assert ours == theirs


@pytest.mark.parametrize(
    "part",
    [
        {"steps": "x"},
        {"steps": -1},
        {"steps": 1 << 62},
        {"numbers": None},
        {"numbers": {}},
        {"states": [1]},
        {"states": {"tagger": 3}},
        {"states": {1: b""}},
        {"numbers": dict.fromkeys(("learn_rate", "b1", "b2", "eps", "L2", "grad_clip"), math.nan)},
    ],
)
def test_damaged_bytes_leave_an_optimizer_as_it_is(part: dict[str, Any]) -> None:
    optimizer = Adam({"@schedules": "warmup_linear.v1", "initial_rate": 0.1,
                      "warmup_steps": 2, "total_steps": 4})  # fmt: skip
    before = optimizer.to_bytes()
    read: Any = unpackb(before)
    with pytest.raises(ValueError, match="optimizer-settings"):
        optimizer.from_bytes(packb({**read, **part}))
    assert optimizer.to_bytes() == before


def test_an_optimizer_goes_back_to_an_earlier_step() -> None:
    rates: Any = {"@schedules": "warmup_linear.v1", "initial_rate": 0.1, "warmup_steps": 2,
                  "total_steps": 4}  # fmt: skip
    optimizer = Adam(rates)
    optimizer.step_schedules()
    saved = optimizer.to_bytes()
    optimizer.step_schedules()
    optimizer.step_schedules()
    optimizer.from_bytes(saved)
    assert optimizer.learn_rate == pytest.approx(0.05)
    optimizer.step_schedules()
    assert optimizer.learn_rate == pytest.approx(0.1)
    streamed = Adam(iter([0.3, 0.2, 0.1]))
    saved = streamed.to_bytes()
    streamed.step_schedules()
    with pytest.raises(ValueError, match="do not go back"):
        streamed.from_bytes(saved)


def test_a_copied_optimizer_is_at_the_step_of_the_first() -> None:
    optimizer = Adam({"@schedules": "warmup_linear.v1", "initial_rate": 0.1,
                      "warmup_steps": 2, "total_steps": 4})  # fmt: skip
    optimizer.step_schedules()
    for copied in (copy.deepcopy(optimizer), pickle.loads(pickle.dumps(optimizer))):
        assert copied.learn_rate == optimizer.learn_rate
        copied.step_schedules()
        assert copied.learn_rate == pytest.approx(0.1)
    assert optimizer.learn_rate == pytest.approx(0.05)


def test_what_an_optimizer_keeps_goes_with_it() -> None:
    weights = []
    for is_dropped in (False, True):
        nlp, examples, _ = trained("tagger", 1)
        first, second = Adam(0.01), Adam(0.02)
        nlp.update(examples, sgd=first)
        nlp.update(examples, sgd=second)
        assert second.averages is not None
        key = second.averages.key
        if is_dropped:
            learner = nlp.get_pipe("tagger")._learn()
            kept = len(learner.state_to_bytes(key))
            del second
            gc.collect()
            assert len(learner.state_to_bytes(key)) < kept
        # The other one keeps what it has.
        nlp.update(examples, sgd=first)
        weights.append(nlp.get_pipe("tagger").model.to_bytes())
    assert weights[0] == weights[1]


def test_a_copied_optimizer_keeps_moments_of_its_own() -> None:
    thinc = pytest.importorskip("thinc.api")
    nlp, examples, _ = trained("tagger", 1)
    given = thinc.Adam(0.01)
    nlp.update(examples, sgd=given)
    copied = copy.deepcopy(given)
    nlp.update(examples, sgd=copied)
    keys = {moments.key for each in (given, copied) for moments in each.mom1.values()}
    assert len(keys) == 2


def test_running_means_are_used_within_a_block() -> None:
    nlp, examples, _ = trained("tagger", 0)
    optimizer = Adam(0.01)
    assert not optimizer.averages
    for _ in range(10):
        nlp.update(examples, sgd=optimizer)
    before = nlp.get_pipe("tagger").model.to_bytes()
    with nlp.use_params(optimizer.averages):
        assert nlp.get_pipe("tagger").model.to_bytes() != before
    assert nlp.get_pipe("tagger").model.to_bytes() == before
    with nlp.use_params({}):
        assert nlp.get_pipe("tagger").model.to_bytes() == before


def test_rehearsing_keeps_what_was_known() -> None:
    for factory in ("tagger", "ner", "parser", "textcat"):
        nlp, examples, _ = trained(factory, 3)
        assert nlp.rehearse(examples)[factory] == 0.0
        optimizer = nlp.resume_training()
        assert nlp.rehearse(examples, sgd=optimizer)[factory] == pytest.approx(0.0, abs=1e-9)
        nlp.get_pipe(factory).update(examples, sgd=SGD(0.01, grad_clip=0.0))
        first = nlp.rehearse(examples, sgd=optimizer)[factory]
        for _ in range(30):
            last = nlp.rehearse(examples, sgd=optimizer)[factory]
        assert 0.0 < last < first, factory


@pytest.mark.parametrize("factory", ["ner", "parser"])
def test_a_label_added_before_or_after_the_copy_is_rehearsed(factory) -> None:
    for add_first in (True, False):
        nlp, examples, _ = trained(factory, 3)
        if add_first:
            nlp.get_pipe(factory).add_label("NEW")
        optimizer = nlp.resume_training()
        if not add_first:
            nlp.get_pipe(factory).add_label("NEW")
        assert nlp.rehearse(examples, sgd=optimizer)[factory] < 1.0
        assert nlp.update(examples, sgd=optimizer)[factory] >= 0.0
        assert nlp.rehearse(examples, sgd=optimizer)[factory] > 0.0


def test_components_that_do_not_rehearse_have_no_loss() -> None:
    for factory in ("span_finder", "spancat"):
        nlp, examples, _ = trained(factory, 3)
        nlp.resume_training()
        assert nlp.rehearse(examples) == {}


def test_get_loss_is_that_of_an_update() -> None:
    for factory in ("textcat", "textcat_multilabel", "span_finder", "spancat"):
        nlp, examples, _ = trained(factory, 3)
        pipe = nlp.get_pipe(factory)
        given: Any = pipe.predict([example.predicted for example in examples])
        loss, gradient = pipe.get_loss(examples, given)
        assert loss == pytest.approx(pipe.update(examples)[factory], rel=1e-4)
        assert numpy.shape(gradient) == numpy.shape(given[1] if factory == "spancat" else given)
    nlp, examples, _ = trained("tagger", 3)
    scores = [numpy.full((len(example.predicted), 3), 1 / 3, "float32") for example in examples]
    loss, gradients = nlp.get_pipe("tagger").get_loss(examples, scores)
    assert loss == pytest.approx(7 * (2 / 3) ** 2 + 14 * (1 / 3) ** 2)
    assert gradients[1].tolist()[0] == pytest.approx([1 / 3, 1 / 3, -2 / 3])


def test_a_document_that_is_predicted_wrongly_teaches_an_entity_of_a_new_type() -> None:
    nlp, examples, _ = trained("ner", 5)
    nlp.update([*examples, Example.from_dict(nlp.make_doc("at Rome"), {"entities": [(3, 7, "X")]})])
    assert nlp.get_pipe("ner").labels == ("FOOD", "X")


def test_updates_depend_on_the_seed_alone() -> None:
    results = []
    for _ in range(2):
        random.seed(1)
        nlp, _, losses = trained("ner", 10, drop=0.3)
        results.append((losses, nlp.get_pipe("ner").model.to_bytes()))
    assert results[0] == results[1]


def test_pipelines_learn_in_threads_beside_each_other() -> None:
    found: dict[int, list[float]] = {}
    numpy.random.seed(0)
    pipelines = [trained("tagger", 0)[:2] for _ in range(3)]

    def learn(number: int) -> None:
        nlp, examples = pipelines[number]
        optimizer = Adam(0.001)
        found[number] = [nlp.update(examples, sgd=optimizer)["tagger"] for _ in range(20)]

    threads = [threading.Thread(target=learn, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found[0] == found[1] == found[2]


def test_a_suggester_of_python_is_used_in_updates() -> None:
    nlp = lexpool.blank("en")
    pipe = nlp.add_pipe("spancat")
    seen: list[int] = []

    def suggester(docs: list[Any], *, ops: Any = None) -> Any:
        seen.append(len(docs))
        return [[(start, start + 2) for start in range(len(doc) - 1)] for doc in docs]

    pipe.suggester = suggester
    examples = [Example.from_dict(nlp.make_doc(text), gold) for text, gold in TEXTS]
    optimizer = nlp.initialize(lambda: examples)
    for _ in range(40):
        nlp.update(examples, sgd=optimizer)
    assert seen[0] == 2
    doc = nlp("I like green eggs")
    assert [span.text for span in doc.spans["sc"]] == ["green eggs"]
