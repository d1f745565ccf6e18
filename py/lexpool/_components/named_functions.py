"""Functions that settings name under "@...", of lexpool or of spaCy's registry.

A setting with spaCy's default function ("@scorers", "@misc") is replaced by the default of
lexpool's class, which is equivalent; others are looked up in `FUNCTIONS` and `MAKERS`.
"""

from __future__ import annotations

import sys
from importlib import import_module

from .._errors import ConfigError
from .._narrow import is_dict, is_list

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any


__all__ = [
    "FUNCTIONS",
    "MAKERS",
    "call",
    "find_in_spacy",
    "import_function",
    "of_spacys_registry",
    "resolved",
]

# The names of scorers, by their version.
_SCORERS = {
    "v1": "attribute_ruler entity_linker entity_ruler lemmatizer morphologizer ner "
    "overlapping_labeled_spans parser senter span_finder spancat tagger textcat textcat_multilabel",
    "v2": "textcat textcat_multilabel",
}

# The names of spaCy's functions in settings, and the locations of lexpool's equivalents.
FUNCTIONS: dict[str, str] = {
    "spacy.levenshtein_compare.v1": "lexpool.matcher.levenshtein:levenshtein_compare",
    "spacy.first_longest_spans_filter.v1": "lexpool.tokens._filters:filter_chain_spans",
    "spacy.prioritize_new_ents_filter.v1": (
        "lexpool.pipeline.span_ruler:prioritize_new_ents_filter"
    ),
    "spacy.prioritize_existing_ents_filter.v1": (
        "lexpool.pipeline.span_ruler:prioritize_existing_ents_filter"
    ),
    **{
        f"spacy.{name}_scorer.{version}": f"lexpool.pipeline.scores:{name}_score"
        for version, names in _SCORERS.items()
        for name in names.split()
    },
    "spacy.EmptyKB.v2": "lexpool.kb.kb_in_memory:empty_kb_for_config",
    "spacy.CandidateGenerator.v1": "lexpool.kb.candidate:get_candidates",
    "spacy.CandidateBatchGenerator.v1": "lexpool.kb.candidate:get_candidates_batch",
}

# The names of functions that return such a function for the settings beside their names.
MAKERS: dict[str, str] = {
    "spacy.EmptyKB.v1": "lexpool.kb.kb_in_memory:empty_kb",
    "spacy.KBFromFile.v1": "lexpool.kb.kb_in_memory:load_kb",
}


def resolved(value: Any, where: str) -> Any:
    """Returns the value of a setting: the function that it names under "@...", or itself.

    Raises ConfigError, with the section, for a function that lexpool lacks.
    """
    if not is_dict(value):
        return value
    names = [key for key in value if key.startswith("@")]
    if not names:
        return {key: resolved(inner, f"{where}.{key}") for key, inner in value.items()}
    if not isinstance(value[names[0]], str):
        raise ConfigError(f"[{where}] {names[0]} is {value[names[0]]!r:.80}, not a name")
    if value[names[0]] in MAKERS:
        settings = {key: resolved(inner, f"{where}.{key}") for key, inner in value.items()}
        del settings[names[0]]
        return _made(MAKERS[value[names[0]]], settings, where)
    place = FUNCTIONS.get(value[names[0]])
    if place is None:
        raise ConfigError(
            f"[{where}] names the function {names[0]} = {value[names[0]]!r}, which lexpool does not "
            f"have; it has {', '.join([*FUNCTIONS, *MAKERS])}"
        )
    arguments = {key: resolved(value[key], f"{where}.{key}") for key in value if key != names[0]}
    return _with_arguments(import_function(place), arguments, where)


def of_spacys_registry(value: Any, where: str) -> Any:
    """Returns the value of a setting of a user's factory: the result of the function of spaCy's
    registry that it names under "@...", or itself.

    Networks, and functions of a registry that is not loaded or does not have them, stay settings.
    Raises ConfigError, with the section, for arguments that the function does not take.
    """
    if is_list(value):
        return [of_spacys_registry(inner, where) for inner in value]
    if not is_dict(value):
        return value
    settings = {key: of_spacys_registry(inner, f"{where}.{key}") for key, inner in value.items()}
    names = [key for key in value if key.startswith("@")]
    if len(names) != 1 or names[0] in ("@architectures", "@layers"):
        return settings
    make = find_in_spacy(names[0][1:], value[names[0]])
    if make is None:
        return settings
    name = settings.pop(names[0])
    # As in configurations of spaCy's, "*" has the positional arguments.
    positional = settings.pop("*", ())
    return call(make, name, where, positional, settings)


def _with_arguments(function: Any, arguments: dict[str, Any], where: str) -> Any:
    """Returns a function with the keyword arguments that its settings contain."""
    if not arguments:
        return function
    from inspect import signature

    parameters = signature(function).parameters.values()
    keywords = {each.name for each in parameters if each.kind is each.KEYWORD_ONLY}
    for key in arguments:
        if key not in keywords:
            raise ConfigError(f"[{where}] has {key!r}, which the function it names does not take")
    from functools import partial

    return partial(function, **arguments)


def _made(place: str, settings: dict[str, Any], where: str) -> Any:
    from inspect import signature

    make = import_function(place)
    parameters = signature(make).parameters
    if settings.keys() != parameters.keys():
        raise ConfigError(
            f"[{where}] has the settings {sorted(settings)}, but its function takes "
            f"{sorted(parameters)}"
        )
    return make(**settings)


def import_function(place: str) -> Any:
    """Imports a function by its place, "module:name"."""
    module, name = place.split(":")
    return getattr(import_module(module), name)


def find_in_spacy(registry: str, name: object) -> Callable[..., Any] | None:
    """Returns the function of a name in a registry of spaCy's such as "misc".

    None if there is none, or spaCy is not loaded.
    """
    registries = getattr(sys.modules.get("spacy"), "registry", None)
    functions: Any = getattr(registries, registry, None)
    # The class has methods beside its registries.
    if not hasattr(functions, "namespace") or not isinstance(name, str) or name not in functions:
        return None
    function: Callable[..., Any] = functions.get(name)
    return function


def call(
    make: Callable[..., Any],
    name: object,
    place: str,
    positional: Sequence[Any],
    named: Mapping[str, Any],
) -> Any:
    """Calls a function with the settings beside its name.

    place: the dotted name of the section, for errors.

    Raises ConfigError if the function does not take these arguments.
    """
    from inspect import signature

    try:
        signature(make).bind(*positional, **named)
    except TypeError as error:
        raise ConfigError(f"[{place}], {name!r}: {error}") from error
    except ValueError:
        # A function of native code may have no signature; its own error tells.
        pass
    return make(*positional, **named)
