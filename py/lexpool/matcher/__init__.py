"""Matchers: search for token patterns, phrases and dependency patterns."""

from __future__ import annotations

from .._core import Matches
from .dependencymatcher import DependencyMatcher
from .levenshtein import levenshtein, levenshtein_compare, make_levenshtein_compare
from .matcher import Matcher
from .phrasematcher import PhraseMatcher

__all__ = [
    "DependencyMatcher",
    "Matcher",
    "Matches",
    "PhraseMatcher",
    "levenshtein",
    "levenshtein_compare",
    "make_levenshtein_compare",
]
