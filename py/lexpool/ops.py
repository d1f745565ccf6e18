"""Functions and types of the registry: `lexpool.ops.<namespace>.<name>`.

A name is looked up when it is first asked for; then it is an attribute of a module like any other.
What plugins bring, by `load_library` or as installed packages with the entry point
`lexpool.plugins`, is found in the same way.

>>> import lexpool
>>> lexpool.ops.text.edit_distance("kitten", "sitting")
3
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from . import _core
from ._core import NativeFunction, Op

__all__ = ["NativeFunction", "Op", "cpu", "get", "kernels", "names"]


def names(namespace: str | None = None) -> list[str]:
    """The names of all ops, or of those of a namespace, in order."""
    return _core.op_names(namespace)


def get(name: str) -> Op:
    """What is known of an op: its schema, arguments, kernels and source. KeyError names near ones."""
    return _find(name).__self__


def kernels() -> list[str]:
    """The keys of kernels that this machine can run, the best last."""
    return _core.available_kernels()


@contextmanager
def cpu(key: str) -> Iterator[None]:
    """Inside, ops call only kernels up to this key: `with ops.cpu("scalar"): ...`.

    It holds for all threads. The environment variable `LEXPOOL_CPU` does the same for a process.
    """
    before = _core.limit_kernels(key)
    try:
        yield
    finally:
        _core.limit_kernels(before)


def _find(name: str) -> Any:
    module_name, _, short = name.rpartition(".")
    module = _namespace(module_name) if module_name else None
    return getattr(module, short) if module else _core.op_function(name)


class _Namespace(ModuleType):
    """The ops and types of a namespace; each becomes an attribute when it is first asked for."""

    def __getattr__(self, name: str) -> Any:
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
    return [*_core.op_names(), *_core.object_classes()]


def _children(prefix: str) -> set[str]:
    """The parts of names that follow a prefix; the first parts for an empty one."""
    start = f"{prefix}." if prefix else ""
    return {name[len(start) :].split(".")[0] for name in _all_names() if name.startswith(start)}


def _published(name: str) -> Any:
    """The function, class or namespace of a name; None if there is none."""
    if _core.has_op(name):
        return _core.op_function(name)
    if name in _core.object_classes():
        return _core.object_class(name)
    return _namespace(name)


def _namespace(name: str) -> ModuleType | None:
    module = sys.modules.get(f"{__name__}.{name}")
    if module is None and _children(name):
        module = _Namespace(f"{__name__}.{name}", f"Ops of the namespace {name}.")
        module.__package__ = __name__
        module.__path__ = []
        sys.modules[module.__name__] = module
    return module


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    found = _namespace(name)
    if found is None:
        near = ", ".join(sorted(_children("")))
        raise AttributeError(f"no namespace {name!r} in lexpool.ops; there are {near}")
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *_children("")})
