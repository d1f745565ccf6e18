"""No code of the Python package writes a file but through the atomic file."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "py/lexpool"

# Methods of paths and arrays, and functions under whatever module, that write files and nothing else.
WRITING = {"write_text", "write_bytes", "touch", "tofile", "copyfile", "copy2", "copytree", "savez"}
WRITING |= {"NamedTemporaryFile", "mkstemp", "mktemp", "fdopen"}
# Functions of these modules; elsewhere their names are those of other things.
IN_MODULES = {"replace", "rename", "renames", "copy", "move", "dump", "save"}
# Or methods of paths, by what those are usually called.
PATHS = {"path", "file", "part", "target", "folder"}
MODULES = {"os", "shutil", "json", "pickle", "marshal", "np", "numpy"}


def writes(source: str) -> list[str]:
    """The calls in some source that write a file, or may."""
    calls = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call))
    return [ast.unparse(call) for call in calls if is_write(call)]


def is_write(call: ast.Call) -> bool:
    function = call.func
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    owner = function.value.id if is_attribute_of_name(function) else ""
    if name == "open":
        return opens_for_writing(call, owner)
    return name in WRITING or name in IN_MODULES and owner in MODULES | PATHS


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
    return any(not isinstance(mode, ast.Constant) or set(str(mode.value)) & set("wax+") for mode in modes)


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
        "os.open(path, flags)",
        "path.touch()",
        "path.replace(other)",
    ],
)
def test_what_writes_a_file_is_noticed(source):
    assert writes(source) == [ast.unparse(ast.parse(source).body[0])]


@pytest.mark.parametrize(
    "source",
    ["open(path)", 'open(path, "rb")', 'path.open(encoding="utf8")', 'text.replace("a", "b")', "doc.copy()", "Corpus.open(path)"],
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
    for call in ("std::fs::write", "std::fs::File::create", "std::fs::OpenOptions::open", "std::fs::rename"):
        assert f'path = "{call}"' in lints
