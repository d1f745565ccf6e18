"""The alignment of two tokenizations, as lists."""

from .._core import get_alignments

__all__ = ["get_alignments"]
