"""The crates have only allowed dependencies, their versions agree, and their tests are run."""

import json
import subprocess
import tomllib
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

# These say `links` only so that no second version of them gets into a program.
LINK_NOTHING = {"rayon-core"}

# The crates that `lexpool` is built on.
BELOW_CORE = {
    f"lexpool-{name}"
    for name in (
        "chars",
        "error",
        "lattice",
        "msgpack",
        "nn",
        "parse",
        "plugin",
        "pool",
        "regex",
        "render",
        "segment",
        "structs",
        "threads",
    )
}
# The crates that are built on it, beside the command and the binding.
ABOVE_CORE = {"lexpool-io", "lexpool-ops", "lexpool-training"}


@cache
def metadata() -> dict:
    version = run("rustc", "-vV")
    host = next(line.split()[1] for line in version.split("\n") if line.startswith("host:"))
    words = ["--format-version=1", "--locked", "--all-features", f"--filter-platform={host}"]
    return json.loads(run("cargo", "metadata", *words))


def run(*command: str) -> str:
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout


def needs(name: str) -> dict[str, dict]:
    """The crates that are compiled, by name, when this one is built with all features."""
    packages = {package["id"]: package for package in metadata()["packages"]}
    nodes = {node["id"]: node["deps"] for node in metadata()["resolve"]["nodes"]}
    members = metadata()["workspace_members"]
    waiting = [package for package in members if packages[package]["name"] == name]
    assert waiting, f"no crate {name} in the workspace"
    found = {}
    while waiting:
        package = waiting.pop()
        if package not in found:
            found[package] = packages[package]
            deps = (dep for dep in nodes[package] if kinds(dep) != {"dev"})
            waiting += [dep["pkg"] for dep in deps]
    return {package["name"]: package for package in found.values()}


def kinds(dep: dict) -> set[str]:
    return {kind["kind"] or "normal" for kind in dep["dep_kinds"]}


@pytest.mark.parametrize(
    ("crate", "below"),
    [
        ("lexpool-structs", set()),
        ("lexpool-pool", set()),
        ("lexpool-chars", set()),
        ("lexpool-regex", {"lexpool-chars"}),
        ("lexpool-error", {"lexpool-pool"}),
        ("lexpool-lattice", {"lexpool-error", "lexpool-pool"}),
        ("lexpool-msgpack", {"lexpool-error", "lexpool-pool"}),
        ("lexpool-plugin", {"lexpool-error", "lexpool-pool", "lexpool-structs"}),
        ("lexpool-threads", {"lexpool-error", "lexpool-pool"}),
        ("lexpool-parse", {"lexpool-error", "lexpool-pool", "lexpool-structs", "lexpool-threads"}),
        (
            "lexpool-nn",
            {
                "lexpool-error",
                "lexpool-msgpack",
                "lexpool-pool",
                "lexpool-structs",
                "lexpool-threads",
            },
        ),
        ("lexpool-render", {"lexpool-error", "lexpool-pool", "lexpool-structs"}),
        (
            "lexpool-segment",
            {"lexpool-chars", "lexpool-error", "lexpool-msgpack", "lexpool-pool"},
        ),
        ("lexpool", BELOW_CORE),
        ("lexpool-io", {"lexpool", *BELOW_CORE}),
        ("lexpool-ops", {"lexpool", *BELOW_CORE}),
        ("lexpool-training", {"lexpool", "lexpool-io", "lexpool-ops", *BELOW_CORE}),
        ("lexpool-cli", {"lexpool", *BELOW_CORE, *ABOVE_CORE}),
        ("lexpool-py", {"lexpool", "lexpool-cli", *BELOW_CORE, *ABOVE_CORE}),
        ("lexpool-fuzz", {"lexpool", "lexpool-io", "lexpool-ops", *BELOW_CORE}),
    ],
)
def test_dependencies_run_one_way(crate, below):
    ours = {name for name in needs(crate) if name.startswith("lexpool")}
    assert ours - {crate} == below


@pytest.mark.parametrize("crate", ["lexpool", "lexpool-cli", *sorted(ABOVE_CORE | BELOW_CORE)])
def test_only_the_binding_needs_python_or_a_c_compiler(crate):
    found = needs(crate)
    assert not found.keys() & {"pyo3", "pyo3-ffi", "numpy", "cc", "cmake", "bindgen"}
    native = {name for name, package in found.items() if package["links"]}
    assert native <= LINK_NOTHING


def test_structs_depends_on_bytemuck_alone():
    assert needs("lexpool-structs").keys() == {"lexpool-structs", "bytemuck"}


def test_the_package_has_the_version_of_the_crates():
    lexpool = pytest.importorskip("lexpool", reason="lexpool is not built")
    workspace = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]
    assert lexpool.__version__ == workspace["version"]
    assert f"## {lexpool.__version__}" in (ROOT / "CHANGELOG.md").read_text()


def test_make_test_runs_the_tests_of_every_crate_that_has_some():
    # `cargo test` runs those of the default members.
    packages = {package["id"]: package for package in metadata()["packages"]}
    folders = {
        Path(packages[member]["manifest_path"]).parent: packages[member]["name"]
        for member in metadata()["workspace_members"]
    }
    tested = set()
    for folder in folders:
        for path in folder.rglob("*.rs"):
            # A crate may hold others.
            owner = next(parent for parent in path.parents if parent in folders)
            if owner == folder and "#[test]" in path.read_text(encoding="utf-8"):
                tested.add(folders[folder])
    run_by_default = {packages[id_]["name"] for id_ in metadata()["workspace_default_members"]}
    assert tested <= run_by_default


def test_the_tests_use_the_crates_that_the_package_was_built_of():
    # Cargo compiles a crate again where it is asked for with other features.
    package = features("--package=lexpool-py", "--edges=normal,build")
    tests = features("--all-features", "--edges=normal,build,dev")
    others = {name: (sets, tests.get(name)) for name, sets in package.items()}
    assert {name: both for name, both in others.items() if not both[0] <= (both[1] or set())} == {}


def features(*options: str) -> dict[str, set[str]]:
    """The sets of features that crates are compiled with, by name and version."""
    tree = run("cargo", "tree", "--locked", "--prefix=none", "--format={p}|{f}", *options)
    sets: dict[str, set[str]] = {}
    for line in filter(None, tree.splitlines()):
        name, _, listed = line.removesuffix(" (*)").partition("|")
        sets.setdefault(name, set()).add(listed)
    return sets
