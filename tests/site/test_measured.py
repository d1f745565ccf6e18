"""The figures of docs/measured have the shape that pages read, and what is not so is named."""

import copy
import json
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs/generate"))

import measured

GOOD = {
    "head": {
        "date": "2026-11-22",
        "commit": "0123456789ab",
        "cpu": "a processor",
        "cores": 2,
        "memory_gb": 23.5,
        "load": 0.1,
        "system": "Linux",
        "python": "3.11.7",
        "spacy": "3.8.18",
        "lexpool": "0.1.0",
        "texts": [{"name": "book.txt", "bytes": 10}],
    },
    "tables": {
        "speed": {
            "title": "Speed",
            "unit": "MB/s",
            "better": "more",
            "baseline": "spacy",
            "columns": {"spacy": "spaCy", "lexpool": "lexpool"},
            "rows": {
                "new-words": {
                    "title": "new words",
                    "values": {"spacy": 1.5, "lexpool": 30},
                    "ratios": {"spacy": 1, "lexpool": 20},
                    "least": 10,
                }
            },
        }
    },
}


def test_every_file_of_figures_has_the_shape_that_pages_read():
    files = measured.read(ROOT / "docs/measured")
    assert {"bench", "files", "interop", "matching", "calls", "reliability"} <= files.keys()
    assert not any("raw" in file for file in files.values())


def test_files_are_put_together_by_their_names(tmp_path):
    (tmp_path / "measured").mkdir()
    (tmp_path / "measured/one.json").write_text(json.dumps(GOOD | {"raw": [1]}))
    assert measured.read(tmp_path / "measured") == {"one": GOOD}


def place(content, path):
    *way, last = path.split(".")
    for key in way:
        content = content[key]
    return content, last


@pytest.mark.parametrize(
    ("path", "value", "says"),
    [
        ("head.date", "yesterday", "head.date: expected a date"),
        ("head.cores", "two", "head.cores"),
        ("head.texts", [{"name": "/home/me/book.txt"}], "a name without a folder"),
        ("tables", {}, None),
        ("tables.speed.better", "larger", "tables.speed.better: expected more or less"),
        ("tables.speed.baseline", "spaCy", "tables.speed.baseline: expected a column"),
        ("tables.speed.rows", {}, "tables.speed.rows: expected a row"),
        ("tables.speed.rows.new-words.values.spacy", None, "values.spacy: expected a number"),
        ("tables.speed.rows.new-words.values.spacy", float("nan"), "expected a number"),
        ("tables.speed.rows.new-words.values.rust", 2.0, "columns of the table"),
        ("tables.speed.rows.new-words.ratios.lexpool", 0, "a ratio above zero"),
        ("tables.speed.rows.new-words.most", "x", "most: expected a number"),
        ("tables.speed.rows.New words", {}, "keys such as new-words"),
        ("runs", {}, "either tables or runs"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(path, value, says):
    content = copy.deepcopy(GOOD)
    at, last = place(content, path)
    at[last] = value
    if says is None:
        measured.check(content)
    else:
        with pytest.raises(measured.Unfit, match=says):
            measured.check(content)


@pytest.mark.parametrize("name", ["title", "unit", "command", "count", "failed", "date"])
def test_a_run_says_what_was_run_and_how_often(name):
    run = {"title": "t", "unit": "u", "command": "c", "count": 3, "failed": 0, "date": "2026-11-22"}
    content = {"head": GOOD["head"], "runs": {"one": run}}
    measured.check(content)
    del run[name]
    with pytest.raises(measured.Unfit, match=f"runs.one.{name}"):
        measured.check(content)


def test_a_run_that_was_not_made_yet_has_neither_count_nor_date():
    run = {"title": "t", "unit": "u", "command": "c"}
    measured.check({"head": GOOD["head"], "runs": {"one": run}})


def test_the_readme_says_what_was_measured_last():
    sys.path.insert(0, str(ROOT / "tests/tools"))
    import readme_figures

    readme = (ROOT / "README.md").read_text()
    section = readme_figures.figures(measured.read(ROOT / "docs/measured"))
    assert readme_figures.with_figures(readme, section) == readme
    assert readme_figures.with_figures(readme, section + "\n") != readme


@pytest.mark.parametrize("name", ["short", "share"])
def test_the_readme_writes_each_number_as_the_site_has_it(name):
    sys.path.insert(0, str(ROOT / "tests/bench"))
    import rounding

    cases = json.loads((ROOT / "docs/tests/rounding.json").read_text())[name]
    assert len(cases) > 5
    assert [getattr(rounding, name)(number) for number, _ in cases] == [text for _, text in cases]
