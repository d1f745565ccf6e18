"""Methods of `Tokenizer` on Python objects: serialization and scores.

Each function takes the tokenizer first; `py/src/runtime/python_side.rs` lists those that Rust
calls.
"""

import re
from collections.abc import Container, Iterable
from typing import Any

from .._core import Tokenizer, packb, score_tokenization, unpackb
from .._saving.form import expect, reading
from . import segmenters

__all__ = ["from_bytes", "score", "to_bytes"]

# The names of the rules that are expressions.
PATTERNS = ("prefix_search", "suffix_search", "infix_finditer", "token_match", "url_match")


def to_bytes(tokenizer: Tokenizer, exclude: Container[str]) -> bytes:
    """Returns the parts of a tokenizer that are not excluded, as MessagePack."""
    if tokenizer.segmenter is not None:
        return segmenters.to_bytes(tokenizer)
    parts: dict[str, Any] = {}
    if "vocab" not in exclude:
        parts["vocab"] = tokenizer.vocab.to_bytes(exclude=exclude)
    for name in PATTERNS:
        if name not in exclude:
            parts[name] = _source(name, getattr(tokenizer, name))
    if "exceptions" not in exclude:
        parts["exceptions"] = dict(sorted(tokenizer.rules.items()))
    if "faster_heuristics" not in exclude:
        parts["faster_heuristics"] = tokenizer.faster_heuristics
    return packb(parts)


def from_bytes(tokenizer: Tokenizer, data: bytes, exclude: Container[str]) -> None:
    """Loads the parts that are in the bytes and not excluded into a tokenizer."""
    if tokenizer.segmenter is not None:
        return segmenters.from_bytes(tokenizer, data)
    loaded: Any = unpackb(data)
    expect(loaded, dict, "the map of a tokenizer")
    parts = {name: part for name, part in loaded.items() if name not in exclude}
    rules: dict[str, Any] = {}
    for name in PATTERNS:
        if isinstance(source := parts.get(name), str):
            rules[name] = source
    # All parts are read before any change; the vocab comes first, since loading it may fail.
    if "vocab" in parts:
        tokenizer.vocab.from_bytes(parts["vocab"], exclude=exclude)
    heuristics = parts.get("faster_heuristics", tokenizer.faster_heuristics)
    with reading("the bytes of a tokenizer"):
        read = Tokenizer(
            tokenizer.vocab,
            parts.get("exceptions") or {},
            faster_heuristics=bool(heuristics),
            max_cache_size=tokenizer.max_cache_size,
            **rules,
        )
    tokenizer._adopt(read)


def _source(name: str, method: Any) -> str | None:
    """Returns the source of the expression that a rule calls.

    spaCy compiles it without flags, so flags that the source lacks are prefixed to it.
    """
    if method is None:
        return None
    expression = getattr(method, "__self__", None)
    source = getattr(expression, "pattern", None)
    if not isinstance(source, str):
        raise AttributeError(
            f"{name} is {method!r}, which has no source to be written; only methods of compiled "
            f"expressions can be, or leave it out: exclude=[{name!r}]"
        )
    if isinstance(expression, re.Pattern):
        unsaid = expression.flags & ~re.compile(source).flags
        letters = "".join(letter for letter in "aimsx" if unsaid & re.RegexFlag[letter.upper()])
        return f"(?{letters}){source}" if letters else source
    return source


def _kind(value: object) -> str:
    return type(value).__name__


def score(examples: Iterable[Any]) -> dict[str, float | None]:
    """Scores predicted tokens against those of the reference documents.

    token_acc is the share of tokens that align with exactly one reference token; the others are
    precision, recall and F-score of the tokens as ranges of characters. Whitespace is ignored.
    """
    if isinstance(examples, (str, bytes)) or not hasattr(examples, "__iter__"):
        raise TypeError(f"[E978] expected an iterable of Examples, not a {_kind(examples)}")
    examples = list(examples)
    for example in examples:
        if not hasattr(example, "alignment"):
            raise TypeError(f"[E978] expected Examples, and one is a {_kind(example)}")
    return score_tokenization(examples)
