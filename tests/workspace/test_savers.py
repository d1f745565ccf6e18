"""No code of the Python package writes a file but through the atomic file."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "py/lexpool"

# Methods of paths, arrays and tables, and functions under whatever module, that write files and
# nothing else.
WRITING = {"write_text", "write_bytes", "touch", "tofile", "copyfile", "copy2", "copytree"}
WRITING |= {"savez", "savez_compressed", "savetxt", "write_table", "write_dataset", "write_feather"}
WRITING |= {
    "write_csv",
    "write_parquet",
    "write_ipc",
    "to_csv",
    "to_parquet",
    "to_feather",
    "to_pickle",
}
WRITING |= {"NamedTemporaryFile", "mkstemp", "mktemp", "fdopen"}
# Functions of these modules; elsewhere their names are those of other things.
IN_MODULES = {"replace", "rename", "renames", "copy", "move", "dump", "save"}
# Or methods of paths, by what those are usually called.
PATHS = {"path", "file", "part", "target", "folder"}
MODULES = {"os", "shutil", "json", "pickle", "marshal", "np", "numpy"}
# Methods of paths that take the other path alone. Those of texts take two, and
# `dataclasses.replace` a keyword.
OF_PATHS = {"replace", "rename"}
# A mode of more than reading, of `open`, files of archives, arrays in files and their like.
MODE = re.compile(r"(?=.*[wax+])[rwax][bt]?\+?[bt]?(:\w+)?")
# Methods of texts, whose arguments may look like modes.
OF_TEXTS = {
    "replace",
    "split",
    "join",
    "count",
    "find",
    "startswith",
    "endswith",
    "strip",
    "lstrip",
    "rstrip",
}


def writes(source: str) -> list[str]:
    """The calls in some source that write a file, or may, and imports that would hide such
    calls.
    """
    nodes = list(ast.walk(ast.parse(source)))
    hiding = [
        node
        for node in nodes
        if isinstance(node, ast.Import | ast.ImportFrom) and hides_writes(node)
    ]
    calls = [node for node in nodes if isinstance(node, ast.Call) and is_write(node)]
    return [ast.unparse(node) for node in hiding + calls]


def hides_writes(node: ast.Import | ast.ImportFrom) -> bool:
    """Tells if functions that write files are imported under names that nobody looks for."""
    if isinstance(node, ast.Import):
        names = [(alias.name, (alias.asname or alias.name).lstrip("_")) for alias in node.names]
        return any(name in MODULES and known_as not in MODULES for name, known_as in names)
    of_files = node.module in MODULES and any(
        alias.name in IN_MODULES | {"open"} for alias in node.names
    )
    return of_files or any(alias.name in WRITING for alias in node.names)


def is_write(call: ast.Call) -> bool:
    function = call.func
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    owner = function.value.id.lstrip("_") if is_attribute_of_name(function) else ""
    if name == "open" and opens_for_writing(call, owner):
        return True
    # A class calls a method of its own.
    if name in OF_PATHS and owner != "self" and len(call.args) + len(call.keywords) == 1:
        return True
    return (
        name in WRITING or (name in IN_MODULES and owner in MODULES | PATHS) or has_mode(call, name)
    )


def has_mode(call: ast.Call, name: str) -> bool:
    """Tells if an argument is a mode of writing, whatever is called."""
    if name in OF_TEXTS:
        return False
    # The first argument of whatever is not called `open` is a file, or a name such as "a".
    values = [keyword.value for keyword in call.keywords if keyword.arg == "mode"] + call.args[1:2]
    return any(
        isinstance(value, ast.Constant) and MODE.fullmatch(str(value.value)) for value in values
    )


def is_attribute_of_name(function: ast.expr) -> bool:
    return isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name)


def opens_for_writing(call: ast.Call, owner: str) -> bool:
    """Tells if a file is opened for more than reading, or by a mode that has to be computed."""
    if owner == "os":
        return True
    # A path's own `open` has the mode first; classes' own take no mode.
    position = 0 if isinstance(call.func, ast.Attribute) and owner not in ("io", "gzip") else 1
    if owner[:1].isupper():
        return False
    modes = [keyword.value for keyword in call.keywords if keyword.arg == "mode"]
    modes += call.args[position : position + 1]
    return any(
        not isinstance(mode, ast.Constant) or set(str(mode.value)) & set("wax+") for mode in modes
    )


@pytest.mark.parametrize(
    "source",
    [
        'open(path, "w")',
        'open(path, mode="ab")',
        "open(path, mode)",
        'path.open("x")',
        'path.open(mode="r+")',
        'io.open(path, "wb")',
        "path.write_text(text)",
        "(folder / name).write_bytes(data)",
        "json.dump(value, file)",
        "shutil.copyfile(a, b)",
        "os.replace(a, b)",
        "_os.replace(a, b)",
        "os.open(path, flags)",
        "path.touch()",
        "path.replace(other)",
        "path.replace(target=other)",
        "Path(path).replace(other)",
        "(folder / name).rename(other)",
        "from os import replace",
        "from shutil import move as put",
        "import os as system",
        'Path.open(path, "w")',
        'zipfile.ZipFile(path, "w")',
        'tarfile.TarFile.open(path, "w:gz")',
        'gzip.GzipFile(path, "wb")',
        'np.memmap(path, mode="w+")',
        "np.savetxt(path, array)",
        "pq.write_table(table, path)",
    ],
)
def test_what_writes_a_file_is_noticed(source):
    assert writes(source) == [ast.unparse(ast.parse(source).body[0])]


@pytest.mark.parametrize(
    "source",
    [
        "open(path)",
        'open(path, "rb")',
        'path.open(encoding="utf8")',
        'text.replace("b", "a")',
        "dataclasses.replace(old, name=new)",
        "doc.copy()",
        "Corpus.open(path)",
        'np.memmap(path, mode="r")',
        'Vectors(mode="default")',
        "from os import PathLike",
        "self.replace(getters)",
        "import numpy as np",
    ],
)
def test_what_reads_is_let_pass(source):
    assert writes(source) == []


def test_the_package_writes_files_through_the_atomic_file_alone():
    found = {
        str(path.relative_to(PACKAGE)): writes(path.read_text("utf8"))
        for path in sorted(PACKAGE.rglob("*.py"))
    }
    assert len(found) > 50
    assert {path: calls for path, calls in found.items() if calls} == {}


def test_the_binding_calls_nothing_of_pythons_that_writes_a_file():
    named = re.compile(r'"(write_bytes|write_text|open|touch|dump)"')
    sources = sorted((ROOT / "py/src").rglob("*.rs"))
    assert len(sources) > 50
    assert [str(path) for path in sources if named.search(path.read_text("utf8"))] == []


def test_lints_refuse_calls_that_write_files_in_rust():
    lints = (ROOT / "clippy.toml").read_text()
    for call in (
        "std::fs::write",
        "std::fs::File::create",
        "std::fs::OpenOptions::open",
        "std::fs::rename",
    ):
        assert f'path = "{call}"' in lints
