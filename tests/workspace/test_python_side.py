"""The names of the Python package that Rust uses are listed in one file, and all exist."""

import importlib
import re
from pathlib import Path

import pytest

SOURCES = Path(__file__).parents[2] / "py/src"
TABLE = SOURCES / "runtime/python_side.rs"
ROWS = re.findall(r'^    ([A-Z_]+) = "([\w.]+)", "(\w+)";$', TABLE.read_text("utf8"), re.MULTILINE)


def test_the_table_has_a_reason_for_each_row():
    rows = TABLE.read_text("utf8").split("python_names! {\n")[1]
    reasons = re.findall(r'^    /// \S.*\n    [A-Z_]+ = "', rows, re.MULTILINE)
    assert len(reasons) == len(ROWS) > 40


@pytest.mark.parametrize(("row", "module", "name"), ROWS)
def test_a_name_that_rust_uses_exists(row, module, name):
    assert hasattr(importlib.import_module(module), name), row


@pytest.mark.parametrize(("row", "module", "name"), ROWS)
def test_a_row_of_the_table_is_used(row, module, name):
    others = [path for path in SOURCES.rglob("*.rs") if path != TABLE]
    used = re.compile(rf"python_side::{row}\b")
    assert any(used.search(path.read_text("utf8")) for path in others)


def test_no_other_file_imports_from_the_package():
    importing = re.compile(r'import\("lexpool|PyModule::import\(\w+, "lexpool')
    found = [path for path in SOURCES.rglob("*.rs") if importing.search(path.read_text("utf8"))]
    assert found == []
