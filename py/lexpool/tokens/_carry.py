"""Copies Python-level data of documents (user data, groups, tensors) to a document joined from
them.
"""

import copy
import warnings
from collections.abc import Sequence
from typing import Any

from .._narrow import is_tuple
from .underscore import is_key, shifted_key


def carry_over(
    target: Any, docs: Sequence[Any], offsets: Sequence[int], exclude: Sequence[str]
) -> None:
    """Copies user data, span groups and tensors of documents to a document joined from them.

    offsets: for each part, the character offset at which it begins.
    """
    if "user_data" not in exclude:
        for doc, offset in zip(docs, offsets, strict=True):
            for key, value in list(doc.user_data.items()):
                _carry_user_data(target, key, value, offset)
    if "spans" not in exclude:
        for doc, offset in zip(docs, offsets, strict=True):
            for name, group in list(doc.spans.data.items()):
                _carry_group(target, name, group, offset)
    tensors = [doc.tensor for doc in docs if len(doc)]
    # Without the rows of a document whose tensor was cleared, the other rows would be misplaced.
    has_all_rows = all(tensor is not None for tensor in tensors)
    if "tensor" not in exclude and has_all_rows and any(tensor.nbytes for tensor in tensors):
        import numpy

        target.tensor = numpy.vstack(tensors)


def _carry_user_data(target: Any, key: Any, value: Any, offset: int) -> None:
    if not is_key(key):
        warnings.warn(f"[W102] user data under {key!r} has no place in a joined Doc", stacklevel=4)
    elif key[2] is None and key[3] is None:
        text = f"[W101] the Doc extension {key[1]!r} has no place in a joined Doc"
        warnings.warn(text, stacklevel=4)
    else:
        target.user_data[shifted_key(key, offset)] = copy.copy(value)


def _carry_group(target: Any, name: str, group: Any, offset: int) -> None:
    if name not in target.spans:
        target.spans[name] = []
    for span in group:
        start, end = span.start_char + offset, span.end_char + offset
        placed = target.char_span(start, end, label=span.label, kb_id=span.kb_id, span_id=span.id)
        if placed is None or placed.text != span.text:
            text = f"[E873] a span of the group {name!r} has no place in the joined Doc"
            raise ValueError(f"{text}: {span.text!r}")
        target.spans[name].append(placed)


def cut_out(target: Any, span: Any, with_user_data: bool) -> None:
    """Copies the data of a span, such as user data and tensor rows, to a document made from the
    span.
    """
    doc = span.doc
    target.noun_chunks_iterator = doc.noun_chunks_iterator
    target.user_hooks = doc.user_hooks
    target.user_span_hooks = doc.user_span_hooks
    target.user_token_hooks = doc.user_token_hooks
    target.tensor = span.tensor
    place = (span.start_char, span.end_char)
    for key, value in list(doc.cats.items()):
        if is_tuple(key) and len(key) == 3 and key[:2] == place:
            target.cats[key[2]] = value
    if not with_user_data:
        return
    for key, value in list(doc.user_data.items()):
        if is_key(key):
            if key[2] is None and key[3] is None:
                continue
            key = shifted_key(key, -span.start_char)
        target.user_data[key] = copy.copy(value)
