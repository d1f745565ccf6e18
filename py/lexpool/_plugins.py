"""Plugins of installed packages: found by entry point, loaded when a name of theirs is asked for.

A package declares, in its `pyproject.toml`::

    [project.entry-points."lexpool.plugins"]
    tally = "tally_ops"

The name is the plugin's namespace. The value is a module whose attribute `library` is the path of
the shared library, or `module:attribute`; a function without arguments that gives the path will do
too.
"""

import os
from importlib.metadata import EntryPoint, entry_points
from types import ModuleType
from typing import Any

from ._core import load_library

GROUP = "lexpool.plugins"


def find_plugins() -> dict[str, EntryPoint]:
    """The plugins of installed packages by namespace. Nothing of them is imported.

    Cost: the metadata of all installed packages is read, each time.
    """
    found: dict[str, EntryPoint] = {}
    for point in entry_points(group=GROUP):
        # As with imports, the package that comes first on the path is the one.
        found.setdefault(point.name, point)
    return found


def load_plugin(namespace: str) -> list[str] | None:
    """Loads the installed plugin of a namespace: the names it brings, or None if there is no such
    plugin.

    Raises ImportError for one that is there and does not load.
    """
    point = find_plugins().get(namespace)
    if point is None:
        return None
    path = library_of(point)
    names = load_library(path)
    # A plugin refuses names outside of its own namespace, so one name tells for all.
    if not names[0].startswith(f"{namespace}."):
        raise ImportError(
            f"[plugin-namespace] the entry point {point.name} = {point.value} leads to "
            f"{path}, which has {names[0]} and nothing in {namespace}",
            name=point.module,
            path=path,
        )
    return names


def library_of(point: EntryPoint) -> str:
    """The path that an entry point leads to."""
    found: Any = point.load()
    if isinstance(found, ModuleType):
        if not hasattr(found, "library"):
            raise ImportError(
                f"[plugin-path] the entry point {point.name} = {point.value} leads to a module "
                "without `library`, the path of the shared library",
                name=point.module,
            )
        found = found.library
    if callable(found):
        found = found()
    try:
        return os.fsdecode(found)
    except TypeError as error:
        raise ImportError(
            f"[plugin-path] the entry point {point.name} = {point.value} gives a "
            f"{type(found).__name__}, where the path of a shared library is expected",
            name=point.module,
        ) from error
