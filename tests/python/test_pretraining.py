"""Pretraining of a shared network: beside spaCy's, and in trainings."""

import json
from pathlib import Path
from typing import Any

import numpy
import pytest

import lexpool
from lexpool.config import Config
from lexpool.tokens import DocBin
from lexpool.training import pretrain
from lexpool.vectors import Vectors

WORDS = "the a cat dog sees eats she Bird na\u00efve \U0001f600 runs 42 U.K. don't ...".split()
CONFIG = """
[paths]
raw_text = null
train = null
dev = null

[nlp]
lang = "en"
pipeline = ["tok2vec", "tagger"]

[components]

[components.tok2vec]
factory = "tok2vec"

[components.tok2vec.model]
@architectures = "spacy.HashEmbedCNN.v2"
pretrained_vectors = null
width = 16
depth = 2
embed_size = 100
window_size = 1
maxout_pieces = 2
subword_features = true

[components.tagger]
factory = "tagger"

[components.tagger.model]
@architectures = "spacy.Tagger.v2"

[components.tagger.model.tok2vec]
@architectures = "spacy.Tok2VecListener.v1"
width = 16

[corpora]

[corpora.pretrain]
@readers = "spacy.JsonlCorpus.v1"
path = ${paths.raw_text}
min_length = 2
max_length = 500
limit = 0

[initialize]
vectors = null
init_tok2vec = null

[training]
seed = 3
gpu_allocator = null

[pretraining]
max_epochs = 3
dropout = 0.0
n_save_every = null
n_save_epoch = null
component = "tok2vec"
layer = ""
corpus = "corpora.pretrain"

[pretraining.batcher]
@batchers = "spacy.batch_by_words.v1"
size = 60
discard_oversize = false
tolerance = 0.2
get_length = null

[pretraining.objective]
@architectures = "spacy.PretrainCharacters.v1"
maxout_pieces = 3
hidden_size = 20
n_characters = 4

[pretraining.optimizer]
@optimizers = "Adam.v1"
beta1 = 0.9
beta2 = 0.999
L2_is_weight_decay = true
L2 = 0.01
grad_clip = 1.0
use_averages = true
eps = 1e-8
learn_rate = 0.001
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Texts as JSON lines and documents, and a pipeline with vectors."""
    folder = tmp_path_factory.mktemp("texts")
    chance = numpy.random.RandomState(1)
    texts = [" ".join(chance.choice(WORDS, size=12)) for _ in range(20)]
    lines = [json.dumps({"text": text}) for text in [*texts, "one"]]
    (folder / "texts.jsonl").write_text("\n".join(lines) + "\n")
    nlp = lexpool.blank("en")
    DocBin(docs=[nlp(text) for text in texts]).to_disk(folder / "texts.spacy")
    for word in WORDS[:8]:
        nlp.vocab.set_vector(word, chance.uniform(-1, 1, 10).astype("f"))
    nlp.to_disk(folder / "vectors")
    data = chance.uniform(-1, 1, (50, 10)).astype("f")
    nlp.vocab.vectors = Vectors(
        strings=nlp.vocab.strings, data=data, mode="floret", minn=2, maxn=3, hash_count=2
    )
    nlp.to_disk(folder / "floret")
    return folder


@pytest.fixture
def given(folder: Path) -> Config:
    config = Config.from_str(CONFIG, interpolate=False)
    config["paths"]["raw_text"] = str(folder / "texts.jsonl")
    return config


def objective_of_vectors(loss: str) -> dict[str, Any]:
    return {
        "@architectures": "spacy.PretrainVectors.v1",
        "maxout_pieces": 3,
        "hidden_size": 20,
        "loss": loss,
    }


def with_vectors(config: Config, folder: Path, objective: str) -> None:
    loss = "cosine" if objective == "floret" else objective
    config["pretraining"]["objective"] = objective_of_vectors(loss)
    vectors = "floret" if objective == "floret" else "vectors"
    config["initialize"]["vectors"] = str(folder / vectors)


