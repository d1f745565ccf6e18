"""Training of whole pipelines from Python: `lexpool.train`, `lexpool.training.loop`, `patch()`."""

import os
import signal
import threading
from pathlib import Path
from typing import Any

import pytest

import lexpool
from lexpool.tokens import DocBin
from lexpool.training import Evaluation, Example, loop

SENTENCES = [
    ("the cat sees a dog", ["D", "N", "V", "D", "N"]),
    ("a dog eats", ["D", "N", "V"]),
    ("she sees the cat", ["P", "V", "D", "N"]),
    ("they eat", ["P", "V"]),
]
CONFIG = """
[paths]
train = null
dev = null

[nlp]
lang = "en"
pipeline = ["tagger"]

[components]

[components.tagger]
factory = "tagger"

[components.tagger.model]
@architectures = "spacy.Tagger.v2"

[components.tagger.model.tok2vec]
@architectures = "spacy.HashEmbedCNN.v2"
pretrained_vectors = null
width = 32
depth = 2
embed_size = 300
window_size = 1
maxout_pieces = 3
subword_features = true

[corpora]

[corpora.train]
@readers = "spacy.Corpus.v1"
path = ${paths.train}

[corpora.dev]
@readers = "spacy.Corpus.v1"
path = ${paths.dev}

[training]
seed = 1
max_steps = 30
eval_frequency = 10
"""


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    nlp = lexpool.blank("en")
    docs = DocBin(attrs=["TAG"])
    for text, tags in SENTENCES:
        docs.add(lexpool.Doc(nlp.vocab, words=text.split(), tags=tags))
    path = tmp_path_factory.mktemp("corpus") / "all.spacy"
    docs.to_disk(path)
    return path


@pytest.fixture
def config(corpus: Path, tmp_path: Path) -> Path:
    path = tmp_path / "config.cfg"
    path.write_text(CONFIG)
    return path


