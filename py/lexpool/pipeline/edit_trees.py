"""Edit trees: rules that rewrite word forms into lemmas."""

from .._core import EditTrees

__all__ = ["EditTrees"]
