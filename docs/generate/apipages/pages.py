"""A page a class, a page a module, and the table of all."""

import enum
import html
import inspect
import json
import re
from dataclasses import dataclass
from functools import cache
from typing import Any

from . import signatures
from .docstrings import docstring, inline_html, markdown, sentence
from .signatures import Declared
from .surface import Entry, Surface, module_slug

# Members that Python's syntax calls, and how one writes that.
OPERATORS = {
    "__call__": ("{}(...)", "what it is made for"),
    "__len__": ("len({})", "how many there are"),
    "__iter__": ("for one in {}", "one after the other"),
    "__next__": ("next({})", "the next one"),
    "__getitem__": ("{}[key]", "one of them, or a part"),
    "__setitem__": ("{}[key] = value", "puts one in"),
    "__delitem__": ("del {}[key]", "takes one out"),
    "__contains__": ("key in {}", "whether it is there"),
    "__enter__": ("with {}", "opens it, until the end of the block"),
    "__eq__": ("{} == other", "whether both are the same"),
    "__lt__": ("{} < other", "whether it comes before"),
    "__add__": ("{} + other", "both together, as a new one"),
    "__iadd__": ("{} += other", "adds to it"),
    "__bytes__": ("bytes({})", "as `to_bytes` gives it"),
    "__arrow_c_array__": ("pyarrow.array({})", "as an Arrow array, for all that read Arrow"),
    "__arrow_c_stream__": ("pyarrow.table({})", "as an Arrow table, for all that read Arrow"),
}
# More members than this, and a page of headings in Markdown is too heavy.
LARGE = 80
CRATES = {
    "lexpool": "strings, vocab, tokens, tokenizer, matchers, files, pipelines.",
    "lexpool_structs": "the records, attribute numbers, parts of speech.",
    "lexpool_pool": "arenas and append-only storage.",
    "lexpool_regex": "patterns in the syntax of Python's `re`, on automata.",
    "lexpool_chars": "what Python's `str` and `re` know of a character.",
    "lexpool_ops": "the registry of ops, plugins, the C API.",
    "lexpool_plugin": "what ops are declared with, in lexpool and in plugins.",
}


@dataclass
class Member:
    name: str
    doc: str
    declared: Declared | None

    @property
    def is_property(self) -> bool:
        declared = self.declared
        return declared is not None and all(one.kind == "property" for one in declared.signatures)


