"""Figures in the text of pages equal their sources: the registry, and constants of the binding."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "docs/src/content/docs"


def test_the_page_of_ops_has_every_namespace_and_no_other():
    page = (PAGES / "registry/ops.mdx").read_text()
    shown = re.findall(r'^## (\w+)\n\n[^#]*<Ops namespace="\1" />', page, re.MULTILINE)
    # In a process of its own: tests of plugins bring ops of theirs.
    program = "from lexpool import ops; print(*{name.split('.')[0] for name in ops.names()})"
    printed = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout
    assert shown == sorted(printed.split())


@pytest.mark.parametrize(
    ("file", "constant", "page", "words"),
    [
        ("tokenizer/mod.rs", "DETACH_FROM: usize = 48", "without-the-gil", "less than 48 bytes"),
        ("tokenizer/mod.rs", "WATCH_FROM: usize = 1 << 20", "without-the-gil", "a megabyte"),
        (
            "runtime/text_stream.rs",
            "SIGNAL_INTERVAL: Duration = Duration::from_millis(50)",
            "without-the-gil",
            "every 50 ms",
        ),
        (
            "runtime/doc_lock.rs",
            "WRITE_TIMEOUT: Duration = Duration::from_millis(20)",
            "without-the-gil",
            "20 ms",
        ),
        ("matcher/search.rs", "MANY_TOKENS: usize = 256", "without-the-gil", "256 tokens"),
        ("runtime/gil.rs", "UNLOCK_FROM: usize = 1024", "without-the-gil", "1,024 numbers"),
    ],
)
def test_a_threshold_on_a_page_is_that_of_the_code(file, constant, page, words):
    assert f"const {constant};" in (ROOT / "py/src" / file).read_text()
    assert words in " ".join((PAGES / f"conventions/{page}.mdx").read_text().split())
