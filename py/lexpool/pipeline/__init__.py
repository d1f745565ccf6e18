"""Pipelines: components that annotate documents, native ones without the GIL."""

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
from .pipe import ErrorHandler, Pipe
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
