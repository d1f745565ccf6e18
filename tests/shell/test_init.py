"""`lexpool init`, `config` and `debug`: configurations beside those of spaCy's commands."""

import json
import random
import re

import pytest

lexpool = pytest.importorskip("lexpool")
spacy = pytest.importorskip("spacy")
from spacy.cli.init_config import fill_config, init_config

from lexpool.tokens import DocBin

COMPONENTS = [
    "tagger",
    "morphologizer",
    "trainable_lemmatizer",
    "parser",
    "ner",
    "senter",
    "sentencizer",
    "textcat",
    "textcat_multilabel",
    "spancat",
    "spancat_singlelabel",
    "span_finder",
]


def plain(value):
    """A value with numbers that are equal in Python as one, and without spaCy's order of keys."""
    if isinstance(value, dict):
        return {key: plain(inner) for key, inner in value.items()}
    return value


def common(theirs: dict, ours: dict) -> dict:
    """The values of theirs for the keys of ours."""
    return {
        key: common(theirs[key], value) if isinstance(value, dict) else theirs[key]
        for key, value in ours.items()
    }


def filled(path):
    return fill_config(path.with_suffix(".filled"), path, silent=True)[1]


def pipelines():
    """Each component alone, and some of several."""
    chosen = random.Random(0)
    several = [chosen.sample(COMPONENTS, chosen.randint(2, 6)) for _ in range(6)]
    return [[name] for name in COMPONENTS] + several


@pytest.mark.parametrize("optimize", ["efficiency", "accuracy"])
def test_settings_are_those_of_the_quickstart_of_spacy(shell, optimize):
    for at, pipeline in enumerate(pipelines()):
        path = shell.folder / f"{at}.cfg"
        shell.ok("init", "config", "-p", ",".join(pipeline), "-o", optimize, path.name)
        theirs = init_config(lang="en", pipeline=pipeline, optimize=optimize, silent=True)
        # The same effect: spaCy fills in what our file leaves out.
        assert plain(dict(filled(path))) == plain(dict(theirs)), pipeline


@pytest.mark.parametrize("lang", ["de", "fi", "xx", "en"])
def test_word_vectors_are_those_that_spacy_recommends_for_a_language(shell, lang):
    shell.ok("init", "config", "-l", lang, "-p", "ner", "-o", "accuracy", "a.cfg")
    theirs = init_config(lang=lang, pipeline=["ner"], optimize="accuracy", silent=True)
    ours = filled(shell.folder / "a.cfg")
    assert ours["paths"] == theirs["paths"] and ours["nlp"]["lang"] == lang


def test_a_configuration_is_filled_as_by_spacy(shell):
    base = "\n".join(
        [
            "[nlp]",
            'lang = "en"',
            'pipeline = ["tagger","spans"]',
            "[components]",
            "[components.tagger]",
            'factory = "tagger"',
            "[components.tagger.model]",
            '@architectures = "spacy.Tagger.v2"',
            "[components.tagger.model.tok2vec]",
            '@architectures = "spacy.HashEmbedCNN.v2"',
            "pretrained_vectors = null",
            "width = 8",
            "depth = 1",
            "embed_size = 50",
            "window_size = 1",
            "maxout_pieces = 2",
            "subword_features = true",
            "[components.spans]",
            'factory = "span_finder"',
            "[components.spans.model]",
            '@architectures = "spacy.SpanFinder.v1"',
            "[components.spans.model.scorer]",
            '@layers = "spacy.LinearLogistic.v1"',
            "nO = 2",
            "[components.spans.model.tok2vec]",
            '@architectures = "spacy.HashEmbedCNN.v2"',
            "pretrained_vectors = null",
            "width = 8",
            "depth = 1",
            "embed_size = 50",
            "window_size = 1",
            "maxout_pieces = 2",
            "subword_features = true",
            "[training]",
            "max_steps = 7",
        ]
    )
    shell.write("base.cfg", base)
    shell.ok("init", "fill-config", "base.cfg", "out.cfg")
    theirs = filled(shell.folder / "base.cfg")
    ours = spacy.util.load_config(shell.folder / "out.cfg")
    for section in ("nlp", "training", "initialize", "corpora", "paths"):
        assert common(theirs[section], ours[section]) == ours[section], section
    again = shell.ok("init", "fill-config", "out.cfg").stdout.decode()
    assert again == (shell.folder / "out.cfg").read_text()


