"""The documentation of an item says what it is or does before it lists errors and duties."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = ("core", "docs/playground", "pool", "py", "structs", "tests")
GENERATED = re.compile(r"/(target|node_modules|\.venv)/")


def without_summary(text: str) -> list[int]:
    """Returns the lines of Rust's doc comments that begin with a heading."""
    lines = [line.strip() for line in text.split("\n")]
    return [
        number
        for number, (before, line) in enumerate(zip(["", *lines], lines, strict=False), 1)
        if line.startswith("/// # ") and not before.startswith("///")
    ]


def test_no_doc_comment_begins_with_a_heading():
    paths = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*.rs")]
    paths = [path for path in paths if not GENERATED.search(path.as_posix())]
    assert len(paths) > 500
    found = {
        path.relative_to(ROOT).as_posix(): without_summary(path.read_text("utf8")) for path in paths
    }
    assert {path: lines for path, lines in found.items() if lines} == {}


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("/// Adds.\n///\n/// # Errors\n///\n/// Always.\nfn add()", []),
        ("fn before() {}\n\n    /// # Errors\n    ///\n    /// Always.\n    fn add()", [3]),
        ("// # Not documentation", []),
    ],
)
def test_a_missing_summary_is_noticed(text, lines):
    assert without_summary(text) == lines
