"""Functions of users that a configuration names, as `@spacy.registry.callbacks` registers them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from .._narrow import is_dict
from ..errors import ConfigError

__all__ = ["callback", "resolve_callback"]

_Make = TypeVar("_Make", bound=Callable[..., Any])
_REGISTERED: dict[str, Callable[..., Any]] = {}


def callback(name: str) -> Callable[[_Make], _Make]:
    """Registers a function that makes a callback, by the name that configurations have for it.

    A section such as `[training.before_update]` names it by the key "@callbacks"; its other keys
    are the arguments. A function that was registered for spaCy is found as well while spaCy is
    imported; one of lexpool's with the same name comes first.

    >>> import lexpool
    >>> @lexpool.training.callback("print_steps.v1")
    ... def make(every: int = 100):
    ...     def print_step(nlp, args):
    ...         if args["step"] % every == 0:
    ...             print(args["epoch"], args["step"])
    ...
    ...     return print_step
    """

    def register(make: _Make) -> _Make:
        _REGISTERED[name] = make
        return make

    return register


def resolve_callback(section: Any, place: str) -> Callable[..., Any] | None:
    """Returns the callback of a section, which is made anew; None for null.

    place: the dotted name of the section, for errors.

    Raises ConfigError: E893 for a name that is not registered.
    """
    if section is None:
        return None
    if not is_dict(section) or not isinstance(section.get("@callbacks"), str):
        raise ConfigError(
            f"[{place}] is {section!r:.80}; expected '@callbacks' with a name, or null"
        )
    arguments: Mapping[str, Any] = {k: v for k, v in section.items() if k != "@callbacks"}
    name: str = section["@callbacks"]
    made: Callable[..., Any] = _find(name, place)(**arguments)
    return made


def _find(name: str, place: str) -> Callable[..., Any]:
    found = _REGISTERED.get(name)
    spacy = sys.modules.get("spacy")
    if found is None and spacy is not None and name in spacy.registry.callbacks:
        found = spacy.registry.callbacks.get(name)
    if found is None:
        known = ", ".join(sorted(_REGISTERED)) or "none"
        raise ConfigError(
            f"[E893] [{place}] names the callback {name!r}, which is not registered; registered by "
            f"lexpool.training.callback: {known}"
        )
    return found