class Pages:
    """Writes Markdown; knows where every name is described."""

    def __init__(self, surface: Surface) -> None:
        self.surface = surface
        self.classes = {entry.name: entry for entry in reversed(surface.entries) if entry.is_class}
        for entry in surface.entries:
            if entry.is_class and not entry.page.startswith(("compat-", "engines-")):
                self.classes[entry.name] = entry
        self.functions = {entry.name: entry for entry in surface.entries if not entry.is_class}

    def all(self) -> dict[str, str]:
        """Each page's path below the folder of all of them, and its text."""
        pages = {"index.md": self.index()}
        for order, entry in enumerate(self.with_page()):
            pages[f"{entry.page}.md"] = self.of_class(entry, 10 + order)
        for order, name in enumerate(sorted(self.surface.modules)):
            if self.surface.of(name):
                pages[f"modules/{module_slug(name)}.md"] = self.of_module(name, 1000 + order)
        return pages

    def with_page(self) -> list[Entry]:
        return [entry for entry in self.surface.entries if entry.has_page]

    # Addresses.

    def link(self, up: str, inside: Entry | None = None):
        """A function from a name in backticks to its address, from a page `up` below all of
        them.
        """

        def address(name: str) -> str | None:
            name = name.removesuffix("()").removeprefix("lexpool.")
            owner, _, member = name.rpartition(".")
            if inside is not None and not owner and name in members_by_name(inside.value):
                return f"#{inside.name}.{name}".lower()
            entry = self.classes.get(owner or name)
            if entry is not None and owner:
                is_member = member in members_by_name(entry.value)
                return f"{up}{entry.page}/#{entry.name}.{member}".lower() if is_member else None
            if entry is not None:
                return None if entry is inside else up + entry.address
            function = self.functions.get(member)
            if function is not None and (not owner or function.module.endswith(owner)):
                # A name such as `map` alone may be anything.
                return up + function.address if owner or "_" in member else None
            if f"lexpool.{name}" in self.surface.modules and self.surface.of(f"lexpool.{name}"):
                return f"{up}modules/{module_slug('lexpool.' + name)}/"
            return None

        return address

    def signature(self, text: str, up: str, inside: Entry | None) -> str:
        """A signature as a block of its own, with links on the classes in it."""

        def linked(match: re.Match[str]) -> str:
            entry = self.classes.get(match[0])
            if entry is None or entry is inside:
                return match[0]
            return f'<a href="{up}{entry.address}">{match[0]}</a>'

        # Not what stands in quotes or is part of a longer name.
        parts = re.split(r"('[^']*')", text)
        content = "".join(
            html.escape(part, quote=False)
            if i % 2
            else re.sub(r"(?<![\w.])[A-Z]\w+(?![\w(])", linked, html.escape(part, quote=False))
            for i, part in enumerate(parts)
        )
        return f'<pre class="signature wide" data-label="Signature"><code>{content}</code></pre>'

    # Pages.

    def index(self) -> str:
        modules = [name for name in sorted(self.surface.modules) if self.surface.of(name)]
        return page(
            "All classes and modules",
            "All classes and modules of the Python package, and the crates of the Rust one.",
            0,
            "These pages are made from lexpool's stubs and docstrings, so `help()` says the same. Where a type says "
            "int, anything that counts as one does, NumPy's integers too.",
            "## Classes",
            self.listed(self.with_page(), ""),
            "## Modules",
            table(
                [
                    (
                        f"modules/{module_slug(name)}/",
                        name,
                        "",
                        self.brief(self.surface.modules[name], ""),
                    )
                    for name in modules
                ]
            ),
            "Ops, functions that Rust, C and Python call by name, are listed [with their signatures](/registry/ops/).",
            "## Rust",
            "\n".join(f"- [`{crate}`](/rust/{crate}/): {holds}" for crate, holds in CRATES.items()),
        )

    def listed(self, entries: list[Entry], up: str) -> str:
        """Classes with a sentence each."""
        return table(
            [
                (
                    up + entry.address,
                    entry.name,
                    entry.module or "given out by others",
                    self.brief(entry.value, up),
                )
                for entry in entries
            ]
        )

    def brief(self, value: Any, up: str) -> str:
        return inline_html(markdown(sentence(docstring(value)), (), self.link(up)))

    def of_class(self, entry: Entry, order: int) -> str:
        doc = docstring(entry.value)
        declared = signatures.constructor(entry.value)
        text = self.described(entry.name, doc, declared, "../", entry)
        members = members_of(entry.value)
        parts: list[str] = [imported(entry), *text]
        large = len(members) > LARGE
        if large:
            parts.append(self.contents(entry, [one for one in members if one.doc and one.declared]))
        groups = [
            ("Attributes", [one for one in members if one.is_property and one.doc]),
            (
                "Methods",
                [one for one in members if not one.is_property and one.declared and one.doc],
            ),
        ]
        for title, group in groups:
            if group:
                parts.append(f"## {title}")
            for one in group:
                parts += self.of_member(entry, one, large)
        values = [one for one in members if not one.doc or not one.declared]
        if values:
            parts.append("## Fields")
            parts.append("\n".join(self.field(entry, one) for one in values))
        operators = self.operators(entry)
        if operators:
            parts.append("## In expressions")
            parts.append(operators)
        base = foreign_base(entry.value)
        if base:
            parts.append(f"It is also a `{base}`, with all that one has.")
        # Two classes of one name are told apart in a list by where they are from.
        title = entry.name if "-" not in entry.page else f"{entry.name} ({entry.module})"
        return page(title, sentence(doc), order, *parts)

    def contents(self, entry: Entry, members: list[Member]) -> str:
        """Links to all members of a class that has too many for the list beside the page."""
        links = [f"[`{one.name}`](#{entry.name.lower()}.{one.name.lower()})" for one in members]
        return "All members: " + ", ".join(links) + "."

    def of_member(self, entry: Entry, one: Member, large: bool) -> list[str]:
        anchor = f"{entry.name}.{one.name}".lower()
        declared = one.declared
        notes = []
        if declared and declared.can_be_set:
            notes.append("Can be set.")
        if declared and "classmethod" in declared.decorators:
            notes.append("Called on the class.")
        if declared and "staticmethod" in declared.decorators:
            notes.append("Called without an object.")
        head = f"### {heading(one.name)} {{#{anchor}}}"
        if large:
            # Plain HTML: what is put around a heading of Markdown weighs more than most of these.
            head = f'<h3 id="{anchor}"><a href="#{anchor}">{one.name}</a></h3>'
        return [
            head,
            *self.described(one.name, one.doc, declared, "../", entry),
            *[" ".join(notes)] * bool(notes),
        ]

    def described(
        self, name: str, doc: str, declared: Declared | None, up: str, inside: Entry | None
    ) -> list[str]:
        """Signatures, then the docstring."""
        shown, names = [], []
        for signature in declared.signatures if declared else []:
            shown.append(signature.show(name))
            names += signature.names
        blocks = [self.signature("\n".join(shown), up, inside)] if shown else []
        return [*blocks, markdown(doc, names or ("*",), self.link(up, inside))]

    def field(self, entry: Entry, one: Member) -> str:
        kind = (
            one.declared.signatures[0].returns if one.declared and one.declared.signatures else ""
        )
        value = getattr(entry.value, one.name, None)
        if isinstance(value, enum.Enum):
            kind = repr(value.value)
            return f"- `{one.name}` = `{kind}`"
        return f"- `{one.name}`" + (f": `{kind}`" if kind else "")

    def operators(self, entry: Entry) -> str:
        rows = []
        name = entry.name.lower()
        for method, (form, meaning) in OPERATORS.items():
            declared = signatures.member(entry.value, method)
            if not declared or (entry.is_class and not hasattr(entry.value, method)):
                continue
            doc = own_doc(entry.value, method)
            text = markdown(sentence(doc), (), self.link("../", entry)) if doc else meaning
            types = " or ".join(
                dict.fromkeys(
                    f"`{one.returns}`"
                    for one in declared.signatures
                    if one.returns not in ("", "None")
                )
            ).replace("|", "\\|")
            rows.append(f"| `{form.format(name)}` | {text} | {types} |")
        return (
            "\n".join(["| written | does | gives |", "| --- | --- | --- |", *rows]) if rows else ""
        )

    def of_module(self, name: str, order: int) -> str:
        module = self.surface.modules[name]
        doc = docstring(module)
        up = "../../"
        parts = [markdown(doc, (), self.link(up))]
        entries = self.surface.of(name)
        classes = [entry for entry in entries if entry.has_page]
        others = [entry for entry in entries if not entry.has_page]
        if classes:
            parts += ["## Classes", self.listed(classes, up)]
        for title, group in (
            ("Exceptions", [entry for entry in others if entry.is_class]),
            ("Functions", [entry for entry in others if not entry.is_class]),
        ):
            if group:
                parts.append(f"## {title}")
            for entry in group:
                parts += self.of_function(entry, up)
        return page(name, sentence(doc), order, *parts)

    def of_function(self, entry: Entry, up: str) -> list[str]:
        doc = docstring(entry.value)
        head = f"### {heading(entry.name)} {{#{entry.anchor}}}"
        if entry.is_class:
            bases = ", ".join(f"`{base.__name__}`" for base in entry.value.__bases__)
            return [head, f"A {bases}.", markdown(doc, (), self.link(up, entry))]
        return [head, *self.described(entry.name, doc, signatures.function(entry.value), up, entry)]


