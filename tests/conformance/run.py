"""Run the tests inside the installed spaCy wheel on lexpool's classes.

    python tests/conformance/run.py                          all files, checked against the record
    python tests/conformance/run.py --group doc,lang/en      folders of spacy/tests
    python tests/conformance/run.py --file test_span --failures 20
    python tests/conformance/run.py --record                 write down what passes now

spaCy is patched once; each file then runs in a fork of this process. Exit status 0 means: every
test passes that is not excused in rules.toml, none that is excused has begun to pass, and in each
file there pass as many as recorded.toml says.
"""

import argparse
import json
import multiprocessing
import os
import sys
import tempfile
import time
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from importlib.metadata import version
from importlib.util import find_spec
from multiprocessing.connection import wait
from pathlib import Path

from rules import Rules

HERE = Path(__file__).resolve().parent
RECORD = HERE / "recorded.toml"
# Numbers of threads are read when a library is loaded; one process a core is enough of them.
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


@dataclass
class FileResult:
    """The outcomes of the tests in one file."""

    path: str
    seconds: float = 0.0
    outcomes: dict[str, tuple[str, str]] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)

    def classify(self, rules: Rules) -> None:
        """Count the outcomes and find what should not be."""
        for name, (outcome, more) in self.outcomes.items():
            full = f"{self.path}::{name}"
            excuse = rules.excuse(full, outcome, more)
            if outcome == "passed" and excuse:
                self.problems.append(f"passes, but rules.toml excuses it ({excuse}): {name}")
            elif outcome in ("failed", "borrowed", "refused") and not excuse:
                self.problems.append(f"{outcome}: {name}: {more}")
            counted = outcome in ("passed", "skipped") or not excuse
            self.counts[outcome if counted else "excused"] += 1

    @property
    def applicable(self) -> int:
        return sum(self.counts.values()) - self.counts["excused"] - self.counts["skipped"]


def main() -> int:
    args = arguments()
    spec = find_spec("spacy")
    if spec is None or not spec.submodule_search_locations:
        sys.exit("spaCy is not installed in this environment")
    root = Path(spec.submodule_search_locations[0]) / "tests"
    every = sorted(path.relative_to(root).as_posix() for path in root.rglob("test_*.py"))
    wanted = [path for path in every if chosen(path, args.group, args.file)]
    if not wanted:
        sys.exit("no file of spaCy's tests has such a name")
    rules = Rules.read(HERE / "rules.toml")

    for name in THREADS:
        os.environ.setdefault(name, "1")
    import worker

    guard, missing = worker.prepare(args.control)

    def work(path: str, out: Path) -> None:
        worker.run(root / path, root, guard, rules.deselected, out)

    began = time.monotonic()
    results = []
    for result in run_files(wanted, work, args.jobs, args.timeout):
        result.classify(rules)
        results.append(result)
        show(result, args.failures, len(results), len(wanted))
    results.sort(key=lambda result: result.path)
    print_table(results, time.monotonic() - began)
    if missing:
        print(f"lexpool lacks {len(missing)} names: {', '.join(missing)}")
    problems = []
    whole = wanted == every
    if whole:
        tests = [f"{result.path}::{name}" for result in results for name in result.outcomes]
        problems += rules.unused(tests)
    if args.record:
        if args.control or not whole:
            sys.exit("--record takes a run of all files on lexpool")
        write_record(results)
    elif not args.control:
        problems += against_record(results)
    for text in problems:
        print(text)
    count = len(problems) + sum(len(result.problems) for result in results)
    if count:
        print(f"{count} problems in all; --failures N shows N in each file")
    return 1 if count else 0


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--group", default="", help="folders of spacy/tests, comma-separated")
    parser.add_argument("--file", default="", help="parts of file names, comma-separated")
    parser.add_argument("--failures", type=int, default=5, metavar="N", help="shown for each file")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--timeout", type=float, default=300, help="seconds for one file")
    parser.add_argument("--control", action="store_true", help="run on spaCy's own core")
    parser.add_argument("--record", action="store_true", help="rewrite recorded.toml")
    return parser.parse_args()


def chosen(path: str, groups: str, files: str) -> bool:
    """Returns whether a file is selected by its folder and by a part of its name."""
    in_group = not groups or any(path.startswith(f"{group}/") for group in groups.split(","))
    return in_group and (not files or any(part in path for part in files.split(",")))


