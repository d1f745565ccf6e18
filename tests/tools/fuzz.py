"""Runs fuzz targets under cargo-fuzz, and enters what they did in docs/measured/records.json.

    python tests/tools/fuzz.py tokenizer --seconds 600   fuzzes one target
    python tests/tools/fuzz.py all --seconds 60          each target, the least executed first
    python tests/tools/fuzz.py --list                    the targets

It needs a nightly Rust and a compiler for C++; cargo-fuzz is installed into target/tools if it is
missing. Corpora grow in target/fuzz/corpus, from the seeds of tests/fuzz/seeds; an input that
fails is kept in target/fuzz/findings, and ends the run of its target. It is not entered before it
was run to its end: what is counted are executions that libFuzzer itself reported.
"""

import argparse
import datetime
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import records

ROOT = Path(__file__).parents[2]
CRATE = ROOT / "tests/fuzz/libfuzzer"
TARGET_DIR = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))

# The title of each target in the table of the site.
TITLES = {
    "arrow_import": "Batches through Arrow's C data interface",
    "config": "Configurations and JSON, read, written, and read again",
    "conllu": "CoNLL-U, read, written, and read again",
    "converters": "Annotated files of other formats",
    "corpus": "The memory-mapped corpus, with checksums put right",
    "doc_bytes": "`Doc.from_bytes`, with and without checksum",
    "docbin": "`DocBin`, compressed and not",
    "json_lines": "JSON lines, read, written, and read again",
    "lookups": "Tables of words, with checksums put right",
    "model_file": "Networks that thinc has saved",
    "msgpack": "MessagePack, read, written, and read again",
    "parquet": "Texts of Parquet files",
    "pattern_source": "Any source of a pattern: its searches agree",
    "patterns": "Patterns against a naive backtracking matcher",
    "phrase_file": "The phrase file, with checksums put right",
    "phrases": "Edits of phrases against a map, and through files",
    "pipeline": "Folders of pipelines with one file replaced",
    "plugin_tables": "Tables of plugins, installed and called",
    "retokenize": "Plans of merges and splits",
    "special_cases": "Changes of rules and special cases against a slow tokenizer",
    "token_patterns": "The matcher against a search of all ranges",
    "tokenizer": "The tokenizer against a slow one, in eight languages",
    "transitions": "Sequences of transitions against a model with lists",
    "vocab": "The memory-mapped vocab, with checksums put right",
}

EXECUTIONS = re.compile(r"^stat::number_of_executed_units: (\d+)$", re.MULTILINE)
COVERAGE = re.compile(r"^#\d+\s.* cov: (\d+) .* corp: (\d+)/", re.MULTILINE)
SECONDS = re.compile(r"^Done \d+ runs in (\d+) second", re.MULTILINE)


class ReportError(ValueError):
    """Output of a fuzzer that does not say what it did."""


def targets() -> list[str]:
    manifest = tomllib.loads((CRATE / "Cargo.toml").read_text(encoding="utf-8"))
    return [binary["name"] for binary in manifest["bin"]]


def by_executions(path: Path) -> list[str]:
    """Returns the targets, those with the fewest executions in a ledger first."""
    runs = records.read(path, "fuzzing").get("runs", {})
    return sorted(targets(), key=lambda target: runs.get(target, {}).get("count", 0))


def read(output: str, seconds: float) -> dict[str, int]:
    """Returns what libFuzzer says of its run: executions, edges that were reached, inputs."""
    executions = EXECUTIONS.search(output)
    coverage = COVERAGE.findall(output)
    if not executions or not coverage:
        last = (output.strip().splitlines() or ["nothing"])[-1]
        raise ReportError(f"libFuzzer did not report its executions; it ended with: {last}")
    done = SECONDS.search(output)
    edges, inputs = map(int, coverage[-1])
    return {
        "executions": int(executions[1]),
        "seconds": int(done[1]) if done else round(seconds),
        "edges": edges,
        "inputs": inputs,
    }


def enter(path: Path, target: str, run: dict[str, int], date: str, commit: str | None) -> None:
    """Adds a run to the history, and renews the sums that the site shows."""
    history = records.read(path, "fuzzing").get("raw", [])
    same = (run for run in history if (run["target"], run["commit"]) == (target, commit))
    if entry := next(same, None):
        history.remove(entry)
        history.append(entry)
        for name in ("executions", "seconds", "findings"):
            entry[name] += run[name]
        entry |= {"date": date, "edges": run["edges"], "inputs": run["inputs"]}
    else:
        history.append({"target": target, "commit": commit, "date": date} | run)
    raw = sorted(history, key=lambda run: run["target"])
    records.write(path, "fuzzing", {"runs": sums(history), "raw": raw})


