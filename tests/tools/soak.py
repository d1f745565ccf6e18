"""Runs a service on threads for long, and fails if memory, files or threads become more.

    python tests/tools/soak.py --minutes 60 --threads 2
    python tests/tools/soak.py --minutes 5 --threads 64 --json out.json

The threads answer random requests (`soak_service.py`); each minute, or 20 times in a shorter run,
the vocab that they map is written anew, they open the new file, and the allocator of the system
(glibc) is asked for the memory that it keeps for later, as a service may that runs for long. Every
few seconds they stand still, between two requests, while the memory of the process, the blocks that
Python has allocated, its open files, mappings of files and threads are read.

The first sixth of the time is the warm-up. After it, a line that is fitted to what a measure was
may rise by a share of its median only, and its highest value be above it by another; files,
mappings and threads may be no more than in the warm-up.

`heap` is what the allocator has given out. It includes caches of words in networks, which are
bounded, but grow with requests until the next reload; so only the samples right after a reload
count, before any request. The resident memory also has what the allocator keeps for later, which
comes and goes with long texts, so more is allowed there. Between two reloads it follows the number
of requests, which depends on what else the machine does: that limit is only against caches without
a bound.

`--tolerance 5` allows five times the shares, as in a run of seconds.
"""

import argparse
import ctypes
import gc
import json
import os
import random
import statistics
import sys
import tempfile
import threading
import time
import traceback
import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np
from soak_service import Crew, Service

WARM_UP = 1 / 6
SAMPLES = 240
"""Measurements in a run; not more than one a second."""

RENEWAL, RENEWALS = 60, 20
"""Seconds from one file of the vocab to the next, and how many there are in a shorter run."""

Sample = dict[str, float]


class Limit(NamedTuple):
    """The shares of its median by which a measure may rise, and be above it."""

    measure: str
    rise: float
    above: float
    # Selects the samples right after a reload, or the others.
    reloaded: bool


LIMITS = (
    Limit("resident", 0.06, 0.10, reloaded=True),
    Limit("resident", 0.25, 0.50, reloaded=False),
    Limit("heap", 0.01, 0.10, reloaded=True),
    Limit("blocks", 0.01, 0.02, reloaded=True),
    Limit("blocks", 0.01, 0.02, reloaded=False),
)
MEASURES = ("resident", "heap", "blocks")
COUNTS = ("files", "mappings", "threads")
COLUMNS = ("seconds", *MEASURES, *COUNTS, "requests", "reloaded")


def trimmed() -> Sample:
    """Measures this process after the allocator has returned the memory that it can."""
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
    return sample()


