"""Tests the tests: changes the code of a crate and counts the changes that no test notices.

    python tests/tools/mutants.py pool              each mutant of one part
    python tests/tools/mutants.py all               each part in turn
    python tests/tools/mutants.py pool --again      those that survived, after a change of tests
    python tests/tools/mutants.py files --shard 0/8 a sample: each eighth mutant; 1/8 adds the next
    python tests/tools/mutants.py --list            the parts

It needs cargo-mutants. A mutant is one change of a function: another operator, a constant in the
place of the result. It is caught if a test fails or does not end; one that does not compile counts
as none. What survives is entered in docs/measured/records.json with its reason from
tests/tools/survivors.toml, for mutants that no test can notice; a survivor without a reason is a
test that is missing. Results are kept in target/mutants, for --again and the shards of a sample;
after a change of the code, not of its tests, a part is to be run anew.
"""

import argparse
import datetime
import json
import os
import platform
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import records

ROOT = Path(__file__).parents[2]
REASONS = ROOT / "tests/tools/survivors.toml"
FOLDER = ROOT / "target/mutants"
INSTALL = "cargo install --locked cargo-mutants"


@dataclass(frozen=True)
class Part:
    """Code that is mutated, and the arguments of `cargo test` for the tests that have to notice."""

    title: str
    package: str
    files: tuple[str, ...] = ()
    # Packages above it with more of the files, whose tests have to notice, too.
    above: tuple[str, ...] = ()
    tests: tuple[str, ...] = ("--lib", "--tests")
    # The processor time after which a test program hangs: several times what all of its tests take.
    cpu: int = 20
    # The time on the clock after which its threads wait for ever.
    deadlock: int = 1200


PARTS = {
    "pool": Part("Arenas, shared storage, locks and gates", "lexpool-pool"),
    "structs": Part("Records, attributes, ids of strings", "lexpool-structs"),
    "guards": Part(
        "Guards against forks",
        "lexpool-threads",
        ("core/threads/src/busy.rs", "core/threads/src/scope.rs"),
        # The tests take a second; many mutants are guards that are never left.
        deadlock=90,
    ),
    "msgpack": Part("MessagePack", "lexpool-msgpack"),
    "parse": Part("Transitions, their costs, trees", "lexpool-parse", cpu=120),
    "nn": Part(
        "Numerics of networks, and their files",
        "lexpool-nn",
        ("core/nn/src/describe/**/*.rs", "core/nn/src/infer/**/*.rs"),
        cpu=120,
    ),
    "files": Part(
        "Files and their formats, leases of addresses",
        "lexpool",
        (
            "core/io/src/corpus/mapped/*.rs",
            "core/src/files/**/*.rs",
            "core/src/formats/**/*.rs",
            "core/src/lookups/mapped.rs",
            "core/src/matcher/phrases/file.rs",
            "core/src/matcher/phrases/layout.rs",
            "core/src/matcher/phrases/validate.rs",
            "core/src/pipeline_files/*.rs",
            "core/src/tokens/address_pins.rs",
            "core/src/vocab/image/*.rs",
        ),
        above=("lexpool-io",),
        tests=("--lib", "--test", "saver_faults", "--all-features"),
        cpu=600,
    ),
}
# Code that is compiled for other processors only: no test can notice a change of it.
FOREIGN = {
    "x86_64": ("**/neon.rs",),
    "aarch64": ("**/avx2.rs", "**/avx512.rs"),
}
# Test programs are limited by processor time, which an infinite loop uses up and a busy machine
# does not; by memory, for loops that allocate; and by time on the clock, for threads that wait.
MEMORY_BYTES = 16 << 30
CAUGHT, TIMEOUT, MISSED, UNVIABLE = "CaughtMutant", "Timeout", "MissedMutant", "Unviable"


class ReportError(ValueError):
    """Output of cargo-mutants that does not say what was tested."""


