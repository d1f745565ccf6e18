"""Makes the steps of `make test` and `make demo`, and prints what each of them took.

    python tests/tools/steps.py lint test-rust test-conformance,test-engines+docs-test

Each step is a target of the Makefile. The lists on both sides of a `+` are made at the same time:
steps that wait for a browser beside steps that compute. The table at the end has the time of each
by the clock, the time of processors that it and the commands it has waited for used, which busy
machines change less, and by how much the free space of the disk shrank meanwhile. After a step that
fails no other one begins, and its status is that of this program.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

Command = Sequence[str]


@dataclass(frozen=True)
class StepCost:
    """The time of a step in seconds, the bytes of the disk that it took, and how it ended."""

    target: str
    wall: float
    processor: float
    disk: int
    status: int


def make_steps(lists: str, make: Command) -> list[StepCost]:
    """Makes lists of steps at the same time, and returns what each step took."""
    first, *others = lists.split("+")
    with ThreadPoolExecutor(max(len(others), 1)) as threads:
        # Only one list writes while it runs, so that the outputs stay apart.
        costs = [threads.submit(_make_list, targets, make, quiet=True) for targets in others]
        steps = _make_list(first, make, quiet=False)
        return steps + [step for cost in costs for step in cost.result()]


def _make_list(targets: str, make: Command, *, quiet: bool) -> list[StepCost]:
    steps: list[StepCost] = []
    for target in targets.split(","):
        steps.append(make_step(target, [*make, target], quiet=quiet))
        if steps[-1].status:
            break
    return steps


def make_step(target: str, command: Command, *, quiet: bool) -> StepCost:
    """Runs a command, whose output comes at its end if it is quiet, and returns what it took."""
    begin, free_before = time.monotonic(), _free_bytes()
    with tempfile.TemporaryFile() as output:
        sink = output if quiet else None
        process = subprocess.Popen(command, stdout=sink, stderr=sink and subprocess.STDOUT)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if quiet:
            output.seek(0)
            sys.stdout.buffer.write(output.read())
            sys.stdout.flush()
    wall, processor = time.monotonic() - begin, usage.ru_utime + usage.ru_stime
    return StepCost(target, wall, processor, free_before - _free_bytes(), process.returncode)


def table(steps: Sequence[StepCost], *, wall: float, disk: int) -> str:
    """Returns a line a step, and one for all together, with the time and disk of the whole."""
    processor = sum(step.processor for step in steps)
    rows = [*steps, StepCost("all", wall, processor, disk, 0)]
    width = max(len(row.target) for row in rows)
    lines = [f"{'step':{width}}  {'wall':>12}  {'processors':>12}  {'disk':>8}"]
    for row in rows:
        times = f"{clock(row.wall):>12}  {clock(row.processor):>12}  {row.disk / 1e9:>5.1f} GB"
        failure = f"  failed, status {row.status}" if row.status else ""
        lines.append(f"{row.target:{width}}  {times}{failure}")
    return "\n".join(lines)


def clock(seconds: float) -> str:
    """Returns minutes and seconds, such as "3 min 07 s"."""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02} s" if minutes else f"{rest} s"


def _free_bytes() -> int:
    return shutil.disk_usage(".").free


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("lists", nargs="+", metavar="TARGET[,TARGET...][+TARGET...]")
    parser.add_argument("--make", default=os.environ.get("MAKE", "make"), help="the make to run")
    args = parser.parse_args()
    begin, free_before = time.monotonic(), _free_bytes()
    steps: list[StepCost] = []
    for lists in args.lists:
        steps += make_steps(lists, [args.make, "--no-print-directory"])
        if any(step.status for step in steps):
            break
    wall, disk = time.monotonic() - begin, free_before - _free_bytes()
    print(f"\n{table(steps, wall=wall, disk=disk)}", flush=True)
    return next((step.status for step in steps if step.status), 0)


if __name__ == "__main__":
    sys.exit(main())
