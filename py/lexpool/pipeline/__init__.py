"""Pipelines: components that annotate documents, native ones without the GIL."""

from typing import TYPE_CHECKING

from .pipe import ErrorHandler, Pipe

if TYPE_CHECKING:
    from .attributeruler import AttributeRuler
    from .entityruler import EntityRuler
    from .functions import (
        DocCleaner,
        TokenSplitter,
        merge_entities,
        merge_noun_chunks,
        merge_subtokens,
    )
    from .lemmatizer import EnglishLemmatizer, Lemmatizer
    from .sentencizer import Sentencizer
    from .span_ruler import SpanRuler

__all__ = [
    "AttributeRuler",
    "DocCleaner",
    "EnglishLemmatizer",
    "EntityRuler",
    "ErrorHandler",
    "Lemmatizer",
    "Pipe",
    "Sentencizer",
    "SpanRuler",
    "TokenSplitter",
    "merge_entities",
    "merge_noun_chunks",
    "merge_subtokens",
]

_HOMES = {
    "AttributeRuler": "attributeruler",
    "EnglishLemmatizer": "lemmatizer",
    "EntityRuler": "entityruler",
    "Lemmatizer": "lemmatizer",
    "Sentencizer": "sentencizer",
    "SpanRuler": "span_ruler",
}


def __getattr__(name: str) -> object:
    # Imported at first use, since `import lexpool` imports this module.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    made: object = getattr(import_module(f".{_HOMES.get(name, 'functions')}", __name__), name)
    globals()[name] = made
    return made
