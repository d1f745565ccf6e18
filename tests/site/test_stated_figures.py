"""Figures in the text of pages equal their sources: the registry, and constants of the binding."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from lexpool.errors import limits

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
        (
            "py/src/tokenizer/mod.rs",
            "DETACH_FROM: usize = 48",
            "without-the-gil",
            "less than 48 bytes",
        ),
        (
            "core/src/tokenizer/batch.rs",
            "LONG_BYTES: usize = 1 << 20",
            "without-the-gil",
            "a megabyte",
        ),
        (
            "py/src/runtime/text_stream.rs",
            "SIGNAL_INTERVAL: Duration = Duration::from_millis(50)",
            "without-the-gil",
            "every 50 ms",
        ),
        (
            "py/src/runtime/doc_lock.rs",
            "WRITE_TIMEOUT: Duration = Duration::from_millis(20)",
            "without-the-gil",
            "20 ms",
        ),
        ("py/src/matcher/search.rs", "MANY_TOKENS: usize = 256", "without-the-gil", "256 tokens"),
        ("py/src/runtime/gil.rs", "UNLOCK_FROM: usize = 1024", "without-the-gil", "1,024 numbers"),
    ],
)
def test_a_threshold_on_a_page_is_that_of_the_code(file, constant, page, words):
    assert f"const {constant};" in (ROOT / file).read_text()
    assert words in " ".join((PAGES / f"conventions/{page}.mdx").read_text().split())


@pytest.mark.parametrize(
    ("file", "constant", "words"),
    [
        ("core/src/edit_trees/script.rs", "MAX_NODES: usize = 1 << 16", "65,536 nodes"),
        ("core/src/config/limits.rs", "MAX_LEVELS: usize = 100", "nested 100 levels deep"),
    ],
)
def test_a_bound_on_the_page_of_pipelines_is_that_of_the_code(file, constant, words):
    assert f"const {constant};" in (ROOT / file).read_text()
    assert words in " ".join((PAGES / "files/pipeline.mdx").read_text().split())


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("network.dimensions", "more than {:,} dimensions"),
        ("network.window", "at most {:,} tokens"),
        ("network.ngram", "n-grams have at most {:,}"),
    ],
)
def test_a_limit_on_the_page_of_pipelines_is_that_of_the_table(name, words):
    largest = limits()[name].maximum
    assert words.format(largest) in " ".join((PAGES / "files/pipeline.mdx").read_text().split())


def test_the_page_of_pipelines_has_the_files_of_every_trained_factory():
    source = (ROOT / "core/src/components/table.rs").read_text()
    trained = re.findall(r'trained\(\s*ComponentKind::\w+,\s*"(\w+)"', source)
    # `tok2vec` has a network only.
    factories = {*trained} - {"tok2vec"}
    page = (PAGES / "files/pipeline.mdx").read_text()
    table = page[page.index("| factory |") :].split("\n\n")[0]
    cells = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \|", table, re.MULTILINE)
    assert {name for cell in cells for name in re.findall(r"`(\w+)`", cell)} == factories


def test_the_pages_of_trained_pipelines_explain_every_code_of_networks():
    catalogue = (ROOT / "core/error/src/codes").rglob("*.rs")
    known = set()
    for file in [*catalogue, ROOT / "core/error/src/lib.rs"]:
        known |= set(re.findall(r'"((?:model|kb)-[a-z]+)"', file.read_text()))
    pages = (PAGES / "architecture/trained.mdx", PAGES / "files/pipeline.mdx")
    explained = {
        code for page in pages for code in re.findall(r"`((?:model|kb)-[a-z]+)`", page.read_text())
    }
    assert explained <= known
    # Errors of calls, and not of files.
    assert known - explained == {
        "kb-encoding", "kb-number", "kb-size", "model-span", "model-tensor"
    }  # fmt: skip
