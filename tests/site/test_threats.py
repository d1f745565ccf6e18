"""The tests that the site names against each threat exist, and so do the runs."""

import json
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests/tools"))

import ledger

THREATS = [
    threat
    for group in json.loads((ROOT / "docs/src/threats.json").read_text())
    for threat in group["threats"]
]
NAMED = sorted({test for threat in THREATS for test in threat["tests"]})


def is_there(test: str) -> bool:
    path, _, name = test.partition("::")
    if not (ROOT / path).is_file():
        return False
    return re.search(rf"^ *(def|fn) {name}\(", (ROOT / path).read_text(), re.MULTILINE) is not None


@pytest.mark.parametrize("test", NAMED)
def test_a_test_that_is_named_is_there(test):
    assert is_there(test)


def test_one_that_is_not_there_is_noticed():
    assert not is_there("tests/python/test_gil.py::test_that_nobody_wrote")
    assert not is_there("tests/python/test_nothing.py::test_a_thread")


def test_each_threat_has_a_guard_tests_and_runs_of_the_ledger():
    known = {*ledger.STEPS, *ledger.LONG, "rust-examples"}
    for threat in THREATS:
        assert threat["guard"] and threat["tests"] and threat["runs"], threat
        assert known.issuperset(threat["runs"]), threat


def test_what_the_page_shows_is_in_the_ledger():
    shown = (ROOT / "docs/src/content/docs/reliability.mdx").read_text()
    keys = {key for found in re.findall(r"keys=\{(\[.*?\])\}", shown) for key in json.loads(found)}
    keys |= {run for threat in THREATS for run in threat["runs"]}
    runs = json.loads((ROOT / "docs/measured/records.json").read_text())["reliability"]["runs"]
    # A run that the page does not show could fail unnoticed.
    assert keys == runs.keys()
