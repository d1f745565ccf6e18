"""Positions for each token, concatenated in one array."""

from .._core import AlignmentArray

__all__ = ["AlignmentArray"]
