"""Run the tests inside the installed spaCy wheel on lexpool's classes.

    python tests/conformance/run.py                          all files, checked against the record
    python tests/conformance/run.py --group doc,lang/en      folders of spacy/tests
    python tests/conformance/run.py --file test_span --failures 20
    python tests/conformance/run.py --record                 write down what passes now
    python tests/conformance/run.py --predictions            predictions of trained components

spaCy is patched once; each file then runs in a fork of this process. Exit status 0 means: every
test passes that is not excused in rules.toml, none that is excused has begun to pass, and in each
file there pass as many as recorded.toml says.

With --predictions, spaCy runs its tests as it is, with what they train. Each prediction of a
trained component is made by lexpool, too, from the live pipeline and from its bytes, and all
annotation must be equal: on x86-64 with all bits of all numbers, elsewhere within 1e-5. Counted are
the tests with at least one prediction, and the documents that are equal. Exit status 0 means: none
differs, lexpool makes all that are not excused in rules_predictions.toml, and in each file there
are as many as recorded_predictions.toml says. Only tests that it names are run, unless --record,
--group or --file is given. With --control, lexpool's predictions are altered, and all must differ.
"""

import argparse
import json
import multiprocessing
import os
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterable
from importlib.util import find_spec
from multiprocessing.connection import wait
from pathlib import Path

from results import FileResult, Record, print_predictions, print_table
from rules import Rules

HERE = Path(__file__).resolve().parent
# With this, NumPy's power is the C library's, so predictions on x86-64 can have equal bits.
EXACT = {"NPY_DISABLE_CPU_FEATURES": "X86_V4"}
# Numbers of threads are read when a library is loaded; one process a core is enough of them.
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
# It takes as long as half of the others, and would be the last to end.
LONGEST = "tokenizer/test_explain.py"


def main() -> int:
    args = arguments()
    spec = find_spec("spacy")
    if spec is None or not spec.submodule_search_locations:
        sys.exit("spaCy is not installed in this environment")
    root = Path(spec.submodule_search_locations[0]) / "tests"
    every = sorted(path.relative_to(root).as_posix() for path in root.rglob("test_*.py"))
    suffix = "_predictions" if args.predictions else ""
    rules = Rules.read(HERE / f"rules{suffix}.toml")
    record = Record(HERE / f"recorded{suffix}.toml")
    is_chosen = bool(args.group or args.file)
    wanted = [path for path in every if chosen(path, args.group, args.file)]
    is_short = args.predictions and record.is_current and not (args.record or is_chosen)
    if is_short:
        wanted = [path for path in wanted if path in record.tests]
    if not wanted:
        sys.exit("no file of spaCy's tests has such a name")
    if args.record and (args.control or is_chosen):
        sys.exit("--record takes a run of all files on lexpool")

    for name in THREADS:
        os.environ.setdefault(name, "1")
    if args.predictions:
        # It is read when NumPy is loaded.
        os.environ.update(EXACT)
    import worker

    missing: tuple[str, ...] = ()
    if args.predictions:
        from predicted import PredictedOutcomes, prepare

        from lexpool.util import fix_random_seed

        predictions = prepare(args.control)
    else:
        guard, missing = worker.prepare(args.control)

    def deselected(test: str) -> bool:
        return rules.deselected(test) or (is_short and not record.has_predictions(test))

    def work(path: str, out: Path) -> None:
        if args.predictions:
            # Tests train from random weights, with some of which they fail on spaCy itself.
            fix_random_seed()
        plugin = (
            PredictedOutcomes(predictions, deselected, path)
            if args.predictions
            else worker.Outcomes(guard, deselected, path)
        )
        worker.run(root / path, root, plugin, out)

    began = time.monotonic()
    results = []
    for result in run_files(wanted, work, args.jobs, args.timeout):
        if args.predictions:
            result.classify_predictions(rules, args.control)
        else:
            result.classify(rules)
        results.append(result)
        show(result, args.failures, len(results), len(wanted))
    results.sort(key=lambda result: result.path)
    (print_predictions if args.predictions else print_table)(results, time.monotonic() - began)
    if missing:
        print(f"lexpool lacks {len(missing)} names: {', '.join(missing)}")
    problems = []
    if wanted == every:
        tests = [f"{result.path}::{name}" for result in results for name in result.outcomes]
        problems += rules.unused(tests)
    if args.record:
        (record.write_predictions if args.predictions else record.write)(results)
    elif not args.control:
        problems += record.problems(results)
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
    parser.add_argument("--timeout", type=float, default=900, help="seconds for one file")
    parser.add_argument("--predictions", action="store_true", help="compare predictions")
    parser.add_argument(
        "--control",
        action="store_true",
        help="run on spaCy's own core; with --predictions, alter those of lexpool",
    )
    parser.add_argument("--record", action="store_true", help="rewrite the record")
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
    waiting = deque(sorted(paths, key=lambda path: path != LONGEST))
    running: dict[str, tuple[multiprocessing.process.BaseProcess, float, Path]] = {}
    with tempfile.TemporaryDirectory(prefix="conformance-") as folder:
        while waiting or running:
            while waiting and len(running) < jobs:
                path = waiting.popleft()
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


if __name__ == "__main__":
    sys.exit(main())