def run_files(
    paths: Iterable[str], work: Callable[[str, Path], None], jobs: int, timeout: float
) -> Iterable[FileResult]:
    """Run files in forks of this process, some at a time, and give results as they come."""
    forks = multiprocessing.get_context("fork")
    waiting = list(reversed(list(paths)))
    running: dict[str, tuple[multiprocessing.process.BaseProcess, float, Path]] = {}
    with tempfile.TemporaryDirectory(prefix="conformance-") as folder:
        while waiting or running:
            while waiting and len(running) < jobs:
                path = waiting.pop()
                out = Path(folder) / (path.replace("/", "__") + ".json")
                process = forks.Process(target=work, args=(path, out))
                process.start()
                running[path] = (process, time.monotonic(), out)
            wait([process.sentinel for process, _, _ in running.values()], timeout=1)
            for path, (process, began, out) in list(running.items()):
                seconds = time.monotonic() - began
                if process.is_alive() and seconds < timeout:
                    continue
                late = process.is_alive()
                if late:
                    process.kill()
                process.join()
                del running[path]
                yield result_of(path, seconds, process.exitcode, late, out)


def result_of(path: str, seconds: float, status: int | None, late: bool, out: Path) -> FileResult:
    result = FileResult(path, seconds)
    if not late and status == 0 and out.exists():
        result.outcomes = {name: tuple(what) for name, what in json.loads(out.read_text()).items()}
        return result
    log = out.with_suffix(".log")
    end = log.read_text("utf-8", "replace")[-2000:] if log.exists() else ""
    what = f"still ran after {seconds:.0f} seconds" if late else f"ended with status {status}"
    result.problems.append(f"the process {what}; it said: {end}")
    return result


def show(result: FileResult, failures: int, done: int, of: int) -> None:
    if not result.problems:
        if sys.stdout.isatty():
            print(f"\r{done} / {of} files", end="\r", flush=True)
        return
    good = f"{result.counts['passed']} / {result.applicable}"
    print(f"{good:>11}  {result.path}  ({result.seconds:.1f} s)")
    for text in result.problems[:failures]:
        print(f"             {text}")
    sys.stdout.flush()


def group_of(path: str) -> str:
    return path.partition("/")[0] if "/" in path else "(top)"


def print_table(results: list[FileResult], seconds: float) -> None:
    print(f"\n{'folder':16} {'files':>5} {'passed':>7} {'of':>6} {'excused':>8} {'skipped':>8}")
    groups = sorted({group_of(result.path) for result in results})
    for group in [*groups, "all"]:
        mine = [result for result in results if group in ("all", group_of(result.path))]
        total = sum((result.counts for result in mine), Counter[str]())
        of = sum(result.applicable for result in mine)
        print(
            f"{group:16} {len(mine):5} {total['passed']:7} {of:6} "
            f"{total['excused']:8} {total['skipped']:8}"
        )
    slow = sorted(results, key=lambda result: -result.seconds)[:3]
    longest = ", ".join(f"{result.path} {result.seconds:.0f}" for result in slow)
    print(f"spaCy {version('spacy')}, {seconds:.0f} seconds; longest: {longest}")


def write_record(results: list[FileResult]) -> None:
    lines = [
        "# How many of spaCy's tests pass on lexpool, by file: `run.py --record` writes it.",
        f'spacy = "{version("spacy")}"',
        "",
        "[passed]",
        *(f'"{result.path}" = {result.counts["passed"]}' for result in results),
    ]
    RECORD.write_text("\n".join(lines) + "\n")


def against_record(results: list[FileResult]) -> list[str]:
    """Returns the files in which fewer tests pass than recorded."""
    record = tomllib.loads(RECORD.read_text())
    if record["spacy"] != version("spacy"):
        print(f"recorded.toml is of spaCy {record['spacy']}, so numbers are not compared")
        return []
    problems = []
    for result in results:
        before, now = record["passed"].get(result.path, 0), result.counts["passed"]
        if now < before:
            problems.append(f"{result.path}: {now} tests pass, {before} did before")
        elif now > before:
            print(f"{result.path}: {now} tests pass, {before} are recorded; run with --record")
    return problems


if __name__ == "__main__":
    sys.exit(main())
