"""Names of `typing` and `collections.abc` that modules use when they run. Modules on the way of
`lexpool.blank` and `lexpool.load` take them from here, and import others for type checkers only:
`typing` alone takes longer to import than `lexpool` without it.

Such a module sets `TYPE_CHECKING` itself, since type checkers know the name.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any, cast, overload
else:
    # `collections.abc` is this module by another name, behind the package `collections`.
    from _collections_abc import Callable, Iterable, Mapping

    Any = object

    def cast(_kind, value):
        return value

    def overload(function):
        return function


__all__ = ["Any", "Callable", "Iterable", "Mapping", "cast", "overload"]
