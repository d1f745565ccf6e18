"""Counts the work of all rows of a table in one process, and prints a line of JSON for each.

Bytes allocated, moved, set and compared are counted by `counted.c`, with `PYTHONMALLOC=malloc` also
those of Python's own objects. A row that takes some milliseconds is timed, too, for the sake of
loops that touch no memory: four times the input may take at most ten times as long, where
quadratic work takes sixteen times. The time is that of the process, and the shortest of several
runs counts, so a busy machine changes it little; and a row fails only if it is too slow in each of
several tries.
"""

import ctypes
import gc
import importlib
import json
import sys
import time
import warnings
from collections.abc import Callable, Iterable
from typing import Any

from cost_table import Row

SMALL = 40
# Four times the input, as the tables of Python's sets grow by this factor.
SIZES = [500, 2000]
# Sizes and seconds of calls that are timed.
TIMED_SIZES = [1000, 4000]
TIMED_FROM = 0.002
MAX_TIMES_AS_LONG = 10
# Rows between two collections of garbage.
COLLECTED_AFTER = 50
TRIES = 5


def counts(rows: Iterable[Row]) -> None:
    """Prints the work of each row: for an input of a size and of twice the size, or the error."""
    counter = ctypes.CDLL(None).counted_bytes
    counter.restype = ctypes.c_uint64
    rows = [*rows]
    # A collection in the middle of a call would be counted. What is there now lives on.
    gc.freeze()
    gc.disable()
    for done, row in enumerate(rows):
        if done % COLLECTED_AFTER == 0:
            gc.collect()
        result = {"name": row.name, "is_member": row.is_member, "is_constant": row.is_constant}
        try:
            result |= measured(row, counter)
        except Exception as error:
            result["error"] = f"{type(error).__name__}: {error}"
        print(json.dumps(result), flush=True)


def measured(row: Row, counter: Callable[[], int]) -> dict[str, Any]:
    """The bytes of both sizes, and, of a row that takes long, the times of a size and of four."""
    # Makes all that a process makes once.
    row.prepare(SMALL)()
    bytes_of_calls: list[list[int]] = []
    for n in SIZES:
        work = row.prepare(n)
        bytes_of_calls.append([])
        # A first call may enlarge tables that all later ones use.
        for _ in range(2 if row.repeats else 1):
            started, before = time.process_time(), counter()
            result = work()
            bytes_of_calls[-1].append(counter() - before)
            seconds = time.process_time() - started
            del result
        del work
    result = {"bytes": [calls[0] for calls in bytes_of_calls], "seconds": seconds}
    if row.repeats:
        result["bytes_again"] = [calls[1] for calls in bytes_of_calls]
    return result | (too_long(row) if seconds > TIMED_FROM else {})


def too_long(row: Row) -> dict[str, Any]:
    """The times of a size and of four times the size, if the growth is too great in each try."""
    shortest: dict[int, float] = {}
    for _ in range(TRIES):
        for n in TIMED_SIZES:
            work = row.prepare(n)
            started = time.process_time()
            result = work()
            seconds = time.process_time() - started
            shortest[n] = min(seconds, shortest.get(n, seconds))
            del result, work
        once, longer = shortest.values()
        if longer <= MAX_TIMES_AS_LONG * once:
            return {}
    return {"times": [once, longer]}


def main(module: str) -> None:
    """Counts the rows of the table of a module, or those that are in its dictionary `ROWS`."""
    warnings.simplefilter("ignore")
    table = importlib.import_module(module)
    if hasattr(table, "TABLE"):
        counts(table.TABLE.rows())
    else:
        counts(Row(name, prepare) for name, prepare in table.ROWS.items())


if __name__ == "__main__":
    main(sys.argv[1])
