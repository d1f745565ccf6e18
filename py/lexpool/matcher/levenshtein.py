"""Edit distances, and the comparison that FUZZY patterns are made with."""

from __future__ import annotations

from collections.abc import Callable

from .._core import levenshtein, levenshtein_compare

__all__ = ["levenshtein", "levenshtein_compare", "make_levenshtein_compare"]


def make_levenshtein_compare() -> Callable[[str, str, int], bool]:
    """`levenshtein_compare`, for a registry of functions that make others."""
    return levenshtein_compare
