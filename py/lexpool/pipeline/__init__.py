"""Pipelines: components that annotate documents, native ones without the GIL."""

from __future__ import annotations

from importlib import import_module

from .._components.pipe import ErrorHandler, Pipe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .attributeruler import AttributeRuler
    from .dep_parser import DependencyParser
    from .edit_tree_lemmatizer import EditTreeLemmatizer
    from .edit_trees import EditTrees
    from .entity_linker import EntityLinker
    from .entityruler import EntityRuler
    from .functions import (
        DocCleaner,
        TokenSplitter,
        merge_entities,
        merge_noun_chunks,
        merge_subtokens,
    )
    from .language_lemmatizers import (
        CatalanLemmatizer,
        DutchLemmatizer,
        FrenchLemmatizer,
        GreekLemmatizer,
        HaitianCreoleLemmatizer,
        IrishLemmatizer,
        ItalianLemmatizer,
        MacedonianLemmatizer,
        PolishLemmatizer,
        SpanishLemmatizer,
    )
    from .lemmatizer import EnglishLemmatizer, Lemmatizer
    from .model import Model
    from .morphologizer import Morphologizer
    from .ner import EntityRecognizer
    from .sentencizer import Sentencizer
    from .senter import SentenceRecognizer
    from .span_finder import SpanFinder
    from .span_ruler import SpanRuler
    from .spancat import SpanCategorizer
    from .tagger import Tagger
    from .textcat import TextCategorizer
    from .textcat_multilabel import MultiLabel_TextCategorizer
    from .tok2vec import Tok2Vec
    from .trainable_pipe import TrainablePipe

__all__ = [
    "AttributeRuler",
    "CatalanLemmatizer",
    "DependencyParser",
    "DocCleaner",
    "DutchLemmatizer",
    "EditTreeLemmatizer",
    "EditTrees",
    "EnglishLemmatizer",
    "EntityLinker",
    "EntityRecognizer",
    "EntityRuler",
    "ErrorHandler",
    "FrenchLemmatizer",
    "GreekLemmatizer",
    "HaitianCreoleLemmatizer",
    "IrishLemmatizer",
    "ItalianLemmatizer",
    "Lemmatizer",
    "MacedonianLemmatizer",
    "Model",
    "Morphologizer",
    "MultiLabel_TextCategorizer",
    "Pipe",
    "PolishLemmatizer",
    "SentenceRecognizer",
    "Sentencizer",
    "SpanCategorizer",
    "SpanFinder",
    "SpanRuler",
    "SpanishLemmatizer",
    "Tagger",
    "TextCategorizer",
    "Tok2Vec",
    "TokenSplitter",
    "TrainablePipe",
    "merge_entities",
    "merge_noun_chunks",
    "merge_subtokens",
]

# The modules of classes and functions, which are imported when they are first used: a pipeline
# needs few of them.
_HOMES = {
    "AttributeRuler": "attributeruler",
    "CatalanLemmatizer": "language_lemmatizers",
    "DependencyParser": "dep_parser",
    "DocCleaner": "functions",
    "DutchLemmatizer": "language_lemmatizers",
    "EditTreeLemmatizer": "edit_tree_lemmatizer",
    "EditTrees": "edit_trees",
    "EnglishLemmatizer": "lemmatizer",
    "EntityLinker": "entity_linker",
    "EntityRecognizer": "ner",
    "EntityRuler": "entityruler",
    "FrenchLemmatizer": "language_lemmatizers",
    "GreekLemmatizer": "language_lemmatizers",
    "HaitianCreoleLemmatizer": "language_lemmatizers",
    "IrishLemmatizer": "language_lemmatizers",
    "ItalianLemmatizer": "language_lemmatizers",
    "Lemmatizer": "lemmatizer",
    "MacedonianLemmatizer": "language_lemmatizers",
    "Model": "model",
    "Morphologizer": "morphologizer",
    "MultiLabel_TextCategorizer": "textcat_multilabel",
    "PolishLemmatizer": "language_lemmatizers",
    "SentenceRecognizer": "senter",
    "Sentencizer": "sentencizer",
    "SpanCategorizer": "spancat",
    "SpanFinder": "span_finder",
    "SpanRuler": "span_ruler",
    "SpanishLemmatizer": "language_lemmatizers",
    "Tagger": "tagger",
    "TextCategorizer": "textcat",
    "Tok2Vec": "tok2vec",
    "TokenSplitter": "functions",
    "TrainablePipe": "trainable_pipe",
    "merge_entities": "functions",
    "merge_noun_chunks": "functions",
    "merge_subtokens": "functions",
}


def __getattr__(name: str) -> object:
    """Imports a class or function of a component when it is first used (PEP 562)."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = getattr(import_module(f".{_HOMES[name]}", __name__), name)
    return globals()[name]


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
