"""Packages whose names are imported when they are first used (PEP 562)."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


class LazyNames:
    """The names of a package that are imported when they are first used. The functions
    `__getattr__` and `__dir__` of the package call `get` and `names`.
    """

    __slots__ = ("_homes", "_package")

    def __init__(self, package: str, homes: Mapping[str, str]) -> None:
        """Makes the names.

        package: the name of the package.
        homes: the module of the package that has each name.
        """
        self._package = package
        self._homes = homes

    def get(self, name: str) -> object:
        """Imports a name, which the package then has. Raises AttributeError for other names."""
        if name not in self._homes:
            raise AttributeError(f"module {self._package!r} has no attribute {name!r}")
        from importlib import import_module

        made: object = getattr(import_module(f".{self._homes[name]}", self._package), name)
        setattr(sys.modules[self._package], name, made)
        return made

    def names(self) -> list[str]:
        """Returns all names of the package, sorted."""
        return sorted({*vars(sys.modules[self._package]), *self._homes})
