"""Interpreters that lexpool does not support are refused, each by a code of its own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from processes import python

ROOT = Path(__file__).parents[2]
BUILT = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))


def test_a_second_interpreter_is_refused_by_name():
    run = "_interpreters" if sys.version_info >= (3, 13) else "_xxsubinterpreters"
    said = python(
        f"""
        import sys
        import {run} as interpreters
        import lexpool
        paths = [path for path in sys.path if path]
        code = (
            "import sys; sys.path[:0] = %r\\n"
            "try:\\n    import lexpool\\n"
            "except ImportError as error:\\n    print(error, flush=True)\\n" % (paths,)
        )
        for isolated in (False, True):
            if sys.version_info >= (3, 13):
                own = interpreters.create("isolated" if isolated else "legacy")
            else:
                own = interpreters.create(isolated=isolated)
            failed = interpreters.run_string(own, code)
            assert failed is None, failed
            interpreters.destroy(own)
        assert len(lexpool.blank("en")("still here")) == 2
        """
    )
    lines = said.splitlines()
    assert lines and all("interpreter" in line for line in lines), said
    assert lines[0].startswith("[second-interpreter] "), said


def test_an_import_in_a_free_threaded_interpreter_is_refused_by_name():
    said = python(
        """
        import sys, sysconfig

        # The module of a free-threaded interpreter has another name, so the import of it fails.
        sys.modules["lexpool._core"] = None
        found = sysconfig.get_config_vars()
        for is_free_threaded in (1, 0):
            found["Py_GIL_DISABLED"] = is_free_threaded
            try:
                import lexpool
            except ImportError as error:
                print(error)
        """
    )
    refused, missing = said.splitlines()
    assert refused.startswith("[free-threaded] "), said
    assert "lexpool._core" in missing, said


@pytest.mark.parametrize(
    ("flags", "switch", "is_refused"),
    [("Py_GIL_DISABLED", "", True), ("Py_GIL_DISABLED", "1", False), ("", "", False)],
)
def test_a_build_for_a_free_threaded_interpreter_is_refused_by_name(flags, switch, is_refused):
    scripts = sorted(BUILT.glob("*/build/lexpool-py-*/build-script-build"))
    if not scripts:
        pytest.skip(f"no build of lexpool in {BUILT}: make .venv/tested")
    newest = max(scripts, key=lambda path: path.stat().st_mtime)
    # PyO3's build script passes on what it knows of the interpreter, and Cargo the target.
    config = f"implementation=CPython\nversion=3.13\nshared=true\nbuild_flags={flags}\n"
    variables = {
        "DEP_PYO3_PYTHON_PYO3_CONFIG": config.encode().hex(),
        "LEXPOOL_FREE_THREADED": switch,
        "TARGET": "x86_64-unknown-linux-gnu",
    }
    done = subprocess.run(
        [newest], env=os.environ | variables, capture_output=True, text=True, check=True
    )
    assert ("cargo::error=[free-threaded] " in done.stdout) == is_refused, done.stdout
