"""Packages whose names are imported when they are first used (PEP 562)."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def lazy_attributes(
    package: str, homes: Mapping[str, str]
) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Returns the functions `__getattr__` and `__dir__` of a package.

    package: the name of the package.
    homes: the module of the package that has each name.
    """

    def get(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        from importlib import import_module

        made: object = getattr(import_module(f".{homes[name]}", package), name)
        setattr(sys.modules[package], name, made)
        return made

    def names() -> list[str]:
        return sorted({*vars(sys.modules[package]), *homes})

    return get, names
