"""Twice the input costs at most two and a half times the work, for each public function and method.

The table of costs lists all of them (`cost_surface.py`), in four ways:

- a member of a class, called on objects of several shapes and sizes (`Table.subject`); its work
  must not grow with the object at all, unless the table names it among the `linear` ones;
- a function, or a method whose input is not its object (`Table.function`);
- a reading, a search or an edit by a row of its own (`cost_rows.py`);
- a reason for which it has no row, which may be that another name has one: "as NAME", "row NAME".

Work is counted, not timed: the bytes that a process allocates, moves, sets and compares
(`counted.c`). Loops that touch no memory are seen by the time of calls that take long
(`cost_counting.py`). What costs steps without either has counters of its own, in the tests of Rust:
comparisons in tables of ids (`seeded.rs`), the ancestors of pairs (`lca.rs`), lifted arcs
(`projective/`), walks of trees (`children.rs`), the bytes looked at for chunks (`chunks.rs`),
backtracking steps (`core/regex/src/tests`), edit distances (`levenshtein.rs`), the bytes of the
chunk cache (`cache.rs`).
"""

import importlib
import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import cost_counting
import cost_rows
import pytest
from cost_surface import public_names
from cost_table import KINDS, Table

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="functions are put in the place of glibc's"
)

TABLES = "documents words searches pipelines components training environment".split()
# Four times the input, which is twice the input twice.
MAX_TIMES = 2.5**2
# Work of one size for any input.
SLACK = 10_000
# Work of a first call, which may enlarge a table that grows by a factor, such as that of strings.
FIRST_SLACK = 50_000
# Less than a byte for each item.
CONSTANT_SLACK = 1_000
# Work that a change may add, if it enlarges a table that grows by a factor.
CHANGE_SLACK = 24_000
# Part of a call's work that may differ from one call to the next.
CONSTANT_TIMES = 1.002


def tables() -> list[Table]:
    return [importlib.import_module(f"cost_{name}").TABLE for name in TABLES]


def listed(table: Table) -> Iterator[str]:
    """All names that a table lists; that of a class also stands for a member without an entry."""
    yield from table.functions
    yield from table.reasons
    for owner, subject in table.subjects.items():
        yield owner
        for member in (*subject.calls, *subject.linear, *subject.changing):
            yield f"{owner}.{member}"


def test_every_public_function_and_method_is_listed():
    every = {name for table in tables() for name in listed(table)}
    names = public_names()
    missing = [name for name in names if name not in every and name.rpartition(".")[0] not in every]
    assert not missing, "add rows to tests/interop/cost_*.py"


def test_every_row_and_reason_is_of_a_public_name():
    names = public_names()
    assert not [name for table in tables() for name in listed(table) if name not in names]


def test_no_name_has_both_a_row_and_a_reason_or_two_of_either():
    entries = [
        name
        for table in tables()
        for name in (*table.functions, *table.reasons, *table.subjects)
        if not (name in table.functions and name in table.subjects)
    ]
    assert sorted(entries) == sorted(set(entries))


def test_a_reason_is_of_a_kind_or_names_a_row_that_exists():
    rows = {row.name for table in tables() for row in table.rows()} | set(cost_rows.ROWS)
    reasons = {name: reason for table in tables() for name, reason in table.reasons.items()}
    for name, reason in reasons.items():
        kind, _, other = reason.partition(" ")
        if kind not in ("as", "row"):
            assert reason.startswith(KINDS), f"{name}: {reason}"
        else:
            while other in reasons and reasons[other].startswith("as "):
                other = reasons[other].removeprefix("as ")
            assert other in rows, f"{name}: {reason}"


@pytest.fixture(scope="session")
def counted(toolchain):
    flags = ["-shared", "-fPIC", "-O2", "-fno-builtin", "-fno-tree-loop-distribute-patterns"]
    return toolchain.compile("counted.c", "counted.so", *flags)


def results(counted: Path, module: str, folder: Path | None = None) -> list[dict]:
    """The work of all rows of a module, from one process."""
    folders = [str(folder or ""), str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")]
    settings = {
        "LD_PRELOAD": str(counted),
        "PYTHONHASHSEED": "0",
        "PYTHONMALLOC": "malloc",
        "PYTHONPATH": os.pathsep.join(folders),
    }
    done = subprocess.run(
        [sys.executable, cost_counting.__file__, module],
        env={**os.environ, **settings},
        capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-500:] + done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def faults(results: Iterable[dict]) -> list[str]:
    """Descriptions of the rows that cost too much, or could not be counted."""
    described = []
    for row in results:
        if "error" in row:
            described.append(f"{row['name']}: {row['error']}")
            continue
        once, more = row["bytes"]
        slack = FIRST_SLACK if "bytes_again" in row else SLACK
        if more > MAX_TIMES * once + slack:
            described.append(f"{row['name']}: {once} bytes, and {more} for four times the input")
        if "times" in row:
            once, more = row["times"]
            described.append(f"{row['name']}: {once} seconds, and {more} for four times the input")
        once, more = row.get("bytes_again", row["bytes"])
        slack = CONSTANT_SLACK if "bytes_again" in row else CHANGE_SLACK
        if row["is_constant"] and more > CONSTANT_TIMES * once + slack:
            described.append(
                f"{row['name']}: {once} bytes, and {more} for four times the input; if that is"
                " right, name it among the linear ones"
            )
    return described


@pytest.mark.parametrize("name", [*TABLES, "rows"])
def test_four_times_the_input_is_at_most_two_and_a_half_times_the_work_twice(counted, name):
    rows = results(counted, f"cost_{name}")
    assert not faults(rows)
    assert not [row["name"] for row in rows if sum(row["bytes"]) == 0], "nothing was counted"
    grows = {row["name"] for row in rows if row["bytes"][1] > row["bytes"][0] + CONSTANT_SLACK}
    linear = {row["name"] for row in rows if row["is_member"] and not row["is_constant"]}
    assert linear <= grows, "these do not grow: do not name them among the linear ones"


def test_work_that_grows_too_fast_is_seen(counted, tmp_path):
    (tmp_path / "cost_bad.py").write_text(
        "from collections import deque\n"
        "from itertools import repeat\n"
        "ROWS = {\n"
        "    'memory': lambda n: lambda: [b'x' * i for i in range(n)] and None,\n"
        "    'time': lambda n: lambda: deque(map(max, repeat(bytes(n), n)), 0),\n"
        "    'error': lambda n: lambda: 1 / 0,\n"
        "    'linear': lambda n: lambda: [*range(n)],\n"
        "}\n"
    )
    rows = results(counted, "cost_bad", tmp_path)
    memory, time, error = faults(rows)
    assert memory.startswith("memory: ") and "bytes" in memory
    assert time.startswith("time: ") and "seconds" in time
    assert error.startswith("error: ZeroDivisionError")
    (grown,) = faults([{**rows[3], "is_constant": True, "bytes_again": rows[3]["bytes"]}])
    assert grown.startswith("linear: ")
