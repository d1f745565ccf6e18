"""The built-in factories, under spaCy's names and with the settings of the table in Rust.

The class of a component is imported when the first one is made. A setting with spaCy's default
function ("@scorers", "@misc") is replaced by the default of lexpool's class, which is equivalent;
other functions are looked up in `FUNCTIONS` and `MAKERS`.
"""

from __future__ import annotations

from importlib import import_module

from .._core import component_table
from .._narrow import is_dict, is_list, is_mapping
from ..errors import ConfigError
from .named_functions import call, find_in_spacy
from .registry import Factory, FactoryMeta

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..language import Language

__all__ = ["BUILT_IN", "FUNCTIONS", "MAKERS", "OF_LANGUAGE", "of_spacys_registry", "resolved"]

# The names of scorers, by their version.
_SCORERS = {
    "v1": "attribute_ruler entity_linker entity_ruler lemmatizer morphologizer ner "
    "overlapping_labeled_spans parser senter span_finder spancat tagger textcat textcat_multilabel",
    "v2": "textcat textcat_multilabel",
}

# The names of spaCy's functions in settings, and the locations of lexpool's equivalents.
FUNCTIONS: dict[str, str] = {
    "spacy.levenshtein_compare.v1": "lexpool.matcher.levenshtein:levenshtein_compare",
    "spacy.first_longest_spans_filter.v1": "lexpool.util:filter_chain_spans",
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
    return _with_arguments(_imported(place), arguments, where)


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
    known = {each.name for each in parameters if each.kind is each.KEYWORD_ONLY}
    for key in arguments:
        if key not in known:
            raise ConfigError(f"[{where}] has {key!r}, which the function it names does not take")
    from functools import partial

    return partial(function, **arguments)


def _made(place: str, settings: dict[str, Any], where: str) -> Any:
    from inspect import signature

    make = _imported(place)
    parameters = signature(make).parameters
    if settings.keys() != parameters.keys():
        raise ConfigError(
            f"[{where}] has the settings {sorted(settings)}, but its function takes "
            f"{sorted(parameters)}"
        )
    return make(**settings)


def _imported(place: str) -> Any:
    module, name = place.split(":")
    return getattr(import_module(module), name)


def _class(module: str, name: str) -> Callable[..., Any]:
    made: Callable[..., Any] = getattr(import_module(f"lexpool.pipeline.{module}"), name)
    return made


def _without_defaults(factory: str, settings: dict[str, Any]) -> dict[str, Any]:
    """Returns settings without spaCy's default functions; the class has equivalent defaults."""
    defaults = BUILT_IN[factory][1].default_config
    own: dict[str, Any] = {}
    for key, value in settings.items():
        if isinstance(value, dict) and value == defaults.get(key):
            continue
        own[key] = resolved(value, f"components.{factory}.{key}")
    return own


def _sentencizer(nlp: Language, name: str, **settings: Any) -> Any:
    own = _without_defaults("sentencizer", settings)
    return _class("sentencizer", "Sentencizer")(name, **own)


def _entity_ruler(nlp: Language, name: str, **settings: Any) -> Any:
    own = _without_defaults("entity_ruler", settings)
    return _class("entityruler", "EntityRuler")(nlp, name, **own)


def _span_ruler(nlp: Language, name: str, **settings: Any) -> Any:
    own = _without_defaults("span_ruler", settings)
    return _class("span_ruler", "SpanRuler")(nlp, name, **own)


def _future_entity_ruler(nlp: Language, name: str, **settings: Any) -> Any:
    own = _without_defaults("future_entity_ruler", settings)
    own.pop("ent_id_sep", None)
    kind = "new" if own.pop("overwrite_ents", False) else "existing"
    ents_filter = _imported(FUNCTIONS[f"spacy.prioritize_{kind}_ents_filter.v1"])
    own.setdefault("scorer", _imported(FUNCTIONS["spacy.entity_ruler_scorer.v1"]))
    return _class("span_ruler", "SpanRuler")(
        nlp,
        name,
        spans_key=None,
        annotate_ents=True,
        ents_filter=ents_filter,
        overwrite=False,
        **own,
    )


def _lemmatizer(nlp: Language, name: str, **settings: Any) -> Any:
    own = _without_defaults("lemmatizer", settings)
    kind = _LEMMATIZERS.get(nlp.lang)
    if kind is None or nlp.lang == "en":
        made = _class("lemmatizer", kind or "Lemmatizer")
    else:
        made = _class("language_lemmatizers", kind)
    return made(nlp.vocab, own.pop("model", None), name, **own)


def _attribute_ruler(nlp: Language, name: str, **settings: Any) -> Any:
    own = _without_defaults("attribute_ruler", settings)
    return _class("attributeruler", "AttributeRuler")(nlp.vocab, name, **own)


def _token_splitter(nlp: Language, name: str, min_length: int, split_length: int) -> Any:
    made = _class("functions", "TokenSplitter")
    return made(min_length=min_length, split_length=split_length)


def _doc_cleaner(nlp: Language, name: str, attrs: dict[str, Any], silent: bool) -> Any:
    return _class("functions", "DocCleaner")(attrs, silent=silent)


def _function(function: str) -> Factory:
    def make(nlp: Language, name: str) -> Any:
        return _class("functions", function)

    return make


def _op(nlp: Language, name: str, op: str) -> Any:
    return _class("op", "OpComponent")(name, op)


# The makers of components of rules.
_OF_RULES: dict[str, Factory] = {
    "attribute_ruler": _attribute_ruler,
    "doc_cleaner": _doc_cleaner,
    "entity_ruler": _entity_ruler,
    "future_entity_ruler": _future_entity_ruler,
    "lemmatizer": _lemmatizer,
    "merge_entities": _function("merge_entities"),
    "merge_noun_chunks": _function("merge_noun_chunks"),
    "merge_subtokens": _function("merge_subtokens"),
    "op": _op,
    "sentencizer": _sentencizer,
    "span_ruler": _span_ruler,
    "token_splitter": _token_splitter,
}

# The modules and classes of components with weights.
_TRAINED = {
    "beam_ner": ("ner", "EntityRecognizer"),
    "beam_parser": ("dep_parser", "DependencyParser"),
    "entity_linker": ("entity_linker", "EntityLinker"),
    "morphologizer": ("morphologizer", "Morphologizer"),
    "ner": ("ner", "EntityRecognizer"),
    "parser": ("dep_parser", "DependencyParser"),
    "senter": ("senter", "SentenceRecognizer"),
    "span_finder": ("span_finder", "SpanFinder"),
    "spancat": ("spancat", "SpanCategorizer"),
    "spancat_singlelabel": ("spancat", "SpanCategorizer"),
    "tagger": ("tagger", "Tagger"),
    "textcat": ("textcat", "TextCategorizer"),
    "textcat_multilabel": ("textcat_multilabel", "MultiLabel_TextCategorizer"),
    "tok2vec": ("tok2vec", "Tok2Vec"),
    "trainable_lemmatizer": ("edit_tree_lemmatizer", "EditTreeLemmatizer"),
}

# The arguments of a class that are no settings of a factory.
_ARGUMENTS: dict[str, dict[str, Any]] = {
    "spancat": {"negative_weight": None},
    "spancat_singlelabel": {"add_negative_label": True, "max_positive": 1, "threshold": None},
}


def _trained(factory: str) -> Factory:
    """Returns a function that makes components with weights."""
    module, class_name = _TRAINED[factory]

    def make(nlp: Language, name: str, model: dict[str, Any], **settings: Any) -> Any:
        defaults = BUILT_IN[factory][1].default_config
        arguments = dict(_ARGUMENTS.get(factory, {}))
        for key, value in settings.items():
            if key == "scorer" and value == defaults.get(key):
                continue
            is_raw = key == "suggester"
            arguments[key] = value if is_raw else resolved(value, f"components.{name}.{key}")
        if class_name == "EntityLinker" and is_first_linker(model):
            return _class("legacy", "EntityLinker_v1")(nlp.vocab, model, name=name, **arguments)
        return _class(module, class_name)(nlp.vocab, model, name=name, **arguments)

    return make


def is_first_linker(model: Any) -> bool:
    """Returns whether the network of an entity linker has the first architecture of its kind."""
    settings = model if is_mapping(model) else getattr(model, "settings", {})
    return str(settings.get("@architectures", "")).endswith("EntityLinker.v1")


_TABLE = component_table()

BUILT_IN: dict[str, tuple[Factory, FactoryMeta]] = {
    name: (_OF_RULES.get(name) or _trained(name), FactoryMeta(name, *row))
    for name, row in _TABLE.items()
}

# The classes of lemmatizers by language, and the modes of their factories.
_LEMMATIZERS: dict[str, str] = {
    "ca": "CatalanLemmatizer",
    "el": "GreekLemmatizer",
    "en": "EnglishLemmatizer",
    "es": "SpanishLemmatizer",
    "fr": "FrenchLemmatizer",
    "ga": "IrishLemmatizer",
    "ht": "HaitianCreoleLemmatizer",
    "it": "ItalianLemmatizer",
    "mk": "MacedonianLemmatizer",
    "nl": "DutchLemmatizer",
    "pl": "PolishLemmatizer",
}
_LEMMATIZER_MODES: dict[str, str] = {
    **dict.fromkeys(["bn", *_LEMMATIZERS, "fa", "nb", "sv"], "rule"),
    **dict.fromkeys(["ga", "it", "pl"], "pos_lookup"),
}


def _lemmatizer_entry(lang: str, mode: str) -> tuple[Factory, FactoryMeta]:
    settings, *facts = _TABLE["lemmatizer"]
    settings = {**settings, "mode": mode}
    if lang == "ga":
        # spaCy's factory for Irish lacks this setting.
        del settings["scorer"]
    return _lemmatizer, FactoryMeta("lemmatizer", settings, *facts)


# Factories of particular languages.
OF_LANGUAGE: dict[tuple[str, str], tuple[Factory, FactoryMeta]] = {
    (lang, "lemmatizer"): _lemmatizer_entry(lang, mode) for lang, mode in _LEMMATIZER_MODES.items()
}