def reasons(path: Path = REASONS) -> dict[str, list[dict[str, str]]]:
    """Returns why each of the mutants that no test can notice survives, by part."""
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def survivor(mutant: dict[str, Any], known: list[dict[str, str]], root: Path = ROOT) -> dict:
    """Describes a mutant by the line of code that it changes, with its reason if it has one.

    Lines and columns move with every edit, so a reason names the file, the change and the text of
    the line.
    """
    start = mutant["span"]["start"]["line"]
    lines = (root / mutant["file"]).read_text(encoding="utf-8").splitlines()
    # `pool/src/zone.rs:12:5: replace ...`
    told = {
        "file": mutant["file"],
        "change": mutant["name"].split(": ", 1)[1],
        "line": lines[start - 1].strip(),
    }
    same = (entry for entry in known if all(entry[name] == told[name] for name in told))
    entry = next(same, None)
    return told | ({"reason": entry["reason"]} if entry else {})


def entry(
    key: str, listed: list[dict], results: dict[str, str], root: Path = ROOT
) -> dict[str, Any]:
    """Returns the entry of a part in the ledger, from its mutants and the results by name."""
    tested = [mutant for mutant in listed if mutant["name"] in results]
    counts = {
        kind: sum(results[mutant["name"]] == kind for mutant in tested)
        for kind in (CAUGHT, TIMEOUT, MISSED, UNVIABLE)
    }
    viable = len(tested) - counts[UNVIABLE]
    if viable == 0:
        raise ReportError(f"{key}: no mutant was tested")
    known = reasons().get(key, [])
    survivors = [
        survivor(mutant, known, root) for mutant in tested if results[mutant["name"]] == MISSED
    ]
    return about(key) | {
        "count": viable,
        # A survivor is a failure until a test notices it, or a reason says why none can.
        "failed": sum("reason" not in each for each in survivors),
        "caught": counts[CAUGHT],
        "timeouts": counts[TIMEOUT],
        "unviable": counts[UNVIABLE],
        # More than what was tested if the run was a sample.
        "listed": len(listed),
        "survivors": survivors,
    }


def about(key: str) -> dict[str, str]:
    return {
        "title": PARTS[key].title,
        "unit": "mutants",
        "command": f"make mutants CRATE={key}",
    }


def enter(path: Path, key: str, run: dict[str, Any], date: str, commit: str | None) -> None:
    """Puts the result of a part in the ledger, in the place of an older one."""
    old = records.read(path, "mutants").get("runs", {})
    runs = old | {key: run | {"date": date, "commit": commit}}
    records.write(path, "mutants", {"runs": {name: runs.get(name, about(name)) for name in PARTS}})


def scope(key: str) -> list[str]:
    """Returns the arguments that choose the mutants of a part."""
    part = PARTS[key]
    files = [word for file in part.files for word in ("--file", file)]
    skipped = ("**/tests.rs", *FOREIGN.get(platform.machine(), ()))
    return [
        *(word for name in (part.package, *part.above) for word in ("--package", name)),
        *files,
        *(word for file in skipped for word in ("--exclude", file)),
        # Modules `tests` that are compiled under more conditions than `test`.
        *("--exclude-re", r"\btests::"),
    ]


def list_mutants(key: str) -> list[dict[str, Any]]:
    command = ["cargo", "mutants", "--list", "--json", *scope(key)]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def run(key: str, folder: Path, others: list[str]) -> None:
    """Runs cargo-mutants on all mutants but `others`; it writes to a folder `mutants.out`."""
    # As if an earlier run had caught them: `--re` does not choose among deletions of fields.
    shutil.rmtree(folder / "mutants.out", ignore_errors=True)
    (folder / "mutants.out").mkdir()
    names = "".join(f"{name}\n" for name in others)
    (folder / "mutants.out/previously_caught.txt").write_text(names, encoding="utf-8")
    command = [
        *("cargo", "mutants", *scope(key), "--output", str(folder), "--no-shuffle"),
        *("--timeout", str(PARTS[key].deadlock), "--cargo-arg=--locked", "--iterate"),
        *(f"--test-package={name}" for name in (PARTS[key].package, *PARTS[key].above)),
        *(f"--cargo-test-arg={word}" for word in PARTS[key].tests),
    ]
    # Crates of others are compiled once, and not for each run.
    environment = {"CARGO_TARGET_DIR": str(FOLDER / "target"), "CARGO_PROFILE_DEV_DEBUG": "0"}
    if prlimit := shutil.which("prlimit"):
        version = subprocess.run(["rustc", "-vV"], check=True, capture_output=True, text=True)
        host = version.stdout.partition("host: ")[2].split()[0].upper().replace("-", "_")
        environment[f"CARGO_TARGET_{host}_RUNNER"] = " ".join(
            [prlimit, f"--cpu={PARTS[key].cpu}", f"--as={MEMORY_BYTES}"]
        )
    done = subprocess.run(command, cwd=ROOT, env=os.environ | environment, check=False)
    # 2 and 3 stand for mutants that were missed or timed out.
    if done.returncode not in (0, 2, 3):
        raise ReportError(f"{key}: cargo-mutants ended with code {done.returncode}")


