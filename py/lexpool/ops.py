"""Functions and types of the registry: `lexpool.ops.<namespace>.<name>`.

A name is looked up at first use; afterwards it is a normal attribute of a module. Names of plugins,
from `load_library` or from installed packages with the entry point `lexpool.plugins`, are looked up
in the same way.

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
from ._ops.plugins import load_plugin

# Like `typing.TYPE_CHECKING`; importing `typing` takes longer than all of this module.
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
    """Returns the names of all ops, or of the ops of a namespace, sorted."""
    return op_names(namespace)


def get(name: str) -> Op:
    """Returns the description of an op: its schema, parameters, kernels and source.

    Raises KeyError, with similar names, if no op has the name.
    """
    return _find(name).__self__


def kernels() -> list[str]:
    """Returns the keys of the kernels that this machine can run, the best last."""
    return available_kernels()


def cpu(key: str) -> "_Limit":
    """Restricts ops and networks to kernels up to a key within a block: `with ops.cpu(key): ...`.

    Networks have the same results with all kernels. It affects all threads. The environment
    variable `LEXPOOL_CPU` does the same for a process.
    Raises ValueError if `key` is not a key of kernels, or if this machine cannot run it.
    """
    return _Limit(key)


class _Limit:
    """The context manager of `cpu`."""

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
    """Replaces an op by a function for all callers until it is restored.

    The op is restored at the end of a `with` block, by `restore()`, or when the result is freed.
    Methods such as `doc.count_by` call the function too. Raises KeyError for an unknown op.
    """
    return override_op(name, function)


def remove(name: str) -> Registration:
    """Makes calls of an op raise RuntimeError until it is restored; see `override`."""
    return remove_op(name)


def load_library(path: "str | os.PathLike[str]") -> list[str]:
    """Loads a plugin, a shared library, and returns the names of its ops and types.

    A second call returns the same names. Raises ImportError, and registers nothing, if the file is
    not a plugin, was built for another version, or has names that are already registered.
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
    """Returns the results of an op for documents, in their order, computed without the GIL.

    The op takes a document first, or its token records. The arguments after the documents are
    passed to each call. `n_threads` 0 is one thread per core.
    `progress` draws a progress bar on stderr, or is a function that is called with the number of
    documents done. Errors have the position of the document; later documents may or may not have
    been processed.
    """
    rest = iter(docs)
    report = _bar(name, docs) if progress is True else progress or None
    results: list[Any] = []
    try:
        while chunk := list(islice(rest, CHUNK)):
            results += map_op(name, chunk, args, kwargs, n_threads, len(results), report)
    finally:
        if progress is True:
            print(file=sys.stderr)
    return results


def _bar(name: str, docs: "Iterable[Doc]") -> "Callable[[int], object]":
    """Returns a function that draws a progress bar on stderr, from the number of documents done."""
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
    """The ops and types of a namespace; each becomes an attribute at first use."""

    def __getattr__(self, name: str) -> "Any":
        prefix = self.__name__.removeprefix(f"{__name__}.")
        member = _published(f"{prefix}.{name}")
        if member is None:
            if name.startswith("__"):
                raise AttributeError(name)
            near = ", ".join(sorted(_children(prefix))) or "nothing"
            raise AttributeError(f"no op {prefix}.{name}; {prefix} has {near}")
        setattr(self, name, member)
        return member

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *_children(self.__name__.removeprefix(f"{__name__}."))})


def _all_names() -> list[str]:
    return [*op_names(), *object_classes()]


def _children(prefix: str) -> set[str]:
    """Returns the parts of names that follow a prefix; the first parts for an empty prefix."""
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
    namespace = _namespace(name)
    if namespace is None:
        # Installed packages are searched only for names that are not registered.

        load_plugin(name)
        namespace = _namespace(name)
    if namespace is None:
        near = ", ".join(sorted(_children("")))
        raise AttributeError(f"no namespace {name!r} in lexpool.ops; there are {near}")
    globals()[name] = namespace
    return namespace


def __dir__() -> list[str]:
    return sorted({*__all__, *_children("")})
