"""Plugins of installed packages, found by entry point and loaded when first used.

A package declares, in its `pyproject.toml`::

    [project.entry-points."lexpool.plugins"]
    counts = "counts_ops"

The name is the plugin's namespace. The value is a module whose attribute `library` is the path of
the shared library, or `module:attribute`. The attribute may also be a function without parameters
that returns the path.
"""

from __future__ import annotations

import os
from types import ModuleType
from typing import TYPE_CHECKING, Any

from .._core import load_library

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "lexpool.plugins"


def find_plugins() -> dict[str, EntryPoint]:
    """Returns the entry points of installed plugins by namespace, without importing them.

    Cost: each call reads the metadata of all installed packages.
    """
    from importlib.metadata import entry_points

    points: dict[str, EntryPoint] = {}
    for point in entry_points(group=GROUP):
        # As with imports, the first package on the path wins.
        points.setdefault(point.name, point)
    return points


def load_plugin(namespace: str) -> list[str] | None:
    """Loads the installed plugin of a namespace and returns the names of its ops and types; None if
    no package has such a plugin.

    Raises ImportError if the plugin fails to load.
    """
    point = find_plugins().get(namespace)
    if point is None:
        return None
    path = library_of(point)
    names = load_library(path)
    # All names of a plugin share its namespace, so the first one suffices.
    if not names[0].startswith(f"{namespace}."):
        raise ImportError(
            f"[plugin-namespace] the entry point {point.name} = {point.value} loads "
            f"{path}, which declares {names[0]} and nothing in the namespace {namespace}",
            name=point.module,
            path=path,
        )
    return names


def library_of(point: EntryPoint) -> str:
    """Returns the path that an entry point refers to."""
    library: Any = point.load()
    if isinstance(library, ModuleType):
        if not hasattr(library, "library"):
            raise ImportError(
                f"[plugin-path] the entry point {point.name} = {point.value} names a module "
                "without the attribute `library`, the path of the shared library",
                name=point.module,
            )
        library = library.library
    if callable(library):
        library = library()
    try:
        return os.fsdecode(library)
    except TypeError as error:
        raise ImportError(
            f"[plugin-path] the entry point {point.name} = {point.value} gives a "
            f"{type(library).__name__}, where the path of a shared library is expected",
            name=point.module,
        ) from error
