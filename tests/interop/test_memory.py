"""A short run under Valgrind; `make test-memory` runs all tests of this folder so."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
MEMORY = HERE.parent / "tools" / "memory.py"


def under_valgrind(*arguments: str) -> subprocess.CompletedProcess:
    if shutil.which("valgrind") is None:
        pytest.skip("valgrind is not installed")
    command = [sys.executable, str(MEMORY), str(HERE / "outliving.py"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=900, check=False)


@pytest.mark.usefixtures("nlp")
def test_what_outlives_its_document_reads_no_memory_that_is_gone():
    done = under_valgrind()
    assert done.returncode == 0, done.stdout + done.stderr
    assert "valgrind: 0 reports with lexpool in them" in done.stdout


@pytest.mark.usefixtures("nlp")
def test_a_read_of_memory_that_lexpool_gave_back_is_reported_of_a_process_and_of_its_child():
    done = under_valgrind("fault")
    assert done.returncode == 1, done.stdout + done.stderr
    assert done.stdout.count("Invalid read of size 1") == 2
    assert "valgrind: 2 reports with lexpool in them" in done.stdout
