"""Morphological analyses: case, number, tense and other features of word forms."""

from collections.abc import Iterable

from ._core import Morphology, StringStore

__all__ = ["Morphology"]


def unpickle_morphology(strings: StringStore, analyses: Iterable[str]) -> Morphology:
    """Returns a table with these analyses, from its pickled form."""
    morphology = Morphology(strings)
    for feats in analyses:
        morphology.add(feats)
    return morphology
