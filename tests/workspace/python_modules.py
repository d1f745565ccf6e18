"""The imports of the modules of `py/lexpool`, read from their sources.

Every import of the package counts: at the head of a module, for type checkers alone, and in a
function. An import of a name that is a module is one of this module.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Import:
    """An import of a module in another one."""

    module: str
    target: str
    is_in_function: bool


def read(sources: dict[str, str]) -> list[Import]:
    """Returns the imports of modules, by the path of each below the package, such as
    "tokens/__init__.py". Modules are named by their path in the package; the package itself is "".
    """
    modules = {name_of(path): path for path in sources}
    return [
        statement
        for module, path in modules.items()
        for statement in imports(module, path, ast.parse(sources[path]), set(modules))
    ]


def name_of(path: str) -> str:
    return path.removesuffix(".py").removesuffix("__init__").rstrip("/").replace("/", ".")


def imports(module: str, path: str, tree: ast.Module, modules: set[str]) -> Iterator[Import]:
    package = module if path.endswith("__init__.py") else module.rpartition(".")[0]
    for node, is_in_function in statements(tree, False):
        for target in targets(node, package, modules):
            if target != module:
                yield Import(module, target, is_in_function)


def statements(node: ast.AST, is_in_function: bool) -> Iterator[tuple[ast.AST, bool]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield child, is_in_function
        inner = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        yield from statements(child, is_in_function or inner)


def targets(node: ast.AST, package: str, modules: set[str]) -> Iterator[str]:
    """The modules of the package that a statement imports."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            root, _, rest = alias.name.partition(".")
            if root == "lexpool":
                yield rest
        return
    assert isinstance(node, ast.ImportFrom)
    root, _, rest = (node.module or "").partition(".")
    if node.level:
        outer = package.split(".") if package else []
        base = [*outer[: len(outer) - (node.level - 1)], *(node.module or "").split(".")]
        home = ".".join(part for part in base if part)
    elif root == "lexpool":
        home = rest
    else:
        return
    for alias in node.names:
        inner = f"{home}.{alias.name}".strip(".")
        # The native module has no source.
        if inner in modules:
            yield inner
        elif home in modules and inner != "_core":
            yield home
