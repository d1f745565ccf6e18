"""Reads which files of a Rust crate use items of which others, from their source.

A path (`use` or inline) is resolved through modules, re-exports and imports to the file that
defines the item. Code under `#[cfg(test)]` does not count. A module that only declares and
re-exports a child does not use it; a child that uses an item which its parent's own file defines
does use the parent. Calls of methods leave no path and are not seen.
"""

import re
from collections.abc import Iterator
from pathlib import Path

Module = tuple[str, ...]

BLANK = re.compile(
    r"""//[^\n]*|/\*.*?\*/|\bb?r(?P<fence>#*)".*?"(?P=fence)|b?"(?:\\.|[^"\\])*"|b?'(?:\\[^u]|\\u\{\w+\}|[^'\\\n])'""",
    re.DOTALL,
)
TEST_ITEM = re.compile(r"#!?\[cfg\((?:test|all\(test\b[^\]]*)\)?\)?\]\s*(?:#\[[^\]]*\]\s*)*")
USE = re.compile(r"(?P<public>\bpub(?:\([^)]*\))?\s+)?\buse\s+(?P<tree>[^;]+);")
DEFINITION = re.compile(
    r"\b(?:(?:fn|struct|enum|union|trait|type|static|mod|macro)\s+|const\s+(?:fn\s+)?|macro_rules!\s*)(?:mut\s+)?(\w+)"
)
CHILD = re.compile(r"\bmod\s+(?:r#)?(\w+)\s*;")
PATH = re.compile(r"(?<![\w:.'])(?:r#)?[A-Za-z_]\w*(?:\s*::\s*(?:r#)?[A-Za-z_]\w*)+")


class Crate:
    """The files of one crate, by module."""

    def __init__(self, sources: dict[str, str]) -> None:
        """Takes sources by the path of their file, relative to the folder with `lib.rs`."""
        self.files = {module_of(path): path for path in sources}
        self.texts = {
            module_of(path): without_tests(without_comments(text)) for path, text in sources.items()
        }
        self.hidden = {module_of(path): hidden_children(text) for path, text in sources.items()}
        self.uses = {module: list(uses(text)) for module, text in self.texts.items()}
        self.defined = {
            module: set(DEFINITION.findall(USE.sub("", text)))
            for module, text in self.texts.items()
        }

    def edges(self) -> dict[str, dict[str, set[str]]]:
        """For each file the files that it uses, with the names that it uses of them."""
        found: dict[str, dict[str, set[str]]] = {}
        for module in self.files:
            if self.is_test(module):
                continue
            used = found.setdefault(self.files[module], {})
            for path in self.used_paths(module):
                target = self.resolve(module, path)
                if target and target[0] != module:
                    used.setdefault(self.files[target[0]], set()).add(target[1])
        return found

    def is_test(self, module: Module) -> bool:
        """Tells whether a module, or one that it is in, is declared for tests alone."""
        return any(module[at] in self.hidden.get(module[:at], ()) for at in range(len(module)))

    def used_paths(self, module: Module) -> Iterator[list[str]]:
        body = USE.sub("", self.texts[module])
        words = set(re.findall(r"(?<![.\w])\w+", CHILD.sub("", body)))
        for public, name, path in self.uses[module]:
            if not public or name in words:
                yield path
        for match in PATH.finditer(body):
            yield [part.strip().removeprefix("r#") for part in match.group().split("::")]

    def resolve(
        self, module: Module, path: list[str], seen: frozenset = frozenset()
    ) -> tuple[Module, str] | None:
        """The module whose file defines what a path leads to, and its name; None outside of the
        crate.
        """
        key = (module, tuple(path))
        if key in seen or not path:
            return None
        seen |= {key}
        first, rest = path[0], path[1:]
        if first in ("crate", "$crate"):
            return self.walk((), rest, seen)
        if first == "self":
            return self.walk(module, rest, seen)
        if first == "super":
            return self.resolve(module[:-1], ["self", *rest], seen)
        if (
            module + (first,) in self.files
            or first in self.defined[module]
            or self.imported(module, first)
        ):
            return self.walk(module, path, seen)
        return None

    def walk(self, module: Module, path: list[str], seen: frozenset) -> tuple[Module, str] | None:
        """Resolves a path from a module on, into its children, items and imports."""
        if not path:
            return None
        name, rest = path[0], path[1:]
        if module + (name,) in self.files:
            return self.walk(module + (name,), rest, seen)
        if name == "super":
            return self.walk(module[:-1], rest, seen)
        if name == "*":
            return (module, "*") if self.defined[module] else None
        # Before definitions, among which are methods, which no path leads to.
        for target in self.imported(module, name):
            return self.resolve(module, [*target, *rest], seen)
        if name in self.defined[module]:
            return module, name
        for _, imported, target in self.uses[module]:
            if imported == "*" and (found := self.resolve(module, [*target[:-1], *path], seen)):
                return found
        return None

    def imported(self, module: Module, name: str) -> list[list[str]]:
        return [
            path for _, imported, path in self.uses[module] if imported == name and path != [name]
        ]


