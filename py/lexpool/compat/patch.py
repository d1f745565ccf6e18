"""`patch()`: lexpool's core under spaCy's pure-Python parts."""

import functools
import importlib
import sys
import threading
import tomllib
import types
from collections.abc import Iterator
from importlib import resources
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from typing import Any

from ._architectures import REGISTRIES, recording
from ._standins import release, stand_in_for
from ._swap import Swap

_LOCK = threading.RLock()


def patch() -> "Patch":
    """Replaces spaCy's classes and functions by lexpool's, in the whole process.

    >>> import spacy  # doctest: +SKIP
    >>> with patch():  # doctest: +SKIP
    ...     nlp = spacy.blank("en")
    ...     doc = nlp("A lexpool document, made by spaCy's Language.")

    The patch is active when the call returns, until `undo()` or the end of a `with` block. Patches
    nest; undoing the last one restores spaCy. Objects made in the meantime stay lexpool's.

    The patch replaces names: in all modules of spaCy and of packages called `spacy_*`, loaded now
    or later, in default arguments, registries and schemas. Names that other modules imported from
    spaCy before are not replaced, so import them inside. Extension attributes registered on spaCy's
    classes before are not available on lexpool's. A package with compiled modules that were built
    against spaCy's has to be imported before.

    `Language`, the language data, displaCy, corpora and the components in plain Python work on
    lexpool; the sentencizer, the scorer, the knowledge bases and the trained components are
    lexpool's, which `Language` makes, trains, loads and runs as its own. Creating another component
    that is compiled against spaCy's own structs, such as `MultitaskObjective`, raises
    `CompiledComponentError`, a TypeError. Raises ImportError if spaCy is not installed.
    """
    with _LOCK:
        return _ActivePatch.enter()


class Patch:
    """A patch that is active until it is undone."""

    def __init__(self, active: "_ActivePatch") -> None:
        self._active = active

    @property
    def replaced(self) -> tuple[str, ...]:
        """The names in spaCy that refer to lexpool's objects."""
        return self._active.replaced

    @property
    def missing(self) -> tuple[str, ...]:
        """The names of core objects that lexpool lacks; they are still spaCy's."""
        return self._active.missing

    @property
    def refused(self) -> tuple[str, ...]:
        """The names of compiled components that cannot be created while the patch is active."""
        return self._active.refused

    def undo(self) -> None:
        """Undoes the patch; a second call does nothing."""
        with _LOCK:
            self._active.leave(self)

    def __enter__(self) -> "Patch":
        return self

    def __exit__(self, *_: object) -> None:
        self.undo()


class _ActivePatch:
    """The one patch of the process, shared by all its users; guarded by `_LOCK`."""

    current: "_ActivePatch | None" = None

    def __init__(self) -> None:
        _load_spacy()
        catalogue = importlib.import_module("catalogue")
        pydantic = importlib.import_module("pydantic")
        names = _names()
        trained = set(names["trained"])
        swaps = {
            name: None if name in trained else _ours(name)
            for section in names.values()
            for name in section
        }
        self.replaced: tuple[str, ...] = tuple(
            name for name, new in swaps.items() if new is not None
        )
        self.missing: tuple[str, ...] = tuple(name for name in names["core"] if swaps[name] is None)
        pairs = [(_theirs(name), swaps[name]) for name in self.replaced]
        done = {id(original) for original, _ in pairs}
        refused = dict[str, Any]()
        for name in (*names["components"], *names["trained"]):
            for original in _family(_theirs(name)):
                if id(original) not in done and (new := stand_in_for(original, always=True)):
                    done.add(id(original))
                    pairs.append((original, new))
                    refused[f"{original.__module__}.{original.__name__}"] = new
        cautious = list[Any]()
        for name in self.missing:
            original = _theirs(name)
            if new := stand_in_for(original, always=False):
                pairs.append((original, new))
                cautious.append(new)
        registry = importlib.import_module("spacy.util").registry
        for table, kind in REGISTRIES.items():
            # Functions of other packages are loaded by their entry points.
            for key, function in getattr(registry, table).get_all().items():
                if callable(function) and id(function) not in done:
                    done.add(id(function))
                    name = key.replace("spacy-legacy.", "spacy.")
                    pairs.append((function, recording(function, kind, name)))
        self.refused: tuple[str, ...] = tuple(refused)
        self._stand_ins = [*refused.values(), *cautious]
        self._users = set[Patch]()
        self._swap = Swap(pairs)
        self._seen = set[str]()
        try:
            _ActivePatch.current = self
            for module in _modules():
                self._seen.add(module.__name__)
                self._swap.module(module)
                for value in list(vars(module).values()):
                    if isinstance(value, type) and issubclass(value, pydantic.BaseModel):
                        self._swap.schema(value)
            self._swap.registered(catalogue.REGISTRY)
        except BaseException:
            self._end()
            raise

    @classmethod
    def enter(cls) -> "Patch":
        """Returns a new user of the patch of the process, and applies it if it is not active."""
        before = cls.current
        users = set[Patch]() if before is None else set(before._users)
        try:
            active = cls() if before is None else before
            user = Patch(active)
            active._users.add(user)
            return user
        except BaseException:
            if before is not None:
                before._users = users
            elif cls.current is not None:
                cls.current._end()
            raise

    def leave(self, user: "Patch") -> None:
        """Removes a user; the last one undoes the patch. Does nothing for one that has left."""
        self._users.discard(user)
        if self._users or _ActivePatch.current is not self:
            return
        try:
            self._end()
        except BaseException:
            # An interrupt keeps nothing from being undone.
            self._end()
            raise

    def _end(self) -> None:
        self._restore()
        _ActivePatch.current = None

    def _restore(self) -> None:
        self._swap.undo()
        # Modules imported in the meantime took their names from patched ones.
        back = self._swap.reversed()
        for module in _modules():
            if module.__name__ not in self._seen:
                back.module(module)
        release(self._stand_ins)