def test_an_existing_file_is_replaced_only_by_force(shell):
    shell.write("own.cfg", "mine")
    said = shell.fails("init", "config", "own.cfg", code=2)
    assert "own.cfg exists; --force replaces it" in said
    assert (shell.folder / "own.cfg").read_text() == "mine"
    shell.ok("init", "config", "own.cfg", "--force", "--training.dropout", "0.25")
    assert spacy.util.load_config(shell.folder / "own.cfg")["training"]["dropout"] == 0.25


def test_unknown_components_and_languages_are_named(shell):
    said = shell.fails("init", "config", "-p", "taggr", "-")
    assert 'the nearest is "tagger"' in said
    assert "textcat_multilabel" in said
    assert "given twice" in shell.fails("init", "config", "-p", "ner,ner", "-")
    shell.fails("init", "config", "-l", "qqq", "-")


@pytest.fixture
def corpus(shell):
    """Documents with tags, trees, entities, categories and spans; the last is of dev alone."""
    texts = ["We saw Anna Lee .", "He met Bo .", "She likes Paris .", "They left  ."]
    docs = []
    nlp = lexpool.blank("en")
    for text in texts:
        doc = nlp.make_doc(text)
        for token in doc:
            token.tag_ = "SP" if token.is_space else ("." if token.is_punct else token.text[0])
            token.dep_ = "ROOT" if token.i == 1 else "dep"
            token.head = doc[1]
        doc.ents = [
            lexpool.tokens.Span(doc, 2, len(doc) - 1, label="PLACE" if "Paris" in text else "PER")
        ]
        doc.cats = {"a": 1.0, "b": float("met" in text)}
        docs.append(doc)
    DocBin(docs=docs[:2] + docs[3:], store_user_data=True).to_disk(shell.folder / "train.spacy")
    DocBin(docs=docs[1:3], store_user_data=True).to_disk(shell.folder / "dev.spacy")
    shell.ok(
        "init", "config", "-p", "tagger,ner,textcat_multilabel", "c.cfg",
        "--paths.train", "train.spacy", "--paths.dev", "dev.spacy",
    )  # fmt: skip
    return shell


LABELS = "spacy.read_labels.v1"
ALL = "tagger,morphologizer,trainable_lemmatizer,parser,ner,spancat,textcat,textcat_multilabel"


def test_labels_are_those_that_spacy_writes_and_trainings_read_them(corpus):
    docs = list(
        DocBin().from_disk(corpus.folder / "train.spacy").get_docs(lexpool.blank("en").vocab)
    )
    for doc in docs:
        for token in doc:
            token.lemma_ = {"saw": "see", "met": "meet", "left": "leave"}.get(
                token.text, token.lower_
            )
            token.pos_ = "VERB" if token.i == 1 else "NOUN"
            token.set_morph("Tense=Past" if token.i == 1 else "")
        doc.spans["sc"] = [lexpool.tokens.Span(doc, 0, 2, label="START")]
        doc.cats = {"a": 1.0, "b": 0.0}
    # The parser learns only arcs that occur 30 times.
    DocBin(docs=docs * 15, store_user_data=True).to_disk(corpus.folder / "train.spacy")
    paths = ("--paths.train", "train.spacy", "--paths.dev", "train.spacy")
    corpus.ok("init", "config", "-p", ALL, "all.cfg", *paths)
    # Lemmas that occur once count too.
    text = (corpus.folder / "all.cfg").read_text()
    corpus.write("all.cfg", re.sub("min_tree_freq = .*", "min_tree_freq = 1", text))
    said = corpus.ok("init", "labels", "all.cfg", "labels").stderr.decode()
    assert "labels/tagger.json" in said
    nlp = spacy.util.load_model_from_config(
        spacy.util.load_config(corpus.folder / "all.cfg"), auto_fill=True
    )
    reader = spacy.training.Corpus(corpus.folder / "train.spacy")
    nlp.initialize(lambda: list(reader(nlp)))
    given = {}
    for name in ALL.split(","):
        ours = json.loads((corpus.folder / f"labels/{name}.json").read_text())
        expected = nlp.get_pipe(name).label_data
        expected = list(expected) if isinstance(expected, tuple) else expected
        assert json.dumps(ours) == json.dumps(expected), name
        given[name] = {"labels": {"@readers": LABELS, "path": f"labels/{name}.json"}}
    for name, settings in (("found", {}), ("given", given)):
        own = ("--initialize.components", json.dumps(settings))
        corpus.ok("train", "all.cfg", "-o", name, "--training.max_steps=2", "--quiet", *own)
    for name in ALL.split(","):
        one, two = (
            corpus.folder / own / "model-last" / name / "model" for own in ("found", "given")
        )
        assert one.read_bytes() == two.read_bytes(), name


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        ("[]", 'expected an object with "trees" and "labels"'),
        ('{"trees": [1], "labels": []}', 'expected an object with "trees" and "labels"'),
        ('{"trees": [{"orig": 1.5}], "labels": []}', 'expected an object with "trees"'),
        ('{"trees": [], "labels": [0]}', "[E"),
        ("{", "is not JSON"),
    ],
)
def test_labels_of_another_form_are_refused(corpus, labels, said):
    corpus.write("own.json", labels)
    paths = ("--paths.train", "train.spacy", "--paths.dev", "dev.spacy")
    corpus.ok("init", "config", "-p", "trainable_lemmatizer", "l.cfg", *paths)
    reader = {"@readers": LABELS, "path": "own.json", "require": True}
    given = json.dumps({"trainable_lemmatizer": {"labels": reader}})
    told = corpus.fails("train", "l.cfg", "-o", "out", "--initialize.components", given)
    assert said in told
    assert not (corpus.folder / "out").exists()


