"""Makes the steps of `make test` and `make demo`, and prints what each of them took.

    python tests/tools/steps.py lint test-rust test-python

Each step is a target of the Makefile. The table at the end has its time by the clock, the time of
processors that it and the commands it has waited for used, which busy machines change less, and by
how much the free space of the disk shrank. A step that fails is the last one, and its status is
that of this program.
"""

import argparse
import os
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class StepCost:
    """The time of a step in seconds, the bytes of the disk that it took, and how it ended."""

    target: str
    wall: float
    processor: float
    disk: int
    status: int


def make_step(target: str, command: list[str]) -> StepCost:
    """Runs a command, and returns what it took."""
    begin, used_before, free_before = time.monotonic(), _processor_seconds(), _free_bytes()
    status = subprocess.run(command, check=False).returncode
    wall, processor = time.monotonic() - begin, _processor_seconds() - used_before
    return StepCost(target, wall, processor, free_before - _free_bytes(), status)


def table(steps: Iterable[StepCost]) -> str:
    """Returns a line a step, and one for all together."""
    rows = [*steps]
    rows.append(
        StepCost(
            "all",
            sum(step.wall for step in rows),
            sum(step.processor for step in rows),
            sum(step.disk for step in rows),
            0,
        )
    )
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


def _processor_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _free_bytes() -> int:
    return shutil.disk_usage(".").free


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("targets", nargs="+", metavar="TARGET", help="of the Makefile, in order")
    parser.add_argument("--make", default=os.environ.get("MAKE", "make"), help="the make to run")
    args = parser.parse_args()
    steps: list[StepCost] = []
    for target in args.targets:
        steps.append(make_step(target, [args.make, "--no-print-directory", target]))
        if steps[-1].status:
            break
    print(f"\n{table(steps)}", flush=True)
    return steps[-1].status


if __name__ == "__main__":
    sys.exit(main())
