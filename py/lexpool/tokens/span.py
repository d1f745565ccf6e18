"""`Span`: a range of a document's tokens."""

from .._core import Span

__all__ = ["Span"]