def test_a_configuration_is_checked_without_its_corpora(corpus):
    assert (
        "c.cfg: lexpool trains it: tok2vec, tagger, ner"
        in corpus.ok("config", "check", "c.cfg", "--paths.train", "absent").stdout.decode()
    )
    told = json.loads(corpus.ok("config", "check", "c.cfg", "--json").stdout)
    assert told["components"] == ["tok2vec", "tagger", "ner", "textcat_multilabel"]
    said = corpus.fails("config", "check", "c.cfg", "--training.max_stepz", "3")
    assert 'the nearest known key is "max_steps"' in said


def test_differences_of_configurations_are_listed(corpus):
    assert corpus.ok("config", "diff", "c.cfg", "c.cfg").stdout == b"no differences\n"
    corpus.ok(
        "init",
        "config",
        "-p",
        "tagger,ner,textcat_multilabel",
        "d.cfg",
        "--training.dropout",
        "0.3",
    )
    printed = corpus.ok("config", "diff", "c.cfg", "d.cfg").stdout.decode()
    assert "[training]\n- dropout = 0.1\n+ dropout = 0.3\n" in printed
    assert '- train = "train.spacy"\n+ train = null\n' in printed
    rows = json.loads(corpus.ok("config", "diff", "c.cfg", "--json").stdout)
    assert {(row["section"], row["key"]) for row in rows} == {
        ("paths", "train"), ("paths", "dev"), ("components.tagger", "label_smoothing"),
    }  # fmt: skip


def test_the_report_on_corpora_names_what_is_odd(corpus):
    printed = corpus.ok("debug", "data", "c.cfg").stdout.decode()
    assert "train 3 documents, 13 words" in printed
    assert "1 texts of dev are in train too" in printed
    assert "labels of dev that train lacks: PLACE" in printed
    assert "spans that begin or end with whitespace: 1 in train, 0 in dev" in printed
    assert "categories that all documents have: a" in printed
    told = json.loads(corpus.ok("debug", "data", "c.cfg", "--json").stdout)
    alone = corpus.folder / "without.spacy"
    DocBin(docs=[lexpool.blank("en")("Nothing .")]).to_disk(alone)
    printed = corpus.ok("debug", "data", "c.cfg", "--paths.train", alone.name).stdout.decode()
    assert "nothing to learn from" in printed and "that all documents have" not in printed
    ner = next(own for own in told["components"] if own["name"] == "ner")
    assert ner["labels"] == {"PER": [3, 1], "PLACE": [0, 1]}
    assert told["overlap"] == 1
    assert "PER: 3 in train, 1 in dev" in corpus.ok("debug", "data", "c.cfg", "-v").stdout.decode()


@pytest.mark.parametrize("command", ["config", "fill-config"])
def test_settings_of_a_pretraining_are_those_of_spacy(shell, command):
    shell.ok("init", "config", "-p", "tagger", "base.cfg")
    base = shell.folder / "base.cfg"
    theirs = fill_config(base.with_suffix(".filled"), base, pretraining=True, silent=True)[1]
    if command == "config":
        shell.ok("init", "config", "-p", "tagger", "ours.cfg", "--pretraining")
    else:
        shell.ok("init", "fill-config", "base.cfg", "ours.cfg", "--pretraining")
    ours = spacy.util.load_config(shell.folder / "ours.cfg")
    assert plain(ours["pretraining"]) == plain(theirs["pretraining"])
    assert ours["pretraining"]["objective"]["n_characters"] == 4
    assert plain(ours["corpora"]["pretrain"]) == plain(theirs["corpora"]["pretrain"])
    assert ours["paths"]["raw_text"] is None
