"""Measures which lines of Rust the tests run, Rust's and Python's together.

    python tests/tools/line_coverage.py           all tests; takes an hour or two
    python tests/tools/line_coverage.py --enter   and renews docs/measured/records.json
    python tests/tools/line_coverage.py --cargo pool -- tests/python/test_doc.py
                                                  tests of one crate, and some of Python's

Crates and binding are compiled with LLVM's counters (`-C instrument-coverage`, as cargo-llvm-cov
does) in target/coverage; each process of the tests adds its counts to a few files there. The tests
are those of `make test-rust`, `test-python` and `test-conformance`; plugins that they build have
counters too. A line counts if it has code and belongs to a crate that users get; what a unit test
module has does not.
target/coverage/uncovered.txt lists the lines that no test has run.

Needs LLVM's tools: `rustup component add llvm-tools`, or llvm-19 or newer of the system.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import records

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "target/coverage"
# The goal, in per cent of all lines.
LEAST = 96
# Tests with limits of time, which the counters exceed: a loop of sums takes a hundred times longer.
TIMED = [
    "--ignore=tests/python/test_interrupts.py",
    "--deselect=tests/python/test_threads.py"
    "::test_an_op_on_all_cores_within_a_function_of_the_users_takes_up_no_other_work",
]
# Source files of the crates that users get.
OWN = re.compile(r"^(?:core|pool|structs|py)/(?:[\w-]+/|ops/plugin/)?src/")
# The first line of a module of unit tests, which end their files.
TESTS = re.compile(r"^#\[cfg\((?:all\()?test\b")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0],
        epilog=__doc__.split("\n", 1)[1],
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--cargo", metavar="CRATE", action="append", help="only tests of this crate"
    )
    parser.add_argument("--enter", action="store_true", help="renew docs/measured/records.json")
    parser.add_argument("--keep", action="store_true", help="add to the counts of the last run")
    parser.add_argument("pytest", nargs="*", help="arguments for pytest, instead of all its tests")
    args = parser.parse_args()
    if args.enter and (args.cargo or args.pytest):
        parser.error("--enter is for a run of all tests")
    tools = [tool("llvm-profdata"), tool("llvm-cov"), tool("llvm-objdump")]
    if None in tools:
        print("coverage: LLVM's tools are missing; run: rustup component add llvm-tools")
        return 1
    raw = FOLDER / "raw"
    if not args.keep:
        shutil.rmtree(raw, ignore_errors=True)
    raw.mkdir(parents=True, exist_ok=True)
    # Four files a program, which its processes share. They map the counters, so that those of a
    # process that is killed or ends at once after a fork are kept ("continuous mode").
    os.environ["LLVM_PROFILE_FILE"] = str(raw / "%c%4m.profraw")
    rust, rust_passed = rust_tests(args.cargo)
    with tempfile.TemporaryDirectory(prefix="lexpool-coverage-") as plugins:
        libraries, python_passed = python_tests(args.pytest, Path(plugins))
        lines = counted(tools, raw, [*rust, *libraries])
    report(lines)
    if not (rust_passed and python_passed):
        print("coverage: some tests failed; lines that only they run may be in the list")
        return 1
    if args.enter:
        enter(lines)
    return 0


def tool(name: str) -> str | None:
    """Returns the path of one of LLVM's tools: the compiler's own, or the newest of the system."""
    rustc = ["rustc", "--print", "target-libdir"]
    libraries = subprocess.run(rustc, capture_output=True, text=True, check=True).stdout
    own = Path(libraries.strip()).parent / "bin" / name
    if own.exists():
        return str(own)
    named = (f"{name}-{version}" for version in range(40, 18, -1))
    return next(filter(None, map(shutil.which, named)), None)


def compiled() -> dict[str, str]:
    """Returns the variables for compiling with counters."""
    return os.environ | {
        "RUSTFLAGS": "-C instrument-coverage -C llvm-args=-runtime-counter-relocation",
        "CARGO_TARGET_DIR": str(FOLDER),
        "CARGO_INCREMENTAL": "0",
        "CARGO_PROFILE_DEV_DEBUG": "0",
        "PYO3_PYTHON": sys.executable,
    }


def rust_tests(crates: list[str] | None) -> tuple[list[Path], bool]:
    """Runs the Rust tests; returns their programs, and whether all passed."""
    named = [word for crate in crates or [] for word in ("-p", f"lexpool-{crate}")]
    chosen = named or ["--all-features"]
    # Examples of the documentation are compiled by rustdoc, without counters.
    command = ["cargo", "test", "--locked", *chosen, "--lib", "--bins", "--tests"]
    built = subprocess.run(
        [*command, "--no-run", "--message-format=json-render-diagnostics"],
        cwd=ROOT, env=compiled(), stdout=subprocess.PIPE, text=True, check=True,
    )  # fmt: skip
    messages = map(json.loads, built.stdout.splitlines())
    programs = [Path(each["executable"]) for each in messages if each.get("executable")]
    tested = subprocess.run([*command, "--no-fail-fast"], cwd=ROOT, env=compiled())
    return programs, tested.returncode == 0


def python_tests(chosen: list[str], plugins: Path) -> tuple[list[Path], bool]:
    """Builds the binding and runs the Python tests on it; returns its library and those of plugins,
    which are built into a folder, and whether all passed.
    """
    subprocess.run(
        ["cargo", "build", "--locked", "-p", "lexpool-py"],
        cwd=ROOT, env=compiled(), check=True,
    )  # fmt: skip
    package = FOLDER / "package"
    shutil.rmtree(package, ignore_errors=True)
    ignored = shutil.ignore_patterns("*.so", "__pycache__")
    shutil.copytree(ROOT / "py/lexpool", package / "lexpool", ignore=ignored)
    library = package / f"lexpool/_core{sysconfig.get_config_var('EXT_SUFFIX')}"
    shutil.copy(FOLDER / "debug/lib_core.so", library)
    # Plugins are built into temporary folders, which are kept. Within this repository their
    # packages would be taken for parts of its workspace.
    kept = [f"--basetemp={plugins}", "-o", "tmp_path_retention_policy=all"]
    options = ["-q", "-n", "2", "--dist", "worksteal", "-p", "no:cacheprovider", *kept]
    commands = [["-m", "pytest", *options]]
    if chosen:
        commands[0] += chosen
    else:
        commands[0] += TIMED
        commands.append(["tests/conformance/run.py", "--timeout=1200"])
    env = compiled() | {"PYTHONPATH": str(package)}
    codes = [
        subprocess.run([sys.executable, *command], cwd=ROOT, env=env).returncode
        for command in commands
    ]
    built = [*plugins.rglob("libgauge.*"), *(FOLDER / "debug").glob("librust_kernels.*")]
    libraries = {path.read_bytes(): path for path in built if path.suffix in (".so", ".dylib")}
    # Some are cut short by the tests.
    whole = [path for path in libraries.values() if is_readable(path)]
    return [library, *whole], not any(codes)


def is_readable(library: Path) -> bool:
    """Returns whether LLVM's tools can read the names of a library's sections."""
    command = [tool("llvm-objdump"), "--section-headers", library]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def counted(tools: list[str], raw: Path, programs: Iterable[Path]) -> dict[str, dict[int, int]]:
    """Returns how often each line of each file was run, by the path in the repository."""
    merged = FOLDER / "all.profdata"
    profiles = FOLDER / "profiles.txt"
    profiles.write_text("\n".join(map(str, raw.glob("*.profraw"))), encoding="utf-8")
    subprocess.run([tools[0], "merge", "-sparse", "-f", profiles, "-o", merged], check=True)
    objects = [word for program in programs for word in ("-object", str(program))][1:]
    told = subprocess.run(
        [tools[1], "export", "-format=lcov", f"-instr-profile={merged}", *objects],
        stdout=subprocess.PIPE, text=True, check=True,
    )  # fmt: skip
    lines: dict[str, dict[int, int]] = defaultdict(dict)
    path, end = None, 0
    for line in told.stdout.splitlines():
        kind, _, value = line.partition(":")
        if kind == "SF":
            path = Path(value)
            inside = path.is_relative_to(ROOT) and OWN.match(str(path.relative_to(ROOT)))
            path, end = (str(path.relative_to(ROOT)), code_end(path)) if inside else (None, 0)
        elif kind == "DA" and path:
            number, count = map(int, value.split(",")[:2])
            if number < end:
                lines[path][number] = max(lines[path].get(number, 0), count)
    return lines


def code_end(path: Path) -> int:
    """Returns the number of the line at which the unit tests of a file begin, or that after its
    last one. Files of tests alone have no code.
    """
    if re.search(r"(^|_)tests?\.rs$", path.name) and path.name != "test.rs":
        return 0
    text = path.read_text(encoding="utf-8").splitlines()
    return next((at for at, line in enumerate(text, 1) if TESTS.match(line)), len(text) + 1)


def by_crate(lines: dict[str, dict[int, int]]) -> dict[str, dict[str, int]]:
    """Returns the lines with code and the covered ones of each crate, by its folder."""
    sums: dict[str, dict[str, int]] = {}
    for path, counts in sorted(lines.items()):
        own = sums.setdefault(path.split("/src/")[0], {"lines": 0, "covered": 0})
        own["lines"] += len(counts)
        own["covered"] += sum(count > 0 for count in counts.values())
    return sums


def report(lines: dict[str, dict[int, int]]) -> None:
    """Prints the share of each crate, and writes the list of lines that no test has run."""
    sums = by_crate(lines)
    for crate, own in sums.items():
        print(f"{crate:16} {own['covered']:6} of {own['lines']:6}  {share(own):.2f} %")
    total = {key: sum(own[key] for own in sums.values()) for key in ("lines", "covered")}
    print(f"{'all':16} {total['covered']:6} of {total['lines']:6}  {share(total):.2f} %")
    missing = [
        f"{path}:{number}: {source.strip()}"
        for path, counts in sorted(lines.items())
        for number, source in enumerate((ROOT / path).read_text(encoding="utf-8").splitlines(), 1)
        if counts.get(number) == 0
    ]
    listed = FOLDER / "uncovered.txt"
    listed.write_text("\n".join(missing) + "\n", encoding="utf-8")
    print(f"{len(missing)} lines that no test has run: {listed.relative_to(ROOT)}")


def share(own: dict[str, int]) -> float:
    """The covered lines of a hundred."""
    return 100 * own["covered"] / max(own["lines"], 1)


def enter(lines: dict[str, dict[int, int]]) -> None:
    """Renews the part of the file that the site shows."""
    sums = by_crate(lines)
    total = {key: sum(own[key] for own in sums.values()) for key in ("lines", "covered")}
    rows = {
        crate.replace("/", "-"): {"title": crate, "values": own | {"share": round(share(own), 2)}}
        for crate, own in (sums | {"all": total}).items()
    }
    rows["all"] |= {"least": LEAST, "bounded": "share", "unit": "%"}
    listed = {path: ranges(counts) for path, counts in sorted(lines.items())}
    uncovered = {path: numbers for path, numbers in listed.items() if numbers}
    content: dict[str, Any] = {
        "tables": {
            "crates": {
                "title": "Lines of Rust that tests run, by crate",
                "unit": "lines",
                "better": "more",
                "columns": {"lines": "lines", "covered": "covered", "share": "per cent"},
                "rows": rows,
            }
        },
        "raw": {"uncovered": uncovered},
    }
    records.write(records.RECORDS, "coverage", content)


def ranges(counts: dict[int, int]) -> str:
    """Returns the lines that no test has run, such as "3, 7-9"; lines without code join those
    around them.
    """
    found: list[list[int]] = []
    before = None
    for number, count in sorted(counts.items()):
        if count == 0:
            if before == 0:
                found[-1][1] = number
            else:
                found.append([number, number])
        before = count
    return ", ".join(f"{a}-{b}" if b > a else str(a) for a, b in found)


if __name__ == "__main__":
    sys.exit(main())
