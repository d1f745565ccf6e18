"""`MorphAnalysis`: the morphological features of a token."""

from .._core import MorphAnalysis

__all__ = ["MorphAnalysis"]
