"""`lexpool annotate` and `lexpool model`, on a pipeline with components of every kind."""

import json
import sys
from pathlib import Path

import pytest

lexpool = pytest.importorskip("lexpool")
spacy = pytest.importorskip("spacy")
sys.path.insert(0, str(Path(__file__).parents[1] / "python"))

from trained_pipelines import TEXTS, examples

from lexpool.tokens import Doc, DocBin

LINES = [text for text in TEXTS if "\n" not in text]
PARTS = ["tagger", "morphologizer", "trainable_lemmatizer", "parser", "ner", "textcat", "spancat"]


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """A pipeline of random weights that spaCy has written."""
    nlp = spacy.blank("en")
    for name in PARTS:
        nlp.add_pipe(name)
    nlp.initialize(lambda: examples(nlp))
    folder = tmp_path_factory.mktemp("annotate") / "model"
    nlp.to_disk(folder)
    return str(folder)


@pytest.fixture
def texts(shell):
    shell.write("in.txt", "\n".join(LINES) + "\n")
    return shell


def tokens(line: dict) -> list[dict]:
    """The tokens of a line without their texts, which spaCy's JSON does not have."""
    return [
        {key: value for key, value in token.items() if key != "text"} for token in line["tokens"]
    ]


def expected(model: str, **options) -> list[Doc]:
    return list(lexpool.load(model, **options).pipe(LINES))


def test_json_lines_have_the_annotation_that_python_gives(texts, model):
    done = texts.ok("annotate", "-p", model, "in.txt", "-q")
    assert done.stderr == b""
    found = [json.loads(line) for line in done.stdout.splitlines()]
    for line, doc in zip(found, expected(model), strict=True):
        as_json = doc.to_json()
        assert tokens(line) == as_json["tokens"]
        assert line["text"] == as_json["text"]
        assert line.get("cats", {}) == pytest.approx(doc.cats)
        assert line.get("spans", {}) == as_json.get("spans", {})
        assert [(ent["start"], ent["end"], ent["label"]) for ent in line.get("ents", [])] == [
            (ent.start_char, ent.end_char, ent.label_) for ent in doc.ents
        ]


@pytest.mark.parametrize("threads", ["1", "3"])
def test_a_docbin_has_the_annotation_that_python_gives(texts, model, threads):
    texts.ok("annotate", "-p", model, "in.txt", "-o", "out.spacy", "--threads", threads)
    vocab = lexpool.blank("en").vocab
    docs = list(DocBin().from_disk(texts.folder / "out.spacy").get_docs(vocab))
    for found, doc in zip(docs, expected(model), strict=True):
        assert found.to_json() == doc.to_json()
        assert found.cats == doc.cats
        for key, group in doc.spans.items():
            assert list(found.spans[key].attrs.get("scores", [])) == pytest.approx(
                list(group.attrs.get("scores", []))
            )


def test_corpora_and_treebanks_agree_with_the_docbin(texts, model):
    for name in ("out.spacy", "out.corpus", "out.conllu"):
        texts.ok("annotate", "-p", model, "in.txt", "-o", name, "-q")
    heads = [
        [
            json.loads(line)
            for line in texts.ok("corpus", "head", name, "-n", "9").stdout.splitlines()
        ]
        for name in ("out.spacy", "out.corpus")
    ]
    assert heads[0] == heads[1]
    rows = (texts.folder / "out.conllu").read_text("utf8").splitlines()
    words = [row.split("\t") for row in rows if row[:1].isdigit()]
    own = [token for doc in expected(model) for token in doc if not token.is_space]
    assert [(row[1], row[3], row[4]) for row in words] == [
        (token.text, token.pos_ or "_", token.tag_ or "_") for token in own
    ]


