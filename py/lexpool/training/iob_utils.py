"""Entities as tags of tokens, under spaCy's name."""

from .._learning.iob_utils import (
    biluo_tags_to_offsets,
    biluo_tags_to_spans,
    biluo_to_iob,
    doc_to_biluo_tags,
    doc_to_biluo_tags_with_partial,
    iob_to_biluo,
    offsets_to_biluo_tags,
    remove_bilu_prefix,
    split_bilu_label,
    tags_to_entities,
)

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
