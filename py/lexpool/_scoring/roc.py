"""The area under the receiver operating characteristic (ROC) of a binary classification.

The curve is Fawcett's ("An introduction to ROC analysis", 2006): a point for each distinct score,
from the highest down. The area is the sum of its trapezoids, added pairwise as NumPy adds an array,
so that it has the bits of spaCy's figure without NumPy.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Any

__all__ = ["ROCAUCScore", "roc_auc_score", "roc_curve"]

# NumPy adds up to this many numbers in eight interleaved sums, and halves longer arrays.
_BLOCK = 128
_LANES = 8


class ROCAUCScore:
    """The area under the curve of the scores of one label. It is defined only if the reference has
    two different values; `is_binary` tells.
    """

    def __init__(self) -> None:
        self.golds: list[Any] = []
        self.cands: list[Any] = []
        self.saved_score: float = 0.0
        self.saved_score_at_len: int = 0

    def score_set(self, cand: float, gold: float) -> None:
        """Adds the predicted score of a document and that of its reference."""
        self.cands.append(cand)
        self.golds.append(gold)

    def is_binary(self) -> bool:
        """Returns whether the reference has exactly two different values."""
        return _is_binary(self.golds)

    @property
    def score(self) -> float:
        """The area, from 0 to 1. Raises ValueError (E165) if the reference is not binary."""
        if len(self.golds) != self.saved_score_at_len or not self.golds:
            self.saved_score = roc_auc_score(self.golds, self.cands)
            self.saved_score_at_len = len(self.golds)
        return self.saved_score


def roc_auc_score(y_true: Sequence[float], y_score: Sequence[float]) -> float:
    """Returns the area under the curve of `roc_curve`; NaN if no reference value is 1.

    Raises ValueError (E165) unless `y_true` has exactly two different values.
    """
    if not _is_binary(y_true):
        raise ValueError(
            "[E165] the area under a ROC curve needs two different reference values, not "
            f"{sorted(set(y_true))}"
        )
    x, y, _ = roc_curve(y_true, y_score)
    # The x ascend, since they are shares of running counts.
    strips = [
        (x2 - x1) * (y2 + y1) / 2.0
        for (x1, x2), (y1, y2) in zip(pairwise(x), pairwise(y), strict=True)
    ]
    return _pairwise_sum(strips, 0, len(strips))


def roc_curve(
    y_true: Sequence[float], y_score: Sequence[float]
) -> tuple[list[float], list[float], list[float]]:
    """Returns the points of the curve: rates of false positives, rates of true positives, and the
    thresholds that give them.

    y_true: reference values; 1 is positive and any other value negative.
    y_score: a predicted score for each reference value, of which there is at least one.

    The first point is (0, 0), with a threshold above all scores. A rate is NaN if its class is
    empty.
    """
    # Descending and NaN first, equal scores from the last to the first, as NumPy sorts them.
    order = sorted(range(len(y_score)), key=lambda i: (y_score[i] != y_score[i], y_score[i]))[::-1]
    scores = [y_score[i] for i in order]
    positives = list(accumulate(1.0 if y_true[i] == 1 else 0.0 for i in order))
    last = len(order) - 1
    ends = [i for i in range(last) if scores[i + 1] - scores[i] != 0] + [last]
    true = [0.0, *(positives[i] for i in ends)]
    false = [0.0, *(1 + i - positives[i] for i in ends)]
    return _rates(false), _rates(true), [scores[0] + 1, *(scores[i] for i in ends)]


def _rates(counts: list[float]) -> list[float]:
    total = counts[-1]
    return [count / total if total > 0 else float("nan") for count in counts]


def _is_binary(values: Sequence[float]) -> bool:
    numbers = {value for value in values if value == value}
    return len(numbers) + any(value != value for value in values) == 2


def _pairwise_sum(values: Sequence[float], start: int, end: int) -> float:
    """Returns the sum of a range, in NumPy's order."""
    number = end - start
    if number > _BLOCK:
        half = number // 2
        middle = start + half - half % _LANES
        return _pairwise_sum(values, start, middle) + _pairwise_sum(values, middle, end)
    whole = start + number - number % _LANES
    total = 0.0
    if whole > start:
        lanes = list(values[start : start + _LANES])
        for at in range(start + _LANES, whole):
            lanes[(at - start) % _LANES] += values[at]
        a, b, c, d, e, f, g, h = lanes
        total = ((a + b) + (c + d)) + ((e + f) + (g + h))
    for at in range(whole, end):
        total += values[at]
    return total
