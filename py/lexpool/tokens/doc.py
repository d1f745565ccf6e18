"""A tokenized text with its annotation."""

from .._core import Doc

__all__ = ["Doc"]
