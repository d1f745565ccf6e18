"""The crates can be published: registries accept what they say of themselves, in some order."""

from graphlib import TopologicalSorter
from pathlib import Path

import pytest
from test_crates import ROOT, metadata

MEMBERS = {
    package["name"]: package
    for package in metadata()["packages"]
    if package["id"] in metadata()["workspace_members"]
}
# `publish = false` is an empty list of registries.
PUBLISHED = {name: each for name, each in MEMBERS.items() if each["publish"] != []}

# A part of https://crates.io/category_slugs: the registry drops categories that it lacks.
CATEGORIES = {
    "command-line-utilities",
    "concurrency",
    "data-structures",
    "encoding",
    "internationalization",
    "memory-management",
    "parser-implementations",
    "science",
    "text-processing",
    "visualization",
}


def ours(package: dict) -> list[dict]:
    return [each for each in package["dependencies"] if each["name"] in MEMBERS]


def test_only_the_binding_and_tools_of_this_repository_stay_unpublished():
    assert MEMBERS.keys() - PUBLISHED.keys() == {
        "lexpool-bench",
        "lexpool-fuzz",
        "lexpool-interop",
        "lexpool-playground",
        "lexpool-py",
        "lexpool-test-ops",
    }


@pytest.mark.parametrize("name", sorted(PUBLISHED))
def test_a_published_crate_says_what_it_is(name):
    package = PUBLISHED[name]
    assert package["description"] and len(package["description"]) < 120
    assert package["license"] == "MIT OR Apache-2.0"
    assert package["repository"] and package["rust_version"]
    folder = Path(package["manifest_path"]).parent
    assert (folder / package["readme"]).resolve() == ROOT / "README.md"


@pytest.mark.parametrize("name", sorted(PUBLISHED))
def test_a_registry_accepts_the_keywords_and_categories_of_a_published_crate(name):
    package = PUBLISHED[name]
    assert 1 <= len(package["keywords"]) <= 5
    assert all(len(word) <= 20 and word.isascii() for word in package["keywords"])
    assert 1 <= len(package["categories"]) <= 5
    assert set(package["categories"]) <= CATEGORIES


@pytest.mark.parametrize("name", [*sorted(PUBLISHED), "lexpool-py"])
def test_a_package_contains_the_texts_of_both_licences(name):
    folder = Path(MEMBERS[name]["manifest_path"]).parent
    for text in ("LICENSE-MIT", "LICENSE-APACHE"):
        assert (folder / text).read_bytes() == (ROOT / text).read_bytes()


@pytest.mark.parametrize("name", sorted(PUBLISHED))
def test_a_published_crate_depends_on_versions_of_published_crates(name):
    version = PUBLISHED[name]["version"]
    wanted = {each["name"]: each["req"] for each in ours(PUBLISHED[name])}
    assert wanted.keys() <= PUBLISHED.keys()
    assert set(wanted.values()) <= {f"^{version}"}


def test_each_crate_can_be_published_after_those_that_it_depends_on():
    graph = {name: {each["name"] for each in ours(package)} for name, package in PUBLISHED.items()}
    order = list(TopologicalSorter(graph).static_order())
    assert order[-1] == "lexpool-cli"
    assert len(order) == len(PUBLISHED)


def test_the_features_of_the_generated_documentation_exist():
    asked = {
        name: set(package["metadata"]["docs"]["rs"].get("features", ()))
        for name, package in PUBLISHED.items()
        if package["metadata"]
    }
    assert asked["lexpool"] == MEMBERS["lexpool"]["features"].keys()
    for name, features in asked.items():
        assert features <= PUBLISHED[name]["features"].keys()
