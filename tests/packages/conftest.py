"""The packages in `dist`, and empty environments to install them in."""

import os
import platform
import re
import subprocess
import sys
from pathlib import Path

import pytest
from packages import DIST, ROOT, interpreter

WHEELS = sorted(DIST.glob("*.whl"))
# The profile of Cargo's that the packages were built with.
PROFILE = os.environ.get("PROFILE", "release")
# Installing looks at nothing of the environment that runs the tests.
CLEAN = {
    name: value
    for name, value in os.environ.items()
    if not name.startswith(("PYTHON", "PYO3_", "VIRTUAL_ENV", "MAKE", "MFLAGS"))
}


def run(*command: object, **options: object) -> str:
    """Runs a command; returns what it printed, and fails with that if the command fails."""
    words = [str(word) for word in command]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    done = subprocess.run(words, **{"env": CLEAN, **pipes, **options})
    assert done.returncode == 0, f"{' '.join(words)}\n{done.stdout}"
    return done.stdout


class Environment:
    """An environment with nothing but pip, and an empty folder to work in."""

    def __init__(self, program: str, folder: Path) -> None:
        run(program, "-m", "venv", folder / "venv")
        self.folder = folder / "work"
        self.folder.mkdir()
        self.bin = folder / "venv" / ("Scripts" if os.name == "nt" else "bin")

    def run(self, command: str, *words: object) -> str:
        return run(self.bin / command, *words, cwd=self.folder)

    def install(self, *what: object, **variables: str) -> None:
        settings = {"PIP_NO_CACHE_DIR": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1", **variables}
        pip = [self.bin / "python", "-m", "pip", "install"]
        run(*pip, *what, cwd=ROOT, env=CLEAN | settings)


def version(wheel: Path) -> str:
    """The version of CPython in the tag of a wheel: 3.11 for `cp311`."""
    major, minor = re.search(r"-cp(3)(\d+)-", wheel.name).groups()
    return f"{major}.{minor}"


def program_of(wheel: Path) -> str:
    """Returns the interpreter that a wheel is for; skips the test for another processor."""
    processor = platform.machine().lower().replace("amd64", "x86_64")
    if processor not in wheel.name.replace("amd64", "x86_64"):
        pytest.skip(f"{wheel.name} is for another processor than {processor}")
    program = interpreter(version(wheel))
    assert program is not None, f"{wheel.name} was built, but its interpreter is missing"
    return program


@pytest.fixture
def sources() -> Path:
    """The source distribution."""
    (found,) = DIST.glob("*.tar.gz")
    return found


@pytest.fixture
def environment(tmp_path: Path) -> Environment:
    """An environment of the interpreter that runs the tests."""
    return Environment(getattr(sys, "_base_executable", sys.executable), tmp_path)


def pytest_configure() -> None:
    if not WHEELS:
        pytest.exit("no packages in dist: run make dist", returncode=1)
