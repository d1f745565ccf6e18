"""`lexpool.profile()`: the time spent in calls of ops."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TextIO

from .._core import profile_start, profile_stop
from .._saving.files import write_text_file


@dataclass
class Row:
    """The calls of one op."""

    name: str
    calls: int
    seconds: float
    #: The part of the seconds during which the GIL was released.
    seconds_without_gil: float


@dataclass
class Profile:
    """The result of a `with lexpool.profile()` block, filled in at its end."""

    rows: list[Row] = field(default_factory=list[Row])
    #: A trace in Chrome's format, for chrome://tracing and Perfetto.
    trace: dict[str, object] = field(default_factory=dict[str, object])
    #: The number of calls missing from the trace, because its buffer was full.
    lost: int = 0

    def __str__(self) -> str:
        width = max([len("op"), *(len(row.name) for row in self.rows)])
        lines = [f"{'op':<{width}}  {'calls':>9}  {'ms':>10}  {'no GIL ms':>10}  {'us/call':>9}"]
        for row in self.rows:
            each = row.seconds / row.calls * 1e6
            lines.append(
                f"{row.name:<{width}}  {row.calls:>9,}  {row.seconds * 1e3:>10.3f}  "
                f"{row.seconds_without_gil * 1e3:>10.3f}  {each:>9.2f}"
            )
        if self.lost:
            lines.append(f"{self.lost:,} later calls are not in here")
        return "\n".join(lines)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the trace to a file."""
        write_text_file(path, json.dumps(self.trace))


@contextmanager
def profile(
    trace: str | os.PathLike[str] | None = None, file: TextIO | None = None
) -> Generator[Profile]:
    """Measures calls of ops in all threads inside the block, and prints a table at its end.

    trace: a file to write a trace for chrome://tracing to.
    file: a file to print to instead of stderr.

    Only one profile is active at a time: a nested one starts over.
    """
    report = Profile()
    profile_start()
    try:
        yield report
    finally:
        rows, events, report.lost = profile_stop()
        report.rows = [Row(*row) for row in rows]
        process = os.getpid()
        report.trace = {
            "displayTimeUnit": "ns",
            "traceEvents": [
                {
                    "name": name,
                    "cat": "no GIL" if detached else "GIL",
                    "ph": "X",
                    "pid": process,
                    "tid": thread,
                    "ts": begin,
                    "dur": length,
                }
                for name, thread, begin, length, detached in events
            ],
        }
        print(report, file=sys.stderr if file is None else file)
        if trace is not None:
            report.save(trace)
