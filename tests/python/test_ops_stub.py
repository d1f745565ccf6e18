"""The stub of `lexpool.ops` says what the registry has."""

import subprocess
import sys
from pathlib import Path

TOOL = Path(__file__).parents[1] / "tools" / "ops_stub.py"
STUB = Path(__file__).parents[2] / "py" / "lexpool" / "ops.pyi"


def test_the_stub_is_what_the_registry_writes():
    # In a process of its own: a plugin that another test loads would be in it.
    code = f"import runpy; print(runpy.run_path({str(TOOL)!r})['stub'](), end='')"
    made = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert STUB.read_text() == made.stdout, "run tests/tools/ops_stub.py"
