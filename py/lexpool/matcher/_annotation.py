"""Checks of the annotation that patterns need."""

from __future__ import annotations

from .. import attrs
from ._validation import ATTR_NAMES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from .._core import Doc

# The attributes that only a pipeline component sets, with the component's name.
SET_BY: dict[int, str] = {
    attrs.IDS["TAG"]: "tagger",
    attrs.IDS["POS"]: "morphologizer or a tagger and an attribute_ruler",
    attrs.IDS["MORPH"]: "morphologizer or a tagger and an attribute_ruler",
    attrs.IDS["LEMMA"]: "lemmatizer",
    attrs.IDS["DEP"]: "parser",
}


def require(doc: Doc, wanted: Collection[int]) -> None:
    """Raises ValueError (E155) if no token has a wanted attribute that a component must set."""
    for attr, component in SET_BY.items():
        if attr in wanted and not doc.has_annotation(attr):
            name = ATTR_NAMES[attr]
            raise ValueError(
                f"[E155] patterns test {name}, which no token of the document has; the pipeline "
                f"needs a {component} before the matcher, or the call allow_missing=True"
            )