@functools.cache
def _names() -> dict[str, list[str]]:
    text = resources.files("lexpool.compat").joinpath("names.toml").read_text("utf-8")
    return {
        section: [f"{module}.{name}" for module, names in table.items() for name in names]
        for section, table in tomllib.loads(text).items()
    }


def _theirs(name: str) -> Any:
    module, _, attribute = name.rpartition(".")
    return getattr(importlib.import_module(f"spacy.{module}"), attribute)


def _ours(name: str) -> Any:
    """Returns lexpool's counterpart, from the same module or else from the package around it.
    spaCy's internals of parsers are a package of their own in lexpool, and its other internals of
    components are beside the components.
    """
    module, _, attribute = name.rpartition(".")
    module = module.replace("pipeline._parser_internals", "parser")
    module = module.replace("pipeline._edit_tree_internals", "pipeline")
    package = module.rpartition(".")[0]
    for place in filter(None, (module, package)):
        try:
            counterpart = getattr(importlib.import_module(f"lexpool.{place}"), attribute, None)
        except ModuleNotFoundError as error:
            if not (error.name or "").startswith("lexpool."):
                raise
            continue
        if counterpart is not None and not isinstance(counterpart, types.ModuleType):
            return counterpart
    return None


def _family(cls: type[Any]) -> Iterator[type[Any]]:
    """Yields a class and all of spaCy's classes that derive from it."""
    yield cls
    for child in cls.__subclasses__():
        if _is_spacy(child.__module__):
            yield from _family(child)


def _is_spacy(module: str) -> bool:
    root = module.partition(".")[0]
    return root == "spacy" or root.startswith("spacy_")


def _modules() -> list[types.ModuleType]:
    # Values are not necessarily modules.
    loaded: dict[str, Any] = dict(sys.modules)
    family = [module for name, module in loaded.items() if _is_spacy(name)]
    return [module for module in family if isinstance(module, types.ModuleType)]


def _load_spacy() -> None:
    """Loads and registers everything that must see spaCy's own classes."""
    import spacy
    from spacy.pipeline.factories import register_factories
    from spacy.util import registry

    # Compiled modules look classes up by name and bind to them in C.
    root = Path(spacy.__file__).parent
    for path in sorted(root.rglob("*")):
        for suffix in EXTENSION_SUFFIXES:
            if path.name.endswith(suffix):
                place = path.relative_to(root).with_name(path.name.removesuffix(suffix))
                importlib.import_module(".".join(("spacy", *place.parts)))
                break
    # A language does both at first use, when they would already see lexpool's classes.
    registry.ensure_populated()
    register_factories()
