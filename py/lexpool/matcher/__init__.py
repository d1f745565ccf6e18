"""Matchers: search for token patterns, phrases and dependency patterns."""

from __future__ import annotations

from .._core import Matches
from .._lazy import LazyNames
from .levenshtein import levenshtein, levenshtein_compare, make_levenshtein_compare

TYPE_CHECKING = False
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

# A pipeline with an attribute ruler needs one matcher of three.
_LAZY = LazyNames(
    __name__,
    {
        "DependencyMatcher": "dependencymatcher",
        "Matcher": "matcher",
        "PhraseMatcher": "phrasematcher",
    },
)


def __getattr__(name: str) -> object:
    return _LAZY.get(name)


def __dir__() -> list[str]:
    return _LAZY.names()
