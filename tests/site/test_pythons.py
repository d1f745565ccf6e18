"""The runner of tests on several interpreters takes only what it has asked for its version."""

import json
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests/tools"))

import pythons

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="programs here are shell scripts")


@pytest.fixture
def programs(tmp_path, monkeypatch):
    """Puts a folder on PATH, without others, and returns a function that makes a program in it."""
    monkeypatch.setenv("PATH", str(tmp_path))

    def make(name, *lines):
        path = tmp_path / name
        path.write_text("\n".join(["#!/bin/sh", *lines, ""]))
        path.chmod(0o755)
        return str(path)

    return make


def says(path, implementation="cpython", version="3.13", is_free_threaded=False):
    return f"echo '{json.dumps([path, implementation, version, is_free_threaded])}'"


def test_this_interpreter_is_found_by_what_it_says(programs):
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    programs(f"python{version}", f'exec {sys.executable} "$@"')
    assert pythons.find(version) == sys.executable


@pytest.mark.parametrize(
    "other", [{"implementation": "pypy"}, {"version": "3.12"}, {"is_free_threaded": True}]
)
def test_another_interpreter_of_the_name_is_not_taken(programs, other):
    assert pythons.find("3.13") is None
    programs("python3.13", says("/usr/bin/python3.13", **other))
    assert pythons.find("3.13") is None
    programs("python3.13", says("/usr/bin/python3.13"))
    assert pythons.find("3.13") == "/usr/bin/python3.13"


def test_behind_a_shim_that_selects_nothing_the_newest_version_of_pyenv_is_taken(programs):
    programs("python3.13", "echo 'pyenv: python3.13: command not found' >&2", "exit 127")
    old, new = (programs(name, says(f"/{name}/bin/python3.13")) for name in ("3.13.0", "3.13.9"))
    programs("pyenv", f"echo {old}", f"echo {new}")
    assert pythons.find("3.13") == "/3.13.9/bin/python3.13"


def test_a_version_that_was_asked_for_and_is_missing_is_an_error(programs, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["pythons.py", "3.13"])
    with pytest.raises(SystemExit, match=r"no CPython 3\.13"):
        pythons.main()