def test_a_configuration_is_trained_into_folders(
    config: Path, corpus: Path, tmp_path: Path
) -> None:
    told: list[Evaluation] = []
    overrides = {"paths.train": str(corpus), "paths.dev": str(corpus), "training.max_steps": 40}
    nlp = lexpool.train(config, tmp_path / "out", overrides=overrides, report=told.append)
    assert [evaluation.step for evaluation in told] == [0, 10, 20, 30, 40]
    assert set(told[-1].losses) == {"tagger"}
    assert told[-1].scores["tag_acc"] == told[-1].score == 1.0
    doc = nlp("the dog sees a cat")
    assert [token.tag_ for token in doc] == ["D", "N", "V", "D", "N"]
    assert (tmp_path / "out" / "model-last").is_dir()
    # A mapping, and a folder of its own.
    given = lexpool.config.Config.from_disk(config, interpolate=False, overrides=overrides)
    other = lexpool.train(given, threads=1)
    assert [token.tag_ for token in other("they eat")] == ["P", "V"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_child_trains_on_threads_of_its_own_to_the_bits_of_its_parent(
    config: Path, corpus: Path, tmp_path: Path
) -> None:
    overrides = {"paths.train": str(corpus), "paths.dev": str(corpus)}

    def train(name: str) -> None:
        lexpool.train(config, tmp_path / name, overrides=overrides, threads=2)

    train("parent")
    pid = os.fork()
    if pid == 0:
        signal.alarm(60)
        try:
            train("child")
        except BaseException:
            os._exit(1)
        os._exit(0)
    _, status = os.waitpid(pid, 0)
    assert status == 0
    train("again")
    weights = [
        (tmp_path / name / "model-last" / "tagger" / "model").read_bytes()
        for name in ("parent", "child", "again")
    ]
    assert weights[0] == weights[1] == weights[2]


def test_all_problems_are_named_before_training(config: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="(?s)training-config.*stepz"):
        lexpool.train(config, tmp_path / "out", overrides={"training.stepz": 4})
    assert not (tmp_path / "out").exists()
    with pytest.raises(ValueError, match="E913"):
        lexpool.train(config, tmp_path / "out")


def test_an_exception_of_the_report_ends_a_training(
    config: Path, corpus: Path, tmp_path: Path
) -> None:
    def refuse(evaluation: Evaluation) -> None:
        if evaluation.step:
            raise LookupError("no more")

    overrides = {"paths.train": str(corpus), "paths.dev": str(corpus)}
    with pytest.raises(LookupError, match="no more"):
        lexpool.train(config, tmp_path / "out", overrides=overrides, report=refuse)
    assert lexpool.load(tmp_path / "out" / "model-last").pipe_names == ["tagger"]


def test_ctrl_c_ends_a_training_with_everything_saved(
    config: Path, corpus: Path, tmp_path: Path
) -> None:
    def press(evaluation: Evaluation) -> None:
        if evaluation.step == 10:
            main = threading.main_thread().ident
            assert main is not None
            signal.pthread_kill(main, signal.SIGINT)

    overrides = {
        "paths.train": str(corpus),
        "paths.dev": str(corpus),
        "training.max_steps": 1_000_000,
        "training.patience": 0,
    }
    with pytest.raises(KeyboardInterrupt):
        lexpool.train(config, tmp_path / "out", overrides=overrides, report=press)
    assert lexpool.load(tmp_path / "out" / "model-last").pipe_names == ["tagger"]


def test_a_component_of_another_pipeline_learns_on(
    config: Path, corpus: Path, tmp_path: Path
) -> None:
    overrides = {"paths.train": str(corpus), "paths.dev": str(corpus)}
    first: list[Evaluation] = []
    lexpool.train(config, tmp_path / "first", overrides=overrides, report=first.append)
    given = lexpool.config.Config.from_disk(config, interpolate=False, overrides=overrides)
    given["components"]["tagger"] = {"source": str(tmp_path / "first" / "model-best")}
    told: list[Evaluation] = []
    nlp = lexpool.train(given, tmp_path / "second", report=told.append)
    assert told[0].scores["tag_acc"] == 1.0
    assert told[0].losses["tagger"] < 0.1 * first[0].losses["tagger"]
    assert [token.tag_ for token in nlp("they eat")] == ["P", "V"]


def pipeline(**training: Any) -> Any:
    nlp = lexpool.blank("en")
    nlp.add_pipe("tagger")
    nlp.config["training"].update(training)
    return nlp


def examples(nlp: Any) -> list[Example]:
    return [Example.from_dict(nlp.make_doc(text), {"tags": tags}) for text, tags in SENTENCES]


def test_a_loop_yields_updates_until_its_last_step(tmp_path: Path) -> None:
    nlp = pipeline(max_steps=30, eval_frequency=10, seed=3)
    updates = list(loop(nlp, train=examples, dev=examples))
    assert [update.step for update in updates] == list(range(31))
    assert [update.step for update in updates if update.scores] == [0, 10, 20, 30]
    assert updates[-1].score == 1.0
    assert updates[-1].epoch == 30
    assert updates[-1].losses["tagger"] < updates[10].losses["tagger"]
    assert [token.tag_ for token in nlp("they eat")] == ["P", "V"]
    again = list(loop(pipeline(max_steps=30, eval_frequency=10, seed=3), train=examples,
                      dev=examples))  # fmt: skip
    assert [update.losses for update in again] == [update.losses for update in updates]


def test_a_loop_is_left_at_any_time(tmp_path: Path) -> None:
    nlp = pipeline(max_steps=0, patience=0, eval_frequency=5)
    training = loop(nlp, train=examples, dev=examples)
    for update in training:
        if update.step == 12:
            training.save(tmp_path / "model")
            training.stop()
    assert update.step == 12
    loaded = lexpool.load(tmp_path / "model")
    assert [t.tag_ for t in loaded("a cat")] == [t.tag_ for t in nlp("a cat")]


@pytest.mark.parametrize("name", ["eval_frequency", "accumulate_gradient"])
def test_a_loop_refuses_settings_that_the_command_refuses(name: str) -> None:
    with pytest.raises(ValueError, match=f'(?s)training-config.*"{name}" is 0; expected a whole'):
        loop(pipeline(**{name: 0}), train=examples, dev=examples)


def test_a_loop_needs_documents_to_learn_from_and_to_evaluate_with() -> None:
    with pytest.raises(ValueError, match="E986.*to evaluate with"):
        next(iter(loop(pipeline(), train=examples, dev=lambda _: [])))
    with pytest.raises(ValueError, match="E986.*training corpus"):
        next(iter(loop(pipeline(), train=lambda _: [], dev=examples)))
    # A stream that is at its end: the loop does not wait for ever.
    readings = iter([examples, lambda _: []])
    streamed = loop(pipeline(max_epochs=-1), train=lambda nlp: next(readings)(nlp), dev=examples)
    with pytest.raises(ValueError, match="E986.*training corpus has no documents"):
        list(streamed)


def test_a_loop_takes_labels_from_the_first_documents_of_a_stream() -> None:
    def read(nlp: Any) -> list[Example]:
        late = Example.from_dict(nlp.make_doc("ah"), {"tags": ["LATE"]})
        return [*(examples(nlp) * 25), late]

    for epochs, has_late in [(-1, False), (1, True)]:
        nlp = pipeline(max_epochs=epochs)
        next(iter(loop(nlp, train=read, dev=examples)))
        assert ("LATE" in nlp.get_pipe("tagger").labels) == has_late


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 7])
def test_batches_are_cut_into_the_parts_of_spacy(n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    training = pytest.importorskip("spacy.training.loop", reason="spaCy is the oracle")
    nlp = pipeline(accumulate_gradient=n)
    lengths: list[list[int]] = []
    update = nlp.update

    def noting(part: list[Example], **given: Any) -> Any:
        lengths.append([len(example) for example in part])
        return update(part, **given)

    monkeypatch.setattr(nlp, "update", noting)
    next(iter(loop(nlp, train=lambda nlp: [*examples(nlp), *examples(nlp)[:1]], dev=examples)))
    batch = [*examples(nlp), *examples(nlp)[:1]]
    expected = training.subdivide_batch(batch, n)
    assert lengths == [[len(example) for example in part] for part in expected]


def test_a_loop_reads_the_corpora_of_the_configuration(config: Path, corpus: Path) -> None:
    given = lexpool.config.Config.from_disk(
        config,
        interpolate=False,
        overrides={"paths.train": str(corpus), "paths.dev": str(corpus)},
    )
    updates = list(loop(lexpool.Language.from_config(given)))
    assert updates[-1].step == 30
    assert updates[-1].score == 1.0
    with pytest.raises(ValueError, match="corpora.train"):
        loop(pipeline())


def test_spacy_trains_on_the_components_of_lexpool(tmp_path: Path) -> None:
    spacy = pytest.importorskip("spacy", reason="its Language is patched")
    from lexpool.compat.spacy import patch

    with patch():
        nlp = spacy.blank("en")
        tagger = nlp.add_pipe("tagger")
        assert isinstance(tagger, lexpool.pipeline.Tagger)
        own = [
            spacy.training.Example.from_dict(nlp.make_doc(text), {"tags": tags})
            for text, tags in SENTENCES
        ]
        optimizer = nlp.initialize(lambda: own)
        losses = {"tagger": 1.0}
        for _ in range(40):
            losses = nlp.update(own, sgd=optimizer)
        assert losses["tagger"] < 0.01
        nlp.to_disk(tmp_path / "model")
        assert [token.tag_ for token in spacy.load(tmp_path / "model")("they eat")] == ["P", "V"]
    theirs = spacy.load(tmp_path / "model")
    assert [token.tag_ for token in theirs("they eat")] == ["P", "V"]
    assert type(theirs.get_pipe("tagger")).__module__.startswith("spacy.")
