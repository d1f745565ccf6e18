"""No function of the binding lets PyO3 read a sequence of Python's into a `Vec`.

PyO3 reserves memory for as many items as the sequence claims to have, so a wrong `__len__` would
end the process. `Items` of `runtime/items.rs` takes what arrives. The signatures of all functions
and methods that Python sees are searched, with the types that they name, and calls of `extract`.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from rust_declarations import read_folder
from rust_modules import item_end

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "py/src"
# Collections that PyO3 makes of a sequence, or of a part of one.
# PyO3 reads a `Cow` of bytes from any sequence of numbers.
RESERVING = re.compile(r"\b(?:Vec|VecDeque|SmallVec)\b|\bCow<[^<>]*\[u8\]>")
ALIAS = re.compile(r"^\s*(?:pub(?:\([^)]*\))? )?type (\w+)(?:<[^>]*>)? = ([^;]+);", re.MULTILINE)
DERIVED = re.compile(
    r"#\[derive\([^)]*\bFromPyObject\b[^)]*\)\]\s*(?:#\[[^\]]*\]\s*)*"
    r"(?:pub(?:\([^)]*\))? )?(?:struct|enum) (\w+)"
)
COMMENT = re.compile(r"//[^\n]*")
# `extract::<Vec<u8>>()`, and a statement that declares what the `extract` in it returns.
EXTRACTED = re.compile(r"\bextract(?:_bound)?::<(?P<type>[^()]*(?:\([^()]*\)[^()]*)*)>\(\)")
DECLARED = re.compile(r"\blet (?:mut )?\w+: (?P<type>[^=;]+) =(?P<value>[^;]*\.extract\(\)[^;]*);")


Named = dict[str, dict[Path, str]]


def parts(folder: Path) -> Named:
    """The types of aliases, and those of the fields of derived classes, by name and file."""
    named: Named = {}
    for path in folder.rglob("*.rs"):
        text = COMMENT.sub("", path.read_text("utf8"))
        derived = (
            (match[1], text[match.end() : item_end(text, match.end())])
            for match in DERIVED.finditer(text)
        )
        for name, of in [*ALIAS.findall(text), *derived]:
            named.setdefault(name, {})[path] = of
    return named


def reserves(of: str, path: Path, named: Named, visited: frozenset[str] = frozenset()) -> bool:
    """Tells if a type of a file, or one that it names, is a collection of unknown length."""
    if RESERVING.search(of):
        return True
    words = set(re.findall(r"\w+", of)) - visited
    return any(
        reserves(meant, place, named, visited | words)
        for word in words & named.keys()
        for place, meant in named[word].items()
        if place == path or path not in named[word]
    )


def refused(folder: Path) -> Iterator[str]:
    """The parameters and the calls of `extract` that make such collections."""
    named = parts(folder)
    for declaration in read_folder(folder).members.values():
        path = Path(declaration.place.rpartition(":")[0])
        for parameter in declaration.parameters:
            if parameter.rust and reserves(parameter.rust, path, named):
                yield f"{declaration.place}: {declaration.name}({parameter.name}: {parameter.rust})"
    for path in sorted(folder.rglob("*.rs")):
        text = COMMENT.sub("", path.read_text("utf8"))
        for match in [*EXTRACTED.finditer(text), *DECLARED.finditer(text)]:
            # The result of a collector is that of an iterator, whose items were extracted.
            is_collected = re.search(r"\bcollect\b|\bitems::", match.groupdict().get("value", ""))
            if not is_collected and reserves(match["type"], path, named):
                yield f"{path}: {match.group()}"


def test_no_sequence_of_python_becomes_a_vec_by_its_claimed_length():
    assert list(refused(SOURCES)) == []


def test_the_lint_refuses_iteration_that_believes_a_length():
    assert '"pyo3::types::PyAnyMethods::try_iter"' in (ROOT / "clippy.toml").read_text("utf8")


PLANTED = {
    "a function": "#[pyfunction]\nfn f(lengths: Vec<usize>) -> usize {\n}\n",
    "an optional argument": "#[pyfunction]\nfn f(names: Option<Vec<String>>) {\n}\n",
    "a part of an argument": "#[pyfunction]\nfn f(rows: Items<(u64, Vec<u32>)>) {\n}\n",
    "a list over several lines": (
        "#[pyfunction]\nfn f(\n    py: Python<'_>,\n    docs: std::vec::Vec<Py<PyDoc>>,\n) {\n}\n"
    ),
    "a method": "#[pymethods]\nimpl Table {\n    fn f(&self, keys: Vec<u64>) {\n    }\n}\n",
    "a setter": "#[pymethods]\nimpl Table {\n    #[setter]\n    fn f(&self, of: Vec<u64>) {\n    }\n}\n",
    "values of a dict": "#[pyfunction]\nfn f(files: HashMap<String, Vec<u8>>) {\n}\n",
    "an alias": "type Row = (u64, Vec<u32>);\ntype Rows = Items<Row>;\n"
    "#[pyfunction]\nfn f(rows: Rows) {\n}\n",
    "a derived class": "#[derive(FromPyObject)]\n#[pyo3(from_item_all)]\nstruct Word {\n    text: String,\n"
    "    tags: Vec<String>,\n}\n#[pyfunction]\nfn f(word: Word) {\n}\n",
    "an extraction": "fn f() {\n    let (py, words) = (x.py(), x.extract::<Vec<String>>()?);\n}\n",
    "a part of an extraction": "fn f() {\n    x.extract::<(u64, Vec<String>)>()?;\n}\n",
    "a declared extraction": "fn f() {\n    let rows: Vec<Vec<f32>> = x.extract()?;\n}\n",
}


@pytest.mark.parametrize("planted", PLANTED.values(), ids=PLANTED)
def test_a_planted_vec_is_found(planted, tmp_path):
    (tmp_path / "lib.rs").write_text(planted)
    assert list(refused(tmp_path))
    (tmp_path / "lib.rs").write_text(planted.replace("Vec<", "Items<"))
    assert not list(refused(tmp_path))
