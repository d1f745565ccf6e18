"""Type guards for values of unknown type: type checkers treat their items as Any afterwards. Also
names, of which callers may give one or several.
"""

from __future__ import annotations

from ._typing import Iterable, Mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeGuard


def is_dict(value: object) -> TypeGuard[dict[Any, Any]]:
    return isinstance(value, dict)


def is_mapping(value: object) -> TypeGuard[Mapping[Any, Any]]:
    return isinstance(value, Mapping)


def is_list(value: object) -> TypeGuard[list[Any]]:
    return isinstance(value, list)


def is_tuple(value: object) -> TypeGuard[tuple[Any, ...]]:
    return isinstance(value, tuple)


def is_iterable(value: object) -> TypeGuard[Iterable[Any]]:
    return isinstance(value, Iterable)


def as_names(names: str | Iterable[str]) -> set[str]:
    """Returns names as a set; a string is one name, and not its letters."""
    return {names} if isinstance(names, str) else set(names)
