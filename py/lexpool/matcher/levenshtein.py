"""The Levenshtein distance, and the comparison of FUZZY patterns."""

from __future__ import annotations

from .._core import levenshtein, levenshtein_compare

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


__all__ = ["levenshtein", "levenshtein_compare", "make_levenshtein_compare"]


def make_levenshtein_compare() -> Callable[[str, str, int], bool]:
    """Returns `levenshtein_compare`. spaCy's `misc` registry calls this factory."""
    return levenshtein_compare
