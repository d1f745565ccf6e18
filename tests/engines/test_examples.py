"""The examples in py/examples run, and count the same words."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "py" / "examples"

TEXT = "It's Alice's book, isn't it?\nThe book of Alice.\n\nA book, a book!\n" * 40

COUNTED = """\
160 texts, 840 tokens
17 different strings
     160 'book'
      80 "'s"
      80 ','
      80 'a'
      80 'alice'
"""

NEEDS = {"ray": "ray", "spark": "pyspark", "dask": "distributed", "polars": "polars"}


@pytest.mark.parametrize("engine", NEEDS)
def test_an_example_counts_words(engine, tmp_path):
    pytest.importorskip(NEEDS[engine], reason=f"{NEEDS[engine]} is not installed")
    if engine == "spark" and shutil.which("java") is None:
        pytest.skip("Spark needs Java, which is not installed")
    book = tmp_path / "book.txt"
    book.write_text(TEXT, encoding="utf8")
    script = EXAMPLES / engine / "count_words.py"
    done = subprocess.run(
        [sys.executable, script, book], capture_output=True, text=True, timeout=150, check=False
    )
    assert done.returncode == 0, done.stderr
    versions, counts, *rest = done.stdout.splitlines()
    assert versions.startswith("lexpool ") and NEEDS[engine] in versions
    # The number of processes or partitions depends on the engine.
    assert "\n".join([counts.rpartition(",")[0], *rest, ""]) == COUNTED
