"""Opens and uses damaged files, and reports what should never happen.

    python tests/fuzz/files.py --kind all --mutants 10000 --seed 1 --jobs 2

Each mutant of a file is made from its number, with its checksums put right, and is opened and used
in a child process. It may work, or be refused by an exception that the catalogue of codes names; it
fails if it ends the process, raises another exception, takes over 10 seconds, or over 300 MB more
than it has bytes. `--only KIND:NUMBER` runs one mutant again and keeps its files.
"""

import argparse
import builtins
import collections
import contextlib
import faulthandler
import gc
import importlib
import json
import multiprocessing
import os
import random
import resource
import select
import shutil
import sys
import tempfile
import time
import traceback
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import checksums
from file_kinds import KINDS, CommandError, Kind, Sample
from mutation import Mutator

from lexpool import errors

for subject in ("pipelines", "vocabs", "documents", "languages"):
    importlib.import_module(f"kinds_of_{subject}")

MEGABYTES = 300
SECONDS = 10.0
PATIENCE = 60.0
"""Seconds of waiting after which a child that stands still is killed; the machine may be busy."""
ADDRESSES = 1 << 30
"""Bytes of addresses that a mutant may reserve: threads reserve more than they use."""
BATCH = 50
"""Mutants that a child opens, unless one of them fails."""


@dataclass
class Result:
    """The outcomes of the mutants of a kind."""

    kind: str
    mutants: int = 0
    opened: int = 0
    codes: collections.Counter[str] = field(default_factory=collections.Counter)
    findings: list[str] = field(default_factory=list)
    megabytes: float = 0.0
    seconds: float = 0.0
    slowest: int = 0

    def add(self, outcome: dict[str, Any]) -> None:
        """Count an outcome."""
        self.mutants += 1
        self.megabytes = max(self.megabytes, outcome.get("megabytes", 0))
        if outcome.get("seconds", 0) > self.seconds:
            self.seconds, self.slowest = outcome["seconds"], outcome["number"]
        if "finding" in outcome:
            self.findings.append(f"{self.kind}:{outcome['number']}: {outcome['finding']}")
        elif "code" in outcome:
            self.codes[outcome["code"]] += 1
        else:
            self.opened += 1

    def row(self) -> str:
        """The kind's row of the table."""
        return (
            f"{self.kind:16}{self.mutants:>9}{self.opened:>9}{self.codes.total():>9}"
            f"{len(self.codes):>7}{len(self.findings):>10}{self.megabytes:>10.0f}"
            f"{self.seconds:>8.1f}{self.slowest:>11}"
        )


HEAD = (
    f"{'kind':16}{'mutants':>9}{'opened':>9}{'refused':>9}{'codes':>7}{'findings':>10}"
    f"{'worst MB':>10}{'worst s':>8}{'slowest':>11}"
)


def mutant(kind: Kind, number: int) -> tuple[Sample, str]:
    """Returns the files of a mutant, and the name of the one that was changed. Those below zero are
    the samples as they are.
    """
    if number < 0:
        return kind.sample_list[number], ""
    rng = random.Random(f"{kind.name}:{number}")
    sample = rng.choice(kind.sample_list)
    mutator = Mutator(rng)
    names = [name for name in sample if name.endswith(kind.changed)]
    # Long files are mostly weights and words, which are all alike.
    name = rng.choice(
        names if rng.random() < 0.2 else [n for n in names if "vocab" not in n] or names
    )
    if kind.name == "packed" and rng.random() < 0.8:
        parts = checksums.unpacked(sample[name])
        part = rng.choice(list(parts))
        content = checksums.packed(parts | {part: mutator.changed(part, parts[part])})
    else:
        content = mutator.changed(name, sample[name])
    if rng.random() < 0.97:
        content = kind.repair(content)
    return sample | {name: content}, name


def memory(field: str) -> int:
    """Returns a number of bytes from /proc/self/status."""
    with open("/proc/self/status", encoding="ascii") as status:
        row = next(row for row in status if row.startswith(field))
    return 1024 * int(row.split()[1])


def begin_peak() -> None:
    """Lets the peak of resident memory begin at what is resident now."""
    with open("/proc/self/clear_refs", "w", encoding="ascii") as file:
        file.write("5")


def verdict(error: BaseException) -> dict[str, str]:
    """Returns the code of a refusal, or what is wrong with an exception."""
    row, text = errors.explain(error), str(error)
    if isinstance(error, OSError) and error.errno and row is None:
        return {"code": f"errno {error.errno}"}
    if type(error).__name__ in errors.__all__ and row is None:
        return {"code": type(error).__name__}
    if isinstance(error, CommandError):
        is_named = row is not None and "panicked" not in text
    else:
        kinds = tuple(getattr(builtins, name) for name in row.raised) if row else ()
        is_named = isinstance(error, kinds)
    if row is not None and is_named and "bug in lexpool" not in text:
        return {"code": row.code}
    places = traceback.extract_tb(error.__traceback__)[-3:]
    where = " < ".join(f"{Path(p.filename).name}:{p.lineno}" for p in reversed(places))
    return {"finding": f"{type(error).__name__}: {text[:300]!r} at {where}"}


def attempt(kind: Kind, number: int, folder: Path) -> dict[str, Any]:
    """Open and use a mutant, and tell the outcome."""
    content, changed = mutant(kind, number)
    for name, part in content.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(part)
    size = len(content.get(changed, b""))
    del content
    gc.collect()
    begin_peak()
    before, start = memory("VmRSS"), time.process_time()
    outcome: dict[str, Any] = {"number": number}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            kind.use(folder)
    except BaseException as error:
        outcome |= verdict(error)
    outcome["seconds"] = time.process_time() - start
    outcome["megabytes"] = (memory("VmHWM") - before - size) / 1e6
    if outcome["seconds"] > SECONDS:
        outcome["finding"] = f"it took {outcome['seconds']:.0f} s ({outcome.get('code', 'used')})"
    elif outcome["megabytes"] > MEGABYTES:
        outcome["finding"] = (
            f"it took {outcome['megabytes']:.0f} MB ({outcome.get('code', 'used')})"
        )
    return outcome


