"""Functions and types of the registry: `lexpool.ops.<namespace>.<name>`.

A name is looked up when it is first asked for; then it is an attribute of a module like any other.
What plugins bring, by `load_library` or as installed packages with the entry point
`lexpool.plugins`, is found in the same way.

>>> import lexpool
>>> lexpool.ops.text.edit_distance("kitten", "sitting")
3
"""

import os
import sys
from itertools import islice

from ._core import (
    NativeFunction,
    Op,
    Registration,
    available_kernels,
    has_op,
    limit_kernels,
    load_library as _load_library,
    map_op,
    object_class,
    object_classes,
    op_function,
    op_names,
    override_op,
    remove_op,
)

# As `typing` has it, which takes longer to import than all of this.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import ModuleType, TracebackType
    from typing import Any

    from .tokens import Doc
else:
    ModuleType = type(sys)

__all__ = [
    "NativeFunction",
    "Op",
    "Registration",
    "cpu",
    "get",
    "kernels",
    "load_library",
    "map",
    "names",
    "override",
    "remove",
]

# Documents that `map` takes from its input at a time.
CHUNK = 4096


def names(namespace: str | None = None) -> list[str]:
    """The names of all ops, or of those of a namespace, in order."""
    return op_names(namespace)


def get(name: str) -> Op:
    """Returns the description of an op: its schema, parameters, kernels and source.

    Raises KeyError, with similar names, if no op has the name.
    """
    return _find(name).__self__


def kernels() -> list[str]:
    """The keys of kernels that this machine can run, the best last."""
    return available_kernels()


def cpu(key: str) -> "_Limit":
    """Inside, ops call only kernels up to this key: `with ops.cpu("scalar"): ...`.

    It holds for all threads. The environment variable `LEXPOOL_CPU` does the same for a process.
    Raises ValueError for what is no key, and for a key that this machine cannot run.
    """
    return _Limit(key)


class _Limit:
    """A key of kernels up to which ops call, within a `with`."""

    def __init__(self, key: str) -> None:
        self._key = key
        self._before: list[str] = []

    def __enter__(self) -> None:
        self._before.append(limit_kernels(self._key))

    def __exit__(
        self,
        _exc_type: "type[BaseException] | None",
        _exc: BaseException | None,
        _traceback: "TracebackType | None",
    ) -> None:
        limit_kernels(self._before.pop())


def override(name: str, function: "Callable[..., Any]") -> Registration:
    """Calls a function in the place of an op, wherever the op is called from, until it is restored.

    It is restored at the end of a `with`, by `restore()`, or when the result goes; and
    `doc.count_by` and its like call it too. Raises KeyError for an op that is not there.
    """
    return override_op(name, function)


def remove(name: str) -> Registration:
    """Makes calls of an op raise RuntimeError until it is restored; see `override`."""
    return remove_op(name)


def load_library(path: "str | os.PathLike[str]") -> list[str]:
    """Loads a plugin, a shared library, and gives the names that it brings.

    A second call gives the same names. Raises ImportError, and installs nothing, for what is no
    plugin, for one of another version, and for names that are there already.
    """
    return _load_library(os.fspath(path))


def map(
    name: str,
    docs: "Iterable[Doc]",
    *args: "Any",
    n_threads: int = 0,
    progress: "bool | Callable[[int], object]" = False,
    **kwargs: "Any",
) -> "list[Any]":
    """The results of an op for each document, in their order, computed without the GIL.

    What follows the documents is given to each call. `n_threads` 0 takes as many as there are
    cores. With `progress` a bar is drawn on stderr, or a function is called with how many are done.
    An error says which document it was; the documents after it may have been worked on or not.
    """
    rest = iter(docs)
    told = _bar(name, docs) if progress is True else progress or None
    results: list[Any] = []
    try:
        while chunk := list(islice(rest, CHUNK)):
            results += map_op(name, chunk, args, kwargs, n_threads, len(results), told)
    finally:
        if progress is True:
            print(file=sys.stderr)
    return results


def _bar(name: str, docs: "Iterable[Doc]") -> "Callable[[int], object]":
    """Draws on stderr how many documents are done."""
    # Not all iterables know their length.
    total: int = getattr(docs, "__len__", int)()
    width = 30

    def draw(done: int) -> None:
        text = f"{name} {done:,} docs"
        if total:
            text = f"{name} [{'#' * (width * done // total):<{width}}] {done:,} of {total:,} docs"
        print(f"\r{text}", end="", file=sys.stderr, flush=True)

    draw(0)
    return draw


def _find(name: str) -> "Any":
    module_name, _, short = name.rpartition(".")
    module = _namespace(module_name) if module_name else None
    return getattr(module, short) if module else op_function(name)


class _Namespace(ModuleType):
    """The ops and types of a namespace; each becomes an attribute when it is first asked for."""

    def __getattr__(self, name: str) -> "Any":
        prefix = self.__name__.removeprefix(f"{__name__}.")
        found = _published(f"{prefix}.{name}")
        if found is None:
            if name.startswith("__"):
                raise AttributeError(name)
            near = ", ".join(sorted(_children(prefix))) or "nothing"
            raise AttributeError(f"no op {prefix}.{name}; {prefix} has {near}")
        setattr(self, name, found)
        return found

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *_children(self.__name__.removeprefix(f"{__name__}."))})


def _all_names() -> list[str]:
    return [*op_names(), *object_classes()]


def _children(prefix: str) -> set[str]:
    """The parts of names that follow a prefix; the first parts for an empty one."""
    start = f"{prefix}." if prefix else ""
    return {name[len(start) :].split(".")[0] for name in _all_names() if name.startswith(start)}


def _published(name: str) -> "Any":
    """Returns the function, class or namespace of a name; None if nothing has the name."""
    if has_op(name):
        return op_function(name)
    if name in object_classes():
        return object_class(name)
    return _namespace(name)


def _namespace(name: str) -> "ModuleType | None":
    module = sys.modules.get(f"{__name__}.{name}")
    if module is None and _children(name):
        module = _Namespace(f"{__name__}.{name}", f"Ops of the namespace {name}.")
        module.__package__ = __name__
        module.__path__ = []
        sys.modules[module.__name__] = module
    return module


def __getattr__(name: str) -> "Any":
    if name.startswith("__"):
        raise AttributeError(name)
    found = _namespace(name)
    if found is None:
        # Installed packages are searched only for names that are not registered.
        from ._plugins import load_plugin

        load_plugin(name)
        found = _namespace(name)
    if found is None:
        near = ", ".join(sorted(_children("")))
        raise AttributeError(f"no namespace {name!r} in lexpool.ops; there are {near}")
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*__all__, *_children("")})
