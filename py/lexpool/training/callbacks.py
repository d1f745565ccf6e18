"""Functions of users that a configuration names, as `@spacy.registry` registers them: callbacks,
readers of corpora and loggers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from .._components.named_functions import call, find_in_spacy
from .._narrow import is_dict
from ..errors import ConfigError

if TYPE_CHECKING:
    from ..language import Language

__all__ = [
    "callback",
    "corpus_reader",
    "is_registered",
    "logger",
    "resolve_callback",
    "resolve_function",
]

_Make = TypeVar("_Make", bound=Callable[..., Any])
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
    made: Callable[..., Any] = call(make, section[key], place, (), arguments)
    return made


def is_registered(registry: str, name: object) -> bool:
    """Returns whether a name is that of a function. Names of spaCy's own readers are not: those
    make documents of spaCy's.
    """
    if (registry, name) in _REGISTERED:
        return True
    is_known = find_in_spacy(registry, name) is not None
    return is_known and not (registry == "readers" and str(name).startswith("spacy."))


def _find(registry: str, name: str, place: str) -> Callable[..., Any]:
    found = _REGISTERED.get((registry, name)) or find_in_spacy(registry, name)
    if found is None:
        known = ", ".join(sorted(own for kind, own in _REGISTERED if kind == registry)) or "none"
        made, decorator = _NAMES[registry]
        raise ConfigError(
            f"[E893] [{place}] names the {made} {name!r}, which is not registered; registered by "
            f"lexpool.training.{decorator}: {known}"
        )
    return found


@callback("spacy.copy_from_base_model.v1")
def copy_from_base_model(
    tokenizer: str | None = None, vocab: str | None = None
) -> Callable[[Language], Language]:
    """Returns a callback that gives a pipeline the rules of the tokenizer of another one, or what
    the vocab of another one has: strings, vectors and lookups.

    tokenizer, vocab: the folders, or names of installed packages, of these pipelines.
    """

    def copy(nlp: Language) -> Language:
        from ..language import load

        if tokenizer is not None:
            base = load(tokenizer)
            ours, theirs = nlp.config["nlp"]["tokenizer"], base.config["nlp"]["tokenizer"]
            if ours != theirs:
                raise ValueError(
                    f"[E872] the tokenizer of {tokenizer!r} has the settings {theirs}, and that of "
                    f"the pipeline {ours}: rules are copied between tokenizers of one kind"
                )
            nlp.tokenizer.from_bytes(base.tokenizer.to_bytes(exclude=["vocab"]), exclude=["vocab"])
        if vocab is not None:
            nlp.vocab.from_bytes(load(vocab).vocab.to_bytes())
        return nlp

    return copy


@callback("spacy.models_and_pipes_with_nvtx_range.v1")
@callback("spacy.models_with_nvtx_range.v1")
def refuse_ranges(**_: Any) -> Callable[..., Any]:
    """Refuses callbacks that mark ranges for the profiler of NVIDIA's GPUs."""
    raise ConfigError(
        "[training-unsupported] callbacks with 'nvtx_range' mark ranges for the profiler of "
        "NVIDIA's GPUs, on which lexpool does not run; set the callback to null"
    )
