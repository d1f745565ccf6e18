"""Morphological analyses: what word forms say of case, number, tense and so on."""

from collections.abc import Iterable

from ._core import Morphology, StringStore

__all__ = ["Morphology"]


def unpickle_morphology(strings: StringStore, analyses: Iterable[str]) -> Morphology:
    """A table with these analyses, as it was pickled."""
    morphology = Morphology(strings)
    for feats in analyses:
        morphology.add(feats)
    return morphology