def results_of(folder: Path) -> dict[str, str]:
    """Returns the result of each mutant in a folder `mutants.out`, also of a run that was ended."""
    path = folder / "outcomes.json"
    if not path.exists():
        return {}
    return {
        outcome["scenario"]["Mutant"]["name"]: outcome["summary"]
        for outcome in json.loads(path.read_text(encoding="utf-8"))["outcomes"]
        # The other one is the code as it is.
        if isinstance(outcome["scenario"], dict)
    }


def chosen(
    listed: list[dict[str, Any]], results: dict[str, str], again: bool, shard: str | None
) -> list[str]:
    """Returns the names of the mutants to test: of a sample, or all; but of those with a result
    only the ones that survived, and these only if they are to be tested again.
    """
    first, step = map(int, shard.split("/")) if shard else (0, 1)
    known = {CAUGHT, TIMEOUT, UNVIABLE} if again else {CAUGHT, TIMEOUT, UNVIABLE, MISSED}
    names = [mutant["name"] for mutant in listed[first::step]]
    if again:
        names = [name for name in names if name in results]
    return [name for name in names if results.get(name) not in known]


def test(key: str, again: bool, shard: str | None, is_done: bool) -> dict[str, Any]:
    """Tests mutants of a part unless that is done, and returns its entry in the ledger."""
    folder = FOLDER / key
    if not (again or shard or is_done):
        shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)
    listed, results = list_mutants(key), collect(folder)
    names = chosen(listed, results, again, shard)
    if names and not is_done:
        others = sorted({mutant["name"] for mutant in listed} - set(names))
        run(key, folder, others)
    return entry(key, listed, collect(folder))


def collect(folder: Path) -> dict[str, str]:
    """Returns all results of a part, and adds those of the last run to the ones that are kept."""
    kept = folder / "results.json"
    results = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}
    results |= results_of(folder / "mutants.out")
    kept.write_text(json.dumps(results), encoding="utf-8")
    return results


def tell(key: str, run: dict[str, Any]) -> None:
    """Prints the counts of a part, and each survivor that has no reason."""
    caught = run["caught"] + run["timeouts"]
    print(
        f"mutants: {key}: {caught} of {run['count']} caught ({100 * caught / run['count']:.1f} %),"
        f" {run['timeouts']} of them by time, {len(run['survivors'])} survive,"
        f" {run['unviable']} do not compile; {run['listed']} in all"
    )
    for each in run["survivors"]:
        if "reason" not in each:
            print(f"    no reason: {each['file']}: {each['change']}\n        {each['line']}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("part", nargs="?", choices=["all", *PARTS], metavar="PART")
    parser.add_argument("--again", action="store_true", help="only what was not caught last time")
    parser.add_argument("--shard", metavar="K/N", help="each N-th mutant, from the K-th on")
    parser.add_argument(
        "--enter", action="store_true", help="enter the results of a run that was ended"
    )
    parser.add_argument("--list", action="store_true", help="list the parts")
    parser.add_argument("--ledger", type=Path, default=records.RECORDS, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.list:
        for key, part in PARTS.items():
            print(f"{key:10}{part.title}")
        return
    if args.part is None:
        parser.error("give a PART, or all; --list lists them")
    if shutil.which("cargo-mutants") is None:
        print(f"mutants: skipped, cargo-mutants is missing; install it with: {INSTALL}")
        return
    sys.path.insert(0, str(ROOT / "tests/bench"))
    from figures import commit

    failed = 0
    for key in PARTS if args.part == "all" else [args.part]:
        try:
            done = test(key, args.again, args.shard, args.enter)
        except ReportError as error:
            sys.exit(f"mutants: {error}")
        enter(args.ledger, key, done, datetime.date.today().isoformat(), commit())
        tell(key, done)
        failed += done["failed"]
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
