"""Functions of users that a configuration names, as `@spacy.registry` registers them: callbacks,
readers of corpora and loggers.
"""

from __future__ import annotations

from importlib import import_module

from .._errors import ConfigError
from .._narrow import is_dict
from .._typing import Any, Callable
from .named_functions import call, find_in_spacy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import TypeVar

    _Make = TypeVar("_Make", bound=Callable[..., Any])

__all__ = [
    "callback",
    "corpus_reader",
    "is_registered",
    "logger",
    "resolve_callback",
    "resolve_function",
]

# Functions by the registry of spaCy's that has them, and their name.
_REGISTERED: dict[tuple[str, str], Callable[..., Any]] = {}
# The results of the functions of a registry, and the decorators that register them.
_NAMES = {
    "callbacks": ("callback", "callback"),
    "readers": ("reader", "corpus_reader"),
    "loggers": ("logger", "logger"),
}


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
    return _register("callbacks", name)


def corpus_reader(name: str) -> Callable[[_Make], _Make]:
    """Registers a function that makes a reader of a corpus: a function from a pipeline to examples.

    A section such as `[corpora.train]` names it by the key "@readers", as for `callback`.
    """
    return _register("readers", name)


def logger(name: str) -> Callable[[_Make], _Make]:
    """Registers a function that makes a logger of trainings, which `[training.logger]` names by the
    key "@loggers", as for `callback`.

    A logger is called with the pipeline and two streams, and returns two functions: one that is
    called after each update, with None or the figures of an evaluation, and one that is called at
    the end. Figures have the keys of spaCy's: "epoch", "step", "words", "seconds", "losses",
    "score", "other_scores", "checkpoints", and "output_path", the folder that was written.
    """
    return _register("loggers", name)


def _register(registry: str, name: str) -> Callable[[_Make], _Make]:
    def register(make: _Make) -> _Make:
        _REGISTERED[registry, name] = make
        return make

    return register


def resolve_callback(section: Any, place: str) -> Callable[..., Any] | None:
    """Returns the callback of a section, which is made anew; None for null.

    place: the dotted name of the section, for errors.

    Raises ConfigError: E893 for a name that is not registered.
    """
    return None if section is None else resolve_function("callbacks", section, place)


def resolve_function(registry: str, section: Any, place: str) -> Callable[..., Any]:
    """Returns the function of a section, which is made anew.

    registry: "callbacks", "readers" or "loggers".
    place: the dotted name of the section, for errors.

    Raises ConfigError: E893 for a name that is not registered.
    """
    key = f"@{registry}"
    if not is_dict(section) or not isinstance(section.get(key), str):
        null = ", or null" if registry == "callbacks" else ""
        raise ConfigError(f"[{place}] is {section!r:.80}; expected {key!r} with a name{null}")
    arguments: Mapping[str, Any] = {k: v for k, v in section.items() if k != key}
    make = _find(registry, section[key], place)
    function: Callable[..., Any] = call(make, section[key], place, (), arguments)
    return function


def is_registered(registry: str, name: object) -> bool:
    """Returns whether a name is that of a function. Names of spaCy's own readers are not: those
    make documents of spaCy's.
    """
    if _registered(registry, name) is not None:
        return True
    is_known = find_in_spacy(registry, name) is not None
    return is_known and not (registry == "readers" and str(name).startswith("spacy."))


def _registered(registry: str, name: object) -> Callable[..., Any] | None:
    """Returns a function of users, or one of spaCy's callbacks that lexpool has."""
    if not isinstance(name, str):
        return None
    if (registry, name) not in _REGISTERED:
        import_module("lexpool.training.callbacks")
    return _REGISTERED.get((registry, name))


def _find(registry: str, name: str, place: str) -> Callable[..., Any]:
    function = _registered(registry, name) or find_in_spacy(registry, name)
    if function is None:
        registered = (
            ", ".join(
                sorted(registered_name for kind, registered_name in _REGISTERED if kind == registry)
            )
            or "none"
        )
        noun, decorator = _NAMES[registry]
        raise ConfigError(
            f"[E893] [{place}] names the {noun} {name!r}, which is not registered; registered by "
            f"lexpool.training.{decorator}: {registered}"
        )
    return function
