"""Settings of components, judged by what their factories take."""

from __future__ import annotations

import inspect
import json
from typing import Any

from ..errors import ConfigError
from .factories import BUILT_IN, OF_LANGUAGE

# Factories of spaCy's whose components are trained.
TRAINED = frozenset(
    {
        "beam_ner", "beam_parser", "curated_transformer", "entity_linker", "experimental_coref",
        "morphologizer", "ner", "parser", "senter", "span_finder", "spancat", "spancat_singlelabel",
        "tagger", "textcat", "textcat_multilabel", "tok2vec", "trainable_lemmatizer", "transformer",
    }
)  # fmt: skip


def checked(make: Any, settings: dict[str, Any], where: str) -> dict[str, Any]:
    """Settings with a factory's own defaults. Raises ConfigError for those that do not fit."""
    parameters = inspect.signature(make).parameters
    others = {key: parameter for key, parameter in parameters.items() if key not in ("nlp", "name")}
    kinds = inspect.Parameter
    takes_all = any(parameter.kind is kinds.VAR_KEYWORD for parameter in others.values())
    if takes_all:
        known = set(_own_defaults(make))
        unknown = [key for key in settings if known and key not in known]
    else:
        unknown = [key for key in settings if key not in others]
    if unknown:
        raise ConfigError(f"[{where}] has {unknown[0]!r}, which its factory does not take")
    filled = dict(settings)
    for key, parameter in others.items():
        if parameter.kind in (kinds.VAR_KEYWORD, kinds.VAR_POSITIONAL) or key in filled:
            continue
        if parameter.default is kinds.empty:
            raise ConfigError(f"[{where}] lacks {key!r}, which its factory takes")
        try:
            json.dumps(parameter.default)
        except (TypeError, ValueError):
            continue
        filled[key] = parameter.default
    return filled


def _own_defaults(make: Any) -> dict[str, Any]:
    """The default settings of one of lexpool's own factories; none for those of others."""
    for own, meta in (*BUILT_IN.values(), *OF_LANGUAGE.values()):
        if own is make:
            return meta.default_config
    return {}
