"""Kinds of files: pipelines, their configurations, and trainings that are paused."""

import contextlib
from pathlib import Path
from typing import Any

import checksums
from arguments import MODELS
from file_kinds import (
    FILES,
    TEXTS,
    Sample,
    command,
    folder_content,
    hash_of,
    kind,
    only,
    parsed,
    read,
    text,
    written,
)

import lexpool
from lexpool import _core
from lexpool.config import Config
from lexpool.msgpack import unpackb
from lexpool.tokens import DocBin
from lexpool.training import Adam

LARGEST_MODEL = 4 << 20
"""Bytes of a trained pipeline, above which its mutants take too long to write."""


def use_pipeline(path: Path) -> None:
    """Load a pipeline, annotate texts, and save it in all ways."""
    loaded = lexpool.load(path)
    for each in TEXTS:
        read(loaded(each))
    list(loaded.pipe(TEXTS, batch_size=2))
    if hash_of(path, 4) == 0:
        content = loaded.to_bytes()
        loaded.from_bytes(content)
        loaded.to_disk(path.parent / "again")


def small_models() -> list[Sample]:
    folders = [*FILES.glob("pipelines/*"), *MODELS.glob("*")]
    contents = [
        folder_content(folder) for folder in sorted(folders) if (folder / "meta.json").exists()
    ]
    return [one for one in contents if sum(map(len, one.values())) < LARGEST_MODEL]


@kind("folder", small_models)
def _folder(place: Path) -> None:
    use_pipeline(place)


def bytes_of_pipelines() -> list[Sample]:
    folders = [FILES / "pipelines" / name for name in ("networks", "rules", "merges")]
    return [{"pipeline": lexpool.load(folder).to_bytes()} for folder in folders]


@kind("pipeline-bytes", bytes_of_pipelines)
def _pipeline_bytes(place: Path) -> None:
    content = only(place).read_bytes()
    try:
        config = unpackb(content)["config.cfg"]
    except (ValueError, LookupError, TypeError):
        config = None
    if not isinstance(config, bytes):
        return
    loaded = lexpool.Language.from_config(Config().from_bytes(config, interpolate=False))
    loaded.from_bytes(content)
    for each in TEXTS:
        read(loaded(each))


def packs() -> list[Sample]:
    folders = [FILES / "pipelines" / name for name in ("networks", "rules", "merges")]
    pack = lambda folder: lambda path: command("model", "pack", folder, "-o", path)
    return [written(pack(folder), "model.lexpool") for folder in folders]


@kind("packed", packs, checksums.container)
def _packed(place: Path) -> None:
    use_pipeline(only(place))


MEMORY = 250 << 20
"""Bytes that a training may take: a changed configuration may rightly ask for large networks."""
TRAINING = """
[paths]
train = "train.spacy"
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
width = 8
depth = 1
embed_size = 20
window_size = 1
maxout_pieces = 2
subword_features = true
[corpora]
[corpora.train]
@readers = "spacy.Corpus.v1"
path = ${paths.train}
[corpora.dev]
@readers = "spacy.Corpus.v1"
path = ${paths.train}
[training]
max_steps = 2
eval_frequency = 1
[training.optimizer]
@optimizers = "Adam.v1"
use_averages = true
"""


def corpus_of_training() -> bytes:
    return DocBin(docs=parsed() * 3).to_bytes()


def states() -> list[Sample]:
    def save(folder: Path) -> None:
        folder.mkdir()
        (folder / "train.spacy").write_bytes(corpus_of_training())
        (folder / "config.cfg").write_text(TRAINING)
        train(folder, 2)

    return [written(save, "training")]


def train(folder: Path, steps: int, resume: Any = True) -> None:
    """Goes on with a training, or begins it. Its state names the corpus by a relative path."""
    settings = {"training.max_steps": steps}
    with contextlib.chdir(folder):
        lexpool.train(
            "config.cfg", "out", overrides=settings, resume=resume, threads=1, memory=MEMORY
        )


@kind("state", states, checksums.container, changed=("out/state",))
def _state(place: Path) -> None:
    train(place / "training", 4)


@kind("training-corpus", states, checksums.deflated_message, changed=("training/train.spacy",))
def _training_corpus(place: Path) -> None:
    (place / "training/out/state").unlink()
    train(place / "training", 2)


@kind("training-weights", states, changed=("model-last/tagger/model",))
def _training_weights(place: Path) -> None:
    train(place / "training", 4, resume="weights")


@kind("training-config", states, changed=("training/config.cfg",))
def _training_config(place: Path) -> None:
    (place / "training/out/state").unlink()
    train(place / "training", 1)


@kind("config", lambda: [{"config.cfg": TRAINING.encode()}])
def _config(place: Path) -> None:
    settings = text(place)
    config = Config().from_str(settings, interpolate=False)
    config.interpolate()
    Config().from_str(config.to_str(), interpolate=False)
    Config().from_bytes(config.to_bytes())
    _core.fill_config(settings, "config.cfg")


@kind("optimizer", lambda: [{"optimizer": Adam(0.001, L2=0.01).to_bytes()}])
def _optimizer(place: Path) -> None:
    Adam().from_bytes(Adam().from_bytes(only(place).read_bytes()).to_bytes())
