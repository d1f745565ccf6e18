"""Signatures with types, as the stubs have them.

What is native is declared in `_core.pyi`, the rest where it is defined. Private names of types in
stubs (`_Attr`) are written out. `SupportsIndex` is what a stub calls anything that counts as an
int, NumPy's among it; it is shown as int.
"""

import ast
import inspect
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import lexpool

STUB = Path(lexpool.__file__).with_name("_core.pyi")
PLAIN = {
    "SupportsIndex": "int",
    "SupportsFloat": "float",
    "CapsuleType": "PyCapsule",
    "Buffer": "bytes-like",
}
WIDTH = 76


@dataclass
class Signature:
    """The form of a call or an attribute: `kind` is one of those that `show` knows."""

    kind: str
    parameters: list[str]
    names: list[str]
    returns: str

    def show(self, name: str) -> str:
        """The signature as code, over several lines if it is too long for one."""
        if self.kind == "property":
            return f"{name}: {self.returns}" if self.returns else name
        arrow = f" -> {self.returns}" if self.returns else ""
        line = f"{name}({', '.join(self.parameters)}){arrow}"
        if len(line) <= WIDTH:
            return line
        inside = "".join(f"    {parameter},\n" for parameter in self.parameters)
        return f"{name}(\n{inside}){arrow}"


@dataclass
class Declared:
    """A member as its source declares it."""

    signatures: list[Signature]
    can_be_set: bool = False
    decorators: frozenset[str] = frozenset()


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


@cache
def aliases(path: Path) -> dict[str, ast.expr]:
    """Private names of types, and what they stand for."""
    types = {}
    for node in tree(path).body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value:
            if ast.unparse(node.annotation) == "TypeAlias":
                types[node.target.id] = node.value
    return types


def source(value: Any) -> Path:
    """The file that declares a class or function."""
    try:
        path = Path(inspect.getsourcefile(value) or STUB)
    except TypeError:
        return STUB
    # A native class says that it is of the package, whose file does not have it.
    here = path.suffix == ".py" and (not inspect.isclass(value) or value.__name__ in classes(path))
    return path if here else STUB


@cache
def classes(path: Path) -> dict[str, ast.ClassDef]:
    return {node.name: node for node in tree(path).body if isinstance(node, ast.ClassDef)}


def class_nodes(value: type) -> list[tuple[Path, ast.ClassDef]]:
    """The declarations of a class and of its bases, its own first."""
    nodes: list[tuple[Path, ast.ClassDef]] = []
    for base in inspect.getmro(value):
        path = source(base)
        todo = [base.__name__]
        while todo:
            node = classes(path).get(todo.pop(0))
            if node is None or (path, node) in nodes:
                continue
            nodes.append((path, node))
            todo += [part.id for part in node.bases if isinstance(part, ast.Name)]
    return nodes


def member(value: type, name: str) -> Declared | None:
    """A member of a class, from the first of its declarations that has it."""
    for path, node in class_nodes(value):
        nodes = [
            part for part in node.body if isinstance(part, ast.FunctionDef) and part.name == name
        ]
        if nodes:
            return declared(path, nodes, getattr(value, name, None), inside=value)
        for part in node.body:
            if isinstance(part, ast.AnnAssign) and ast.unparse(part.target) == name:
                return Declared([Signature("property", [], [], shown(path, part.annotation))], True)
    return None


def function(value: Any) -> Declared | None:
    """A function of a module."""
    path = source(value)
    nodes = [
        node
        for node in tree(path).body
        if isinstance(node, ast.FunctionDef) and node.name == value.__name__
    ]
    return declared(path, nodes, value) if nodes else None


def constructor(value: type) -> Declared | None:
    for name in ("__new__", "__init__"):
        if any(
            isinstance(part, ast.FunctionDef) and part.name == name
            for _, node in class_nodes(value)
            for part in node.body
        ):
            declared = member(value, name)
            if declared:
                for signature in declared.signatures:
                    signature.returns = ""
            return declared
    return None


