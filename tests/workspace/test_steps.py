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
"""


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


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.4, "0 s"), (59.6, "1 min 00 s"), (61, "1 min 01 s"), (3600, "60 min 00 s")],
)
def test_times_are_minutes_and_seconds(seconds, text):
    assert clock(seconds) == text


def test_the_last_row_is_the_sum_of_all():
    steps = [StepCost("lint", 30, 50, 10**9, 0), StepCost("build", 90, 130, 2 * 10**9, 0)]
    last = table(steps).splitlines()[-1]
    assert last.split() == ["all", "2", "min", "00", "s", "3", "min", "00", "s", "3.0", "GB"]
