"""`lexpool convert`: files and folders as documents to train with, as by `spacy convert`."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import lexpool

spacy = pytest.importorskip("spacy")
from spacy.tokens import DocBin

NETWORKS = Path(__file__).parents[1] / "files/pipelines/networks"

ATTRS = ["ORTH", "NORM", "TAG", "POS", "MORPH", "LEMMA", "HEAD", "DEP", "ENT_IOB", "ENT_TYPE"]
ATTRS += ["SENT_START", "SPACY"]

FILES = {
    "a.conllu": (
        "# text = Go!\n1-2\tGo!\t_\t_\t_\t_\t_\t_\t_\t_\n"
        "1\tGo\tgo\tVERB\tVB\tMood=Imp\t0\troot\t_\tSpaceAfter=No|B-PER\n"
        "2\t!\t!\tPUNCT\t.\t_\t1\tpunct\t_\tL-PER\n\n"
        "1\tNo\tno\tINTJ\tUH\t_\t0\troot\t_\tO\n"
    ),
    "b.conll": "I PRP O\nlike VBP O\nRome NNP B-GPE\n\nNo UH O\n",
    "c.iob": "I|O like|O Rome|B-GPE\nNo|O\n",
    "d.ner": "I O\nlike O\nRome B-GPE\n. O\nNo O\n",
    "e.json": json.dumps(
        [
            {
                "id": 0,
                "paragraphs": [
                    {
                        "raw": "I go",
                        "cats": [{"label": "A", "value": 1.0}],
                        "sentences": [
                            {"tokens": [{"orth": "I", "tag": "P"}, {"orth": "go", "tag": "V"}]}
                        ],
                    }
                ],
            }
        ]
    ),
}
CASES = {
    "conllu": (["a.conllu"], []),
    "conllu in groups": (["a.conllu"], ["-n", "2"]),
    "conllu, merged": (["a.conllu"], ["-T", "-m"]),
    "conllu, renamed": (["a.conllu"], ["--ner-map", "map.json", "-n", "10"]),
    "columns": (["b.conll"], ["-n", "10"]),
    "words with bars": (["c.iob"], ["-n", "10"]),
    "detected columns": (["d.ner"], ["-s", "-n", "1"]),
    "columns by name": (["d.ner"], ["-c", "ner", "-n", "0"]),
    "json": (["e.json"], []),
}


@pytest.fixture
def files(shell):
    for name, content in FILES.items():
        shell.write(name, content)
    shell.write("map.json", json.dumps({"PER": "PERSON"}))
    (shell.folder / "ours").mkdir()
    (shell.folder / "theirs").mkdir()
    return shell


def documents(path):
    vocab = spacy.blank("en").vocab
    docs = list(DocBin().from_disk(path).get_docs(vocab))
    return [(doc.text, doc.cats, doc.to_array(ATTRS).tolist()) for doc in docs]


def spacys(folder, *args):
    command = [sys.executable, "-m", "spacy", "convert", *args]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)


def test_documents_are_those_of_spacy(files):
    for name, (inputs, options) in CASES.items():
        files.ok("convert", *inputs, "ours", *options)
        spacys(files.folder, *inputs, "theirs", *options)
        output = inputs[0].rsplit(".", 1)[0] + ".spacy"
        ours, theirs = (documents(files.folder / own / output) for own in ("ours", "theirs"))
        assert ours == theirs, name


def test_json_is_that_of_spacy(files):
    files.ok("convert", "a.conllu", "ours", "-t", "json", "-n", "2")
    spacys(files.folder, "a.conllu", "theirs", "-t", "json", "-n", "2")
    ours, theirs = (
        json.loads((files.folder / own / "a.json").read_text("utf8")) for own in ("ours", "theirs")
    )
    assert ours == theirs
    printed = files.ok("convert", "a.conllu", "-t", "json", "-n", "2").stdout
    assert json.loads(printed) == theirs


def test_a_folder_is_converted_file_by_file_or_into_one(files):
    inner = files.folder / "in" / "deep"
    inner.mkdir(parents=True)
    for name in ("in/x.iob", "in/deep/y.iob"):
        files.write(name, FILES["c.iob"])
    files.write("in/.hidden.iob", "no")
    done = files.ok("convert", "in", "ours", "-n", "10", "--json")
    summaries = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(own["documents"], own["tokens"]) for own in summaries] == [(1, 4)] * 2
    assert len(documents(files.folder / "ours/deep/y.spacy")) == 1
    files.ok("convert", "in", "ours", "-n", "10", "-C", "-q")
    assert len(documents(files.folder / "ours/in.spacy")) == 2


def test_ends_of_lines_and_a_mark_of_byte_order_do_not_count(files):
    text = "\ufeff" + FILES["a.conllu"].replace("\n", "\r\n")
    files.write("w.conllu", text.encode())
    files.ok("convert", "w.conllu", "ours")
    files.ok("convert", "a.conllu", "ours")
    both = [documents(files.folder / "ours" / name) for name in ("w.spacy", "a.spacy")]
    assert both[0] == both[1]


def test_wrong_input_is_named_and_writes_nothing(files):
    files.write("wrong.conllu", "1\ta\n")
    assert "[convert-syntax] wrong.conllu, line 1:" in files.fails(
        "convert", "wrong.conllu", "ours"
    )
    files.write("bytes.iob", b"a|O\n\xff")
    assert "line 2: it is not UTF-8" in files.fails("convert", "bytes.iob", "ours")
    assert "[file-not-found]" in files.fails("convert", "absent.conllu", "ours")
    files.write("wrong.json", "[")
    assert "[convert-json]" in files.fails("convert", "a.conllu", "ours", "--ner-map", "wrong.json")
    assert not list((files.folder / "ours").iterdir())


def test_wrong_usage_is_told(files):
    assert "standard output" in files.fails("convert", "a.conllu", code=2)
    files.write("x.unknown", "a O")
    assert "cannot tell the format" in files.fails("convert", "x.unknown", "ours", code=2)
    (files.folder / "mixed").mkdir()
    files.write("mixed/a.iob", "a|O")
    files.write("mixed/b.json", "[]")
    assert "different formats" in files.fails("convert", "mixed", "ours", code=2)
    (files.folder / "empty").mkdir()
    assert "has no files" in files.fails("convert", "empty", "ours")
    told = files.fails("convert", "empty", "ours", "-c", "conllu")
    assert "has no files that end in conllu or conllubio" in told
    (files.folder / "two").mkdir()
    for name in ("a", "b"):
        files.write(f"two/{name}.iob", FILES["c.iob"])
    told = files.fails("convert", "two", "-t", "json", code=2)
    assert "2 files cannot go to the standard output as one" in told


def test_a_named_converter_takes_the_files_of_its_endings(files):
    (files.folder / "in").mkdir()
    for name in ("a.iob", "b.ner", "c.conllu", "d.txt"):
        files.write(f"in/{name}", FILES["c.iob"])
    files.ok("convert", "in", "ours", "-c", "iob")
    assert sorted(path.name for path in (files.folder / "ours").iterdir()) == ["a.spacy", "b.spacy"]


def test_lines_of_an_unknown_form_are_told_and_read_by_the_ending(files):
    files.write("x.iob", "\n")
    told = files.ok("convert", "x.iob", "ours").stderr.decode()
    assert "warning: the first lines of x.iob are neither of the form" in told
    assert not files.ok("convert", "x.iob", "ours", "-q").stderr


def test_categories_are_kept_in_json(files):
    files.ok("convert", "e.json", "ours", "-t", "json")
    (document,) = json.loads((files.folder / "ours/e.json").read_text("utf8"))
    assert document["paragraphs"][0]["cats"] == [{"label": "A", "value": 1.0}]


def test_the_parser_of_a_pipeline_finds_sentences(files):
    words = "She likes green tea . He went to Rome and no one saw him there again".split() * 3
    files.write("w.ner", "".join(f"{word} O\n" for word in words))
    files.ok("convert", "w.ner", "ours", "-s", "-n", "0", "-b", str(NETWORKS))
    (doc,) = DocBin().from_disk(files.folder / "ours/w.spacy").get_docs(spacy.blank("en").vocab)
    assert [token.text for token in doc] == words
    nlp = lexpool.load(NETWORKS)
    parsed = nlp.get_pipe("parser")(lexpool.tokens.Doc(nlp.vocab, words=words))
    starts = [sent.start for sent in parsed.sents]
    assert [sent.start for sent in doc.sents] == starts and len(starts) > 1


def test_new_names_of_entities_are_strings(files):
    files.write("wrong.json", json.dumps({"PER": 1}))
    told = files.fails("convert", "a.conllu", "ours", "--ner-map", "wrong.json")
    assert '"PER" is 1; expected a string, the new name of the type' in told