def sums(history: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The runs of each target together; date, commit and coverage are those of the last one."""
    runs = {}
    for target in sorted(TITLES):
        own = [run for run in history if run["target"] == target]
        runs[target] = {
            "title": TITLES[target],
            "unit": "executions",
            "command": f"make fuzz TARGET={target}",
        }
        if own:
            total = {name: sum(run[name] for run in own) for name in ("executions", "findings")}
            runs[target] |= {
                "count": total["executions"],
                # A finding is a failure until it is fixed, which the next run shows.
                "failed": own[-1]["findings"],
                "found": total["findings"],
                "seconds": sum(run["seconds"] for run in own),
                "edges": own[-1]["edges"],
                "date": own[-1]["date"],
                "commit": own[-1]["commit"],
            }
    return runs


def cargo_fuzz() -> dict[str, str]:
    """Returns the environment in which cargo finds cargo-fuzz, which is installed if need be."""
    own = TARGET_DIR / "tools"
    environment = os.environ | {"PATH": f"{own / 'bin'}{os.pathsep}{os.environ['PATH']}"}
    if not shutil.which("cargo-fuzz", path=environment["PATH"]):
        command = ["cargo", "install", "--quiet", "--locked", "--root", str(own), "cargo-fuzz"]
        subprocess.run(command, check=True)
    return environment


def fuzz(target: str, seconds: int, environment: dict[str, str]) -> dict[str, int]:
    """Fuzzes a target, showing what libFuzzer prints, and returns what it did."""
    corpus, findings = (TARGET_DIR / "fuzz" / name / target for name in ("corpus", "findings"))
    for folder in (corpus, findings):
        folder.mkdir(parents=True, exist_ok=True)
    before = {path: path.stat().st_mtime_ns for path in findings.iterdir()}
    command = [
        *("cargo", "+nightly", "fuzz", "run", "--fuzz-dir", str(CRATE)),
        # Inputs that failed in earlier runs are tried again: without a finding, they are fixed.
        *("--target-dir", str(TARGET_DIR / "fuzz"), target, str(corpus), str(findings), "--"),
        # An input fails by its time limit alone: on a busy machine any may take seconds.
        *(f"-max_total_time={seconds}", "-timeout=60", "-report_slow_units=60"),
        "-rss_limit_mb=3000",
        # Naming each new function would take longer than the run, and so would looking for leaks
        # after each input: caches that outlive it look like some. They are looked for at the end.
        *(f"-artifact_prefix={findings}/", "-print_final_stats=1"),
        *("-print_funcs=0", "-detect_leaks=0"),
        # Weighing inputs by the rarity of their features takes longer than running them: an input
        # reaches ten thousand features.
        "-entropic=0",
    ]
    # The fuzzer writes the seeds of its target into its corpus, before it reads that.
    environment = environment | {"LEXPOOL_SEEDS": str(corpus)}
    start = datetime.datetime.now()
    printed = []
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "errors": "replace"}
    with subprocess.Popen(command, cwd=ROOT, env=environment, text=True, **pipes) as process:
        for line in process.stdout:
            print(line, end="", flush=True)
            printed.append(line)
    passed = (datetime.datetime.now() - start).total_seconds()
    # An input that failed before keeps its name, which is its hash.
    found = [path for path in findings.iterdir() if before.get(path) != path.stat().st_mtime_ns]
    for path in sorted(found):
        print(f"fuzz: {target} fails for {path}", file=sys.stderr)
    # A leak at the end leaves no input.
    return read("".join(printed), passed) | {"findings": max(len(found), process.returncode != 0)}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("target", nargs="?", choices=["all", *targets()], metavar="TARGET")
    parser.add_argument("--seconds", type=int, default=60, help="for each target; 60 by default")
    parser.add_argument("--list", action="store_true", help="list the targets")
    parser.add_argument("--ledger", type=Path, default=records.RECORDS, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.list:
        print("\n".join(targets()))
        return
    if args.target is None:
        parser.error("give a TARGET, or all; --list lists them")
    sys.path.insert(0, str(ROOT / "tests/bench"))
    from figures import commit

    environment = cargo_fuzz()
    failed = False
    for target in by_executions(args.ledger) if args.target == "all" else [args.target]:
        try:
            run = fuzz(target, args.seconds, environment)
        except ReportError as error:
            sys.exit(f"fuzz: {target}: {error}")
        enter(args.ledger, target, run, datetime.date.today().isoformat(), commit())
        print(f"fuzz: {target}: {run['executions']:,} executions, {run['findings']} findings")
        failed |= run["findings"] > 0
    sys.exit(failed)


if __name__ == "__main__":
    main()
