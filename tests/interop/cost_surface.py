"""The names that the table of costs must list: public functions, constructors, methods, properties.

Public are the classes and functions that the site describes (`docs/generate/apipages/surface.py`).
"""

import inspect
import sys
from pathlib import Path
from typing import Any

GENERATOR = Path(__file__).parents[2] / "docs" / "generate"

# Special methods that a class may answer by work of its own, and what Python code writes for them.
SPECIAL = """__bytes__ __call__ __contains__ __copy__ __deepcopy__ __delitem__ __eq__ __getitem__
    __getstate__ __hash__ __iter__ __len__ __next__ __reduce__ __repr__ __setitem__
    __setstate__ __str__""".split()


def public_names() -> dict[str, Any]:
    """Each public function, class and member of a class by its name, as in `Doc.ents`.

    A member is listed with the first public class that has it. Plain values of a class, exceptions
    and enumerations have no work. Of two classes or functions of one name, each is named with its
    module.
    """
    sys.path.insert(0, str(GENERATOR))
    try:
        from apipages import pages, surface
    finally:
        sys.path.remove(str(GENERATOR))
    entries = surface.public().entries
    shared = [entry.name for entry in entries]
    classes = {entry.value for entry in entries if entry.is_class}
    names: dict[str, Any] = {}
    for entry in entries:
        module = entry.module.removeprefix("lexpool").removeprefix(".")
        name = entry.name if shared.count(entry.name) == 1 else f"{module}.{entry.name}".strip(".")
        assert name not in names, name
        if entry.is_class and not entry.has_page:
            continue
        names[name] = entry.value
        if entry.is_class:
            names |= {
                f"{name}.{member}": static
                for member, static in members(entry.value, classes)
                if not pages.is_plain(static)
            }
    return names


def members(owner: type, public: set[type]) -> list[tuple[str, Any]]:
    """The members that lexpool defines for a class, without those that a public base has."""
    bases = [base for base in owner.__mro__[1:] if base in public]
    pairs = []
    for name in sorted(dir(owner)):
        definer = next((base for base in owner.__mro__ if name in vars(base)), owner)
        static = inspect.getattr_static(owner, name)
        if name.startswith("_") and name not in SPECIAL:
            continue
        if not definer.__module__.startswith("lexpool"):
            continue
        if any(inspect.getattr_static(base, name, None) is static for base in bases):
            continue
        pairs.append((name, static))
    return pairs
