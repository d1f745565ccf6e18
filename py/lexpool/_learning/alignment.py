"""The alignment of two tokenizations of one text."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from .._core import AlignmentArray, alignment_arrays


@dataclass
class Alignment:
    """An alignment of two tokenizations X and Y by shared characters, ignoring case and whitespace.

    x2y: for each token of X the positions of aligned tokens of Y, ascending.
    y2x: for each token of Y the positions of aligned tokens of X, ascending.
    """

    x2y: AlignmentArray
    y2x: AlignmentArray

    @classmethod
    def from_indices(cls, x2y: Iterable[Iterable[int]], y2x: Iterable[Iterable[int]]) -> Alignment:
        """Returns an alignment with known positions."""
        return cls(x2y=AlignmentArray(x2y), y2x=AlignmentArray(y2x))

    @classmethod
    def from_strings(cls, A: Iterable[str], B: Iterable[str]) -> Alignment:
        """Aligns the words A with the words B.

        Raises ValueError (E949) if the texts differ in more than case and whitespace.
        """
        x2y, y2x = alignment_arrays(A, B)
        return cls(x2y=x2y, y2x=y2x)
