"""The ledger of mutation testing has what cargo-mutants reports, and reasons for survivors."""

import json
import shutil
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests/tools"))

import mutants
import records


def mutant(line: int, change: str) -> dict:
    return {
        "name": f"pool/src/gate.rs:{line}:5: {change}",
        "file": "pool/src/gate.rs",
        "span": {"start": {"line": line, "column": 5}},
    }


LISTED = [
    mutant(1, "replace + with - in enter"),
    mutant(1, "replace + with * in enter"),
    mutant(2, "replace leave with ()"),
    mutant(2, "delete ! in leave"),
    mutant(3, "replace < with <= in is_empty"),
]
OUTCOMES = [mutants.CAUGHT, mutants.MISSED, mutants.TIMEOUT, mutants.UNVIABLE]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "pool/src").mkdir(parents=True)
    (tmp_path / "pool/src/gate.rs").write_text("  count + 1\nfn leave() {\ncount < 1\n")
    return tmp_path


def outcomes(folder: Path, summaries: list[str]) -> Path:
    """A folder of results as cargo-mutants writes it, the unchanged tree first."""
    pairs = zip(["Baseline", *({"Mutant": each} for each in LISTED)], ["Success", *summaries])
    told = [{"scenario": scenario, "summary": summary} for scenario, summary in pairs]
    folder.mkdir(exist_ok=True)
    (folder / "outcomes.json").write_text(json.dumps({"outcomes": told}))
    return folder


def test_results_are_those_of_the_mutants_without_the_unchanged_tree(tree):
    results = mutants.results_of(outcomes(tree / "mutants.out", OUTCOMES))
    assert list(results.values()) == OUTCOMES
    assert results[LISTED[1]["name"]] == mutants.MISSED


def test_a_run_that_tested_nothing_is_refused(tree):
    assert mutants.results_of(tree) == {}
    with pytest.raises(mutants.ReportError, match="no mutant"):
        mutants.entry("pool", LISTED, {}, tree)


def test_results_of_runs_are_put_together_and_later_ones_count(tree):
    outcomes(tree / "mutants.out", OUTCOMES)
    mutants.collect(tree)
    outcomes(tree / "mutants.out", [mutants.CAUGHT] * 2)
    results = mutants.collect(tree)
    assert list(results.values()) == [mutants.CAUGHT, mutants.CAUGHT, *OUTCOMES[2:]]
    shutil.rmtree(tree / "mutants.out")
    assert mutants.collect(tree) == results


def test_a_sample_leaves_out_what_has_a_result_and_survivors_are_tested_again():
    names = [each["name"] for each in LISTED]
    results = dict(zip(names, OUTCOMES))
    assert mutants.chosen(LISTED, {}, again=False, shard=None) == names
    assert mutants.chosen(LISTED, results, again=False, shard="0/2") == [names[4]]
    assert mutants.chosen(LISTED, results, again=False, shard="1/2") == []
    assert mutants.chosen(LISTED, results, again=True, shard=None) == [names[1]]


def test_what_does_not_compile_is_not_counted_and_a_sample_says_of_how_many(tree):
    results = mutants.results_of(outcomes(tree / "mutants.out", OUTCOMES))
    run = mutants.entry("pool", LISTED, results, tree)
    names = ("count", "caught", "timeouts", "unviable", "listed", "failed")
    assert [run[name] for name in names] == [3, 1, 1, 1, 5, 1]


def test_results_of_mutants_that_no_longer_exist_do_not_count(tree):
    gone = {"pool/src/gate.rs:9:5: replace + with - in gone": mutants.MISSED}
    run = mutants.entry("pool", LISTED, gone | {LISTED[0]["name"]: mutants.CAUGHT}, tree)
    assert (run["count"], run["survivors"]) == (1, [])


def test_a_survivor_has_its_reason_wherever_its_line_has_moved(tree):
    known = [
        {
            "file": "pool/src/gate.rs",
            "change": "replace + with * in enter",
            "line": "count + 1",
            "reason": "the count is one",
        }
    ]
    assert mutants.survivor(LISTED[1], known, tree)["reason"] == "the count is one"
    assert "reason" not in mutants.survivor(LISTED[0], known, tree)
    (tree / "pool/src/gate.rs").write_text("\n\n\n  count + 1\n")
    assert mutants.survivor(mutant(4, "replace + with * in enter"), known, tree) == known[0]
    (tree / "pool/src/gate.rs").write_text("count + 2\n")
    assert "reason" not in mutants.survivor(LISTED[1], known, tree)


def test_a_run_takes_the_place_of_an_older_one_of_its_part(tree):
    path = tree / "records.json"
    results = mutants.results_of(outcomes(tree / "mutants.out", OUTCOMES))
    run = mutants.entry("pool", LISTED, results, tree)
    mutants.enter(path, "pool", run | {"caught": 7}, "2026-11-01", "aaaaaaaaaaaa")
    mutants.enter(path, "nn", run, "2026-11-02", "bbbbbbbbbbbb")
    mutants.enter(path, "pool", run, "2026-11-03", "cccccccccccc")
    runs = records.read(path, "mutants")["runs"]
    assert list(runs) == list(mutants.PARTS)
    assert [runs[key]["date"] for key in ("pool", "nn")] == ["2026-11-03", "2026-11-02"]
    assert (runs["pool"]["caught"], runs["pool"]["commit"]) == (1, "cccccccccccc")
    assert "count" not in runs["parse"]


def test_the_ledger_is_of_all_parts_and_its_counts_add_up():
    runs = records.read(records.RECORDS, "mutants")["runs"]
    assert list(runs) == list(mutants.PARTS)
    for key, run in runs.items():
        assert mutants.about(key).items() <= run.items()
        if "date" in run:
            assert run["count"] == run["caught"] + run["timeouts"] + len(run["survivors"])
            assert run["failed"] == sum("reason" not in each for each in run["survivors"])


def test_every_reason_is_of_a_line_of_code_and_is_given_once():
    told = []
    for key, entries in mutants.reasons().items():
        assert key in mutants.PARTS
        for each in entries:
            lines = (ROOT / each["file"]).read_text(encoding="utf-8").splitlines()
            assert each["line"] in [line.strip() for line in lines], each
            assert each["reason"]
            told.append((each["file"], each["change"], each["line"]))
    assert len(told) == len(set(told))
