"""Filters of overlapping spans."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .._core import Span

__all__ = ["filter_chain_spans", "filter_spans"]


def filter_spans(spans: Iterable[Span]) -> list[Span]:
    """Returns the spans that remain when overlaps are resolved, in order of their starts.

    Of two overlapping spans the longer one is kept, or the first if their lengths are equal. Cost:
    time and memory for each token of the spans.
    """
    covered_tokens: set[int] = set()
    longest: list[Span] = []
    for span in sorted(spans, key=lambda span: (span.start - span.end, span.start)):
        # The spans chosen so far are at least as long, so an overlapping one covers the first or
        # the last token.
        if span.start not in covered_tokens and span.end - 1 not in covered_tokens:
            longest.append(span)
            # The end of a span may be set beyond that of its document.
            covered_tokens.update(range(span.start, min(span.end, len(span.doc))), (span.end - 1,))
    return sorted(longest, key=lambda span: span.start)


def filter_chain_spans(*spans: Iterable[Span]) -> list[Span]:
    """Filters the spans of several lists like `filter_spans`; of equal spans the one in an earlier
    list is kept.
    """
    return filter_spans(chain(*spans))