def by_spacy(
    config: Config, output: Path, words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pretrains by spaCy, whose random words are those of lexpool: the first in the order in which
    the vocab got them.
    """
    spacy = pytest.importorskip("spacy", reason="spaCy is the oracle")
    from spacy.ml.models import multi_task
    from spacy.training.pretrain import pretrain as pretrain_there

    def begin(self: Any, vocab: Any) -> None:
        self.words = words
        self.probs = numpy.full(len(words), 1 / len(words))
        self._cache = []

    monkeypatch.setattr(multi_task._RandomWords, "__init__", begin)
    output.mkdir()
    given = spacy.util.load_config_from_str(config.to_str())
    filled = spacy.util.load_model_from_config(given, auto_fill=True).config
    pretrain_there(filled.interpolate(), output)


def words_of(config: Config) -> list[str]:
    """The words of a vocab after the texts were tokenized, sorted."""
    nlp = lexpool.blank("en")
    if config["initialize"]["vectors"]:
        folder = Path(config["initialize"]["vectors"])
        nlp.vocab.from_disk(folder / "vocab", exclude=["lookups"])
    for line in Path(config["paths"]["raw_text"]).read_text().splitlines():
        nlp(json.loads(line)["text"])
    return sorted(lexeme.text for lexeme in nlp.vocab)


def weights(file: Path) -> list[Any]:
    """All tensors of a file of weights."""
    from lexpool.msgpack import unpackb

    tensors: list[Any] = []

    def walk(value: Any) -> None:
        if isinstance(value, numpy.ndarray):
            tensors.append(value)
        elif isinstance(value, dict):
            for key in sorted(value, key=str):
                walk(value[key])
        elif isinstance(value, list | tuple):
            for inner in value:
                walk(inner)

    walk(unpackb(file.read_bytes())["params"])
    return tensors


def test_the_first_weights_are_those_of_spacy(
    given: Config, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given["pretraining"]["max_epochs"] = 0
    pretrain(given, tmp_path / "ours")
    by_spacy(given, tmp_path / "theirs", words_of(given), monkeypatch)
    ours, theirs = (tmp_path / name / "model-last.bin" for name in ("ours", "theirs"))
    assert ours.read_bytes() == theirs.read_bytes()


@pytest.mark.parametrize("objective", ["characters", "cosine", "L2", "floret"])
@pytest.mark.parametrize("epochs", [1, 3])
def test_epochs_lead_to_the_weights_and_losses_of_spacy(
    given: Config,
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    objective: str,
    epochs: int,
) -> None:
    if objective != "characters":
        with_vectors(given, folder, objective)
    given["pretraining"]["max_epochs"] = epochs
    pretrain(given, tmp_path / "ours")
    by_spacy(given, tmp_path / "theirs", words_of(given), monkeypatch)
    names = sorted(path.name for path in (tmp_path / "theirs").iterdir())
    assert names == sorted(
        [*(f"model{n}.bin" for n in range(epochs)), "model-last.bin", "log.jsonl"]
    )
    for name in names:
        ours, theirs = (tmp_path / own / name for own in ("ours", "theirs"))
        if name == "log.jsonl":
            pairs = zip(ours.read_text().splitlines(), theirs.read_text().splitlines(), strict=True)
            for our, their in pairs:
                assert json.loads(our) == pytest.approx(json.loads(their), rel=1e-4)
            continue
        found, expected = weights(ours), weights(theirs)
        assert len(found) == len(expected) > 4
        for one, other in zip(found, expected, strict=True):
            numpy.testing.assert_allclose(one, other, atol=1e-5)


def test_the_bits_do_not_depend_on_threads(given: Config, folder: Path, tmp_path: Path) -> None:
    given["pretraining"]["dropout"] = 0.2
    for threads in (1, 2):
        pretrain(given, tmp_path / str(threads), threads=threads)
    files = [(tmp_path / name / "model-last.bin").read_bytes() for name in ("1", "2")]
    assert files[0] == files[1]
    # A component that listens stands for the network that it listens to; documents are texts too.
    given["pretraining"].update(component="tagger", layer="tok2vec")
    docs = {"@readers": "spacy.Corpus.v1", "path": str(folder / "texts.spacy")}
    given["corpora"]["pretrain"] = docs
    pretrain(given, tmp_path / "docs")
    logs = [(tmp_path / name / "log.jsonl").read_text().splitlines()[0] for name in ("1", "docs")]
    first, of_docs = (json.loads(line) for line in logs)
    assert of_docs["nr_word"] == first["nr_word"] > 200
    assert of_docs["loss"] == pytest.approx(first["loss"], rel=0.05)
    assert len(weights(tmp_path / "docs/model-last.bin")) == len(
        weights(tmp_path / "1/model-last.bin")
    )


def test_files_are_written_as_often_as_the_settings_say(given: Config, tmp_path: Path) -> None:
    given["pretraining"].update(max_epochs=4, n_save_epoch=2, n_save_every=2)
    pretrain(given, tmp_path / "out", skip_last=True)
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    epochs = [f"model{n}.bin" for n in (0, 2, 3)]
    temporary = [f"model{n}.temp.bin" for n in range(4)]
    assert names == sorted([*epochs, *temporary, "config.cfg", "log.jsonl"])
    # The epochs from 3 on are made anew; the log goes on.
    pretrain(given, tmp_path / "out", resume_path=tmp_path / "out/model2.bin")
    lines = (tmp_path / "out/log.jsonl").read_text().splitlines()
    epochs_of_lines = [json.loads(line)["epoch"] for line in lines]
    assert epochs_of_lines[-2:] == [3, 4]
    assert epochs_of_lines.count(3) > 2


def test_a_training_begins_with_pretrained_weights(
    given: Config, folder: Path, tmp_path: Path
) -> None:
    pretrain(given, tmp_path / "out")
    nlp = lexpool.blank("en")
    docs = [
        lexpool.Doc(nlp.vocab, words=["a", "dog", "eats"], tags=["D", "N", "V"]) for _ in range(3)
    ]
    DocBin(attrs=["TAG"], docs=docs).to_disk(tmp_path / "train.spacy")
    corpus = {"@readers": "spacy.Corpus.v1", "path": str(tmp_path / "train.spacy")}
    given["corpora"].update(train=corpus, dev=corpus)
    optimizer = {"@optimizers": "Adam.v1", "learn_rate": 0.0, "L2": 0.0, "use_averages": False}
    given["training"].update(max_steps=1, optimizer=optimizer)
    file = tmp_path / "out/model2.bin"
    given["initialize"]["init_tok2vec"] = str(file)
    lexpool.train(given, tmp_path / "trained")
    assert (tmp_path / "trained/model-last/tok2vec/model").read_bytes() == file.read_bytes()
    nlp = lexpool.Language.from_config(given)
    nlp.initialize(lambda: [lexpool.training.Example.from_dict(nlp.make_doc("a"), {"tags": ["D"]})])
    assert nlp.get_pipe("tok2vec").model.to_bytes() == file.read_bytes()
    spacy = pytest.importorskip("spacy", reason="spaCy is the oracle")
    from spacy.training.initialize import init_nlp

    theirs = init_nlp(spacy.util.load_config_from_str(given.to_str()))
    assert theirs.get_pipe("tok2vec").model.to_bytes() == file.read_bytes()
    given["components"]["tok2vec"]["model"]["depth"] = 1
    with pytest.raises(ValueError, match="model-structure.*init_tok2vec"):
        lexpool.train(given, tmp_path / "other")
    given["components"]["tok2vec"]["model"].update(depth=2, embed_size=50)
    with pytest.raises(ValueError, match="weights-different.*init_tok2vec"):
        lexpool.train(given, tmp_path / "other")
    nlp = lexpool.Language.from_config(given)
    with pytest.raises(ValueError, match="weights-different.*init_tok2vec"):
        nlp.initialize(
            lambda: [lexpool.training.Example.from_dict(nlp.make_doc("a"), {"tags": ["D"]})]
        )


@pytest.mark.parametrize("by", ["lexpool", "spacy"])
def test_the_network_inside_of_a_component_is_pretrained_too(
    given: Config, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, by: str
) -> None:
    spacy = pytest.importorskip("spacy", reason="spaCy is the oracle")
    from spacy.training.initialize import init_nlp

    given["components"]["tagger"]["model"]["tok2vec"] = given["components"].pop("tok2vec")["model"]
    given["nlp"]["pipeline"] = ["tagger"]
    given["pretraining"].update(component="tagger", layer="tok2vec", max_epochs=1)
    if by == "lexpool":
        pretrain(given, tmp_path / "out")
    else:
        by_spacy(given, tmp_path / "out", words_of(given), monkeypatch)
    file = tmp_path / "out/model0.bin"
    nlp = lexpool.blank("en")
    docs = [lexpool.Doc(nlp.vocab, words=["a", "dog"], tags=["D", "N"]) for _ in range(3)]
    DocBin(attrs=["TAG"], docs=docs).to_disk(tmp_path / "train.spacy")
    corpus = {"@readers": "spacy.Corpus.v1", "path": str(tmp_path / "train.spacy")}
    given["corpora"].update(train=corpus, dev=corpus)
    optimizer = {"@optimizers": "Adam.v1", "learn_rate": 0.0, "L2": 0.0, "use_averages": False}
    given["training"].update(max_steps=1, optimizer=optimizer)
    given["initialize"]["init_tok2vec"] = str(file)
    theirs = init_nlp(spacy.util.load_config_from_str(given.to_str()))
    expected = theirs.get_pipe("tagger").model.to_bytes()
    lexpool.train(given, tmp_path / "trained")
    assert (tmp_path / "trained/model-last/tagger/model").read_bytes() == expected
    nlp = lexpool.Language.from_config(given)
    numpy.random.seed(3)
    nlp.initialize(
        lambda: [lexpool.training.Example.from_dict(nlp.make_doc("a dog"), {"tags": ["D", "N"]})]
    )
    assert nlp.get_pipe("tagger").model.to_bytes() == expected
    for changes, message in [
        ({"layer": "output_layer"}, "model-structure.*init_tok2vec.*the weights"),
        ({"layer": "upper"}, "model-structure.*init_tok2vec.*'?\"?upper"),
        ({"component": "parser"}, "training-config.*init_tok2vec.*parser"),
    ]:
        other = Config.from_str(given.to_str(), interpolate=False)
        other["pretraining"].update(changes)
        with pytest.raises(ValueError, match=f"(?s){message}"):
            lexpool.train(other, tmp_path / "other")
        assert not (tmp_path / "other").exists()


def test_weights_of_spacy_are_gone_on_with(
    given: Config, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import spacy
    from spacy.training.pretrain import pretrain as pretrain_there

    given["pretraining"]["max_epochs"] = 1
    by_spacy(given, tmp_path / "first", words_of(given), monkeypatch)
    file = tmp_path / "first/model0.bin"
    given["pretraining"]["max_epochs"] = 3
    pretrain(given, tmp_path / "ours", resume_path=file)
    filled = spacy.util.load_model_from_config(
        spacy.util.load_config_from_str(given.to_str()), auto_fill=True
    ).config
    (tmp_path / "theirs").mkdir()
    pretrain_there(filled.interpolate(), tmp_path / "theirs", resume_path=file)
    for name in ("model1.bin", "model2.bin", "model-last.bin"):
        pairs = zip(
            weights(tmp_path / "ours" / name), weights(tmp_path / "theirs" / name), strict=True
        )
        for one, other in pairs:
            numpy.testing.assert_allclose(one, other, atol=1e-5)
    assert not (tmp_path / "ours/model0.bin").exists()


def test_texts_may_be_lines(given: Config, tmp_path: Path) -> None:
    given["pretraining"]["max_epochs"] = 2
    pretrain(given, tmp_path / "json")
    texts = Path(given["paths"]["raw_text"]).read_text().splitlines()
    lines = tmp_path / "texts.txt"
    lines.write_text("".join(json.loads(text)["text"] + "\n\n" for text in texts))
    given["corpora"]["pretrain"] = {
        "@readers": "spacy.PlainTextCorpus.v1",
        "path": str(lines),
        "min_length": 2,
    }
    pretrain(given, tmp_path / "lines")
    files = [(tmp_path / name / "model-last.bin").read_bytes() for name in ("json", "lines")]
    assert files[0] == files[1]


def test_an_exception_of_the_report_ends_a_pretraining(given: Config, tmp_path: Path) -> None:
    def refuse(epoch: int, *figures: float) -> None:
        raise LookupError(f"epoch {epoch}")

    given["pretraining"]["max_epochs"] = 10**6
    with pytest.raises(LookupError, match="epoch"):
        pretrain(given, tmp_path / "out", report=refuse)
    assert (tmp_path / "out/model-last.bin").exists()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"pretraining": {}}, "pretraining-missing"),
        ({"pretraining.max_epoch": 3}, "training-config.*'?\"?max_epoch"),
        ({"pretraining.dropout": 1.5}, "training-config.*dropout"),
        ({"pretraining.component": None}, "training-config.*component"),
        ({"pretraining.component": "ner"}, r"training-config.*\[components.ner.model\]"),
        ({"pretraining.layer": "upper"}, "training-config.*layer.*upper"),
        ({"pretraining.corpus": "corpora.none"}, "training-config.*corpora.none"),
        ({"pretraining.component": "tagger"}, "E874"),
        ({"pretraining.objective.@architectures": "own.v1"}, "training-unsupported.*own.v1"),
        ({"pretraining.objective.n_characters": 0}, "training-config.*n_characters"),
        ({"pretraining.objective": objective_of_vectors("cosine")}, "E875"),
        ({"pretraining.objective": objective_of_vectors("L3")}, "training-config.*L3"),
        ({"corpora.pretrain.min_length": 400}, "E986.*min_length"),
        ({"paths.raw_text": None}, "E913.*raw_text"),
    ],
)
def test_what_is_wrong_is_named_before_the_first_update(
    given: Config, tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    for name, value in changes.items():
        *sections, key = name.split(".")
        section: Any = given
        for part in sections:
            section = section[part]
        section[key] = value
    with pytest.raises(ValueError, match=f"(?s){message}"):
        pretrain(given, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_files_that_cannot_be_read_are_named(given: Config, tmp_path: Path) -> None:
    texts = Path(given["paths"]["raw_text"]).read_text().splitlines()
    raw = tmp_path / "texts.jsonl"
    raw.write_text("\n".join([texts[0], "{}", texts[1]]))
    given["paths"]["raw_text"] = str(raw)
    with pytest.raises(ValueError, match=r"(?s)training-corpus.*texts.jsonl, line 2"):
        pretrain(given, tmp_path / "out")
    given["paths"]["raw_text"] = str(tmp_path / "absent.jsonl")
    with pytest.raises(FileNotFoundError, match=r"absent.jsonl"):
        pretrain(given, tmp_path / "out")
    given["initialize"]["vectors"] = str(tmp_path / "vectors")
    with pytest.raises(FileNotFoundError, match=r"\[initialize\], the vectors"):
        pretrain(given, tmp_path / "out")
    given["initialize"]["vectors"] = None
    assert not (tmp_path / "out").exists()
    raw.write_text("\n".join(texts))
    given["paths"]["raw_text"] = str(raw)
    given["pretraining"]["batcher"] = {"@batchers": "spacy.batch_by_sequence.v1", "size": 400}
    given["pretraining"]["max_epochs"] = 10**6

    def shorten(epoch: int, *figures: float) -> None:
        raw.write_text(texts[0])

    # The weights of the updates before are kept.
    with pytest.raises(OSError, match=r"texts.jsonl"):
        pretrain(given, tmp_path / "out", report=shorten)
    assert (tmp_path / "out/model-last.bin").exists()


def test_a_batch_may_be_without_words(given: Config, tmp_path: Path) -> None:
    raw = tmp_path / "texts.jsonl"
    raw.write_text(Path(given["paths"]["raw_text"]).read_text() + '{"text": ""}\n')
    given["paths"]["raw_text"] = str(raw)
    given["corpora"]["pretrain"]["min_length"] = 0
    given["pretraining"]["batcher"] = {"@batchers": "spacy.batch_by_sequence.v1", "size": 1}
    pretrain(given, tmp_path / "out")
    assert all(numpy.isfinite(one).all() for one in weights(tmp_path / "out/model-last.bin"))


def test_weights_to_go_on_with_must_fit_and_tell_their_epoch(given: Config, tmp_path: Path) -> None:
    given["pretraining"]["max_epochs"] = 1
    pretrain(given, tmp_path / "out")
    file = tmp_path / "out/model-last.bin"
    with pytest.raises(ValueError, match="E1020.*--epoch-resume"):
        pretrain(given, tmp_path / "more", resume_path=file)
    with pytest.raises(FileNotFoundError, match=r"model1.bin"):
        pretrain(given, tmp_path / "more", resume_path=tmp_path / "model1.bin")
    with pytest.raises(OSError, match="out"):
        pretrain(given, tmp_path / "more", resume_path=tmp_path / "out", epoch_resume=1)
    (tmp_path / "broken.bin").write_bytes(file.read_bytes()[:-7])
    with pytest.raises(ValueError, match=r"broken.bin"):
        pretrain(given, tmp_path / "more", resume_path=tmp_path / "broken.bin", epoch_resume=1)
    given["components"]["tok2vec"]["model"]["embed_size"] = 50
    with pytest.raises(ValueError, match="weights-different.*model-last.bin"):
        pretrain(given, tmp_path / "more", resume_path=file, epoch_resume=0)
    assert not (tmp_path / "more").exists()
