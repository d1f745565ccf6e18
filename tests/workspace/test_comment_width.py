"""Comments are at most as wide as code. rustfmt on stable Rust does not wrap them."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = ("core", "docs/playground", "pool", "py", "structs", "tests")
WIDTH = 100
COMMENT = {
    ".rs": re.compile(r"\s*//"),
    ".py": re.compile(r"\s*#"),
    ".pyi": re.compile(r"\s*#"),
    ".pxd": re.compile(r"\s*#"),
    ".h": re.compile(r"\s*(/\*| \*|//)"),
    ".c": re.compile(r"\s*(/\*| \*|//)"),
}
# Generated files, and lines that cannot be wrapped: tables and addresses.
GENERATED = re.compile(r"/(target|node_modules|\.venv|__pycache__)/")
SAMPLE = re.compile(r"\s*(//[/!]?|#|\*)\s*```")
UNBREAKABLE = re.compile(r"^\s*(//[/!]?|#|/\*|\*)\s*(\||\S*$|.*https?://\S{40})")


def too_wide(suffix: str, text: str) -> list[str]:
    """Returns the comment lines of a file that exceed the width; samples of code may."""
    comment = COMMENT[suffix]
    found, is_code = [], False
    for line in text.split("\n"):
        if comment.match(line) is None:
            is_code = False
        elif SAMPLE.match(line):
            is_code = not is_code
        elif len(line) > WIDTH and not is_code and not UNBREAKABLE.match(line):
            found.append(line)
    return found


def test_no_comment_is_wider_than_code():
    paths = [
        path
        for folder in FOLDERS
        for path in (ROOT / folder).rglob("*")
        if path.suffix in COMMENT and not GENERATED.search(path.as_posix())
    ]
    assert len(paths) > 700
    found = {
        path.relative_to(ROOT).as_posix(): too_wide(path.suffix, path.read_text("utf8"))
        for path in paths
    }
    assert {name: lines for name, lines in found.items() if lines} == {}


@pytest.mark.parametrize(
    ("suffix", "line", "count"),
    [
        (".rs", "    /// " + "word " * 20, 1),
        (".rs", '    let text = "' + "word " * 20 + '";', 0),
        (".rs", "//! | a | " + "word " * 20 + "|", 0),
        (".rs", "/// ```\n/// " + "word " * 20 + "\n/// ```\n/// " + "word " * 20, 1),
        (".py", "# " + "word " * 20, 1),
        (".h", " * " + "word " * 20, 1),
    ],
)
def test_a_wide_comment_is_noticed(suffix, line, count):
    assert len(too_wide(suffix, line)) == count
