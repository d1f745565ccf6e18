"""`lexpool evaluate`; `spacy evaluate` prints the same figures."""

import io
import json
import re
import shutil
import subprocess
import sys

import pytest

lexpool = pytest.importorskip("lexpool")
from lexpool._command.progress import Progress
from lexpool.tokens import DocBin

TEXTS = ["Ada met Babbage in London. It rained there.", "Turing ran to London! He was late."]
# The entities of the annotation, of which the rules below find a part.
ENTS = [[(0, 3, "PER"), (19, 25, "GPE")], [(0, 6, "PER")]]


@pytest.fixture
def folder(shell):
    """A pipeline `m` of rules, and documents `data/` and `gold.spacy`."""
    nlp = lexpool.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("entity_ruler").add_patterns(
        [{"label": label, "pattern": text} for label, text in (("PER", "Ada"), ("GPE", "London"))]
    )
    nlp.add_pipe("span_ruler", config={"spans_key": "ruler"}).add_patterns(
        [{"label": "A", "pattern": "London"}]
    )
    nlp.add_pipe("attribute_ruler").add([[{"IS_PUNCT": True}]], {"TAG": ".", "MORPH": "A=B"})
    nlp.to_disk(shell.folder / "m")
    docs = []
    for text, ents in zip(TEXTS, ENTS, strict=True):
        doc = nlp.make_doc(text)
        doc.ents = [doc.char_span(start, end, label=label) for start, end, label in ents]
        doc.spans["ruler"] = [doc.char_span(text.find("London"), text.find("London") + 6, "A")]
        for token in doc:
            token.tag_, token.is_sent_start = "." if token.text == "." else "N", token.i == 0
            token.set_morph("A=B|C=D")
        docs.append(doc)
    (shell.folder / "data").mkdir()
    for name, content in {"gold": docs, "data/1": docs[:1], "data/2": docs[1:]}.items():
        DocBin(docs=content, store_user_data=True).to_disk(shell.folder / f"{name}.spacy")
    return shell


def rows(printed: str) -> dict[str, list[list[str]]]:
    """The rows of each table by its title, without the speed."""
    found: dict[str, list[list[str]]] = {}
    title = ""
    for line in re.sub(r"\x1b\[[0-9;]*m", "", printed).splitlines():
        if match := re.fullmatch(r"=+ (.*) =+", line.strip()):
            title = match[1]
            found[title] = []
        elif title and line.strip() and not line.startswith(("SPEED", "\u2714")):
            found[title].append(line.split())
    return found


@pytest.mark.parametrize("options", [[], ["--gold-preproc"], ["--spans-key", "ruler"]])
def test_tables_and_figures_are_spacys(folder, options):
    pytest.importorskip("spacy")
    command = [sys.executable, "-m", "spacy", "evaluate", "m", "gold.spacy", "-o", "theirs.json"]
    theirs = subprocess.run(
        [*command, *options], capture_output=True, cwd=folder.folder, timeout=120, check=True
    ).stdout.decode()
    ours = folder.ok("evaluate", "m", "gold.spacy", "-o", "ours.json", *options).stdout.decode()
    expected, found = rows(theirs), rows(ours)
    assert found.keys() == expected.keys()
    for title, own in expected.items():
        # spaCy lists labels in the order of a set.
        assert sorted(found[title]) == sorted(own), title
    assert ["NER", "F", "66.67"] in found["Results"] or "--gold-preproc" in options
    assert re.search(r"^SPEED +\d+$", ours, re.MULTILINE)
    figures = []
    for name in ("theirs", "ours"):
        text = (folder.folder / f"{name}.json").read_text()
        # spaCy writes ten digits.
        figures.append(json.loads(text, parse_float=lambda number: round(float(number), 10)))
        assert figures[-1].pop("speed") > 0
    assert figures[0] == figures[1]


