"""Writes what the last runs of the tests have shown into docs/measured/records.json.

    python tests/tools/ledger.py ci.log            enters each step in the log of `.ci/run`
    python tests/tools/ledger.py --run api-calls   makes one of the long runs, and enters it
    python tests/tools/ledger.py --enter api-calls --log out.txt   enters one made elsewhere
    python tests/tools/ledger.py --list            the long runs, with their commands

A log is what a command printed, both streams (`.ci/run > ci.log 2>&1`). It counts for the commit
that is checked out and the day of the log, unless --commit and --date say otherwise. A step that a
log does not have keeps its entry; one without a result, or that ended in an error, is refused, for
a figure nobody saw is none. A long run that prints no count of its cases made them all only if its
log has the command in full, as --run prints it, and nothing failed.
"""

import argparse
import datetime
import re
import subprocess
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import records

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Step:
    """A step of `make test`: `mark` is found in the line with its command."""

    title: str
    unit: str
    command: str
    mark: str


# In this order each line of a log is looked at; the first mark that fits begins the step.
STEPS = {
    "loom": Step(
        "Schedules of lock-free code, explored", "models", "make test-loom", r"--cfg loom"
    ),
    "readme": Step(
        "Rust examples of the README", "examples", "make test-docs", r"^rustdoc .*--test"
    ),
    "engines": Step(
        "On Ray, Spark, Dask and Polars", "tests", "make test-engines", r"pytest tests/engines"
    ),
    "conformance": Step(
        "spaCy's own tests on lexpool", "tests", "make test-conformance", r"conformance/run\.py"
    ),
    "browser": Step(
        "The site in a browser", "tests", "make docs-test", r"node --test|npm .* test$"
    ),
    "python": Step("The Python package", "tests", "make test-python", r"-m pytest( |$)"),
    "rust": Step("The Rust crates", "tests", "make test-rust", r"^(cargo|\S+/cargo) test"),
}
EXAMPLES = Step("Examples in Rust's documentation", "examples", "make test-rust", "")


@dataclass(frozen=True)
class Long:
    """A run that is too long for `make test`; `count` is how many cases it makes to its end, unless
    it prints that.
    """

    title: str
    unit: str
    command: str
    count: int | None = None


LONG = {
    "corpus-changes": Long(
        "Corpora that were changed, with all checksums put right, and each bit of the reference files",
        "files",
        "LEXPOOL_FULL=1 cargo test --locked -p lexpool-io --all-features --test corpus_files",
        999_999,
    ),
    "vocab-changes": Long(
        "Vocabs in files that were changed, with all checksums put right, and each bit of the reference files",
        "files",
        "LEXPOOL_FULL=1 cargo test --locked -p lexpool --all-features --lib vocab::image::mutations",
        1_000_000,
    ),
    "network-changes": Long(
        "Files of trained components that were changed, each then loaded and run",
        "files",
        "LEXPOOL_FULL=1 cargo test --locked -p lexpool --all-features --test damaged_networks",
        1_000_000,
    ),
    "random-documents": Long(
        "Random documents, read in full beside spaCy's",
        "documents",
        # At document 6,312 spaCy itself dies of a segmentation fault.
        "LEXPOOL_DOCS=6000 python -m pytest -q tests/python/test_random_documents.py",
        6_000,
    ),
    "random-patterns": Long(
        "Random token patterns, hundreds in a matcher, beside spaCy's",
        "patterns",
        "LEXPOOL_FULL=1 python -m pytest -q tests/python/test_matching_many.py -k hundreds",
        36_000,
    ),
    "kills": Long(
        "Each command that writes, killed at 200 random moments, or at 40 if it is slow",
        "kills",
        "LEXPOOL_FULL=1 python -m pytest -q tests/shell -k kill",
        3_890,
    ),
    "kills-savers": Long(
        "Each method that saves, in a process killed at 200 random moments",
        "kills",
        "LEXPOOL_FULL=1 python -m pytest -q tests/python/test_kills_of_savers.py",
        6_600,
    ),
    "forks": Long(
        "Processes of fork, forkserver and spawn, begun while threads work",
        "processes",
        "LEXPOOL_FULL=1 python -m pytest -q tests/python/test_forks_under_load.py",
        3_000,
    ),
    "soak": Long(
        "A service on two threads for an hour: memory, files and threads stay as many",
        "requests",
        "python tests/tools/soak.py --minutes 60 --threads 2",
    ),
    "soak-threads": Long(
        "The same on 64 threads for five minutes",
        "requests",
        "python tests/tools/soak.py --minutes 5 --threads 64",
    ),
    "packages": Long(
        "Packages: contents, installation in empty environments, a second build with the same bytes",
        "tests",
        "make dist dist-test",
    ),
    "api-calls": Long(
        "Calls of the Python API with random arguments",
        "calls",
        "python tests/fuzz/api.py --minutes 60 --keep-going",
    ),
    "file-changes": Long(
        "Files of every kind that Python opens, changed with all checksums put right, each then opened and used",
        "files",
        "python tests/fuzz/files.py --mutants 10000 --jobs 2",
    ),
    "valgrind": Long("Tests of native code under Valgrind", "tests", "make test-memory"),
    "sanitize-thread": Long(
        "Tests in which threads meet, in Rust and Python, under ThreadSanitizer",
        "tests",
        "python tests/tools/sanitize.py thread",
    ),
    "sanitize-address": Long(
        "The same under AddressSanitizer; Rust's also under its check for leaks",
        "tests",
        "python tests/tools/sanitize.py address",
    ),
    "python-3-12": Long(
        "The Python package on CPython 3.12", "tests", "make test-pythons PYTHONS=3.12"
    ),
    "python-3-13": Long(
        "The Python package on CPython 3.13", "tests", "make test-pythons PYTHONS=3.13"
    ),
}

