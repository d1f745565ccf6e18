"""Modules of the Python package import each other one way, and at their heads.

The rooms of the package and their order are those of the table "In `py/lexpool`, where" of
ARCHITECTURE.md: each imports only itself and rooms above it.
"""

import ast
import re
from functools import cache
from pathlib import Path

import pytest
from python_modules import Import, name_of, read
from rust_modules import circles

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "py/lexpool"

# The only circle: `Language.evaluate` scores, and a scorer without a pipeline makes one.
CIRCLE = {"language", "_language.evaluation", "scorer"}

# Imports in functions, with the reason. All are on the way of `lexpool.blank` or `lexpool.load`.
DEFERRED = {
    ("", "_ops.profile"): "`import lexpool` imports neither the profiler nor training",
    ("", "training._train"): "`import lexpool` imports neither the profiler nor training",
    ("language", "_language.evaluation"): "a blank pipeline needs no scorer",
    ("language", "_loading.config"): "a blank pipeline has its configuration when it is asked for",
    ("language", "_loading.files"): "a blank pipeline reads no file",
    ("language", "_loading.overrides"): "a blank pipeline reads no file",
    ("_language.training_methods", "_language.training_steps"): "networks, when components learn",
    ("_learning.example", "_learning.alignment"): "`dataclasses` takes a tenth of a load",
    ("_loading.files", "_python_side.segmenters"): "`typing`, for segmenters alone",
}

# Packages whose names are imported when they are asked for (PEP 562), with the reason.
LAZY = {
    "": "`import lexpool` imports the native module alone",
    "ops": "the namespaces of plugins",
    "pipeline": "a pipeline needs few of all components",
}


@cache
def sources() -> dict[str, str]:
    return {
        path.relative_to(PACKAGE).as_posix(): path.read_text("utf8")
        for path in PACKAGE.rglob("*.py")
    }


@cache
def found() -> list[Import]:
    return read(sources())


def graph(imports: list[Import]) -> dict[str, set[str]]:
    arrows: dict[str, set[str]] = {}
    for each in imports:
        arrows.setdefault(each.module, set()).add(each.target)
        arrows.setdefault(each.target, set())
    return arrows


@cache
def order() -> dict[str, int]:
    """The number of the room of each module or folder that the table names."""
    text = (ROOT / "ARCHITECTURE.md").read_text("utf8")
    table = text.split("In `py/lexpool`, where")[1].split("\n\n")[1]
    rows = re.findall(r"^\| (`.+?) \|", table, re.MULTILINE)
    return {
        name: number for number, row in enumerate(rows) for name in re.findall(r"`([\w.]+)`", row)
    }


def room(module: str, rooms: dict[str, int]) -> int | None:
    """Returns the room of a module, or of the innermost folder that has one."""
    parts = module.split(".")
    names = [".".join(parts[:n]) for n in range(len(parts), 0, -1)]
    return next((rooms[name] for name in names if name in rooms), None)


def upward(imports: list[Import], rooms: dict[str, int]) -> list[str]:
    """Returns the imports of modules in rooms below that of the importing module. The package
    itself, whose names are those of all rooms, is imported by none.
    """
    return [
        f"{each.module} -> {each.target}"
        for each in imports
        if each.module and (not each.target or not is_above(each, rooms))
    ]


def is_above(each: Import, rooms: dict[str, int]) -> bool:
    ours, theirs = room(each.module, rooms), room(each.target, rooms)
    return ours is not None and theirs is not None and theirs <= ours


def test_each_module_is_in_a_room():
    modules = {each.module for each in found()} | {each.target for each in found()}
    assert not [module for module in modules if module and room(module, order()) is None]


def test_each_name_of_the_table_is_a_module_or_a_folder():
    for name in order():
        path = PACKAGE / name.replace(".", "/")
        assert path.with_suffix(".py").exists() or (path / "__init__.py").exists(), name


def test_each_module_imports_only_rooms_above_its_own():
    assert not upward(found(), order())


def test_modules_import_each_other_in_no_circle_but_one():
    assert circles(graph(found())) == [CIRCLE]


def test_modules_import_the_package_at_their_heads():
    deferred = {(each.module, each.target) for each in found() if each.is_in_function}
    assert deferred == DEFERRED.keys()


def test_names_are_imported_late_in_few_packages():
    lazy = {name_of(path) for path, text in sources().items() if imports_late(ast.parse(text))}
    assert lazy == LAZY.keys()


def imports_late(tree: ast.Module) -> bool:
    """Returns whether a module imports something when one of its names is asked for."""
    getters = [
        ast.unparse(node)
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and node.name == "__getattr__"
    ]
    return any(re.search("import|load", getter) for getter in getters)


# The checker itself, on a small package.
TREE = {
    "__init__.py": "from .high import High\n",
    "low.py": "",
    "room/__init__.py": "from .part import Part\n",
    "room/part.py": "from .. import low\nfrom .._core import Doc\n",
    "high.py": "from .room import Part\n\ndef f():\n    from .low import name\n",
}
ROOMS = {"low": 0, "room": 1, "high": 2}


def test_imports_are_read_with_their_places():
    assert Import("room.part", "low", False) in read(TREE)
    assert Import("high", "low", True) in read(TREE)
    assert {each.target for each in read(TREE) if each.module == "room.part"} == {"low"}
    assert not upward(read(TREE), ROOMS)
    assert not circles(graph(read(TREE)))


@pytest.mark.parametrize(
    "planted",
    [
        "from .high import High\n",
        "from . import high\n",
        "import lexpool.high\n",
        "TYPE_CHECKING = False\nif TYPE_CHECKING:\n    from .high import High\n",
        "def f():\n    from lexpool import high\n",
    ],
)
def test_a_planted_upward_import_and_its_circle_are_found(planted):
    imports = read(TREE | {"low.py": planted})
    assert upward(imports, ROOMS) == ["low -> high"]
    assert circles(graph(imports)) == [{"low", "room", "room.part", "high"}]


def test_an_import_of_the_package_itself_is_found():
    imports = read(TREE | {"room/part.py": "from .. import High\n"})
    assert upward(imports, ROOMS) == ["room.part -> "]
