"""Runs the Python tests on each CPython of this machine that lexpool supports.

    python tests/tools/pythons.py              all that are found; the missing ones are listed
    python tests/tools/pythons.py 3.13         one of them
    python tests/tools/pythons.py 3.12 -- tests/interop tests/python/test_pipeline.py
                                               some tests

An interpreter is found by its name on PATH, or by pyenv. Each has an environment of its own in
`.venv`, with the packages of tests/requirements.txt and the package in Cargo's profile `dev`;
all share Cargo's folder. A version that was asked for and is missing is an error.
"""

import argparse
import json
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
# `requires-python` of the package, up to the newest version that its dependencies have wheels for.
VERSIONS = ("3.11", "3.12", "3.13", "3.14")
# Prints the facts by which an interpreter is chosen.
ABOUT = (
    "import json, sys, sysconfig; print(json.dumps([sys.executable, sys.implementation.name,"
    ' "%d.%d" % sys.version_info[:2], bool(sysconfig.get_config_var("Py_GIL_DISABLED"))]))'
)


def candidates(version: str) -> Iterator[str]:
    """Yields the programs that may be this version: that of PATH, then those of pyenv, newest
    first.
    """
    if program := shutil.which(f"python{version}"):
        yield program
    if pyenv := shutil.which("pyenv"):
        listed = subprocess.run(
            [pyenv, "whence", "--path", f"python{version}"], capture_output=True, text=True
        )
        yield from reversed(listed.stdout.split())


def find(version: str) -> str | None:
    """Returns the path of a CPython of a version, with the GIL, or `None`."""
    for program in candidates(version):
        done = subprocess.run([program, "-c", ABOUT], capture_output=True, text=True)
        if done.returncode:
            # A shim of pyenv, while another version is selected.
            continue
        executable, implementation, found, is_free_threaded = json.loads(done.stdout)
        if (implementation, found, is_free_threaded) == ("cpython", version, False):
            return executable
    return None


def run(version: str, program: str, tests: Iterable[str]) -> bool:
    """Builds the package for an interpreter and runs tests on it; returns whether all passed."""
    print(f"pythons: {version}, {program}", flush=True)
    folder = f".venv/{version}"
    make = ["make", "--no-print-directory", f"VENV={folder}", f"PYTHON={program}"]
    steps = [f"{folder}/tools", f"{folder}/tested", f"{folder}/segmenters"]
    pytest = [f"{folder}/bin/python", "-m", "pytest", "-n", "2", "--dist", "worksteal", *tests]
    return all(
        subprocess.run(command, cwd=ROOT).returncode == 0 for command in ([*make, *steps], pytest)
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("versions", nargs="*", metavar="VERSION", help=", ".join(VERSIONS))
    parser.add_argument("--list", action="store_true", help="list the interpreters")
    given, tests = sys.argv[1:], []
    if "--" in given:
        at = given.index("--")
        given, tests = given[:at], given[at + 1 :]
    args = parser.parse_args(given)
    found = {version: find(version) for version in args.versions or VERSIONS}
    missing = [version for version, program in found.items() if program is None]
    if args.list:
        for version, program in found.items():
            print(f"{version}  {program or 'missing'}")
        return
    if args.versions and missing:
        sys.exit(f"pythons: no CPython {', '.join(missing)} on PATH or in pyenv")
    failed = [
        version
        for version, program in found.items()
        if program is not None and not run(version, program, tests)
    ]
    if missing:
        print(f"pythons: not tested, because this machine lacks it: {', '.join(missing)}")
    if failed:
        sys.exit(f"pythons: tests fail on {', '.join(failed)}")


if __name__ == "__main__":
    main()
