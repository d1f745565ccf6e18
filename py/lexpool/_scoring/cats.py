"""Scores of the categories of documents."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from .counts import PRFScore, macro_average
from .roc import ROCAUCScore

if TYPE_CHECKING:
    from .._core import Doc
    from ..training import Example

__all__ = ["score_cats"]

_Cats = dict[str, Any]


def score_cats(
    examples: Iterable[Example],
    attr: str,
    *,
    getter: Callable[[Doc, str], Any] = getattr,
    labels: Iterable[str] = (),
    multi_label: bool = True,
    positive_label: str | None = None,
    threshold: float | None = None,
    **_more: object,
) -> dict[str, Any]:
    """Returns the scores of the categories that `getter` returns for a document and `attr`.

    labels: the labels that are scored; others are ignored.
    multi_label: whether a document may have several labels. If not, the highest label of each side
        counts, the first of equal ones, and a label without a reference value has the value 0.
    positive_label: the label of interest, if there are two exclusive ones.
    threshold: the score from which a label is predicted, for `multi_label`; 0.5 by default.

    The keys are `{attr}_micro_p`, `_r`, `_f` over all labels; `{attr}_macro_p`, `_r`, `_f` and
    `_auc` as means of the labels; `{attr}_f_per_type` and `{attr}_auc_per_type`, None for a label
    whose reference values are not binary; and `{attr}_score` with its name `{attr}_score_desc`,
    which is the macro AUC if `multi_label`, else the F-score of `positive_label` or the macro
    F-score.
    """
    per_label = {label: PRFScore() for label in labels}
    areas = {label: ROCAUCScore() for label in per_label}
    for example in examples:
        found = _of_labels(getter(example.predicted, attr), per_label)
        wanted = _of_labels(getter(example.reference, attr), per_label)
        for label, area in areas.items():
            gold = wanted.get(label)
            if not gold and not multi_label:
                gold = 0.0
            if gold is not None:
                area.score_set(found.get(label, 0.0), gold)
        if multi_label:
            _count_each(per_label, found, wanted, 0.5 if threshold is None else threshold)
        else:
            _count_highest(per_label, found, wanted)
    return _figures(attr, per_label, areas, multi_label, positive_label)


def _of_labels(cats: _Cats, labels: dict[str, PRFScore]) -> _Cats:
    return {label: score for label, score in cats.items() if label in labels}


def _count_each(
    per_label: dict[str, PRFScore], found: _Cats, wanted: _Cats, threshold: float
) -> None:
    for label, score in per_label.items():
        gold = wanted.get(label)
        if gold is None:
            continue
        predicted = found.get(label, 0.0)
        if predicted >= threshold and gold > 0:
            score.tp += 1
        elif predicted >= threshold and gold == 0:
            score.fp += 1
        elif predicted < threshold and gold > 0:
            score.fn += 1


def _count_highest(per_label: dict[str, PRFScore], found: _Cats, wanted: _Cats) -> None:
    predicted = max(found, key=lambda label: found[label], default=None)
    gold = max(wanted, key=lambda label: wanted[label], default=None)
    if predicted is not None and predicted == gold:
        per_label[predicted].tp += 1
        return
    # Without any prediction spaCy fails here, as it takes a label apart.
    if gold is not None and (predicted is not None or wanted[gold] > 0):
        per_label[gold].fn += 1
    if predicted is not None:
        per_label[predicted].fp += 1


def _figures(
    attr: str,
    per_label: dict[str, PRFScore],
    areas: dict[str, ROCAUCScore],
    multi_label: bool,
    positive_label: str | None,
) -> dict[str, Any]:
    micro = PRFScore()
    for score in per_label.values():
        micro += score
    macro_p, macro_r, macro_f = macro_average(per_label.values())
    auc = {label: area.score if area.is_binary() else None for label, area in areas.items()}
    # All labels are in the mean, and those without an area count as 0. Added one by one: spaCy
    # adds NumPy's numbers, which `sum` does not add in its own way from Python 3.12 on.
    macro_auc = 0.0
    for area in auc.values():
        macro_auc += area or 0.0
    macro_auc /= len(auc) or 1
    overall, name = macro_f, "macro F"
    if multi_label:
        overall, name = macro_auc, "macro AUC"
    elif len(per_label) == 2 and positive_label:
        overall, name = per_label[positive_label].fscore, f"F ({positive_label})"
    return {
        f"{attr}_score": overall,
        f"{attr}_score_desc": name,
        **{f"{attr}_micro_{name}": value for name, value in micro.to_dict().items()},
        f"{attr}_macro_p": macro_p,
        f"{attr}_macro_r": macro_r,
        f"{attr}_macro_f": macro_f,
        f"{attr}_macro_auc": macro_auc,
        f"{attr}_f_per_type": {label: score.to_dict() for label, score in per_label.items()},
        f"{attr}_auc_per_type": auc,
    }
