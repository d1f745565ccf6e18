"""`lexpool train`; spaCy loads what it writes, and predicts the same."""

import json
import re
import shutil

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
    plan, *lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert plan.keys() == {"memory"}
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


def test_a_span_ruler_of_another_pipeline_is_scored_with_the_weights_of_spacy(folder):
    ruler = spacy.blank("en")
    ruler.add_pipe("span_ruler").add_patterns([{"label": "DOG", "pattern": "dog"}])
    ruler.to_disk(folder.folder / "ruler")
    sourced = '[components.span_ruler]\nsource = "ruler"\n\n[training]\nmax_steps = 2'
    config = CONFIG.replace('"senter"]', '"senter","span_ruler"]')
    folder.write("config.cfg", config.replace("[training]\nmax_steps = 60", sourced))
    folder.ok("train", "config.cfg", "-o", "out")
    weights = lexpool.load(folder.folder / "out/model-last").config["training"]["score_weights"]
    scores = spacy.blank("en").get_factory_meta("span_ruler").default_score_weights
    assert {name: weight for name, weight in weights.items() if name.startswith("spans_")} == {
        name: weight and round(weight / 3, 2) for name, weight in scores.items()
    }
    meta = json.loads((folder.folder / "out/model-last/meta.json").read_text())
    assert "spans_ruler_f" in meta["performance"]


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


def test_the_memory_of_a_training_is_planned_and_shown(folder):
    steps = ("--training.max_steps=0", "--training.max_epochs=1")
    printed = folder.ok("train", "config.cfg", "-o", "out", *steps, "--memory", "3GB").stdout
    line = next(line for line in printed.decode().splitlines() if "Memory" in line)
    assert re.search(
        r"about [\d.]+ MB of at most 3,000.0 MB \(process .*workspace [\d.]+ MB\)", line
    )
    done = folder.ok("train", "config.cfg", "-o", "json", *steps, "--json")
    plan = json.loads(done.stdout.splitlines()[0])["memory"]
    parts = ("process", "parameters", "corpus", "workspace")
    assert plan["total"] == sum(plan[part] for part in parts)
    assert 0 < plan["total"] < plan["limit"]
    means = ("--training.optimizer.use_averages=true", "--training.optimizer.@optimizers=Adam.v1")
    done = folder.ok("train", "config.cfg", "-o", "means", *steps, *means, "--json")
    with_means = json.loads(done.stdout.splitlines()[0])["memory"]
    assert with_means["parameters"] > plan["parameters"]


def test_a_training_beyond_its_memory_is_refused_before_the_first_step(folder):
    corpus = AUGMENTER.partition("\n[corpora.train.augmenter]")[0] + "max_length = 0\n"
    given = CONFIG.replace('train = "train.spacy"', 'train = "long.spacy"', 1)
    folder.write("one.cfg", given + corpus)
    nlp = spacy.blank("en")
    long = spacy.tokens.Doc(nlp.vocab, words=["a"] * 40_000, tags=["X"] * 40_000,
                            sent_starts=[i % 10 == 0 for i in range(40_000)])  # fmt: skip
    spacy.tokens.DocBin(docs=[long], attrs=["TAG", "SENT_START"]).to_disk(
        folder.folder / "long.spacy"
    )
    said = folder.fails("train", "one.cfg", "-o", "out", "--memory", "75MB")
    assert "[training-memory]" in said
    assert "largest part is workspace" in said
    assert "long.spacy, document 0, of 40000 words" in said
    most = int(re.search(r'"max_length" of \[corpora.train\] to at most (\d+)', said)[1])
    assert "out" not in folder.names()
    cut = ("--training.max_steps=1", f"--corpora.train.max_length={min(most, 39_000)}")
    folder.ok("train", "one.cfg", "-o", "out", "--memory", "75MB", *cut)
    said = folder.fails("train", "config.cfg", "-o", "small", "--memory", "1MB")
    assert "[training-memory]" in said


