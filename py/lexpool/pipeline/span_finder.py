"""Spans from the scores of their first and last tokens."""

from __future__ import annotations

from .model import Model
from .scores import span_finder_score
from .trainable_pipe import TrainablePipe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any, ClassVar

    from numpy import float32
    from numpy.typing import NDArray

    from .._core import Doc
    from ..vocab import Vocab

__all__ = ["SpanFinder"]


class SpanFinder(TrainablePipe):
    """Finds spans without labels.

    model: the section `model` of the settings.
    spans_key: the key of `doc.spans` for the spans.
    threshold: the lowest score of a first or last token.
    min_length, max_length: the fewest and the most tokens of a span; None for any number.
    """

    factory: ClassVar[str] = "span_finder"

    def __init__(
        self,
        vocab: Vocab,
        model: Mapping[str, Any] | Model,
        name: str = "span_finder",
        *,
        spans_key: str = "sc",
        threshold: float = 0.5,
        max_length: int | None = None,
        min_length: int | None = None,
        scorer: Callable[..., dict[str, Any]] | None = span_finder_score,
    ) -> None:
        super().__init__(vocab, model, name, scorer=scorer)
        for which, length in (("min_length", min_length), ("max_length", max_length)):
            if length is not None and length < 1:
                raise ValueError(f"[E1053] {which} is {length}; expected at least 1, or None")
        if min_length is not None and max_length is not None and min_length > max_length:
            raise ValueError(f"[E1053] min_length is {min_length}, max_length {max_length}")
        self.cfg: dict[str, Any] = {
            "min_length": min_length,
            "max_length": max_length,
            "threshold": threshold,
            "spans_key": spans_key,
        }

    def predict(self, docs: Iterable[Doc]) -> NDArray[float32]:
        """Returns the scores of first and last tokens: two columns, and the rows of all documents,
        one after another.
        """
        import numpy

        rows = self.model.predict(docs)
        none: NDArray[float32] = numpy.zeros((0, 2), "float32")
        return numpy.concatenate(rows) if rows else none

    def set_annotations(self, docs: Iterable[Doc], scores: Any) -> None:
        """Sets the spans of documents by the scores of `predict`."""
        threshold, key = self.cfg["threshold"], self.cfg["spans_key"]
        shortest, longest = self.cfg["min_length"] or 1, self.cfg["max_length"]
        done = 0
        for doc in docs:
            rows = scores[done : done + len(doc)]
            done += len(doc)
            starts = [token for token, row in enumerate(rows) if row[0] >= threshold]
            ends = [token + 1 for token, row in enumerate(rows) if row[1] >= threshold]
            doc.spans[key] = [
                doc[start:end]
                for start in starts
                for end in ends
                if end - start >= shortest and (longest is None or end - start <= longest)
            ]
