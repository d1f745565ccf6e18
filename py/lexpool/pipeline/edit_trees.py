"""Edit trees: rules that rewrite word forms into lemmas, as "replace the last two characters by
`en`". They are built from pairs of a form and its lemma, and applied to new forms.
"""

from .._core import EditTrees

__all__ = ["EditTrees"]
