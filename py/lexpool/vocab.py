"""Word types and their attributes."""

from ._core import Vocab

__all__ = ["Vocab"]
