"""The ledger of test runs is written from their output; runs without a result do not count."""

import json
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests/tools"))

import ledger
import records

LOG = """\
cargo clippy --locked --workspace --all-targets --all-features -- -D warnings
    Checking lexpool v0.1.0
cargo test --locked -p lexpool-pool -p lexpool --all-features
     Running unittests src/lib.rs (target/debug/deps/lexpool-0)
test result: ok. 500 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 10.50s
     Running tests/corpus_files.rs (target/debug/deps/corpus_files-0)
test result: ok. 5 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 3.00s
   Doc-tests lexpool
test result: ok. 120 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 7.00s
   Doc-tests lexpool_pool
test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 1.00s
RUSTFLAGS="--cfg loom" cargo test --locked --target-dir target/loom -p lexpool-pool --release --test schedules
     Running tests/schedules.rs (target/loom/release/deps/schedules-0)
test result: ok. 12 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 2.00s
rustdoc --edition 2024 --test README.md -L dependency=target/debug/deps
test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.10s
.venv/bin/python -m pytest
............ [100%]
=========== 2587 passed, 2 skipped, 1 error in 368.19s (0:06:08) ===========
.venv/bin/python tests/conformance/run.py
folder           files  passed     of  excused  skipped
doc                 14     259    259        3        0
all                264    3736   3737      501      593
spaCy 3.8.18, 198 seconds; longest: tokenizer/test_explain.py 110
39 passed, 10 warnings in 64.32s (0:01:04)
npm --prefix docs --loglevel=error test
\u2139 tests 12
\u2139 pass 11
\u2139 fail 1
\u2139 skipped 0
\u2139 duration_ms 61234.5
"""


def test_a_log_of_all_tests_is_read_step_by_step():
    runs = ledger.steps_of(LOG)
    told = {
        key: (run["count"], run["failed"], run["skipped"], run["seconds"])
        for key, run in runs.items()
    }
    assert told == {
        "rust": (505, 0, 2, 13.5),
        "rust-examples": (123, 0, 1, 8.0),
        "loom": (12, 0, 0, 2.0),
        "readme": (1, 0, 0, 0.1),
        "python": (2587, 1, 2, 368.2),
        "conformance": (3736, 1, 593, 198),
        "engines": (39, 0, 0, 64.3),
        "browser": (11, 1, 0, 61.2),
    }
    assert runs["conformance"]["excused"] == 501


def test_a_step_without_a_result_is_an_error():
    broken = LOG.replace("test result: ok. 12 passed", "error: 12 passed")
    with pytest.raises(ledger.Unread, match="make test-loom .loom., but no result"):
        ledger.steps_of(broken)
    with pytest.raises(ledger.Unread, match="none of the steps"):
        ledger.steps_of("make: nothing to be done\n")


@pytest.mark.parametrize(
    ("after", "error"),
    [
        (
            "corpus_files-0)\n",
            "error: test failed, to rerun pass `-p lexpool --test corpus_files`\n",
        ),
        ("(0:06:08) ===========\n", "make: *** [Makefile:90: test-python] Error 1\n"),
        ("[100%]\n", "make[1]: *** [Makefile:90: test-python] Segmentation fault\n"),
    ],
)
def test_a_step_that_ended_in_an_error_is_refused_whatever_was_counted_before(after, error):
    assert LOG.count(after) == 1
    with pytest.raises(ledger.Unread, match=re.escape(error.strip())):
        ledger.steps_of(LOG.replace(after, after + error))


def test_a_command_that_fails_has_no_output_to_enter():
    printed, _ = ledger.make("echo 86 rounds of 1500 calls, 0 failed")
    assert (
        printed == "$ echo 86 rounds of 1500 calls, 0 failed\n86 rounds of 1500 calls, 0 failed\n"
    )
    with pytest.raises(ledger.Unread, match="exit code 3 of echo"):
        ledger.make("echo 86 rounds of 1500 calls, 0 failed; exit 3")


def test_engines_that_do_not_install_have_no_entry():
    log = (
        LOG[: LOG.index("39 passed")]
        + "test-engines: skipped, for Ray, Spark or Dask cannot be installed here\n"
    )
    assert "engines" not in ledger.steps_of(log)


def long_log(key, result):
    return f"$ {ledger.LONG[key].command}\n{result}\n"


