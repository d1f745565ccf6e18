"""The built-in factories, under spaCy's names and with spaCy's settings.

The class of a component is imported when the first one is made. A setting with spaCy's default
function ("@scorers", "@misc") is replaced by the default of lexpool's class, which is equivalent;
other functions are looked up in `FUNCTIONS` and `MAKERS`.
"""

from __future__ import annotations

from importlib import import_module

from .._named_functions import call, find_in_spacy
from .._narrow import is_dict, is_list
from ..errors import ConfigError
from .registry import Factory, FactoryMeta
from .trained_factories import TRAINED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..language import Language

__all__ = ["BUILT_IN", "FUNCTIONS", "MAKERS", "OF_LANGUAGE", "of_spacys_registry", "resolved"]

_SCORES = {"ents_f": 1.0, "ents_p": 0.0, "ents_r": 0.0, "ents_per_type": None}
_FUZZY = {"@misc": "spacy.levenshtein_compare.v1"}

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


def _entry(
    name: str,
    make: Factory,
    config: dict[str, Any] | None = None,
    *,
    assigns: tuple[str, ...] = (),
    requires: tuple[str, ...] = (),
    scores: dict[str, float | None] | None = None,
    retokenizes: bool = False,
) -> tuple[str, tuple[Factory, FactoryMeta]]:
    weights = scores or {}
    meta = FactoryMeta(
        name, config or {}, assigns, requires, retokenizes, list(weights), dict(weights)
    )
    return name, (make, meta)


_LEMMATIZER: dict[str, Any] = {
    "model": None,
    "mode": "lookup",
    "overwrite": False,
    "scorer": {"@scorers": "spacy.lemmatizer_scorer.v1"},
}

_RULER: dict[str, Any] = {
    "phrase_matcher_attr": None,
    "matcher_fuzzy_compare": _FUZZY,
    "validate": False,
    "overwrite_ents": False,
    "ent_id_sep": "||",
    "scorer": {"@scorers": "spacy.entity_ruler_scorer.v1"},
}

BUILT_IN: dict[str, tuple[Factory, FactoryMeta]] = dict(
    [
        _entry(
            "attribute_ruler",
            _attribute_ruler,
            {"validate": False, "scorer": {"@scorers": "spacy.attribute_ruler_scorer.v1"}},
        ),
        _entry(
            "doc_cleaner",
            _doc_cleaner,
            {"attrs": {"tensor": None, "_.trf_data": None}, "silent": True},
        ),
        _entry(
            "entity_ruler",
            _entity_ruler,
            _RULER,
            assigns=("doc.ents", "token.ent_type", "token.ent_iob"),
            scores=_SCORES,
        ),
        _entry(
            "future_entity_ruler",
            _future_entity_ruler,
            {**_RULER, "ent_id_sep": "__unused__"},
            assigns=("doc.ents",),
            scores=_SCORES,
        ),
        _entry(
            "lemmatizer",
            _lemmatizer,
            _LEMMATIZER,
            assigns=("token.lemma",),
            scores={"lemma_acc": 1.0},
        ),
        _entry(
            "merge_entities",
            _function("merge_entities"),
            requires=("doc.ents", "token.ent_iob", "token.ent_type"),
            retokenizes=True,
        ),
        _entry(
            "merge_noun_chunks",
            _function("merge_noun_chunks"),
            requires=("token.dep", "token.tag", "token.pos"),
            retokenizes=True,
        ),
        _entry(
            "merge_subtokens",
            _function("merge_subtokens"),
            requires=("token.dep",),
            retokenizes=True,
        ),
        _entry("op", _op),
        _entry(
            "sentencizer",
            _sentencizer,
            {
                "punct_chars": None,
                "overwrite": False,
                "scorer": {"@scorers": "spacy.senter_scorer.v1"},
            },
            assigns=("token.is_sent_start", "doc.sents"),
            scores={"sents_f": 1.0, "sents_p": 0.0, "sents_r": 0.0},
        ),
        _entry(
            "span_ruler",
            _span_ruler,
            {
                "spans_key": "ruler",
                "spans_filter": None,
                "annotate_ents": False,
                "ents_filter": {"@misc": "spacy.first_longest_spans_filter.v1"},
                "phrase_matcher_attr": None,
                "matcher_fuzzy_compare": _FUZZY,
                "validate": False,
                "overwrite": True,
                "scorer": {
                    "@scorers": "spacy.overlapping_labeled_spans_scorer.v1",
                    "spans_key": "ruler",
                },
            },
            assigns=("doc.spans",),
            scores={
                "spans_ruler_f": 1.0,
                "spans_ruler_p": 0.0,
                "spans_ruler_r": 0.0,
                "spans_ruler_per_type": None,
            },
        ),
        _entry(
            "token_splitter",
            _token_splitter,
            {"min_length": 25, "split_length": 10},
            retokenizes=True,
        ),
    ]
)
BUILT_IN.update(TRAINED)

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
    config = {**_LEMMATIZER, "mode": mode}
    if lang == "ga":
        # spaCy's factory for Irish lacks this setting.
        del config["scorer"]
    scores: dict[str, float | None] = {"lemma_acc": 1.0}
    return _entry("lemmatizer", _lemmatizer, config, assigns=("token.lemma",), scores=scores)[1]


# Factories of particular languages.
OF_LANGUAGE: dict[tuple[str, str], tuple[Factory, FactoryMeta]] = {
    (lang, "lemmatizer"): _lemmatizer_entry(lang, mode) for lang, mode in _LEMMATIZER_MODES.items()
}
