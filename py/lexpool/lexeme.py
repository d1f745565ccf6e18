"""One word type."""

from ._core import Lexeme

__all__ = ["Lexeme"]
