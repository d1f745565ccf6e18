"""The catalogue of error codes and the sources that raise them agree."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CODE = (
    r"(?:E|W)\d{3,4}|[a-z]{2}[a-z0-9]*(?:-[a-z0-9]+)+|checksum|forked|interrupted|stopped|terminated"
    r"|threads"
)
ROW = re.compile(rf'^    ([A-Z0-9_]+) = "({CODE})" \[', re.MULTILINE)
CONSTANT = re.compile(r"\bcodes::([A-Z][A-Z0-9_]+)\b")
# A string that begins with a code in brackets, as messages of the binding do.
BRACKETED = re.compile(rf'"\[({CODE})\] ')
# Crates below the catalogue, and failures of ops, name codes by strings.
LITERAL = re.compile(rf'(?:FailureKind::\w+,|Kind::\w+(?: \{{ \.\. \}})? =>)\s*"({CODE})"')
# An error of lexpool's own whose code is spelled out, which the catalogue could not know.
SPELLED = re.compile(r'(?:Error::value\(|\bErrorKind::\w+,)\s*"')


def table() -> dict[str, str]:
    """Returns the catalogue: names of constants by code."""
    rows = [
        row
        for path in sorted((ROOT / "core/error/src/codes").glob("*.rs"))
        for row in ROW.findall(path.read_text())
    ]
    assert len(rows) > 350
    codes = {code: name for name, code in rows}
    assert len(codes) == len(rows)
    return codes


def library(source: str) -> str:
    """Returns Rust source without its comments and its module of tests."""
    source = re.sub(r"(?m)^\s*//.*$", "", source)
    return re.split(r"#\[cfg\([^\n]*test[^\n]*\)\]\s*(?:#\[[^\n]*\]\s*)*mod \w+ \{", source)[0]


def rust() -> list[tuple[str, str]]:
    found = []
    for folder in ("core", "pool/src", "py/src"):
        for path in sorted((ROOT / folder).rglob("*.rs")):
            name = path.relative_to(ROOT).as_posix()
            is_test = "tests" in path.stem or "tests" in path.parent.parts
            if not is_test and not name.startswith("core/error/src/codes"):
                found.append((name, library(path.read_text())))
    return found


def raised_in_rust(source: str, names: dict[str, str]) -> set[str]:
    """Returns the codes that Rust source raises, by constant or by string."""
    codes = {names.get(name, name) for name in CONSTANT.findall(source)}
    return codes | set(BRACKETED.findall(source)) | set(LITERAL.findall(source))


def raised_in_python(source: str) -> set[str]:
    """Returns the codes at the beginning of strings of Python source."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            match = re.match(rf"\[({CODE})\] ", node.value)
            if match:
                found.add(match[1])
    return found


def raised() -> dict[str, str]:
    """Returns the codes that are raised, each with a file that raises it."""
    names = {name: code for code, name in table().items()}
    found = {}
    for name, source in rust():
        found |= dict.fromkeys(raised_in_rust(source, names), name)
    for path in sorted((ROOT / "py/lexpool").rglob("*.py")):
        codes = raised_in_python(path.read_text())
        found |= dict.fromkeys(codes, path.relative_to(ROOT).as_posix())
    return found


def test_each_code_that_is_raised_is_in_the_catalogue():
    codes = table()
    assert {code: path for code, path in raised().items() if code not in codes} == {}


def test_each_row_of_the_catalogue_is_raised_somewhere():
    assert set(table()) - set(raised()) == set()


def test_errors_take_their_codes_from_the_catalogue():
    spelled = {name for name, source in rust() if SPELLED.search(source)}
    assert spelled == set()


@pytest.mark.parametrize(
    ("source", "codes"),
    [
        ("Err(Error::value(codes::E018, text))", {"E018"}),
        ("Err(Error::value(codes::NO_ROW, text))", {"NO_ROW"}),
        ('PyValueError::new_err("[E017] a str is expected")', {"E017"}),
        ('Failure::new(FailureKind::Type, "op-new", text)', {"op-new"}),
        ('Kind::Full { .. } => "pool-new",', {"pool-new"}),
        ('let name = "[a-z] and more";', set()),
    ],
)
def test_codes_are_found_in_rust(source, codes):
    assert raised_in_rust(source, {"E018": "E018"}) == codes


def test_codes_are_found_in_python():
    source = 'raise ValueError(f"[E001] no component {name}")\nx = "[a-z]"\nwarn("[no-row] text")\n'
    assert raised_in_python(source) == {"E001", "no-row"}
