"""Twice the input costs at most two and a half times the work, for each reader and each method.

Work is counted, not timed: the bytes that a process allocates, moves, sets and compares (`counted.c`). What costs
steps without that has counters of its own, in the tests of Rust: comparisons in tables of ids (`seeded.rs`), the
ancestors of pairs (`lca.rs`), backtracking steps (`pattern/tests`), the bytes of the chunk cache (`cache.rs`).
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import cost_rows
import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="functions are put in the place of glibc's")

SIZE = 2000
MAX_TIMES = 2.5
# Work of one size for any input, as an import.
SLACK = 100_000


@pytest.fixture(scope="session")
def counted(toolchain):
    flags = ["-shared", "-fPIC", "-O2", "-fno-builtin", "-fno-tree-loop-distribute-patterns"]
    return toolchain.compile("counted.c", "counted.so", *flags)


def work(counted: Path, code: str, *args: str) -> str:
    done = subprocess.run(
        [sys.executable, code, *args],
        env={**os.environ, "LD_PRELOAD": str(counted), "PYTHONHASHSEED": "0"},
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("name", cost_rows.ROWS)
def test_twice_the_input_is_at_most_two_and_a_half_times_the_work(counted, name):
    once, twice = json.loads(work(counted, cost_rows.__file__, name, str(SIZE)))
    assert once > SIZE, "nothing was counted"
    assert twice <= MAX_TIMES * once + SLACK, f"{once} bytes, and {twice} for twice the input"


def test_quadratic_work_is_seen(counted, tmp_path):
    code = tmp_path / "quadratic.py"
    code.write_text(
        "import cost_rows, sys\n"
        "cost_rows.ROWS['quadratic'] = lambda n: lambda: [b'x' * i for i in range(n)] and None\n"
        "cost_rows.main('quadratic', int(sys.argv[1]))\n"
    )
    paths = os.pathsep.join([str(Path(cost_rows.__file__).parent), os.environ.get("PYTHONPATH", "")])
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", paths)
        once, twice = json.loads(work(counted, str(code), str(SIZE)))
    assert twice > MAX_TIMES * once + SLACK
