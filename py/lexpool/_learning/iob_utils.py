"""Entities as tags of tokens, in the IOB and BILUO formats.

"O" is outside of any entity, "B-X" begins an entity X, "I-X" is inside of it, "L-X" ends it, "U-X"
is an entity of a single token, and "-" is unknown.
"""

from __future__ import annotations

import warnings

from .._core import Doc, Span, biluo_tags, biluo_to_iob, iob_to_biluo, tags_to_entities

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

__all__ = [
    "biluo_tags_to_offsets",
    "biluo_tags_to_spans",
    "biluo_to_iob",
    "doc_to_biluo_tags",
    "doc_to_biluo_tags_with_partial",
    "iob_to_biluo",
    "offsets_to_biluo_tags",
    "remove_bilu_prefix",
    "split_bilu_label",
    "tags_to_entities",
]

_OUTSIDE = 2


def doc_to_biluo_tags(doc: Doc, missing: str | None = "O") -> list[Any]:
    """Returns the entities of a document as BILUO tags, with `missing` for tokens outside of
    them.
    """
    entities = [(ent.start, ent.end, ent.label_) for ent in doc.ents]
    return biluo_tags(list(range(len(doc))), list(range(1, len(doc) + 1)), entities, missing)


def doc_to_biluo_tags_with_partial(doc: Doc) -> list[str]:
    """Returns the entities of a document as BILUO tags: "O" for a token known to be outside, else
    "-".
    """
    tags = doc_to_biluo_tags(doc, missing="-")
    for token in doc:
        if token.ent_iob == _OUTSIDE:
            tags[token.i] = "O"
    return tags


def offsets_to_biluo_tags(
    doc: Doc, entities: Iterable[tuple[int, int, str | int]], missing: str | None = "O"
) -> list[Any]:
    """Returns BILUO tags of the tokens of a document for entities given as character offsets.

    entities: (start, end, label); an empty label marks a range without an entity.
    missing: the tag of tokens that do not overlap an entity.

    Tokens that overlap an entity whose boundaries are not token boundaries are tagged "-", with a
    warning (W030) unless `missing` is "-" too. Raises ValueError (E103) if entities overlap.
    """
    offsets = [(start, end, str(label) if label else "") for start, end, label in entities]
    starts = [token.idx for token in doc]
    ends = [token.idx + len(token) for token in doc]
    tags = biluo_tags(starts, ends, offsets, missing)
    if missing != "-" and "-" in tags:
        text = (
            f"[W030] entities {_shortened(str(offsets))} do not begin and end between the tokens of "
            f"{_shortened(repr(doc.text))}; the tokens they touch are tagged '-' and count as unknown"
        )
        warnings.warn(text, stacklevel=2)
    return tags


def _shortened(text: str, length: int = 60) -> str:
    return text if len(text) <= length else text[:length] + "..."


def biluo_tags_to_spans(doc: Doc, tags: Iterable[str | None]) -> list[Span]:
    """Returns the entities of BILUO tags; a tag "-" or None yields a span with an empty label.

    Raises ValueError: E067 for an "I" or "L" without a "B", E068 for an unknown prefix.
    """
    entities = tags_to_entities(tags)
    return [Span(doc, first, last + 1, label=label) for label, first, last in entities]


def biluo_tags_to_offsets(doc: Doc, tags: Iterable[str | None]) -> list[tuple[int, int, str]]:
    """Returns the entities of BILUO tags as (start, end, label), in characters."""
    spans = biluo_tags_to_spans(doc, tags)
    return [(span.start_char, span.end_char, span.label_) for span in spans]


def split_bilu_label(label: str) -> tuple[str, str]:
    """Returns the prefix and the label of a tag: ("B", "EL-AL") for "B-EL-AL".

    Raises ValueError for a tag without a hyphen.
    """
    letter, rest = label.split("-", 1)
    return letter, rest


def remove_bilu_prefix(label: str) -> str:
    """Returns the label of a tag. Raises IndexError for a tag without a hyphen."""
    return label.split("-", 1)[1]
