"""Positions for each token, end to end in one array."""

from .._core import AlignmentArray

__all__ = ["AlignmentArray"]