RUST = re.compile(
    r"^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored;.*?(?:finished in ([\d.]+)s)?$"
)
PYTEST = re.compile(r"^[= ]*((?:\d+ [a-z]+(?:, )?)+) in ([\d.]+)s")
NODE = re.compile(r"^(?:#|ℹ) (tests|pass|fail|skipped|duration_ms) ([\d.]+)$")
CONFORMANCE = re.compile(r"^all +\d+ +(\d+) +(\d+) +(\d+) +(\d+)$")
FUZZ = re.compile(r"^(\d+) rounds of (\d+) calls, (\d+) failed$")
MUTANTS = re.compile(r"^(\d+) mutants of \d+ kinds, (\d+) failed$")
SOAK = re.compile(r"^(\d+) requests, (\d+) failed, (\d+) measures grew, (\d+) seconds$")
SECONDS = re.compile(r"^spaCy \S+, (\d+) seconds")
MEMORY = re.compile(r"^(?:valgrind: (\d+) reports with|sanitize: (\d+) processes with reports)")
# A test program that dies of a signal prints no result: only these say that there should be one.
BROKEN = re.compile(r"^error: test failed|^make.*\*\*\*")


class Unread(ValueError):
    """A log that does not say what it should."""


def counted(lines: Iterable[str], kind: str = "count") -> dict[str, Any]:
    """The sum of all that test runners say in these lines; empty if they say nothing."""
    found: dict[str, Any] = {}

    def add(passed: int, failed: int, skipped: int = 0, seconds: float | None = None) -> None:
        sums = {kind: passed, "failed": failed, "skipped": skipped, "seconds": seconds or 0}
        for name, number in sums.items():
            found[name] = round(found.get(name, 0) + number, 1)

    for line in lines:
        if match := RUST.match(line):
            add(*map(int, match.groups()[:3]), float(match[4] or 0))
        elif match := PYTEST.match(line):
            words = match[1].split(", ")
            sums = {word: int(number) for number, word in (each.split() for each in words)}
            failed = sum(sums.get(word, 0) for word in ("failed", "error", "errors"))
            add(sums.get("passed", 0), failed, sums.get("skipped", 0), float(match[2]))
        elif match := CONFORMANCE.match(line):
            passed, applicable, excused, skipped = map(int, match.groups())
            add(passed, applicable - passed, skipped)
            found["excused"] = excused
        elif match := FUZZ.match(line):
            rounds, calls, failed = map(int, match.groups())
            add(rounds * calls, failed)
        elif match := MUTANTS.match(line):
            add(*map(int, match.groups()))
        elif match := SOAK.match(line):
            requests, failed, grew, seconds = map(int, match.groups())
            add(requests, failed + grew, seconds=seconds)
        elif match := SECONDS.match(line):
            found["seconds"] = found.get("seconds", 0) + int(match[1])
        elif match := MEMORY.match(line):
            found["failed"] = found.get("failed", 0) + int(match[1] or match[2])
        elif match := NODE.match(line):
            name, number = match.groups()
            key = {
                "pass": kind,
                "fail": "failed",
                "skipped": "skipped",
                "duration_ms": "seconds",
            }.get(name)
            if key:
                share = float(number) / 1000 if name == "duration_ms" else int(number)
                found[key] = round(found.get(key, 0) + share, 1)
    return found


def whole(lines: Iterable[str], what: str) -> dict[str, Any]:
    """Returns the counts in the output of a finished run. Raises `Unread` for other output."""
    lines = list(lines)
    if broken := next(filter(BROKEN.match, lines), None):
        raise Unread(f"{what} ended in an error, so its results are not all: {broken.strip()}")
    found = counted(lines)
    if "count" not in found:
        raise Unread(f"the log has {what}, but no result of it")
    return found