@pytest.fixture
def large(folder):
    """A corpus of 20 files that need some 40 MB as examples."""
    nlp = spacy.blank("en")
    words = [f"w{i % 997}" for i in range(500)]
    doc = spacy.tokens.Doc(nlp.vocab, words=words, tags=["X", "Y"] * 250, sent_starts=[True, False] * 250)  # fmt: skip
    part = spacy.tokens.DocBin(docs=[doc] * 40, attrs=["TAG", "SENT_START"]).to_bytes()
    for number in range(20):
        (folder.folder / "large").mkdir(exist_ok=True)
        folder.write(f"large/{number:02}.spacy", part)
    return ("--paths.train=large", "--training.max_steps=60", "--memory", "50MB")


def test_a_corpus_beyond_the_memory_is_refused_while_it_is_read(folder, large):
    said = folder.fails("train", "config.cfg", "-o", "out", *large)
    assert "[training-memory]" in said
    place = re.search(r"the documents up to large/(\d\d).spacy, document \d+ need", said)
    assert 2 < int(place[1]) < 19, said
    assert '"max_epochs" of [training] to -1' in said
    assert "out" not in folder.names()
    # A file is held as a whole, so one that is too large is not read at all.
    folder.write("large/03.spacy", bytes(60_000_000))
    said = folder.fails("train", "config.cfg", "-o", "out", *large, "--training.max_epochs=-1")
    assert "the file large/03.spacy need" in said


def test_a_corpus_beyond_the_memory_is_read_while_training(folder, large):
    done = folder.ok("train", "config.cfg", "-o", "out", *large, "--training.max_epochs=-1")
    assert "a stream that begins with 100 documents of 50,000 words" in done.stdout.decode()
    assert folder.ok("train", "config.cfg", "-o", "out", *large[:1], "--training.max_epochs=-1",
                     "--training.max_steps=65", "--resume", "--quiet")  # fmt: skip


def test_weights_of_an_earlier_training_begin_another_one(folder):
    folder.ok("train", "config.cfg", "-o", "out", "--quiet")
    model = folder.folder / "out/model-last/tagger/model"
    before = model.read_bytes()
    # Other settings and another number of steps; nothing of the state is taken.
    rate = ("--training.optimizer.learn_rate=0.0", "--training.dropout=0.3")
    lines = folder.ok(
        "train", "config.cfg", "-o", "out", "--resume=weights", *rate, "--training.max_steps=30",
        "--training.optimizer.L2=0.0", "--json",
    ).stdout.splitlines()  # fmt: skip
    rows = [json.loads(line) for line in lines[1:]]
    assert [row["step"] for row in rows] == [0, 30]
    assert rows[0]["score"] > 0.9
    assert model.read_bytes() == before
    (folder.folder / "out/model-last").rename(folder.folder / "moved")
    shutil.rmtree(folder.folder / "out/model-best")
    (folder.folder / "moved").rename(folder.folder / "out/model-best")
    steps = ("--training.max_steps=0", "--training.max_epochs=1", "--quiet")
    folder.ok("train", "config.cfg", "-o", "out", "--resume=weights", *rate, *steps)
    folder.fails("train", "config.cfg", "-o", "none", "--resume=weights")


def test_weights_of_other_components_labels_or_sizes_are_refused(folder, tagged):
    folder.ok("train", "config.cfg", "-o", "out", "--quiet", "--training.max_steps=1")
    kept = {p: p.read_bytes() for p in (folder.folder / "out").rglob("*") if p.is_file()}
    again = ("train", "-o", "out", "--resume=weights")

    said = folder.fails(*again, "config.cfg", "--components.tok2vec.model.width=24")
    assert "[weights-different]" in said
    assert "the component 'tok2vec'" in said.replace('"', "'")
    assert "shape" in said

    nlp = spacy.blank("en")
    doc = spacy.tokens.Doc(nlp.vocab, words=["a", "b"], tags=["NEW", "N"], sent_starts=[1, -1])
    spacy.tokens.DocBin(docs=[doc]).to_disk(folder.folder / "other.spacy")
    said = folder.fails(*again, "config.cfg", "--paths.train=other.spacy")
    assert 'the component "tagger": the weights lack labels of the corpus: "N", "NEW"' in said
    assert "the corpus lacks labels of the weights" in said

    own = CONFIG[CONFIG.index("[components.senter]") : CONFIG.index("[training]")]
    more = CONFIG.replace('"senter"]', '"senter","other"]')
    more += own.replace("components.senter", "components.other")
    folder.write("more.cfg", more)
    said = folder.fails(*again, "more.cfg")
    assert 'the component "other" is missing there' in said
    assert kept == {p: p.read_bytes() for p in (folder.folder / "out").rglob("*") if p.is_file()}


