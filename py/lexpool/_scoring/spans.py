"""Scores of spans: sentences, span groups, or whatever a getter returns."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from .counts import PRFScore

if TYPE_CHECKING:
    from .._core import Doc, Span
    from ..training import Example

__all__ = ["score_spans"]

# A span: its label, its first token and its last token.
_Counted = tuple[str, int, int]


def score_spans(
    examples: Iterable[Example],
    attr: str,
    *,
    getter: Callable[[Doc, str], Iterable[Span]] = getattr,
    has_annotation: Callable[[Doc], bool] | None = None,
    labeled: bool = True,
    allow_overlap: bool = False,
    **_more: object,
) -> dict[str, Any]:
    """Returns the scores of the predicted spans that `getter` returns for a document and `attr`.

    has_annotation: returns whether a document has annotation of such spans; examples with a
        reference without it are left out.
    labeled: whether labels are compared, and scored separately.
    allow_overlap: whether overlapping predicted spans are all counted.

    The keys are `{attr}_p`, `_r`, `_f`, and if labeled `_per_type`; scores without data are None.
    """
    total = PRFScore()
    per_label: dict[str, PRFScore] = {}
    for example in examples:
        reference, predicted = example.reference, example.predicted
        if has_annotation is not None and not has_annotation(reference):
            continue
        wanted, found = list(getter(reference, attr)), list[Any]()
        # A dictionary keeps the order, in which tables show the labels.
        labels = dict.fromkeys(span.label_ for span in wanted)
        if has_annotation is None or has_annotation(predicted):
            given = list(getter(predicted, attr))
            labels.update(dict.fromkeys(span.label_ for span in given))
            found = example.get_aligned_spans_x2y(given, allow_overlap)
        right, ours = _counted(wanted, labeled), _counted(found, labeled)
        for label in labels if labeled else ():
            score = per_label.setdefault(label, PRFScore())
            score.score_set(_of_label(ours, label), _of_label(right, label))
        total.score_set(ours, right)
    scores: dict[str, Any] = dict.fromkeys(f"{attr}_{name}" for name in "prf")
    if total:
        scores = {f"{attr}_{name}": value for name, value in total.to_dict().items()}
    if labeled:
        per_type = {label: score.to_dict() for label, score in per_label.items()}
        scores[f"{attr}_per_type"] = per_type if total else None
    return scores


def _counted(spans: Iterable[Any], labeled: bool) -> set[_Counted]:
    return {(span.label_ if labeled else "", span.start, span.end - 1) for span in spans}


def _of_label(spans: set[_Counted], label: str) -> set[_Counted]:
    return {span for span in spans if span[0] == label}
