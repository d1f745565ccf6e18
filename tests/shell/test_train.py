"""`lexpool train`; spaCy loads what it writes, and predicts the same."""

import json

import pytest

lexpool = pytest.importorskip("lexpool")
spacy = pytest.importorskip("spacy")

CONFIG = """
[paths]
train = "train.spacy"
dev = "train.spacy"

[nlp]
lang = "en"
pipeline = ["tok2vec","tagger","senter"]

[components]

[components.tok2vec]
factory = "tok2vec"

[components.tok2vec.model]
@architectures = "spacy.HashEmbedCNN.v2"
pretrained_vectors = null
width = 16
depth = 1
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
width = ${components.tok2vec.model.width}

[components.senter]
factory = "senter"

[components.senter.model]
@architectures = "spacy.Tagger.v2"

[components.senter.model.tok2vec]
@architectures = "spacy.Tok2VecListener.v1"
width = ${components.tok2vec.model.width}

[training]
max_steps = 60
eval_frequency = 30

[training.optimizer]
@optimizers = "Adam.v1"
learn_rate = 0.01
"""


@pytest.fixture
def folder(shell, tagged):
    shell.write("config.cfg", CONFIG)
    return shell


def test_spacy_and_lexpool_predict_the_same_with_the_folder(folder, tagged):
    printed = folder.ok("train", "config.cfg", "-o", "out").stdout.decode().splitlines()
    header = next(line for line in printed if line.startswith("E "))
    assert header.split() == [
        "E", "#", "LOSS", "TOK2VEC", "LOSS", "TAGGER", "LOSS", "SENTER",
        "TAG_ACC", "POS_ACC", "SENTS_F", "SENTS_P", "SENTS_R", "SCORE",
    ]  # fmt: skip
    rows = [line.split() for line in printed if line.strip()[:1].isdigit()]
    assert [row[1] for row in rows] == ["0", "30", "60"]
    for name in ("model-last", "model-best"):
        path = folder.folder / "out" / name
        theirs, ours = spacy.load(path), lexpool.load(path)
        for text in (*tagged, "The dog sleeps here. She barks!", ""):
            pair = [
                [(t.text, t.tag_, t.is_sent_start) for t in nlp(text)] for nlp in (theirs, ours)
            ]
            assert pair[0] == pair[1]
    figures = theirs.evaluate(list(spacy.training.Corpus(folder.folder / "train.spacy")(theirs)))
    meta = json.loads((folder.folder / "out/model-best/meta.json").read_text())
    for name, value in meta["performance"].items():
        if not name.endswith("_loss") and figures.get(name) is not None:
            assert figures[name] == pytest.approx(value, abs=1e-9), name
    assert figures["tag_acc"] > 0.9


def test_values_of_the_configuration_are_overridden_and_lines_are_json(folder):
    done = folder.ok(
        "train", "config.cfg", "-o", "out", "--training.max_steps", "4", "--json",
        "--training.eval_frequency=2", "--threads", "2",
    )  # fmt: skip
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert [line["step"] for line in lines] == [0, 2, 4]
    assert lines[0].keys() == {"epoch", "step", "words", "losses", "scores", "score"}
    assert lines[0]["losses"].keys() == {"tok2vec", "tagger", "senter"}
    assert lines[0]["scores"].keys() == {
        "tag_acc", "pos_acc", "sents_f", "sents_p", "sents_r",
    }  # fmt: skip


def test_wrong_keys_are_refused_before_anything_is_written(folder):
    said = folder.fails("train", "config.cfg", "-o", "out", "--training.max_step", "4")
    assert '"max_step"; the nearest known key is "max_steps"' in said
    assert "out" not in folder.names()


AUGMENTER = """
[corpora]

[corpora.train]
@readers = "spacy.Corpus.v1"
path = ${paths.train}

[corpora.train.augmenter]
@augmenters = "spacy.combined_augmenter.v1"
lower_level = 0.5
orth_level = 1.0
whitespace_level = 1.0
whitespace_per_token = 1.0
whitespace_variants = [" ","\\n"]

[corpora.train.augmenter.orth_variants]
@readers = "srsly.read_json.v1"
path = "variants.json"
"""


def test_examples_are_augmented_with_the_same_seed_in_the_same_way(folder):
    variants = {"single": [{"tags": ["."], "variants": [".", "!"]}], "paired": []}
    folder.write("variants.json", json.dumps(variants))
    folder.write("augmented.cfg", CONFIG + AUGMENTER)
    steps = ("--training.max_steps=3", "--training.eval_frequency=3", "--json")
    words = {}
    for name, config in (
        ("plain", "config.cfg"),
        ("one", "augmented.cfg"),
        ("two", "augmented.cfg"),
    ):
        done = folder.ok("train", config, "-o", name, *steps)
        words[name] = json.loads(done.stdout.splitlines()[-1])["words"]
    assert words["one"] > 1.2 * words["plain"]
    model = "model-last/tok2vec/model"
    one, two, plain = (
        (folder.folder / name / model).read_bytes() for name in ("one", "two", "plain")
    )
    assert one == two != plain
    spacy.load(folder.folder / "one/model-last")


def test_a_missing_file_of_variants_is_named_before_the_first_step(folder):
    folder.write("augmented.cfg", CONFIG + AUGMENTER)
    said = folder.fails("train", "augmented.cfg", "-o", "out")
    assert 'names "variants.json"' in said
    assert "out" not in folder.names()
