"""Scores of tokens: their boundaries, their attributes and the features of their morphology."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from .counts import PRFScore

if TYPE_CHECKING:
    from .._core import Doc, StringStore, Token
    from ..training import Example

__all__ = [
    "MISSING_VALUES",
    "aligned_words",
    "score_token_attr",
    "score_token_attr_per_feat",
    "score_tokenization",
]

# Values of attributes that mean that a token has no annotation.
MISSING_VALUES = frozenset([None, 0, ""])

_Getter = Callable[["Token", str], Any]
# The position of a reference token and a value.
_Facts = set[tuple[int, Any]]


def score_tokenization(examples: Iterable[Example], **_more: object) -> dict[str, Any]:
    """Returns the scores of token boundaries.

    `token_acc` is the share of predicted tokens that align with exactly one token of the reference;
    `token_p`, `token_r` and `token_f` compare tokens as ranges of characters. Whitespace is
    ignored, and so are references with unknown spaces. Scores without data are None.
    """
    aligned, ranges = PRFScore(), PRFScore()
    for example in examples:
        if example.reference.has_unknown_spaces:
            continue
        lengths = example.alignment.x2y.lengths
        for token in example.predicted:
            if token.orth_.isspace():
                continue
            if lengths[token.i] == 1:
                aligned.tp += 1
            else:
                aligned.fp += 1
        ranges.score_set(_ranges(example.predicted), _ranges(example.reference))
    if not aligned:
        return dict.fromkeys(("token_acc", "token_p", "token_r", "token_f"))
    return {
        "token_acc": aligned.precision,
        "token_p": ranges.precision,
        "token_r": ranges.recall,
        "token_f": ranges.fscore,
    }


def score_token_attr(
    examples: Iterable[Example],
    attr: str,
    *,
    getter: _Getter = getattr,
    missing_values: Container[Any] = MISSING_VALUES,
    **_more: object,
) -> dict[str, Any]:
    """Returns the accuracy of an attribute of tokens: `{attr}_acc`, or None without data.

    getter: returns the value of a token, for `attr`.
    missing_values: the values without annotation; reference tokens with such a value are ignored.

    The accuracy is an F-score. Predicted tokens that align with several reference tokens are
    ignored, so that these count as missing. Predicted whitespace is ignored.
    """
    score = PRFScore()
    for example in examples:
        wanted, unsaid = _values(example.reference, attr, getter, missing_values)
        found = {
            (gold, getter(token, attr))
            for token, gold in aligned_words(example)
            if gold is not None and gold not in unsaid
        }
        score.score_set(found, wanted)
    return {f"{attr}_acc": score.fscore if score else None}


def score_token_attr_per_feat(
    examples: Iterable[Example],
    attr: str,
    *,
    getter: _Getter = getattr,
    missing_values: Container[Any] = MISSING_VALUES,
    **_more: object,
) -> dict[str, Any]:
    """Returns the scores of features, such as `Number=Sing`: over all of them `{attr}_micro_p`,
    `_r` and `_f`, and for each field those in `{attr}_per_feat`. Scores without data are None.

    getter: returns the id of a token's features in the FEATS format. Other arguments are as for
    `score_token_attr`.
    """
    per_field: dict[str, PRFScore] = {}
    for example in examples:
        values, unsaid = _values(example.reference, attr, getter, missing_values)
        wanted: dict[str, _Facts] = {}
        strings = example.reference.vocab.strings
        for i, value in sorted(values):
            if not _add_features(wanted, i, strings, value):
                unsaid.add(i)
        found: dict[str, _Facts] = {}
        strings = example.predicted.vocab.strings
        for token, gold in aligned_words(example):
            if gold is None or gold in unsaid:
                continue
            value = getter(token, attr)
            if value not in missing_values:
                _add_features(found, gold, strings, value)
        for field in (*wanted, *(field for field in found if field not in wanted)):
            score = per_field.setdefault(field, PRFScore())
            score.score_set(found.get(field, set()), wanted.get(field, set()))
    micro = PRFScore()
    for score in per_field.values():
        micro += score
    if not micro:
        return dict.fromkeys([*(f"{attr}_micro_{name}" for name in "prf"), f"{attr}_per_feat"])
    return {
        **{f"{attr}_micro_{name}": value for name, value in micro.to_dict().items()},
        f"{attr}_per_feat": {field: score.to_dict() for field, score in per_field.items()},
    }


def aligned_words(example: Example) -> Iterator[tuple[Token, int | None]]:
    """Yields the predicted tokens other than whitespace, each with the position of the one
    reference token that it aligns with, or None.
    """
    for token, gold in zip(example.predicted, example.alignment.x2y._singles(), strict=True):
        if not token.orth_.isspace():
            yield token, gold


def _ranges(doc: Doc) -> set[tuple[int, int]]:
    """Returns the character range of each word."""
    return {(token.idx, token.idx + len(token)) for token in doc if not token.orth_.isspace()}


def _values(
    doc: Doc, attr: str, getter: _Getter, missing_values: Container[Any]
) -> tuple[_Facts, set[int]]:
    """Returns the values of a reference's tokens by position, and the positions without
    annotation.
    """
    values: _Facts = set()
    unsaid: set[int] = set()
    for i, token in enumerate(doc):
        value = getter(token, attr)
        if value in missing_values:
            unsaid.add(i)
        else:
            values.add((i, value))
    return values, unsaid


def _add_features(facts: dict[str, _Facts], i: int, strings: StringStore, key: int) -> bool:
    """Adds the features of an analysis, given by its id, by field. Returns False if it has none."""
    feats = strings[key]
    if feats in ("", "_"):
        return False
    for feature in feats.split("|"):
        facts.setdefault(feature.partition("=")[0], set()).add((i, feature))
    return True
