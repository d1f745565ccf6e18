"""The committed stubs are those that `make stubs` writes."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    "tool, stub",
    [("core_stub.py", "_core.pyi"), ("ops_stub.py", "ops.pyi")],
    ids=["native module", "ops"],
)
def test_a_stub_is_what_its_tool_writes(tool, stub):
    folder = ROOT / "tests" / "tools"
    # In a process of its own: a plugin that another test loads would be in it.
    code = (
        f"import runpy, sys; sys.path.insert(0, {str(folder)!r});"
        f" print(runpy.run_path({str(folder / tool)!r})['stub'](), end='')"
    )
    made = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    committed = (ROOT / "py" / "lexpool" / stub).read_text(encoding="utf-8")
    assert committed == made.stdout, "run `make stubs`"


def test_a_static_method_has_the_docstring_of_its_function():
    stub = (ROOT / "py" / "lexpool" / "_core.pyi").read_text(encoding="utf-8")
    declared = stub.partition("    @staticmethod\n    def merge(")[2]
    assert '"""Merges corpora ' in declared.partition("\n    @")[0]
    assert staticmethod.__doc__.splitlines()[0] not in stub