def read(folder: Path) -> Crate:
    """Reads the crate whose `lib.rs` lies in a folder."""
    return Crate(
        {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*.rs")}
    )


def module_of(path: str) -> Module:
    parts = path.removesuffix(".rs").split("/")
    if parts[-1] == "mod" or parts == ["lib"]:
        parts.pop()
    return tuple(parts)


def without_comments(text: str) -> str:
    return BLANK.sub(lambda match: '""' if match.group().endswith('"') else " ", text)


def hidden_children(text: str) -> set[str]:
    """The children that are declared under `#[cfg(test)]`."""
    plain = without_comments(text)
    return set(CHILD.findall(plain)) - set(CHILD.findall(without_tests(plain)))


def without_tests(text: str) -> str:
    """Cuts out the items under `#[cfg(test)]`."""
    while match := TEST_ITEM.search(text):
        text = text[: match.start()] + text[item_end(text, match.end()) :]
    return text


def item_end(text: str, at: int) -> int:
    """Returns the end of an item: after its semicolon or its closing brace."""
    depth = 0
    for end in range(at, len(text)):
        char = text[end]
        depth += (char in "{([") - (char in "})]")
        if depth == 0 and char in ";}":
            return end + 1
    return len(text)


def uses(text: str) -> Iterator[tuple[bool, str, list[str]]]:
    """Each import: whether it is a re-export, the name that it gives, and the path."""
    for match in USE.finditer(text):
        for path in expanded(match["tree"]):
            *parts, last = path
            name = last
            if " as " in last:
                last, name = (part.strip() for part in last.split(" as "))
            target = parts if last == "self" else [*parts, last]
            yield bool(match["public"]), target[-1] if name == "self" else name, target


def expanded(tree: str) -> Iterator[list[str]]:
    """The paths of a tree of imports: `a::{b, c::*}` has two."""
    tree = " ".join(tree.split())
    brace = tree.find("{")
    if brace < 0:
        yield [part.strip().removeprefix("r#") for part in tree.split("::") if part.strip()]
        return
    prefix = [part.strip() for part in tree[:brace].split("::") if part.strip()]
    for branch in branches(tree[brace + 1 : tree.rindex("}")]):
        for path in expanded(branch):
            yield prefix + path


def branches(list_: str) -> Iterator[str]:
    depth, start = 0, 0
    for at, char in enumerate(list_ + ","):
        depth += (char == "{") - (char == "}")
        if char == "," and depth == 0:
            if branch := list_[start:at].strip():
                yield branch
            start = at + 1


def circles(graph: dict[str, set[str]]) -> list[set[str]]:
    """The groups of nodes that reach each other: strongly connected components of more than one
    node.
    """
    order: list[str] = []
    seen: set[str] = set()
    for node in graph:
        visit(node, graph, seen, order)
    reverse: dict[str, set[str]] = {}
    for node, targets in graph.items():
        for target in targets:
            reverse.setdefault(target, set()).add(node)
    seen.clear()
    found = []
    for node in reversed(order):
        group: list[str] = []
        visit(node, reverse, seen, group)
        if len(group) > 1:
            found.append(set(group))
    return found


def visit(start: str, graph: dict[str, set[str]], seen: set[str], order: list[str]) -> None:
    """Walks the graph depth-first and appends each node after all that it leads to."""
    if start in seen:
        return
    seen.add(start)
    stack = [(start, iter(sorted(graph.get(start, ()))))]
    while stack:
        node, targets = stack[-1]
        for target in targets:
            if target not in seen:
                seen.add(target)
                stack.append((target, iter(sorted(graph.get(target, ())))))
                break
        else:
            order.append(node)
            stack.pop()


def by_top_module(edges: dict[str, dict[str, set[str]]]) -> dict[str, dict[str, list[str]]]:
    """The edges between top-level modules, with the files that they come from."""
    found: dict[str, dict[str, list[str]]] = {}
    for file, targets in edges.items():
        for target, names in targets.items():
            above, below = (module_of(path)[:1] or ("lib",) for path in (file, target))
            if above != below:
                arrow = f"{file} -> {target}: {', '.join(sorted(names))}"
                found.setdefault(above[0], {}).setdefault(below[0], []).append(arrow)
    return found