def heading(name: str) -> str:
    return "`_`" if name == "_" else name.replace("_", r"\_")


@cache
def members_by_name(value: Any) -> frozenset[str]:
    """Members that have a place of their own on the page of a class."""
    if not inspect.isclass(value):
        return frozenset()
    return frozenset(one.name for one in members_of(value) if one.doc and one.declared)


def members_of(value: type) -> list[Member]:
    """Public members that lexpool defines, by name; those of a builtin base are left to it."""
    members = []
    for name in sorted(dir(value)):
        if name.startswith("_") and name != "_":
            continue
        static = inspect.getattr_static(value, name)
        declared = signatures.member(value, name)
        owner = next((base for base in value.__mro__ if name in vars(base)), value)
        if declared is None and not owner.__module__.startswith("lexpool"):
            continue
        doc = own_doc(value, name) if not is_plain(static) else ""
        members.append(Member(name, doc, declared))
    return members


def is_plain(static: Any) -> bool:
    """Tells if a member is a value; the docstring of its type does not describe it."""
    return not (
        inspect.isroutine(static)
        or inspect.isdatadescriptor(static)
        or isinstance(static, (classmethod, staticmethod, property))
        or hasattr(static, "func")
    )


def own_doc(value: type, name: str) -> str:
    """The docstring of a member, unless it is the one that every Python object has there."""
    doc = inspect.getdoc(
        getattr(value, name, None) if name != "_" else inspect.getattr_static(value, name)
    )
    static = inspect.getattr_static(value, name, None)
    doc = inspect.getdoc(static) if static is not None and not is_plain(static) else doc
    if type(static).__name__ == "wrapper_descriptor" or doc == inspect.getdoc(
        getattr(object, name, None)
    ):
        return ""
    return doc or ""


def foreign_base(value: type) -> str:
    for base in value.__mro__[1:]:
        if (
            base is object
            or base.__module__.startswith("lexpool")
            or base.__module__ in ("typing", "abc")
        ):
            continue
        return base.__name__
    return ""


def imported(entry: Entry) -> str:
    if not entry.module:
        return "Nobody makes one by name: other objects give it out."
    return f"```python\nfrom {entry.module} import {entry.name}\n```"


def table(rows: list[tuple[str, str, str, str]]) -> str:
    """A list of links, each with a note and a sentence; it does not scroll, unlike other tables."""
    lines = [
        f'<tr><th scope="row"><a href="{address}"><code>{name}</code></a>'
        + (f"<small>{note}</small>" if note else "")
        + f"</th><td>{text}</td></tr>"
        for address, name, note, text in rows
    ]
    return "\n".join(['<table class="listed"><tbody>', *lines, "</tbody></table>"])


def page(title: str, description: str, order: int, *parts: str) -> str:
    head = {
        "title": title,
        "description": description.replace("`", ""),
        "editUrl": False,
        "sidebar": {"order": order},
    }
    lines = [f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in head.items()]
    return "\n".join(["---", *lines, "---", "", "\n\n".join(part for part in parts if part), ""])
