"""The built-in factories, under spaCy's names and with the settings of the table in Rust.

The class of a component is imported when the first one is made.
"""

from __future__ import annotations

from importlib import import_module

from .._core import component_table
from .._narrow import is_mapping
from .factory import Factory, FactoryMeta
from .named_functions import FUNCTIONS, import_function, resolved

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .._protocols import Pipeline

__all__ = ["BUILT_IN", "OF_LANGUAGE"]


def _class(module: str, name: str) -> Callable[..., Any]:
    component_class: Callable[..., Any] = getattr(import_module(f"lexpool.pipeline.{module}"), name)
    return component_class


def _without_defaults(factory: str, settings: dict[str, Any]) -> dict[str, Any]:
    """Returns settings without spaCy's default functions; the class has equivalent defaults."""
    defaults = BUILT_IN[factory][1].default_config
    arguments: dict[str, Any] = {}
    for key, value in settings.items():
        if isinstance(value, dict) and value == defaults.get(key):
            continue
        arguments[key] = resolved(value, f"components.{factory}.{key}")
    return arguments


def _sentencizer(nlp: Pipeline, name: str, **settings: Any) -> Any:
    arguments = _without_defaults("sentencizer", settings)
    return _class("sentencizer", "Sentencizer")(name, **arguments)


def _entity_ruler(nlp: Pipeline, name: str, **settings: Any) -> Any:
    arguments = _without_defaults("entity_ruler", settings)
    return _class("entityruler", "EntityRuler")(nlp, name, **arguments)


def _span_ruler(nlp: Pipeline, name: str, **settings: Any) -> Any:
    arguments = _without_defaults("span_ruler", settings)
    return _class("span_ruler", "SpanRuler")(nlp, name, **arguments)


def _future_entity_ruler(nlp: Pipeline, name: str, **settings: Any) -> Any:
    arguments = _without_defaults("future_entity_ruler", settings)
    arguments.pop("ent_id_sep", None)
    kind = "new" if arguments.pop("overwrite_ents", False) else "existing"
    ents_filter = import_function(FUNCTIONS[f"spacy.prioritize_{kind}_ents_filter.v1"])
    arguments.setdefault("scorer", import_function(FUNCTIONS["spacy.entity_ruler_scorer.v1"]))
    return _class("span_ruler", "SpanRuler")(
        nlp,
        name,
        spans_key=None,
        annotate_ents=True,
        ents_filter=ents_filter,
        overwrite=False,
        **arguments,
    )


def _lemmatizer(nlp: Pipeline, name: str, **settings: Any) -> Any:
    arguments = _without_defaults("lemmatizer", settings)
    kind = _LEMMATIZERS.get(nlp.lang)
    if kind is None or nlp.lang == "en":
        lemmatizer = _class("lemmatizer", kind or "Lemmatizer")
    else:
        lemmatizer = _class("language_lemmatizers", kind)
    return lemmatizer(nlp.vocab, arguments.pop("model", None), name, **arguments)


def _attribute_ruler(nlp: Pipeline, name: str, **settings: Any) -> Any:
    arguments = _without_defaults("attribute_ruler", settings)
    return _class("attributeruler", "AttributeRuler")(nlp.vocab, name, **arguments)


def _token_splitter(nlp: Pipeline, name: str, min_length: int, split_length: int) -> Any:
    splitter = _class("functions", "TokenSplitter")
    return splitter(min_length=min_length, split_length=split_length)


def _doc_cleaner(nlp: Pipeline, name: str, attrs: dict[str, Any], silent: bool) -> Any:
    return _class("functions", "DocCleaner")(attrs, silent=silent)


def _function(function: str) -> Factory:
    def make(nlp: Pipeline, name: str) -> Any:
        return _class("functions", function)

    return make


def _op(nlp: Pipeline, name: str, op: str) -> Any:
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

# Arguments of classes beside the settings of their factories.
_ARGUMENTS: dict[str, dict[str, Any]] = {
    "spancat": {"negative_weight": None},
    "spancat_singlelabel": {"add_negative_label": True, "max_positive": 1, "threshold": None},
}


def _trained(factory: str) -> Factory:
    """Returns a function that makes components with weights."""
    module, class_name = _TRAINED[factory]

    def make(nlp: Pipeline, name: str, model: dict[str, Any], **settings: Any) -> Any:
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
