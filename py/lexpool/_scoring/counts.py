"""`PRFScore`: counts of right, wrong and missing items, with precision, recall and F-score."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

__all__ = ["PRFScore", "macro_average"]

# Part of each denominator in spaCy: figures without data are 0.0, all others keep their bits.
_TINY = 1e-100


class PRFScore:
    """Counts of predictions, with precision, recall and F-score.

    tp: true positives, predictions that are right.
    fp: false positives, predictions that are wrong.
    fn: false negatives, items of the reference that were not predicted.
    """

    def __init__(self, *, tp: int = 0, fp: int = 0, fn: int = 0) -> None:
        self.tp: int = tp
        self.fp: int = fp
        self.fn: int = fn

    def __len__(self) -> int:
        """The sum of the counts; 0 means that there is nothing to score."""
        return self.tp + self.fp + self.fn

    def __iadd__(self, other: PRFScore) -> PRFScore:
        self.tp += other.tp
        self.fp += other.fp
        self.fn += other.fn
        return self

    def __add__(self, other: PRFScore) -> PRFScore:
        return PRFScore(tp=self.tp + other.tp, fp=self.fp + other.fp, fn=self.fn + other.fn)

    def __repr__(self) -> str:
        return f"PRFScore(tp={self.tp}, fp={self.fp}, fn={self.fn})"

    def score_set(self, cand: set[Any], gold: set[Any]) -> None:
        """Counts a set of predictions, compared with that of the reference."""
        right = len(cand & gold)
        self.tp += right
        self.fp += len(cand) - right
        self.fn += len(gold) - right

    @property
    def precision(self) -> float:
        """The share of predictions that are right; 0.0 without predictions."""
        return self.tp / (self.tp + self.fp + _TINY)

    @property
    def recall(self) -> float:
        """The share of the reference that was predicted; 0.0 without a reference."""
        return self.tp / (self.tp + self.fn + _TINY)

    @property
    def fscore(self) -> float:
        """The harmonic mean of precision and recall."""
        precision, recall = self.precision, self.recall
        return 2 * ((precision * recall) / (precision + recall + _TINY))

    def to_dict(self) -> dict[str, float]:
        """Returns precision, recall and F-score under "p", "r" and "f"."""
        return {"p": self.precision, "r": self.recall, "f": self.fscore}


def macro_average(scores: Iterable[PRFScore]) -> tuple[float, float, float]:
    """Returns the means of precision, recall and F-score; 0.0 without scores."""
    given = list(scores)
    number = len(given) + _TINY
    # spaCy adds with `sum` too, which rounds differently from Python 3.12 on.
    return (
        sum(score.precision for score in given) / number,
        sum(score.recall for score in given) / number,
        sum(score.fscore for score in given) / number,
    )
