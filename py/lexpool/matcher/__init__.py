"""Finding sequences of tokens: by patterns of attributes, and by phrases."""

from .levenshtein import levenshtein, levenshtein_compare, make_levenshtein_compare
from .matcher import Matcher
from .phrasematcher import PhraseMatcher

__all__ = [
    "Matcher",
    "PhraseMatcher",
    "levenshtein",
    "levenshtein_compare",
    "make_levenshtein_compare",
]