def steps_of(log: str) -> dict[str, dict[str, Any]]:
    """Returns the results of the steps in a log of `make test`, by their keys."""
    parts: dict[str, list[str]] = {}
    step = None
    for line in log.splitlines():
        begun = next((key for key, each in STEPS.items() if re.search(each.mark, line)), None)
        if begun:
            step = begun
        elif step == "conformance" and PYTEST.match(line):
            # make does not show the command of this step.
            step = "engines"
        elif step in ("rust", "examples") and line.lstrip().startswith(("Doc-tests ", "Running ")):
            step = "examples" if "Doc-tests " in line else "rust"
        if step:
            parts.setdefault(step, []).append(line)
    runs = {}
    for key, lines in parts.items():
        found = whole(lines, f"{STEPS.get(key, EXAMPLES).command} ({key})")
        name = "rust-examples" if key == "examples" else key
        runs[name] = about(name) | found
    if not runs:
        raise Unread("the log has none of the steps of `make test`")
    return runs


def long_run(key: str, log: str, seconds: float | None) -> dict[str, Any]:
    """Returns the result in the output of a long run; without a count of cases, that all were
    run.
    """
    run, found = LONG[key], whole(log.splitlines(), key)
    if run.count is not None:
        if not any(line.endswith(run.command) for line in log.splitlines()):
            raise Unread(
                f"the log of {key} does not have its long form: expected the line `$ {run.command}`"
            )
        if found["failed"] or not found["count"]:
            told = f"{found['count']} tests passed and {found['failed']} failed"
            raise Unread(f"{key} did not make all of its cases: {told}")
        found["count"] = run.count
    if seconds is not None:
        found["seconds"] = round(seconds, 1)
    return about(key) | found


def about(key: str) -> dict[str, Any]:
    """Returns the entry of a run that was not made yet: without counts and date."""
    run = LONG.get(key) or STEPS.get(key, EXAMPLES)
    return {"title": run.title, "unit": run.unit, "command": run.command}


def enter(path: Path, runs: dict[str, dict[str, Any]], date: str, commit: str | None) -> None:
    """Puts runs in the ledger, in the place of older ones of the same keys."""
    old = records.read(path, "reliability").get("runs", {})
    new = {key: run | {"date": date, "commit": commit} for key, run in runs.items()}
    merged = {
        key: (old | new).get(key, {}) | about(key) for key in [*STEPS, "rust-examples", *LONG]
    }
    records.write(path, "reliability", {"runs": merged})


def checked_out() -> str | None:
    sys.path.insert(0, str(ROOT / "tests/bench"))
    from figures import commit

    return commit()


def make(command: str) -> tuple[str, float]:
    """Runs a command, showing it and what it prints; gives that, and the seconds it took. `Unread`
    if it fails.
    """
    start, printed = time.monotonic(), [f"$ {command}\n"]
    print(printed[0], end="", flush=True)
    pipes = {
        "stdout": subprocess.PIPE,
        "stderr": subprocess.STDOUT,
        "text": True,
        "errors": "replace",
    }
    with subprocess.Popen(command, shell=True, cwd=ROOT, **pipes) as process:
        for line in process.stdout:
            print(line, end="", flush=True)
            printed.append(line)
    if process.returncode:
        raise Unread(f"exit code {process.returncode} of {command}")
    return "".join(printed), time.monotonic() - start


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("logs", nargs="*", type=Path, metavar="LOG", help="output of .ci/run")
    parser.add_argument("--run", choices=LONG, action="append", default=[], help="make a long run")
    parser.add_argument("--enter", choices=LONG, help="enter a long run from its output")
    parser.add_argument("--log", type=Path, help="the output, for --enter")
    parser.add_argument("--seconds", type=float, help="how long it took, for --enter")
    parser.add_argument("--commit", help="of what was tested")
    parser.add_argument("--date", type=datetime.date.fromisoformat, help="such as 2026-11-22")
    parser.add_argument("--list", action="store_true", help="list the long runs")
    parser.add_argument("--ledger", type=Path, default=records.RECORDS, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.list:
        for key, run in LONG.items():
            print(f"{key:18}{run.command}")
        return
    if bool(args.enter) != bool(args.log) or not (args.logs or args.run or args.enter):
        parser.error("give a LOG of .ci/run, --run KEY, or --enter KEY --log FILE")

    def note(runs: dict[str, dict[str, Any]], day: datetime.date) -> None:
        enter(args.ledger, runs, (args.date or day).isoformat(), args.commit or checked_out())
        for key, run in runs.items():
            print(f"{key}: {run['count']:,} {run['unit']}, {run['failed']} failed")

    try:
        for log in [*args.logs, *([args.log] if args.log else [])]:
            text = log.read_text(encoding="utf-8", errors="replace")
            day = datetime.date.fromtimestamp(log.stat().st_mtime)
            note(
                steps_of(text)
                if log in args.logs
                else {args.enter: long_run(args.enter, text, args.seconds)},
                day,
            )
        for key in args.run:
            note({key: long_run(key, *make(LONG[key].command))}, datetime.date.today())
    except Unread as error:
        sys.exit(f"ledger: {error}")


if __name__ == "__main__":
    main()
