"""Scores of token attributes, as in spaCy."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Container, Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .._core import Doc, StringStore, Token
    from ..training import Example

__all__ = [
    "attribute_ruler_score",
    "lemmatizer_score",
    "score_token_attr",
    "score_token_attr_per_feat",
]

_Getter = Callable[["Token", str], Any]
_MISSING = frozenset([None, 0, ""])
_Facts = set[tuple[int, Any]]


def lemmatizer_score(examples: Iterable[Example], **kwargs: Any) -> dict[str, Any]:
    """Returns the accuracy of lemmas: `lemma_acc`."""
    return score_token_attr(examples, "lemma", **kwargs)


def attribute_ruler_score(examples: Iterable[Example], **kwargs: Any) -> dict[str, Any]:
    """Returns the scores of all attributes that the ruler may set: `tag_acc`, `pos_acc`,
    `morph_acc`, `lemma_acc`, and for features `morph_micro_p`, `_r`, `_f` and `morph_per_feat`.
    """
    examples = list(examples)
    return {
        **score_token_attr(examples, "tag", **kwargs),
        **score_token_attr(examples, "pos", **kwargs),
        **score_token_attr(examples, "morph", getter=_key, **kwargs),
        **score_token_attr_per_feat(examples, "morph", getter=_key, **kwargs),
        **score_token_attr(examples, "lemma", **kwargs),
    }


def _key(token: Token, attr: str) -> int:
    key: int = getattr(token, attr).key
    return key


def score_token_attr(
    examples: Iterable[Example],
    attr: str,
    *,
    getter: _Getter = getattr,
    missing_values: Container[Any] = _MISSING,
    **_more: object,
) -> dict[str, Any]:
    """Returns the accuracy of an attribute of tokens: `{attr}_acc`.

    getter: returns the value of a token.
    missing_values: the values without annotation; tokens of the reference with such a value are
        ignored.

    The accuracy is None without data. Predicted tokens that align with several tokens of the
    reference are ignored, so that these count as missing. Whitespace is ignored.
    """
    right = wrong = missing = 0
    for example in examples:
        wanted, unsaid = _values(example.reference, attr, getter, missing_values)
        found = {(i, value) for i, value in _aligned(example, attr, getter) if i not in unsaid}
        right += len(found & wanted)
        wrong += len(found - wanted)
        missing += len(wanted - found)
    if right + wrong + missing == 0:
        return {f"{attr}_acc": None}
    return {f"{attr}_acc": _figures(right, wrong, missing)["f"]}


def score_token_attr_per_feat(
    examples: Iterable[Example],
    attr: str,
    *,
    getter: _Getter = getattr,
    missing_values: Container[Any] = _MISSING,
    **_more: object,
) -> dict[str, Any]:
    """Returns precision, recall and F-score of features: `{attr}_micro_p`, `_r`, `_f` and
    `{attr}_per_feat`.

    getter: returns the id of a token's features in the FEATS format. Other arguments are as for
    `score_token_attr`.
    """
    counts: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for example in examples:
        strings = example.reference.vocab.strings
        values, unsaid = _values(example.reference, attr, getter, missing_values)
        wanted: defaultdict[str, _Facts] = defaultdict(set)
        for i, value in values:
            features = _features(strings, value)
            if not features:
                unsaid.add(i)
            for field, feature in features:
                wanted[field].add((i, feature))
        found: defaultdict[str, _Facts] = defaultdict(set)
        for i, value in _aligned(example, attr, getter):
            if i in unsaid or value in missing_values:
                continue
            for field, feature in _features(strings, value):
                found[field].add((i, feature))
        for field in wanted.keys() | found.keys():
            own, right = found[field], wanted[field]
            for at, facts in enumerate((own & right, own - right, right - own)):
                counts[field][at] += len(facts)
    total = [sum(column) for column in zip(*counts.values(), strict=True)] or [0, 0, 0]
    scores: dict[str, Any] = {f"{attr}_micro_{name}": None for name in "prf"}
    scores[f"{attr}_per_feat"] = None
    if any(total):
        for name, value in _figures(*total).items():
            scores[f"{attr}_micro_{name}"] = value
        scores[f"{attr}_per_feat"] = {field: _figures(*own) for field, own in counts.items()}
    return scores


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


def _aligned(example: Example, attr: str, getter: _Getter) -> Iterable[tuple[int, Any]]:
    """Yields the values of predicted tokens that align with one token of the reference, by its
    position.
    """
    aligned = example.alignment.x2y
    for token in example.predicted:
        if not token.orth_.isspace() and aligned.lengths[token.i] == 1:
            yield int(aligned[token.i][0]), getter(token, attr)


def _features(strings: StringStore, key: int) -> list[tuple[str, str]]:
    """Returns the fields of an analysis, given by its id, each with `Field=Value`."""
    feats = strings[key]
    if feats in ("", "_"):
        return []
    return [(feature.split("=")[0], feature) for feature in feats.split("|")]


def _figures(right: int, wrong: int, missing: int) -> dict[str, float]:
    precision = right / (right + wrong) if right else 0.0
    recall = right / (right + missing) if right else 0.0
    both = precision + recall
    return {"p": precision, "r": recall, "f": 2 * precision * recall / both if both else 0.0}
