"""The pages of classes and functions: whole, described, and leading where they say."""

import importlib
import inspect
import pkgutil
import re
import sys
from pathlib import Path

import pytest

import lexpool

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def made():
    """The surface, and the text of each page."""
    sys.path.insert(0, str(ROOT / "docs/generate"))
    try:
        pages = importlib.import_module("apipages.pages")
        surface = importlib.import_module("apipages.surface").public()
    finally:
        sys.path.pop(0)
    return surface, pages.Pages(surface).all()


@pytest.fixture(scope="module")
def surface(made):
    return made[0]


@pytest.fixture(scope="module")
def texts(made):
    return made[1]


def anchors(text: str) -> list[str]:
    return re.findall(r"^(?:#+ .*\{#|<h3 id=\")([^}\"]+)(?:\}$|\">)", text, re.MULTILINE)


def listed_names() -> list[tuple[str, str]]:
    """All that modules of lexpool name in `__all__`."""
    found = []
    for module in [
        "lexpool",
        *(m.name for m in pkgutil.walk_packages(lexpool.__path__, "lexpool.")),
    ]:
        if any(part.startswith("_") for part in module.split(".")[1:]):
            continue
        for name in getattr(importlib.import_module(module), "__all__", ()):
            value = getattr(importlib.import_module(module), name)
            if inspect.isclass(value) or inspect.isroutine(value):
                found.append((module, name))
    return found


@pytest.mark.filterwarnings("ignore")
def test_every_public_class_and_function_has_an_entry(surface, texts):
    names = listed_names()
    assert len(names) > 100
    for module, name in names:
        value = getattr(importlib.import_module(module), name)
        (entry,) = (entry for entry in surface.entries if entry.value is value)
        text = texts[f"{entry.page}.md"]
        assert not entry.anchor or entry.anchor in anchors(text), name


def test_what_documents_give_out_has_a_page(surface):
    names = {entry.name for entry in surface.entries if entry.has_page}
    assert {
        "Handle",
        "Lease",
        "SpacyLease",
        "RecordValue",
        "Lexemes",
        "MemoryZone",
        "Pipe",
    } <= names


def test_every_class_member_and_function_is_described(texts):
    for name, text in texts.items():
        assert re.search(r'^description: "[A-Za-z`(].+"$', text, re.MULTILINE), name
        for part in re.split(r"^(?=### |<h3 )", text, flags=re.MULTILINE)[1:]:
            part = re.split(r"^## ", part, flags=re.MULTILINE)[0]
            head, _, rest = part.partition("\n")
            said = re.sub(r"<pre.*?</pre>", "", rest, flags=re.DOTALL).strip()
            assert said, f"{name}: {head} has no description"


def test_members_have_addresses_of_their_class_in_lower_case(texts):
    assert "doc.to_array" in anchors(texts["doc.md"])
    assert "token.is_alpha" in anchors(texts["token.md"])
    assert "annotate" in anchors(texts["modules/arrow.md"])
    for name, text in texts.items():
        found = anchors(text)
        assert len(set(found)) == len(found), name
        assert all(anchor == anchor.lower() for anchor in found), name


def test_private_names_are_left_out(texts):
    for name, text in texts.items():
        members = [anchor.rpartition(".")[2] for anchor in anchors(text)]
        assert [member for member in members if member.startswith("_") and member != "_"] == [], (
            name
        )
        assert not re.search(r"(?<![\w.])_core\b", text), name


def test_every_link_leads_to_a_page_and_an_anchor_that_are_there(texts):
    links = 0
    for name, text in texts.items():
        text = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
        here = "" if name == "index.md" else name.removesuffix(".md") + "/"
        for link in re.findall(r"\]\(([^()\s]+)\)|href=\"([^\"]+)\"", text):
            target = next(part for part in link if part)
            if target.startswith("/"):
                continue
            path, _, anchor = target.partition("#")
            folder = [*here.split("/")[:-1]] if path else [*here.rstrip("/").split("/")]
            for step in path.split("/"):
                if step == "..":
                    folder.pop()
                elif step:
                    folder.append(step)
            page = "/".join(part for part in folder if part) or "index"
            assert f"{page}.md" in texts, f"{name}: {target}"
            assert not anchor or anchor in anchors(texts[f"{page}.md"]), f"{name}: {target}"
            links += 1
    assert links > 500


def test_signatures_are_those_of_the_stubs(texts):
    assert "to_array(attr_ids: str | int | Iterable[str | int])" in texts["doc.md"]
    assert "start_idx: int,\n    end_idx: int,\n" in texts["doc.md"]
    assert '<a href="../span/">Span</a> | None' in texts["doc.md"]
    # An overload each.
    assert texts["doc.md"].count("count_by(\n") == 2
    assert "SupportsIndex" not in "".join(texts.values())


def test_a_docstring_becomes_markdown_that_says_the_same():
    sys.path.insert(0, str(ROOT / "docs/generate"))
    try:
        docstrings = importlib.import_module("apipages.docstrings")
    finally:
        sys.path.pop(0)
    doc = 'Cuts *all* of it, see `Doc`.\n\nn (int): how many,\n    or "all".\nRaises KeyError.\n\n>>> 1 < 2\nTrue'
    text = docstrings.markdown(doc, ["n"], {"Doc": "../doc/"}.get)
    assert text == (
        "Cuts \\*all\\* of it, see [`Doc`](../doc/).\n\n"
        '- `n` (int): how many, or `"all"`.\n\n'
        "Raises KeyError.\n\n"
        "```python\n>>> 1 < 2\nTrue\n```"
    )
    assert docstrings.sentence("One thing. Another.") == "One thing."
    assert (
        docstrings.inline_html("a\\_b [`c`](../c/) `<d>`")
        == 'a_b <a href="../c/"><code>c</code></a> <code>&lt;d&gt;</code>'
    )
