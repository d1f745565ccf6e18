"""Matchers: search for token patterns, phrases and dependency patterns."""

from typing import TYPE_CHECKING

from .._core import Matches
from .levenshtein import levenshtein, levenshtein_compare, make_levenshtein_compare

if TYPE_CHECKING:
    from .dependencymatcher import DependencyMatcher
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

_HOMES = ("DependencyMatcher", "Matcher", "PhraseMatcher")


def __getattr__(name: str) -> object:
    # Imported at first use: a pipeline with an attribute ruler needs one matcher of three.
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    made: object = getattr(import_module(f".{name.lower()}", __name__), name)
    globals()[name] = made
    return made
