"""Utilities for rules and annotation: spans without overlaps, words of a text, regular expressions
for affixes.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Mapping
from typing import Any

from . import attrs
from ._core import Span
from .pipeline.pipe import ignore_error, raise_error

__all__ = [
    "compile_infix_regex",
    "compile_prefix_regex",
    "compile_suffix_regex",
    "expand_exc",
    "filter_chain_spans",
    "filter_spans",
    "get_words_and_spaces",
    "ignore_error",
    "normalize_slice",
    "raise_error",
    "update_exc",
]

Exceptions = dict[str, list[dict[Any, Any]]]


def filter_spans(spans: Iterable[Span]) -> list[Span]:
    """The spans that remain when overlaps are resolved, in order of their starts.

    Of two that overlap the longer one stays, or the first if they are of one length.
    """
    taken: set[int] = set()
    kept: list[Span] = []
    for span in sorted(spans, key=lambda span: (span.start - span.end, span.start)):
        # The spans chosen so far are at least as long, so an overlapping one covers the first or
        # the last token.
        if span.start not in taken and span.end - 1 not in taken:
            kept.append(span)
            taken.update(range(span.start, span.end))
    return sorted(kept, key=lambda span: span.start)


def filter_chain_spans(*spans: Iterable[Span]) -> list[Span]:
    """As `filter_spans`, for the spans of several lists; of equal ones that of an earlier list
    stays.
    """
    return filter_spans(itertools.chain(*spans))


def get_words_and_spaces(words: Iterable[str], text: str) -> tuple[list[str], list[bool]]:
    """Words and spaces that make up a text, from words that lack its whitespace.

    Whitespace between words, beyond one space, becomes a word; words of whitespace that are given
    are not looked at. ValueError E194: the words are not those of the text.
    """
    words = list(words)
    found: list[str] = []
    spaces: list[bool] = []
    position = 0
    for word in words:
        if word.isspace():
            continue
        start = text.find(word, position)
        if start < 0 or text[position:start].strip():
            raise ValueError(_unlike(words, text))
        if start > position:
            found.append(text[position:start])
            spaces.append(False)
        position = start + len(word)
        found.append(word)
        spaces.append(text[position : position + 1] == " ")
        position += spaces[-1]
    if position < len(text):
        if text[position:].strip():
            raise ValueError(_unlike(words, text))
        found.append(text[position:])
        spaces.append(False)
    return found, spaces


def _unlike(words: list[str], text: str) -> str:
    return f"[E194] the words {words[:10]} are not those of the text {text[:80]!r}"


def normalize_slice(
    length: int, start: int | None, stop: int | None, step: int | None = None
) -> tuple[int, int]:
    """Start and end of a slice of `length` items, not reversed and not beyond them.

    ValueError E057: the step is not 1.
    """
    if step is not None and step != 1:
        raise ValueError(f"[E057] a slice takes a step of 1, not {step}")
    first, last, _ = slice(start, stop).indices(length)
    return first, max(first, last)


def compile_prefix_regex(entries: Iterable[str]) -> re.Pattern[str]:
    """One regex of many, which matches at the start; blank ones are left out."""
    return re.compile("|".join("^" + entry for entry in entries if entry.strip()))


def compile_suffix_regex(entries: Iterable[str]) -> re.Pattern[str]:
    """One regex of many, which matches at the end; blank ones are left out."""
    return re.compile("|".join(entry + "$" for entry in entries if entry.strip()))


def compile_infix_regex(entries: Iterable[str]) -> re.Pattern[str]:
    """One regex of many; blank ones are left out."""
    return re.compile("|".join(entry for entry in entries if entry.strip()))


def update_exc(base_exceptions: Exceptions, *addition_dicts: Exceptions) -> Exceptions:
    """Special cases of a tokenizer with others added, and with a typographic apostrophe for each
    "'".

    Raises ValueError: E055 for an ORTH that is no string, E056 for ORTHs that do not make up their
    key.
    """
    combined = dict(base_exceptions)
    for additions in addition_dicts:
        for key, tokens in additions.items():
            orths = [token[attrs.ORTH] for token in tokens]
            if not all(isinstance(orth, str) for orth in orths):
                raise ValueError(f"[E055] the ORTHs of {key!r} must be strings, but are {orths}")
            if "".join(orths) != key:
                raise ValueError(f"[E056] the ORTHs of {key!r} make up {''.join(orths)!r}")
        combined.update(additions)
    return expand_exc(combined, "'", "\u2019")


def expand_exc(excs: Mapping[str, list[dict[Any, Any]]], search: str, replace: str) -> Exceptions:
    """Special cases of a tokenizer, each that holds `search` once more with `replace` for it."""
    expanded = dict(excs)
    for key, tokens in excs.items():
        if search in key:
            expanded[key.replace(search, replace)] = [
                {**token, attrs.ORTH: token[attrs.ORTH].replace(search, replace)}
                for token in tokens
            ]
    return expanded
