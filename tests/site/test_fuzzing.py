"""The ledger of fuzzing is written from what libFuzzer prints; every target has all its parts."""

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests/tools"))

import fuzz
import records

OUTPUT = """\
INFO: Running with entropic power schedule (0xFF, 100).
#2\tINITED cov: 310 ft: 311 corp: 1/1b exec/s: 0 rss: 60Mb
#1021\tNEW    cov: 405 ft: 611 corp: 12/300b lim: 20 exec/s: 0 rss: 61Mb L: 9/9 MS: 1 CopyPart-
#524288\tpulse  cov: 502 ft: 1201 corp: 90/4096b lim: 1 exec/s: 87381 rss: 90Mb
#601000\tDONE   cov: 507 ft: 1220 corp: 91/4100b lim: 1 exec/s: 54636 rss: 91Mb
Done 601000 runs in 11 second(s)
stat::number_of_executed_units: 601000
stat::average_exec_per_sec:     54636
"""
CRASH = """\
#1021\tNEW    cov: 405 ft: 611 corp: 12/300b lim: 20 exec/s: 0 rss: 61Mb L: 9/9 MS: 1 CopyPart-
thread '<unnamed>' panicked at core/src/lib.rs:1:1:
==1== ERROR: libFuzzer: deadly signal
stat::number_of_executed_units: 1500
"""


def test_a_run_is_what_libfuzzer_reported():
    run = {"executions": 601000, "seconds": 11, "edges": 507, "inputs": 91}
    assert fuzz.read(OUTPUT, 30.2) == run
    run = {"executions": 1500, "seconds": 3, "edges": 405, "inputs": 12}
    assert fuzz.read(CRASH, 3.4) == run


@pytest.mark.parametrize("output", ["", "error: could not compile\n", OUTPUT.split("stat")[0]])
def test_output_without_a_count_is_refused(output):
    with pytest.raises(fuzz.ReportError, match="did not report"):
        fuzz.read(output, 1.0)


def test_runs_of_a_commit_are_added_up_and_the_last_one_says_whether_a_target_fails(tmp_path):
    path = tmp_path / "records.json"
    run = fuzz.read(OUTPUT, 0) | {"findings": 0}
    fuzz.enter(path, "vocab", run | {"findings": 1}, "2026-11-01", "aaaaaaaaaaaa")
    fuzz.enter(path, "vocab", run | {"edges": 600}, "2026-11-02", "bbbbbbbbbbbb")
    fuzz.enter(path, "vocab", run | {"edges": 700}, "2026-11-03", "bbbbbbbbbbbb")
    content = records.read(path, "fuzzing")
    told = [
        (entry["commit"][0], entry["executions"], entry["findings"]) for entry in content["raw"]
    ]
    assert told == [("a", 601000, 1), ("b", 1202000, 0)]
    vocab = content["runs"]["vocab"]
    assert (vocab["count"], vocab["found"], vocab["failed"]) == (1803000, 1, 0)
    assert (vocab["edges"], vocab["date"], vocab["seconds"]) == (700, "2026-11-03", 33)
    assert "count" not in content["runs"]["corpus"]


def test_the_targets_with_the_fewest_executions_come_first(tmp_path):
    path = tmp_path / "records.json"
    assert fuzz.by_executions(path) == fuzz.targets()
    run = fuzz.read(OUTPUT, 0) | {"findings": 0}
    names = fuzz.targets()
    for executions, name in enumerate(reversed(names[1:])):
        fuzz.enter(path, name, run | {"executions": executions + 1}, "2026-11-01", "aaaaaaaaaaaa")
    assert fuzz.by_executions(path) == [names[0], *reversed(names[1:])]


def test_every_target_has_a_body_a_binary_a_title_and_seeds():
    names = fuzz.targets()
    assert names == sorted(names) == sorted(fuzz.TITLES)
    assert len(names) >= 14
    bodies = (ROOT / "tests/fuzz/targets/src/lib.rs").read_text()
    assert re.findall(r'target\("(\w+)", ', bodies) == names
    for name in names:
        binary = (ROOT / f"tests/fuzz/libfuzzer/fuzz_targets/{name}.rs").read_text()
        assert f'lexpool_fuzz::run("{name}", bytes)' in binary
        seeds = list((ROOT / "tests/fuzz/seeds" / name).iterdir())
        assert seeds
        assert all(seed.stat().st_size < 4096 for seed in seeds)


def test_the_ledger_has_all_targets_and_their_sums():
    content = records.read(records.RECORDS, "fuzzing")
    assert content["runs"] == fuzz.sums(content["raw"])