def test_a_folder_is_all_its_files_and_json_goes_to_the_standard_output(folder):
    one = json.loads(folder.ok("evaluate", "m", "gold.spacy", "-o", "-").stdout)
    for data in (["data"], ["data/2.spacy", "data/1.spacy"]):
        other = json.loads(folder.ok("evaluate", "m", *data, "-o", "-", "--quiet").stdout)
        assert {**one, "speed": 0} == {**other, "speed": 0}


def test_figures_of_components_are_apart(folder):
    done = folder.ok("evaluate", "m", "gold.spacy", "--per-component", "-o", "out.json")
    found = rows(done.stdout.decode())
    names = ["tokenizer", "sentencizer", "entity_ruler", "attribute_ruler"]
    assert [title for title in found if title in names] == names
    assert found["entity_ruler"] == [["NER", x, y] for x, y in zip("PRF", ("66.67",) * 3)]
    assert found["Results"] == []
    figures = json.loads((folder.folder / "out.json").read_text())
    assert figures["entity_ruler"]["ents_per_type"]["PER"]["p"] == 1.0


def test_what_is_missing_or_damaged_is_named(folder):
    folder.write("no.spacy", "no")
    folder.write("old.json", "old")
    for args, message in (
        (["m", "absent.spacy"], "[file-not-found] 'absent.spacy' does not exist"),
        (["m", "m/vocab"], "[file-not-found] the folder 'm/vocab' has no files"),
        (["absent", "gold.spacy"], "[E050] "),
        (["m", "no.spacy"], "no.spacy"),
    ):
        said = folder.fails("evaluate", *args, "-o", "old.json")
        assert said.startswith("lexpool: [") and message in said, said
        assert "Traceback" not in said
    assert (folder.folder / "old.json").read_text() == "old"
    assert "--help" in folder.fails("evaluate", "m", code=2)


def test_labels_reach_the_terminal_escaped(folder):
    doc = lexpool.blank("en")("Ada")
    doc.ents = [doc.char_span(0, 3, label="\x1b[31mE\u202e")]
    DocBin(docs=[doc]).to_disk(folder.folder / "evil.spacy")
    printed = folder.ok("evaluate", "m", "evil.spacy").stdout.decode()
    assert r"\u{1b}[31mE\u{202e}" in printed and "\x1b" not in printed


def test_a_reader_that_ends_early_is_no_error(folder):
    with folder.start("evaluate", "m", "gold.spacy") as running:
        running.stdout.close()
        assert running.wait(60) == 0
        assert running.stderr.read() == b""


def test_a_bar_is_drawn_on_terminals_and_removed(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    for quiet in (False, True):
        monkeypatch.setattr(sys, "stderr", Terminal())
        with Progress(4, "documents", quiet=quiet) as progress:
            monkeypatch.setattr(progress, "_drawn", -1.0)
            assert list(progress.over("ab")) == ["a", "b"]
        drawn = sys.stderr.getvalue()
        if quiet:
            assert drawn == ""
        else:
            assert re.match(r"\r\x1b\[2K=+> +1/4 documents  \d+s left", drawn)
            assert drawn.endswith("\r\x1b[2K")


def test_components_of_ones_own_come_from_a_module(folder):
    folder.write(
        "own.py",
        "import lexpool.language\n"
        "@lexpool.language.Language.component('shout')\n"
        "def shout(doc):\n"
        "    return doc\n",
    )
    config = folder.folder / "m" / "config.cfg"
    text = config.read_text()
    shutil.copytree(folder.folder / "m", folder.folder / "mine")
    own = text.replace("pipeline = [", 'pipeline = ["shout",').replace(
        "[components]", '[components]\n\n[components.shout]\nfactory = "shout"'
    )
    assert own != text
    (folder.folder / "mine" / "config.cfg").write_text(own)
    assert "shout" in folder.fails("evaluate", "mine", "gold.spacy")
    said = folder.ok("evaluate", "mine", "gold.spacy", "--code", "own.py", "-o", "-").stdout
    assert json.loads(said)["ents_f"] > 0
