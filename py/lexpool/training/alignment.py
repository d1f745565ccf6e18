"""The alignment of two tokenizations, under spaCy's name."""

from .._learning.alignment import Alignment as Alignment