def test_the_cases_of_a_long_run_are_its_own_or_those_it_printed():
    run = ledger.long_run(
        "random-documents", long_log("random-documents", "251 passed in 60.00s"), 61.04
    )
    assert (run["count"], run["failed"], run["seconds"]) == (6_000, 0, 61.0)
    run = ledger.long_run("api-calls", "86 rounds of 1500 calls, 0 failed\n", None)
    assert (run["count"], run["failed"]) == (129_000, 0)
    run = ledger.long_run("file-changes", "320000 mutants of 32 kinds, 3 failed\n", None)
    assert (run["count"], run["failed"]) == (320_000, 3)
    run = ledger.long_run(
        "valgrind", "81 passed in 212.60s\nvalgrind: 2 reports with lexpool in them\n", None
    )
    assert (run["count"], run["failed"], run["seconds"]) == (81, 2, 212.6)
    with pytest.raises(ledger.Unread, match="kills"):
        ledger.long_run("kills", "Killed\n", None)


@pytest.mark.parametrize("key", [key for key, run in ledger.LONG.items() if run.count is not None])
def test_cases_that_were_not_all_made_are_not_counted(key):
    with pytest.raises(ledger.Unread, match="does not have its long form"):
        ledger.long_run(key, "1 passed in 9.00s\n", None)
    short = ledger.LONG[key].command.partition(" ")[2]
    with pytest.raises(ledger.Unread, match="does not have its long form"):
        ledger.long_run(key, f"$ {short}\n1 passed in 9.00s\n", None)
    for result in ("1 failed, 3 passed in 9.00s", "7 skipped in 0.10s"):
        with pytest.raises(ledger.Unread, match="did not make all of its cases"):
            ledger.long_run(key, long_log(key, result), None)
    assert (
        ledger.long_run(key, long_log(key, "4 passed in 9.00s"), None)["count"]
        == ledger.LONG[key].count
    )


def test_an_entry_without_a_run_has_the_command_of_today(tmp_path):
    path = tmp_path / "records.json"
    path.write_text(
        json.dumps(
            {
                "reliability": {
                    "runs": {"kills": {"title": "t", "unit": "u", "command": "as it was"}}
                }
            }
        )
    )
    ledger.enter(path, {}, "2026-11-01", None)
    assert records.read(path, "reliability")["runs"]["kills"] == ledger.about("kills")


def test_the_ledger_has_the_commands_that_make_its_runs_again():
    runs = records.read(records.RECORDS, "reliability")["runs"]
    assert {key: run["command"] for key, run in runs.items()} == {
        key: ledger.about(key)["command"] for key in [*ledger.STEPS, "rust-examples", *ledger.LONG]
    }


def test_a_new_run_takes_the_place_of_the_old_one_and_of_no_other(tmp_path):
    path = tmp_path / "records.json"
    ledger.enter(path, ledger.steps_of(LOG), "2026-11-01", "aaaaaaaaaaaa")
    ledger.enter(
        path, {"loom": ledger.steps_of(LOG)["loom"] | {"count": 13}}, "2026-11-02", "bbbbbbbbbbbb"
    )
    runs = records.read(path, "reliability")["runs"]
    assert (runs["loom"]["count"], runs["loom"]["date"], runs["loom"]["commit"]) == (
        13,
        "2026-11-02",
        "b" * 12,
    )
    assert (runs["rust"]["count"], runs["rust"]["date"]) == (505, "2026-11-01")


def test_the_counts_of_long_runs_are_those_of_the_tests():
    counts = {key: about.count for key, about in ledger.LONG.items()}
    code = lambda path: (ROOT / path).read_text()
    assert "1_000_000 / NAMES.len()" in code("core/io/tests/corpus_files.rs")
    assert counts["corpus-changes"] == 1_000_000 // 3 * 3
    assert "if is_full() { 1_000_000 }" in code("core/src/vocab/image/mutations.rs")
    assert counts["vocab-changes"] == 1_000_000
    networks = code("core/tests/damaged_networks.rs")
    components = len(re.findall(r"_is_refused_or_runs: \"", networks))
    assert "{ 100_000 } else" in networks
    assert counts["network-changes"] == components * 100_000
    many = code("tests/python/test_matching_many.py")
    (seeds,) = re.findall(r"for seed in range\((\d+) if full", many)
    (rules,) = re.findall(r"in random_rules\(rng, (\d+)\):\n +for matcher in \(theirs", many)
    assert counts["random-patterns"] == 3 * int(seeds) * int(rules)
    assert f"LEXPOOL_DOCS={counts['random-documents']} " in ledger.LONG["random-documents"].command