def sample() -> Sample:
    """Measures this process. `resident` and `heap` are in bytes."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    maps = Path("/proc/self/maps").read_text().splitlines()
    return {
        "resident": pages * os.sysconf("SC_PAGE_SIZE"),
        "heap": heap_in_use(),
        "blocks": sys.getallocatedblocks(),
        "files": len(os.listdir("/proc/self/fd")),
        "mappings": sum(line.endswith((".vocab", ".corpus", "(deleted)")) for line in maps),
        "threads": len(os.listdir("/proc/self/task")),
    }


class _Mallinfo2(ctypes.Structure):
    """`struct mallinfo2` of glibc."""

    _fields_ = tuple((f"field{number}", ctypes.c_size_t) for number in range(10))


def heap_in_use() -> int:
    """Returns the bytes that malloc has given out and not got back; 0 without glibc 2.33."""
    function = getattr(ctypes.CDLL(None), "mallinfo2", None)
    if function is None:
        return 0
    function.restype = _Mallinfo2
    info = function()
    # `hblkhd`, blocks that are mapped alone, and `uordblks`, those of the arenas.
    return info.field4 + info.field7


def growth(samples: list[Sample], tolerance: float = 1) -> list[str]:
    """Returns what has grown after the warm-up; samples are sorted by their `seconds`."""
    end = WARM_UP * samples[-1]["seconds"]
    before = [each for each in samples if each["seconds"] < end] or samples[:1]
    after = [each for each in samples if each["seconds"] >= end]
    found = []
    for limit in LIMITS:
        chosen = [each for each in after if each["reloaded"] == limit.reloaded]
        if len(chosen) < 3:
            # A run of a minute or two has no reloads.
            continue
        values = [each[limit.measure] for each in chosen]
        middle = statistics.median(values) or 1
        slope, _ = statistics.linear_regression([each["seconds"] for each in chosen], values)
        rise = slope * (chosen[-1]["seconds"] - chosen[0]["seconds"]) / middle
        name = limit.measure + (" after a reload" if limit.reloaded else "")
        if rise > limit.rise * tolerance:
            found.append(f"{name} has risen by {rise:.2%}; at most {limit.rise * tolerance:.2%}")
        above = max(values) / middle - 1
        if above > limit.above * tolerance:
            text = f"above its median; at most {limit.above * tolerance:.2%}"
            found.append(f"{name} was {above:.2%} {text}")
    for name in COUNTS:
        most, now = max(each[name] for each in before), max(each[name] for each in after)
        if now > most:
            found.append(f"{name} have become {now:.0f}; {most:.0f} in the warm-up")
    return found


def soak(minutes: float, threads: int, folder: Path) -> tuple[list[Sample], int, int]:
    """Runs the service; returns the samples, and the numbers of requests and of failed ones."""
    lock, told = threading.Lock(), []

    def report(error: BaseException) -> None:
        with lock:
            if len(told) < 5:
                told.append(error)
                traceback.print_exception(error)

    pause = max(1.0, 60 * minutes / SAMPLES)
    age = min(RENEWAL, 60 * minutes / RENEWALS)
    # Made at once, so that measuring itself takes no more memory in the end than in the beginning.
    table, count = np.zeros((SAMPLES + 2, len(COLUMNS))), 0
    with Crew(Service(folder), threads, report) as crew:
        while not all(worker.answered for worker in crew.workers):
            time.sleep(0.1)
        began = time.monotonic()
        end, renewal = began + 60 * minutes, began + age
        while time.monotonic() < end or count < 3:
            time.sleep(min(pause, max(end - time.monotonic(), 0)))
            is_due = time.monotonic() >= renewal
            if is_due:
                renewal = time.monotonic() + age
            measured = crew.still(trimmed if is_due else sample, renew=is_due)
            measured["reloaded"] = is_due
            measured["seconds"] = round(time.monotonic() - began, 1)
            measured["requests"] = sum(worker.answered for worker in crew.workers)
            table[count] = [measured[name] for name in COLUMNS]
            count += 1
            print(shown(measured), flush=True)
    samples = [dict(zip(COLUMNS, row, strict=True)) for row in table[:count].tolist()]
    answered = sum(worker.answered for worker in crew.workers)
    return samples, answered, sum(worker.failed for worker in crew.workers)


def shown(measured: Sample) -> str:
    counts = ", ".join(f"{measured[name]:.0f} {name}" for name in ("blocks", *COUNTS, "requests"))
    memory = (f"{measured[name] / 2**20:.2f} MB {name}" for name in ("resident", "heap"))
    return f"{measured['seconds']:8.1f} s  {', '.join(memory)}, {counts}"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--tolerance", type=float, default=1)
    parser.add_argument("--json", type=Path, help="file for the samples")
    args = parser.parse_args()
    if not Path("/proc/self/statm").exists():
        sys.exit("soak: this system has no /proc to measure a process by")
    # A pipeline of rules without a tagger says so each time it is made.
    warnings.simplefilter("ignore", UserWarning)
    random.seed(0)
    with tempfile.TemporaryDirectory() as folder:
        samples, answered, failed = soak(args.minutes, args.threads, Path(folder))
    if args.json:
        args.json.write_text(json.dumps(samples) + "\n", encoding="utf-8")
    found = growth(samples, args.tolerance)
    for line in found:
        print(f"soak: {line}")
    seconds = samples[-1]["seconds"]
    # A line that `ledger.py` reads.
    print(
        f"{answered} requests, {failed} failed, {len(found)} measures grew, {seconds:.0f} seconds"
    )
    sys.exit(bool(failed or found))


if __name__ == "__main__":
    main()
