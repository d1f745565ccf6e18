"""What a word's form says of it."""

from .._core import MorphAnalysis

__all__ = ["MorphAnalysis"]
