"""`lexpool.train` and `lexpool train` by configurations that name functions of Python."""

import json
import os
import re
import signal
import subprocess
import sys
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import pytest

import lexpool
from lexpool.errors import ConfigError
from lexpool.tokens import DocBin
from lexpool.training import Evaluation, Example, callback, corpus_reader, logger

SENTENCES = [
    ("the cat sees a dog", ["D", "N", "V", "D", "N"]),
    ("a dog eats", ["D", "N", "V"]),
    ("she sees the cat", ["P", "V", "D", "N"]),
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
width = 16
depth = 1
embed_size = 100
window_size = 1
maxout_pieces = 2
subword_features = true

[initialize]

[training]
seed = 3
gpu_allocator = null
dropout = 0.0
max_steps = 6
eval_frequency = 3
"""
# The module that `--code` imports.
CODE = """
import sys
from itertools import cycle, islice
from pathlib import Path
from lexpool.training import callback

@callback("shell.note.v1")
def make(path: str):
    def note(nlp, args):
        with Path(path).open("a") as file:
            file.write(f"{args['step']} {nlp.pipe_names}\\n")
    return note
"""
EVENTS: list[Any] = []


@callback("tests.event.v1")
def make_event(what: str) -> Any:
    def note(nlp: Any, *args: Any) -> Any:
        EVENTS.append((what, *args))
        return nlp

    return note


@pytest.fixture(autouse=True)
def nothing_noted() -> None:
    EVENTS.clear()


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
def config(tmp_path: Path) -> Path:
    path = tmp_path / "config.cfg"
    path.write_text(CONFIG)
    return path


def event(what: str) -> dict[str, str]:
    return {"@callbacks": "tests.event.v1", "what": what}


def paths(corpus: Path) -> dict[str, Any]:
    return {"paths.train": str(corpus), "paths.dev": str(corpus)}


def test_callbacks_are_called_in_the_order_of_spacy(
    config: Path, corpus: Path, tmp_path: Path
) -> None:
    keys = [
        "nlp.before_creation",
        "nlp.after_creation",
        "nlp.after_pipeline_creation",
        "initialize.before_init",
        "initialize.after_init",
        "training.before_update",
        "training.before_to_disk",
    ]
    own = {key: event(key.split(".")[1]) for key in keys}
    lexpool.train(config, tmp_path / "out", overrides={**paths(corpus), **own})
    ours = list(EVENTS)
    names = [what for what, *_ in ours]
    assert names == (
        ["before_creation", "after_creation", "after_pipeline_creation"]
        + ["before_init", "after_init", "before_update", "before_to_disk"]
        + (["before_update"] * 3 + ["before_to_disk"]) * 2
        + ["before_to_disk"]
        # The folder names its callbacks, and is loaded.
        + ["before_creation", "after_creation", "after_pipeline_creation"]
    )

    spacy = pytest.importorskip("spacy", reason="spaCy is the oracle")
    from spacy.training.initialize import init_nlp
    from spacy.training.loop import train

    spacy.registry.callbacks("tests.event.v1", func=make_event)
    EVENTS.clear()
    given = spacy.util.load_config(config, overrides={**paths(corpus), **own})
    given["corpora"] = {
        key: {"@readers": "spacy.Corpus.v1", "path": str(corpus)} for key in ("train", "dev")
    }
    (tmp_path / "theirs").mkdir()
    train(init_nlp(given), tmp_path / "theirs")
    assert EVENTS == ours[: len(EVENTS)]
    assert len(EVENTS) == len(ours) - 3


def test_functions_change_no_bit_of_what_is_learned(
    config: Path, corpus: Path, tmp_path: Path
) -> None:
    told: list[Evaluation] = []
    own = {"training.before_update": event("update")}
    for name, overrides in (("native", {}), ("python", own)):
        given = {**paths(corpus), **overrides}
        lexpool.train(config, tmp_path / name, overrides=given, report=told.append)
    native, python = (
        (tmp_path / name / "model-best/tagger/model").read_bytes() for name in ("native", "python")
    )
    assert native == python
    half = len(told) // 2
    assert half == 3
    for ours, theirs in zip(told[:half], told[half:], strict=True):
        assert (ours.step, ours.epoch, ours.words) == (theirs.step, theirs.epoch, theirs.words)
        assert ours.losses == pytest.approx(theirs.losses)
        assert ours.score == pytest.approx(theirs.score)
    folders = [tmp_path / name / "model-last" for name in ("native", "python")]
    performances = [json.loads((own / "meta.json").read_text())["performance"] for own in folders]
    assert performances[0] == pytest.approx(performances[1])


def test_readers_and_loggers_of_users_take_part(config: Path, tmp_path: Path) -> None:
    @corpus_reader("tests.reader.v1")
    def make_reader(times: int) -> Any:
        def read(nlp: Any) -> Any:
            for text, tags in SENTENCES * times:
                yield Example.from_dict(nlp.make_doc(text), {"tags": tags})

        return read

    infos: list[Any] = []

    @logger("tests.logger.v1")
    def make_logger() -> Any:
        def begin(nlp: Any, stdout: Any, stderr: Any) -> Any:
            infos.append((nlp.pipe_names, nlp.config["training"]["score_weights"]["tag_acc"]))
            return infos.append, lambda: infos.append("the end")

        return begin

    given = lexpool.config.Config.from_str(CONFIG, interpolate=False)
    given["corpora"] = {
        key: {"@readers": "tests.reader.v1", "times": 2} for key in ("train", "dev")
    }
    given["training"]["logger"] = {"@loggers": "tests.logger.v1"}
    lexpool.train(given, tmp_path / "out")
    assert infos[0] == (["tagger"], 1.0)
    assert infos[-1] == "the end"
    evaluated = [info for info in infos[1:-1] if info is not None]
    assert [info["step"] for info in evaluated] == [0, 3, 6]
    assert len(infos[1:-1]) == 7
    last = evaluated[-1]
    assert last["checkpoints"] == [(info["score"], info["step"]) for info in evaluated]
    assert set(last["losses"]) == {"tagger"}
    assert last["other_scores"]["tag_acc"] == last["score"]
    assert last["output_path"] == str(tmp_path / "out/model-last")


def test_a_stream_without_end_is_learned_from_part_by_part(tmp_path: Path) -> None:
    taken = 0

    @corpus_reader("tests.endless.v1")
    def make_reader(most: int | None = None) -> Any:
        def read(nlp: Any) -> Any:
            nonlocal taken
            for text, tags in islice(cycle(SENTENCES), most):
                taken += most is None
                yield Example.from_dict(nlp.make_doc(text), {"tags": tags})

        return read

    given = lexpool.config.Config.from_str(CONFIG, interpolate=False)
    given["corpora"] = {
        "train": {"@readers": "tests.endless.v1"},
        "dev": {"@readers": "tests.endless.v1", "most": 9},
    }
    given["training"].update(max_epochs=-1, max_steps=60)
    steps: list[int] = []
    nlp = lexpool.train(given, tmp_path, report=lambda evaluation: steps.append(evaluation.step))
    assert steps[-1] == 60
    # More than a part of 1,000 documents, and not all that there would be.
    assert 1000 < taken < 20_000
    assert nlp("a dog")[1].tag_ == "N"


def test_what_an_earlier_training_left_is_removed(
    config: Path, corpus: Path, tmp_path: Path
) -> None:
    leftover = tmp_path / ".lexpool-2147483647-1.part"
    leftover.mkdir(parents=True)
    lexpool.train(config, tmp_path, overrides=paths(corpus))
    assert (tmp_path / "state").exists() and not leftover.exists()
    leftover.mkdir()
    overrides = {**paths(corpus), "training.before_update": event("update")}
    lexpool.train(config, tmp_path, overrides={**overrides, "training.logger": None})
    assert not (tmp_path / "state").exists() and not leftover.exists()


@pytest.mark.skipif(os.name == "nt", reason="signals of Unix")
def test_a_signal_before_the_first_update_ends_the_training_at_once(tmp_path: Path) -> None:
    @corpus_reader("tests.interrupted.v1")
    def make_reader() -> Any:
        def read(nlp: Any) -> Any:
            os.kill(os.getpid(), signal.SIGINT)
            yield from ()

        return read

    given = lexpool.config.Config.from_str(CONFIG, interpolate=False)
    given["corpora"] = {key: {"@readers": "tests.interrupted.v1"} for key in ("train", "dev")}
    with pytest.raises(KeyboardInterrupt):
        lexpool.train(given, tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_type_error_inside_of_a_function_is_not_one_of_its_settings(
    config: Path, corpus: Path, tmp_path: Path
) -> None:
    @callback("tests.broken.v1")
    def make() -> Any:
        raise TypeError("inside")

    overrides = {**paths(corpus), "training.before_update": {"@callbacks": "tests.broken.v1"}}
    with pytest.raises(TypeError, match="^inside$"):
        lexpool.train(config, tmp_path, overrides=overrides)


def test_rules_and_vocab_are_copied_from_another_pipeline(
    config: Path, corpus: Path, tmp_path: Path
) -> None:
    base = lexpool.blank("en")
    base.tokenizer.add_special_case("gimme", [{"ORTH": "gim"}, {"ORTH": "me"}])
    base.vocab.strings.add("a string of the base")
    base.to_disk(tmp_path / "base")
    place = str(tmp_path / "base")
    own = {"@callbacks": "spacy.copy_from_base_model.v1", "tokenizer": place, "vocab": place}
    overrides = {**paths(corpus), "initialize.before_init": own}
    nlp = lexpool.train(config, tmp_path / "out", overrides=overrides)
    assert [token.text for token in nlp("gimme that")] == ["gim", "me", "that"]
    assert "a string of the base" in nlp.vocab.strings
    assert nlp("a dog")[1].tag_ == "N"


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        (
            {"training.before_update": {"@callbacks": "none"}},
            "E893.*training.before_update.*'none'",
        ),
        ({"nlp.after_creation": {"@callbacks": "none"}}, "E893.*nlp.after_creation.*'none'"),
        ({"training.logger": {"@loggers": "none"}}, "E893.*names the logger 'none'"),
        ({"training.before_update": {"@callbacks": "tests.event.v1"}}, "tests.event.v1.*'what'"),
        (
            {"training.before_update": {"@callbacks": "spacy.models_with_nvtx_range.v1"}},
            "training-unsupported.*GPUs",
        ),
        ({"training.before_update": event("x"), "training.stepz": 4}, "training-config.*stepz"),
    ],
)
def test_wrong_functions_and_settings_are_named_before_training(
    config: Path, corpus: Path, tmp_path: Path, overrides: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=f"(?s){message}"):
        lexpool.train(config, tmp_path / "out", overrides={**paths(corpus), **overrides})
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("option", [{"threads": 2}, {"memory": 1 << 40}, {"resume": True}])
def test_options_of_trainings_in_rust_are_refused(
    config: Path, corpus: Path, tmp_path: Path, option: dict[str, Any]
) -> None:
    overrides = {**paths(corpus), "training.before_update": event("x")}
    with pytest.raises(ConfigError, match=f"training-unsupported.*without {next(iter(option))}"):
        lexpool.train(config, tmp_path / "out", overrides=overrides, **option)


def test_callbacks_of_a_configuration_must_return_what_they_get() -> None:
    @callback("tests.nothing.v1")
    def make_nothing() -> Any:
        return lambda _: None

    section = {"@callbacks": "tests.nothing.v1"}
    for key, code in [("before_creation", "E943"), ("after_creation", "E942")]:
        with pytest.raises(ValueError, match=f"{code}.*{key}.*returned None"):
            lexpool.Language.from_config({"nlp": {"lang": "en", key: section}})


def test_a_failing_callback_leaves_the_folders_of_the_last_evaluation(
    config: Path, corpus: Path, tmp_path: Path
) -> None:
    @callback("tests.failing.v1")
    def make_failing() -> Any:
        def fail(nlp: Any, args: Any) -> None:
            if args["step"] == 5:
                raise LookupError("step 5")

        return fail

    overrides = {**paths(corpus), "training.before_update": {"@callbacks": "tests.failing.v1"}}
    with pytest.raises(LookupError, match="step 5"):
        lexpool.train(config, tmp_path / "out", overrides=overrides)
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "model-best",
        "model-last",
    ]
    assert lexpool.load(tmp_path / "out/model-last").pipe_names == ["tagger"]


@pytest.fixture
def command(config: Path, corpus: Path, tmp_path: Path) -> Any:
    (tmp_path / "code.py").write_text(CODE)
    section = json.dumps({"@callbacks": "shell.note.v1", "path": "notes.txt"})
    words = [sys.executable, "-m", "lexpool", "train", "config.cfg", "-o", "out"]
    words += ["--paths.train", str(corpus), "--paths.dev", str(corpus)]
    words += ["--training.before_update", section]

    def start(*more: str) -> Any:
        pipes: Any = dict.fromkeys(("stdout", "stderr"), subprocess.PIPE)
        return subprocess.Popen([*words, *more], cwd=tmp_path, **pipes)

    return start


def test_the_command_imports_the_module_with_the_functions(command: Any, tmp_path: Path) -> None:
    running = command("--code", "code.py")
    printed, said = running.communicate(timeout=120)
    assert running.returncode == 0, said
    rows = [line.split() for line in printed.decode().splitlines() if line.strip()[:1].isdigit()]
    assert [row[1] for row in rows] == ["0", "3", "6"]
    notes = (tmp_path / "notes.txt").read_text().splitlines()
    assert notes == [f"{step} ['tagger']" for step in range(7)]
    assert lexpool.load(tmp_path / "out/model-best").pipe_names == ["tagger"]
    running = command()
    _, said = running.communicate(timeout=120)
    assert running.returncode == 1
    assert re.search(rb"E893.*shell\.note\.v1", said)
    running = command("--code", "code.py", "--json")
    printed, said = running.communicate(timeout=120)
    assert [json.loads(line)["step"] for line in printed.splitlines()] == [0, 3, 6]


@pytest.mark.skipif(os.name == "nt", reason="signals of Unix")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_the_update_at_hand_and_saves_the_pipeline(
    command: Any, tmp_path: Path, number: int, code: int
) -> None:
    running = command(
        "--code", "code.py", "--training.max_steps", "1000000", "--training.patience", "0"
    )
    notes = tmp_path / "notes.txt"
    while not (notes.exists() and notes.read_text().count("\n") > 8):
        assert running.poll() is None, running.communicate()
    running.send_signal(number)
    _, said = running.communicate(timeout=60)
    assert running.returncode == code, said
    assert lexpool.load(tmp_path / "out/model-last").pipe_names == ["tagger"]
