"""Tokenizers: from text to tokens."""

from ._core import Tokenizer

__all__ = ["Tokenizer"]