def test_resume_refuses_another_file_of_variants(folder):
    variants = {"single": [{"tags": ["."], "variants": [".", "!"]}], "paired": []}
    folder.write("variants.json", json.dumps(variants))
    folder.write("augmented.cfg", CONFIG + AUGMENTER)
    steps = ("-o", "out", "--training.eval_frequency=3", "--quiet")
    folder.ok("train", "augmented.cfg", *steps, "--training.max_steps=3")
    variants["single"][0]["variants"].append("?")
    folder.write("variants.json", json.dumps(variants))
    again = ("train", "augmented.cfg", *steps, "--training.max_steps=6", "--resume")
    said = folder.fails(*again)
    assert "[state-different]" in said
    assert "the file of [corpora.train.augmenter.orth_variants]: other contents" in said
    variants["single"][0]["variants"].pop()
    folder.write("variants.json", json.dumps(variants))
    folder.ok(*again)


def with_corpora(train: str) -> str:
    """Returns the configuration with a reader for the corpus of the training."""
    return f"""{CONFIG}
[corpora]

[corpora.train]
{train}

[corpora.dev]
@readers = "spacy.Corpus.v1"
path = ${{paths.dev}}
gold_preproc = false
max_length = 0
limit = 0
augmenter = null
"""


READERS = {
    "documents": '@readers = "spacy.Corpus.v1"\npath = "train.spacy"\nlimit = 10',
    "mapped": '@readers = "lexpool.Corpus.v1"\npath = "train.corpus"\nlimit = 10',
}


@pytest.mark.parametrize("epochs", [0, -1], ids=["at once", "as a stream"])
def test_a_mapped_corpus_trains_the_same_model_as_a_file_of_documents(folder, epochs):
    folder.ok("corpus", "convert", "train.spacy", "-o", "train.corpus")
    made = {}
    for name, reader in READERS.items():
        folder.write("own.cfg", with_corpora(reader))
        steps = ("--training.max_steps=30", f"--training.max_epochs={epochs}")
        folder.ok("train", "own.cfg", "-o", name, *steps, "--quiet")
        made[name] = (folder.folder / name / "model-last/tagger/model").read_bytes()
    assert made["mapped"] == made["documents"]


@pytest.mark.parametrize("epochs", [0, -1], ids=["at once", "as a stream"])
def test_texts_without_annotation_teach_nothing_and_are_refused(folder, tagged, epochs):
    texts = [f"{first} {second}" for first in tagged for second in tagged]
    folder.write("train.txt", "".join(f"{text}\n" for text in texts))
    folder.write("train.jsonl", "".join(json.dumps({"text": text}) + "\n" for text in texts))
    folder.write("wrong.jsonl", '{"text": "Good."}\n{"texts": 1}\n')
    expected = {
        "txt": '[E143] the component "tagger" has no labels',
        "jsonl": '[E143] the component "tagger" has no labels',
        "wrong.jsonl": "wrong.jsonl, line 2",
    }
    for name, said in expected.items():
        path = name if "." in name else f"train.{name}"
        kind = "PlainText" if name == "txt" else "Jsonl"
        reader = f'@readers = "spacy.{kind}Corpus.v1"\npath = "{path}"'
        folder.write("own.cfg", with_corpora(reader))
        told = folder.fails("train", "own.cfg", "-o", "out", f"--training.max_epochs={epochs}")
        assert said in told, name
        assert not (folder.folder / "out").exists()
