"""Modules of the Rust crates use each other one way, and so do files.

`rust_modules.py` reads which files use which. The order of a crate's top-level modules is that of
the table in its `lib.rs`, where there is one that names modules; for other crates some order must
exist.
"""

import re
from functools import cache
from pathlib import Path

import pytest
from rust_modules import Crate, by_top_module, circles, read

ROOT = Path(__file__).parents[2]
CRATES = sorted(
    path.parent.relative_to(ROOT).as_posix()
    for pattern in ("*/src/lib.rs", "core/*/src/lib.rs", "core/*/*/src/lib.rs")
    for path in ROOT.glob(pattern)
)

# A row of the table of modules in the documentation of `lib.rs`.
ROW = re.compile(r"^//! \| \[?`(\w+)`\]?", re.MULTILINE)
ORDERED = ["core/src", "core/io/src", "core/nn/src", "core/training/src", "py/src"]

# Folders whose files may use each other in circles, with the reason.
CIRCLES = {
    "py/src/object": "Python's classes of documents, tokens, spans and vocabs make each other",
}


@cache
def edges(folder: str) -> dict[str, dict[str, set[str]]]:
    return read(ROOT / folder).edges()


@cache
def file_circles(folder: str) -> list[list[str]]:
    graph = {file: set(targets) for file, targets in edges(folder).items()}
    return [sorted(f"{folder}/{file}" for file in circle) for circle in circles(graph)]


def upward(crate_edges: dict[str, dict[str, set[str]]], order: list[str]) -> list[str]:
    """Returns the edges from a top-level module to one that does not come before it."""
    place = {name: at for at, name in enumerate(order)}
    return [
        arrow
        for above, targets in by_top_module(crate_edges).items()
        for below, arrows in targets.items()
        if "lib" not in (above, below) and place[below] >= place[above]
        for arrow in arrows
    ]


@pytest.mark.parametrize("folder", ORDERED)
def test_each_module_uses_only_modules_before_it_in_the_table_of_its_crate(folder):
    text = (ROOT / folder / "lib.rs").read_text()
    order = ROW.findall(text)
    declared = set(re.findall(r"^(?:pub )?mod (\w+);", text, re.MULTILINE))
    assert declared == set(order), "the table names each module once"
    assert not upward(edges(folder), order)


@pytest.mark.parametrize("folder", CRATES)
def test_top_level_modules_have_an_order(folder):
    graph = {above: set(below) for above, below in by_top_module(edges(folder)).items()}
    assert not circles(graph)


@pytest.mark.parametrize("folder", CRATES)
def test_files_use_each_other_in_no_circle(folder):
    allowed = [f"{known}/" for known in CIRCLES]
    found = [
        circle
        for circle in file_circles(folder)
        if not any(all(file.startswith(known) for file in circle) for known in allowed)
    ]
    assert not found


@pytest.mark.parametrize("known", sorted(CIRCLES))
def test_a_folder_that_may_have_circles_has_one(known):
    folder = max((folder for folder in CRATES if f"{known}/".startswith(f"{folder}/")), key=len)
    assert any(
        all(file.startswith(f"{known}/") for file in circle) for circle in file_circles(folder)
    )


# The checker itself, on a small crate.
TREE = {
    "lib.rs": "mod low;\nmod high;\npub use low::Low;\n",
    "low/mod.rs": "mod part;\nmod other;\npub use part::Part;\npub struct Low;\n",
    "low/part.rs": "pub struct Part; // use crate::high::High;\n",
    "low/other.rs": 'const TEXT: &str = "crate::high::High";\nfn f() -> super::Part { super::Part }\n',
    "high.rs": "use crate::low::{Low, Part};\npub struct High(Low, Part);\n",
}


def names(tree: dict[str, str], file: str) -> dict[str, set[str]]:
    return Crate(tree).edges()[file]


def test_paths_lead_through_reexports_to_the_file_that_defines_the_item():
    assert names(TREE, "high.rs") == {"low/mod.rs": {"Low"}, "low/part.rs": {"Part"}}
    assert names(TREE, "low/other.rs") == {"low/part.rs": {"Part"}}


def test_a_module_that_only_declares_and_reexports_its_child_does_not_use_it():
    assert names(TREE, "low/mod.rs") == {}
    used = TREE | {"low/mod.rs": TREE["low/mod.rs"] + "fn f(part: Part) {}\n"}
    assert names(used, "low/mod.rs") == {"low/part.rs": {"Part"}}


def test_a_planted_upward_edge_is_found():
    assert not upward(Crate(TREE).edges(), ["low", "high"])
    for planted in (
        "use crate::high::High;\n",
        "fn f(_: &crate::high::High) {}\n",
        "use super::super::high as h;\nfn f(_: h::High) {}\n",
    ):
        tree = TREE | {"low/part.rs": planted}
        assert upward(Crate(tree).edges(), ["low", "high"]) == ["low/part.rs -> high.rs: High"], (
            planted
        )


def test_a_planted_circle_between_files_is_found():
    graph = {file: set(targets) for file, targets in Crate(TREE).edges().items()}
    assert not circles(graph)
    tree = TREE | {
        "low/part.rs": "use super::Low;\npub struct Part(Low);\n",
        "low/mod.rs": TREE["low/mod.rs"] + "fn f(_: Part) {}\n",
    }
    graph = {file: set(targets) for file, targets in Crate(tree).edges().items()}
    assert circles(graph) == [{"low/mod.rs", "low/part.rs"}]


def test_code_for_tests_does_not_count():
    tests = "#[cfg(test)]\nmod tests {\n    use crate::high::High;\n}\n"
    tree = TREE | {"low/part.rs": TREE["low/part.rs"] + tests}
    assert names(tree, "low/part.rs") == {}
    tree = TREE | {
        "low/mod.rs": TREE["low/mod.rs"] + "#[cfg(test)]\nmod probe;\n",
        "low/probe.rs": "use crate::high::High;\n",
    }
    assert "low/probe.rs" not in Crate(tree).edges()
