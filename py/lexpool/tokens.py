"""Documents and the views on them."""

from ._core import Doc, Span, Token

__all__ = ["Doc", "Span", "Token"]
