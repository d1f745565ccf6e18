"""Utilities for rules, annotation, training and configurations: spans without overlaps, words of a
text, regular expressions for affixes, batches, seeds, settings by dotted name.
"""

from __future__ import annotations

import itertools
import random
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar

from . import attrs
from ._components.pipe import ignore_error, raise_error
from ._loading.overrides import dict_to_dot, dot_to_dict
from .config import Config
from .language import Language, load
from .tokens._filters import filter_chain_spans, filter_spans

__all__ = [
    "compile_infix_regex",
    "compile_prefix_regex",
    "compile_suffix_regex",
    "dict_to_dot",
    "dot_to_dict",
    "ensure_path",
    "expand_exc",
    "filter_chain_spans",
    "filter_spans",
    "fix_random_seed",
    "get_words_and_spaces",
    "ignore_error",
    "load_config",
    "load_model",
    "minibatch",
    "normalize_slice",
    "raise_error",
    "update_exc",
]

Exceptions = dict[str, list[dict[Any, Any]]]
T = TypeVar("T")


def get_words_and_spaces(words: Iterable[str], text: str) -> tuple[list[str], list[bool]]:
    """Returns the words and spaces that make up a text, from words without its whitespace.

    Whitespace between words, except a single space, becomes a word; given words of whitespace are
    ignored. Raises ValueError (E194) if the words differ from those of the text.
    """
    words = list(words)
    pieces: list[str] = []
    spaces: list[bool] = []
    position = 0
    for word in words:
        if word.isspace():
            continue
        start = text.find(word, position)
        if start < 0 or text[position:start].strip():
            raise ValueError(_unlike(words, text))
        if start > position:
            pieces.append(text[position:start])
            spaces.append(False)
        position = start + len(word)
        pieces.append(word)
        spaces.append(text[position : position + 1] == " ")
        position += spaces[-1]
    if position < len(text):
        if text[position:].strip():
            raise ValueError(_unlike(words, text))
        pieces.append(text[position:])
        spaces.append(False)
    return pieces, spaces


def _unlike(words: list[str], text: str) -> str:
    return f"[E194] the words {words[:10]} are not those of the text {text[:80]!r}"


def normalize_slice(
    length: int, start: int | None, stop: int | None, step: int | None = None
) -> tuple[int, int]:
    """Returns start and end of a slice of `length` items, with start <= end <= length.

    Raises ValueError (E057) if the step is not 1.
    """
    if step is not None and step != 1:
        raise ValueError(f"[E057] a slice takes a step of 1, not {step}")
    first, last, _ = slice(start, stop).indices(length)
    return first, max(first, last)


def compile_prefix_regex(entries: Iterable[str]) -> re.Pattern[str]:
    """Returns a regex that matches one of several at the start; blank ones are left out."""
    return re.compile("|".join("^" + entry for entry in entries if entry.strip()))


def compile_suffix_regex(entries: Iterable[str]) -> re.Pattern[str]:
    """Returns a regex that matches one of several at the end; blank ones are left out."""
    return re.compile("|".join(entry + "$" for entry in entries if entry.strip()))


def compile_infix_regex(entries: Iterable[str]) -> re.Pattern[str]:
    """Returns a regex that matches one of several; blank ones are left out."""
    return re.compile("|".join(entry for entry in entries if entry.strip()))


def update_exc(base_exceptions: Exceptions, *addition_dicts: Exceptions) -> Exceptions:
    """Returns special cases of a tokenizer with others added, and a copy of each with typographic
    apostrophes for "'".

    Raises ValueError: E055 for an ORTH that is not a string, E056 for ORTHs that do not
    concatenate to their key.
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
    """Returns special cases of a tokenizer, and a copy of each that contains `search` with
    `replace` instead.
    """
    expanded = dict(excs)
    for key, tokens in excs.items():
        if search in key:
            expanded[key.replace(search, replace)] = [
                {**token, attrs.ORTH: token[attrs.ORTH].replace(search, replace)}
                for token in tokens
            ]
    return expanded


def minibatch(items: Iterable[T], size: int | Iterable[float]) -> Iterator[list[T]]:
    """Yields the items in lists, such as examples for `Language.update`. The last one may be
    shorter.

    size: the number of items in a list; or one number for each, such as a growing one, rounded
        down.

    The end is that of the items, of the sizes, or at a size of zero.

    >>> list(minibatch("abcde", 2))
    [['a', 'b'], ['c', 'd'], ['e']]
    >>> list(minibatch("abcde", [1, 2.5, 9]))
    [['a'], ['b', 'c'], ['d', 'e']]
    """
    rest = iter(items)
    for number in itertools.repeat(size) if isinstance(size, int) else size:
        batch = list(itertools.islice(rest, int(number)))
        if not batch:
            return
        yield batch


def fix_random_seed(seed: int = 0) -> None:
    """Seeds the generators of `random` and of NumPy, which training takes its numbers from: with
    the same seed before, the same calls make the same weights.
    """
    import numpy

    random.seed(seed)
    numpy.random.seed(seed)


def ensure_path(path: Any) -> Any:
    """Returns a Path for a string, and any other object as it is."""
    return Path(path) if isinstance(path, str) else path


def load_config(
    path: str | PathLike[str],
    overrides: Mapping[str, Any] | None = None,
    interpolate: bool = False,
) -> Config:
    """Reads the configuration of a file, or for "-" of the standard input.

    overrides: values by dotted name, such as {"nlp.batch_size": 10}, in existing sections.
    interpolate: whether references are replaced.

    Raises OSError if the file cannot be read, ConfigError for other contents.
    """
    if str(path) == "-":
        text = sys.stdin.read()
        return Config.from_str(
            text, interpolate=interpolate, overrides=overrides, origin="the standard input"
        )
    return Config.from_disk(path, interpolate=interpolate, overrides=overrides)


def load_model(name: str | PathLike[str], **settings: Any) -> Language:
    """Returns a pipeline, as `lexpool.load` does with the same settings."""
    return load(name, **settings)
