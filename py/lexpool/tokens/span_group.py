"""Named groups of spans."""

from .._core import SpanGroup

__all__ = ["SpanGroup"]