def child(kind: Kind, numbers: range, out: int, folder: Path) -> None:
    """Try mutants until one fails, and write what comes of each."""
    printed = os.open(folder / "printed", os.O_RDWR | os.O_CREAT | os.O_TRUNC)
    os.dup2(printed, 1)
    os.dup2(printed, 2)
    faulthandler.enable()
    limit = memory("VmSize") + ADDRESSES
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for number in numbers:
        os.write(out, b"%d\n" % number)
        place = folder / str(number)
        os.ftruncate(printed, 0)
        outcome = attempt(kind, number, place)
        os.write(out, json.dumps(outcome).encode() + b"\n")
        if "finding" in outcome:
            break
        shutil.rmtree(place, ignore_errors=True)


def batch(kind: Kind, numbers: range, folder: Path) -> list[dict[str, Any]]:
    """Try mutants in a child; returns the outcomes, the last one being a failure or the last."""
    read_end, write_end = os.pipe()
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            os.close(read_end)
            child(kind, numbers, write_end, folder)
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)
    os.close(write_end)
    output, is_stuck = b"", False
    with open(read_end, "rb", buffering=0) as pipe:
        while True:
            if not select.select([pipe], [], [], PATIENCE)[0]:
                is_stuck = True
                os.kill(pid, 9)
            part = pipe.read(1 << 16)
            if not part:
                break
            output += part
    status = os.waitpid(pid, 0)[1]
    rows = [json.loads(row) for row in output.splitlines()]
    outcomes = [row for row in rows if isinstance(row, dict)]
    started = [row for row in rows if isinstance(row, int)]
    if len(started) > len(outcomes) or status:
        printed = (folder / "printed").read_text("utf8", "replace")[:1500]
        why = (
            f"it stood still for {PATIENCE:.0f} s"
            if is_stuck
            else f"it ended the process (status {status})"
        )
        number = started[-1] if started else numbers.start
        outcomes.append({"number": number, "finding": f"{why}; {printed}"})
    return outcomes


def run(kind: Kind, numbers: range, failures: Path) -> Result:
    """Try mutants of a kind, and keep the files of those that fail."""
    result, folder = Result(kind.name), Path(tempfile.mkdtemp(prefix="lexpool-fuzz-"))
    for number in range(-len(kind.sample_list), 0):
        outcome = batch(kind, range(number, number + 1), folder)[0]
        if "code" in outcome or "finding" in outcome:
            raise AssertionError(f"a sample of {kind.name} is refused: {outcome}")
    try:
        at = numbers.start
        while at < numbers.stop:
            outcomes = batch(kind, range(at, min(at + BATCH, numbers.stop)), folder)
            for outcome in outcomes:
                result.add(outcome)
            last = outcomes[-1]
            if "finding" in last:
                print(result.findings[-1], flush=True)
                place = failures / f"{kind.name}-{last['number']}"
                shutil.rmtree(place, ignore_errors=True)
                with contextlib.suppress(OSError):
                    shutil.move(folder / str(last["number"]), place)
            at = last["number"] + 1
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return result


def run_kind(name: str, seed: int, mutants: int, failures: Path) -> Result:
    """Try the mutants of a seed."""
    start = seed * 10_000_000
    return run(KINDS[name], range(start, start + mutants), failures)


def main() -> int:
    """Run mutants and print the table; 1 if one of them failed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kind", default="all", help=f"all, or some of {', '.join(KINDS)}")
    parser.add_argument("--mutants", type=int, default=100, help="for each kind")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="kinds at a time")
    parser.add_argument("--only", help="KIND:NUMBER of one mutant")
    parser.add_argument("--keep", type=Path, help="the folder for mutants that fail")
    args = parser.parse_args()
    failures = args.keep or Path(tempfile.mkdtemp(prefix="lexpool-failed-"))
    failures.mkdir(parents=True, exist_ok=True)
    if args.only:
        name, _, number = args.only.rpartition(":")
        files, changed = mutant(KINDS[name], int(number))
        for path, content in files.items():
            (failures / path).parent.mkdir(parents=True, exist_ok=True)
            (failures / path).write_bytes(content)
        print(f"{failures / changed} is the changed file", flush=True)
        result = run(KINDS[name], range(int(number), int(number) + 1), failures)
        print(result.codes or result.findings or "opened and used")
        return bool(result.findings)
    names = list(KINDS) if args.kind == "all" else args.kind.split(",")
    calls = [(name, args.seed, args.mutants, failures) for name in names]
    print(HEAD, flush=True)
    results = []
    with multiprocessing.get_context("fork").Pool(args.jobs, maxtasksperchild=1) as pool:
        for each in [pool.apply_async(run_kind, call) for call in calls]:
            results.append(each.get())
            print(results[-1].row(), flush=True)
    findings = [finding for result in results for finding in result.findings]
    mutants = sum(result.mutants for result in results)
    print(*findings, sep="\n")
    if findings:
        print(f"their files are in {failures}")
    elif not args.keep:
        shutil.rmtree(failures, ignore_errors=True)
    print(f"{mutants} mutants of {len(results)} kinds, {len(findings)} failed")
    return bool(findings)


if __name__ == "__main__":
    sys.exit(main())
