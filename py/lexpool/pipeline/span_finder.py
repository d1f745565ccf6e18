"""Spans from the scores of their first and last tokens."""

from __future__ import annotations

from .._learning.example import validate_examples
from .._learning.example_batch import native_batch
from .model import Model
from .scores import span_finder_score
from .trainable_pipe import TrainablePipe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any, ClassVar, NoReturn

    from numpy import float32
    from numpy.typing import NDArray

    from .._core import Doc, Learner, SharedRows, TrainingBatch
    from .._learning.example import Example
    from .._protocols import Pipeline
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
    _learned_settings: ClassVar[tuple[str, ...]] = (
        "spans_key",
        "threshold",
        "min_length",
        "max_length",
    )

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

    def initialize(  # type: ignore[override]  # there are no labels to give
        self, get_examples: Callable[[], Iterable[Example]], *, nlp: Pipeline | None = None
    ) -> None:
        """Makes new weights from the numbers of NumPy's global generator: the same as spaCy's.

        Raises TypeError (E930, E978) for another argument than a function that returns examples.
        """
        self._initialize(get_examples, {})

    def add_label(self, label: str) -> NoReturn:
        """Raises NotImplementedError: the component has no labels."""
        raise NotImplementedError("[E931] SpanFinder.add_label: the component has no labels")

    def get_loss(self, examples: Iterable[Example], scores: Any) -> tuple[float, Any]:
        """Returns the loss of scores of the network for examples, and its gradient.

        scores: an array with a row for each token of all documents.
        """
        import numpy

        validate_examples(examples, "SpanFinder.get_loss")
        _check_texts(examples)
        rows: NDArray[float32] = numpy.ascontiguousarray(scores, "float32")
        gradient, loss = self._loss(native_batch(examples), rows)
        return loss, gradient

    def _get_aligned_truth_scores(self, examples: Iterable[Example], ops: Any) -> tuple[Any, Any]:
        """Returns what the scores of tokens should be, and masks of those that count: edges of
        spans within a token do not.
        """
        import numpy

        given = list(examples)
        n_tokens = sum(len(example.predicted) for example in given)
        # The gradient of scores of 2 is 2, 1 for an edge, and 0 where it does not count.
        twos: NDArray[float32] = numpy.full((n_tokens, 2), 2.0, "float32")
        _, gradient = self.get_loss(given, twos)
        masks = (gradient != 0.0).astype("float32")
        return (2.0 - gradient) * masks, masks

    def _update_by(
        self,
        learner: Learner,
        batch: TrainingBatch,
        drop: float,
        rows: SharedRows | None,
        examples: list[Example],
    ) -> float:
        _check_texts(examples)
        return super()._update_by(learner, batch, drop, rows, examples)

    def _trained_as(self) -> str:
        return self.factory

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


def _check_texts(examples: Iterable[Example]) -> None:
    """Raises ValueError (E1054) for documents whose texts differ from those of the references."""
    for example in examples:
        if example.predicted.text != example.reference.text:
            raise ValueError(
                "[E1054] texts must match between reference and predicted documents, whitespace "
                f"included, for a span finder; got {example.reference.text!r:.80} for "
                f"{example.predicted.text!r:.80}"
            )
