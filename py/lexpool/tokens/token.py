"""One token of a document."""

from .._core import Token

__all__ = ["Token"]
