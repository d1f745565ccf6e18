"""The public names of lexpool, each with its home module.

Public is what a module without an underscore names in `__all__`; of the few modules without one,
what they define and describe. Besides, the classes whose objects those give out: nobody imports
`Handle`, and everybody who writes `doc.c` has one.
"""

import importlib
import inspect
import pkgutil
import warnings
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import lexpool
from lexpool import _core

from .signatures import returned_names

# Modules that take precedence as the home of a name.
FIRST = ["lexpool", "lexpool.tokens", "lexpool.matcher", "lexpool.compat.spacy"]


@dataclass
class Entry:
    """A class or function, the name it is imported by, and the address of its page."""

    name: str
    value: Any
    module: str
    # Other modules from which it can be imported.
    also: list[str] = field(default_factory=list)
    page: str = ""
    anchor: str = ""

    @property
    def is_class(self) -> bool:
        return inspect.isclass(self.value)

    @property
    def has_page(self) -> bool:
        """Tells if a class has a page of its own: exceptions are on the page of their module."""
        return self.is_class and not issubclass(self.value, BaseException)

    @property
    def address(self) -> str:
        """The address of its description, relative to the folder of these pages."""
        return f"{self.page}/#{self.anchor}" if self.anchor else f"{self.page}/"


@dataclass
class Surface:
    """All modules that are public, and all that is in them, each once."""

    modules: dict[str, ModuleType]
    entries: list[Entry]

    def of(self, module: str) -> list[Entry]:
        """The entries whose home is a module."""
        return [entry for entry in self.entries if entry.module == module]


def public() -> Surface:
    modules = public_modules()
    entries: list[Entry] = []
    for name in [*FIRST, *(name for name in sorted(modules, key=depth) if name not in FIRST)]:
        for member, value in public_members(name, modules[name]):
            twin = next((entry for entry in entries if entry.value is value), None)
            if twin is None:
                entries.append(Entry(member, value, name))
            else:
                twin.also.append(name)
    for value in given_out(entries):
        entries.append(Entry(value.__name__, value, ""))
    entries.sort(key=lambda entry: (entry.name.lower(), entry.module))
    address(entries)
    return Surface(modules, entries)


def depth(name: str) -> tuple[int, str]:
    return name.count("."), name


def public_modules() -> dict[str, ModuleType]:
    names = ["lexpool"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for module in pkgutil.walk_packages(lexpool.__path__, "lexpool."):
            if not any(part.startswith("_") for part in module.name.split(".")[1:]):
                names.append(module.name)
        return {name: importlib.import_module(name) for name in names}


def public_members(name: str, module: ModuleType) -> list[tuple[str, Any]]:
    """Classes and functions of a module, with their names."""
    listed = getattr(module, "__all__", None)
    if listed is None and depth(name)[0] > 1:
        # Made for its package, which names what of it is public.
        return []
    names = listed or [
        member
        for member, value in vars(module).items()
        if not member.startswith("_")
        and getattr(value, "__module__", None) == name
        and inspect.getdoc(value)
    ]
    members = [(member, getattr(module, member)) for member in names]
    return [
        (member, value)
        for member, value in members
        if inspect.isclass(value) or inspect.isroutine(value)
    ]


def given_out(entries: list[Entry]) -> list[type]:
    """Classes of the binding outside of all modules that a public function or attribute returns."""
    names = {entry.name for entry in entries}
    types: list[type] = []
    todo = [entry.value for entry in entries]
    while todo:
        for name in sorted(returned_names(todo.pop())):
            value = getattr(_core, name, None)
            if name in names or name.startswith("_") or not inspect.isclass(value):
                continue
            names.add(name)
            types.append(value)
            todo.append(value)
    return types


def address(entries: list[Entry]) -> None:
    """Gives each entry its page; of two classes of one name, the first home has the short
    address.
    """
    slugs: set[str] = set()
    for entry in sorted(entries, key=lambda entry: (FIRST + [entry.module]).index(entry.module)):
        if not entry.has_page:
            entry.page = f"modules/{module_slug(entry.module)}"
            entry.anchor = entry.name.lower()
            continue
        slug = entry.name.lower()
        if slug in slugs:
            slug = f"{module_slug(entry.module)}-{slug}"
        slugs.add(slug)
        entry.page = slug


def module_slug(module: str) -> str:
    """The address of a module's page: `compat-spacy` for `lexpool.compat.spacy`."""
    return module.removeprefix("lexpool.").replace(".", "-")