def declared(
    path: Path, nodes: list[ast.FunctionDef], live: Any, inside: type | None = None
) -> Declared:
    """Joins the definitions of one name: those of an overload, or a getter with its setter."""
    signatures, settable, marks = [], False, set()
    overloaded = any("overload" in map(ast.unparse, node.decorator_list) for node in nodes)
    for node in nodes:
        decorators = {ast.unparse(mark) for mark in node.decorator_list}
        marks |= decorators
        if any(mark.endswith(".setter") for mark in decorators):
            settable = True
        elif any(mark.endswith(".deleter") for mark in decorators) or (
            overloaded and "overload" not in decorators
        ):
            continue
        elif decorators & {"property", "cached_property"}:
            returns = shown(path, node.returns, inside)
            signatures.append(Signature("property", [], [], returns))
        else:
            bound = inside is not None and "staticmethod" not in decorators
            signatures.append(called(path, node, live, bound, inside))
    return Declared(signatures, settable, frozenset(marks))


def called(
    path: Path, node: ast.FunctionDef, live: Any, bound: bool, inside: type | None
) -> Signature:
    args = node.args
    defaults = live_defaults(live)
    shown_parts: list[str] = []
    names: list[str] = []

    def one(arg: ast.arg, default: ast.expr | None, stars: str = "") -> str:
        names.append(arg.arg)
        text = stars + arg.arg
        if arg.annotation is not None:
            text += f": {shown(path, arg.annotation, inside)}"
        if default is not None:
            default_text = ast.unparse(default)
            if default_text == "...":
                default_text = repr(defaults[arg.arg]) if arg.arg in defaults else default_text
            text += f" = {default_text}" if arg.annotation is not None else f"={default_text}"
        return text

    positional = [*args.posonlyargs, *args.args]
    padded = [None] * (len(positional) - len(args.defaults)) + list(args.defaults)
    for i, (arg, default) in enumerate(zip(positional, padded, strict=True)):
        if not (bound and i == 0):
            shown_parts.append(one(arg, default))
        if args.posonlyargs and i + 1 == len(args.posonlyargs) and shown_parts:
            shown_parts.append("/")
    if args.vararg:
        shown_parts.append(one(args.vararg, None, "*"))
    elif args.kwonlyargs:
        shown_parts.append("*")
    for arg, default in zip(args.kwonlyargs, args.kw_defaults, strict=True):
        shown_parts.append(one(arg, default))
    if args.kwarg:
        shown_parts.append(one(args.kwarg, None, "**"))
    return Signature("call", shown_parts, names, shown(path, node.returns, inside))


def live_defaults(live: Any) -> dict[str, Any]:
    """The default values that a stub writes as `...`."""
    try:
        parameters = inspect.signature(live).parameters.values()
    except (TypeError, ValueError):
        return {}
    return {one.name: one.default for one in parameters if one.default is not one.empty}


def shown(path: Path, annotation: ast.expr | None, inside: type | None = None) -> str:
    """A type as readers see it."""
    if annotation is None:
        return ""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        annotation = ast.parse(annotation.value, mode="eval").body
    plain = Plain(aliases(path), inside).visit(ast.parse(ast.unparse(annotation), mode="eval").body)
    return ast.unparse(plain)


class Plain(ast.NodeTransformer):
    """Expands private names, and removes duplicates from unions."""

    def __init__(self, names: dict[str, ast.expr], inside: type | None) -> None:
        self.names = names
        self.inside = inside

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id in self.names and node.id.startswith("_"):
            copy = ast.parse(ast.unparse(self.names[node.id]), mode="eval").body
            return self.visit(copy)
        name = PLAIN.get(node.id, node.id)
        if name == "Self" and self.inside is not None:
            name = self.inside.__name__
        return ast.Name(name.removeprefix("_"))

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        return ast.Name(node.attr)

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        parts: list[str] = []
        for side in (node.left, node.right):
            for part in union(self.visit(side)):
                if part not in parts:
                    parts.append(part)
        return ast.Name(" | ".join(parts))


def union(node: ast.expr) -> list[str]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return union(node.left) + union(node.right)
    text = ast.unparse(node)
    return text.split(" | ") if isinstance(node, ast.Name) else [text]


def returned_names(value: Any) -> set[str]:
    """Names of types that a class's members or a function return."""
    nodes: list[ast.FunctionDef] = []
    if inspect.isclass(value):
        for _, node in class_nodes(value):
            nodes += [part for part in node.body if isinstance(part, ast.FunctionDef)]
    elif inspect.isroutine(value):
        path = source(value)
        nodes = [
            n
            for n in tree(path).body
            if isinstance(n, ast.FunctionDef) and n.name == value.__name__
        ]
    return {
        name.id
        for node in nodes
        if node.returns is not None
        and (not node.name.startswith("_") or node.name.startswith("__"))
        for name in ast.walk(node.returns)
        if isinstance(name, ast.Name)
    }