def test_an_arrow_file_has_a_column_for_each_annotation(texts, model):
    pyarrow = pytest.importorskip("pyarrow")
    texts.ok("annotate", "-p", model, "in.txt", "-o", "out.arrow")
    with pyarrow.ipc.open_file(texts.folder / "out.arrow") as file:
        rows = file.read_all().to_pylist()
    for row, doc in zip(rows, expected(model), strict=True):
        assert row["text"] == doc.text
        for found, token in zip(row["tokens"], doc, strict=True):
            strings = ("tag", "pos", "lemma", "dep", "ent_type", "ent_kb_id")
            assert [found[name] or "" for name in strings] == [
                getattr(token, f"{name}_") for name in strings
            ]
            assert (found["morph"] or "") == str(token.morph)
            assert (found["head"], found["ent_iob"]) == (token.head.i, token.ent_iob)
            assert (found["sent_start"] == 1) == token.is_sent_start
        assert {cat["label"]: cat["score"] for cat in row["cats"]} == doc.cats
        spans = [
            (span["group"], span["start"], span["end"], span["label"]) for span in row["spans"]
        ]
        assert spans == [
            (key, span.start, span.end, span.label_)
            for key, group in doc.spans.items()
            for span in group
        ]


def test_components_are_chosen_by_name(texts, model):
    done = texts.ok("annotate", "-p", model, "in.txt", "--enable", "tagger,ner")
    found = [json.loads(line) for line in done.stdout.splitlines()]
    for line, doc in zip(found, expected(model, enable=["tagger", "ner"]), strict=True):
        assert tokens(line) == doc.to_json()["tokens"]
        assert "cats" not in line
    done = texts.ok("annotate", "-p", model, "in.txt", "--exclude", ",".join(PARTS))
    assert not any(
        "tag" in token for line in done.stdout.splitlines() for token in json.loads(line)["tokens"]
    )


def test_the_summary_counts_tokens(texts, model):
    done = texts.ok("annotate", "-p", model, "in.txt", "-o", "out.spacy", "--json")
    summary = json.loads(done.stdout)
    assert summary["documents"] == len(LINES)
    assert summary["tokens"] == sum(map(len, expected(model)))
    assert (summary["format"], summary["output"]) == ("spacy-docbin", "out.spacy")


def test_wrong_input_is_named_and_leaves_no_file(texts, model):
    before = texts.names()
    assert "no-such is not a folder" in texts.fails(
        "annotate", "-p", "no-such", "in.txt", "-o", "out.spacy"
    )
    assert "missing.txt" in texts.fails("annotate", "-p", model, "missing.txt", "-o", "out.spacy")
    texts.write("bad.txt", b"good\n\xff\n")
    assert "bad.txt, line 2" in texts.fails("annotate", "-p", model, "bad.txt", "-o", "out.spacy")
    (texts.folder / "bad.txt").unlink()
    for name, message in (("out.parquet", "has no annotation"), ("out.what", "cannot tell")):
        assert message in texts.fails("annotate", "-p", model, "in.txt", "-o", name, code=2)
    assert texts.names() == before


def test_model_info_describes_each_component(shell, model):
    summary = json.loads(shell.ok("model", "info", model, "--json").stdout)
    nlp = spacy.load(model)
    assert [part["name"] for part in summary["components"]] == nlp.pipe_names
    for part in summary["components"]:
        component = nlp.get_pipe(part["name"])
        networks = component.model.walk()
        count = sum(
            node.get_param(name).size
            for node in networks
            for name in node.param_names
            if node.has_param(name)
        )
        assert part["parameters"] == count
        assert part["labels"] == len(nlp.meta["labels"].get(part["name"], ()))
    table = shell.ok("model", "info", model).stdout.decode()
    assert "spacy.TransitionBasedParser.v2" in table and "language   en" in table


def test_model_check_runs_the_pipeline_or_lists_every_refusal(shell, model, tmp_path):
    assert "lexpool runs it: tagger, " in shell.ok("model", "check", model).stdout.decode()
    checked = json.loads(shell.ok("model", "check", model, "--json").stdout)
    assert checked["components"] == PARTS
    nlp = spacy.load(model)
    nlp.add_pipe("sentencizer", name="odd")
    folder = tmp_path / "odd"
    nlp.to_disk(folder)
    config = (folder / "config.cfg").read_text("utf8")
    config = config.replace('factory = "sentencizer"', 'factory = "transformer"')
    config = config.replace("spacy.HashEmbedCNN.v2", "my.Own.v1", 1)
    (folder / "config.cfg").write_text(config, "utf8")
    message = shell.fails("model", "check", str(folder))
    assert "my.Own.v1" in message and "[components.odd]" in message and "spaCy" in message
    # A description needs no component to run.
    assert "transformer" in shell.ok("model", "info", str(folder)).stdout.decode()
