"""The table that `make test` ends with: what each step took, to the first that fails."""

import subprocess
import sys
from pathlib import Path

import pytest
from steps import StepCost, clock, table

PROGRAM = Path(__file__).parents[1] / "tools" / "steps.py"
MAKEFILE = """\
one: ; @echo made one
two: ; @false
three: ; @echo made three
waits: ; @until [ -e signal ]; do sleep 0.01; done; echo made waits
signals: ; @echo made signals; touch signal
"""
# A quiet list prints at its end, here while or after the other one runs.
MADE_AT_ONCE = {"made waits", "made one", "made signals"}


@pytest.fixture
def steps(tmp_path):
    (tmp_path / "Makefile").write_text(MAKEFILE)

    def run(*targets):
        return subprocess.run(
            [sys.executable, PROGRAM, *targets],
            cwd=tmp_path, capture_output=True, text=True, check=False,
        )  # fmt: skip

    return run


def test_steps_are_made_in_order_and_each_has_a_row(steps):
    run = steps("three", "one")
    assert run.returncode == 0, run.stderr
    lines = run.stdout.splitlines()
    assert lines[:2] == ["made three", "made one"]
    assert [line.split()[0] for line in lines[3:]] == ["step", "three", "one", "all"]


def test_a_step_that_fails_is_the_last_one_and_gives_its_status(steps):
    run = steps("one", "two", "three")
    assert run.returncode == 2
    assert "made three" not in run.stdout
    failed, total = run.stdout.splitlines()[-2:]
    assert failed.startswith("two ") and failed.endswith("failed, status 2")
    assert total.startswith("all ")


def test_lists_beside_one_another_run_at_once_and_their_outputs_stay_apart(steps):
    run = steps("waits,one+signals")
    assert run.returncode == 0, run.stderr
    lines = run.stdout.splitlines()
    assert {line for line in lines if line.startswith("made")} == MADE_AT_ONCE
    assert [line.split()[0] for line in lines[-4:]] == ["waits", "one", "signals", "all"]


def test_a_step_that_fails_beside_others_ends_its_list_and_all_that_follows(steps):
    run = steps("one+two,three", "three")
    assert run.returncode == 2
    assert "made one" in run.stdout
    assert "made three" not in run.stdout


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.4, "0 s"), (59.6, "1 min 00 s"), (61, "1 min 01 s"), (3600, "60 min 00 s")],
)
def test_times_are_minutes_and_seconds(seconds, text):
    assert clock(seconds) == text


def test_the_last_row_has_the_time_of_the_whole_and_the_sum_of_the_processors():
    steps = [StepCost("lint", 30, 50, 10**9, 0), StepCost("build", 90, 130, 2 * 10**9, 0)]
    last = table(steps, wall=100, disk=3 * 10**9).splitlines()[-1]
    assert last.split() == ["all", "1", "min", "40", "s", "3", "min", "00", "s", "3.0", "GB"]
