"""No length that a sequence claims ends the process, whatever takes the sequence."""

import subprocess
import sys
from pathlib import Path

import pytest
import sequence_calls
from processes import environment

from lexpool import Vocab, _core
from lexpool.tokens import Doc

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs RLIMIT_AS and /proc")

# A text of PyO3's conversion of a sequence to a `Vec`, which reserves memory by the length. A
# library has it if any function converts so, also one that names no `Vec` in its source.
RESERVING = b"Can't extract `str` to `Vec`"


def run(first: int) -> list[list[str]]:
    """The calls from a number on, until the process ends: number, place, lie and outcome."""
    command = [sys.executable, sequence_calls.__file__, str(first)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment())
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    if done.returncode:
        assert rows, done.stderr
        rows[-1][3] = f"ends the process: {done.stderr[-2000:]}"
    return rows


def test_no_function_reserves_memory_by_the_length_that_a_sequence_claims():
    # Types may be inferred, so no search of the sources finds all. PyO3 itself has the text once.
    library = Path(_core.__file__).read_bytes()
    assert library.count(RESERVING) <= 1


@pytest.fixture(scope="module")
def outcomes() -> list[list[str]]:
    rows: list[list[str]] = []
    total = len(sequence_calls.calls())
    while len(rows) < total:
        rows += run(len(rows))
    return rows


def test_no_call_ends_the_process(outcomes):
    wrong = [row for row in outcomes if row[3] not in ("read", "not read")]
    assert wrong == []


def test_each_sequence_is_read(outcomes):
    """A call that fails for another reason would show nothing."""
    reached = {row[1] for row in outcomes if row[3] == "read"}
    unread = {row[1] for row in outcomes} - reached
    reasons = tuple(sequence_calls.UNREAD)
    assert {place for place in unread if not place.startswith(reasons)} == set()


def test_a_range_without_room_for_its_items_is_refused_before_it_is_read():
    with pytest.raises(MemoryError):
        Doc(Vocab(), words=["word"], heads=range(1 << 50))


def test_a_range_that_no_length_can_describe_raises_as_a_list_of_it():
    with pytest.raises(OverflowError):
        Doc(Vocab(), words=["word"], heads=range(1 << 70))


@pytest.mark.parametrize("known", sequence_calls.UNREAD)
def test_a_reason_for_unread_sequences_is_needed(outcomes, known):
    reached = {row[1] for row in outcomes if row[3] == "read"}
    assert any(row[1].startswith(known) and row[1] not in reached for row in outcomes)
