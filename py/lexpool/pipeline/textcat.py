"""Categories of documents, one of which holds."""

from __future__ import annotations

from .._core import Doc
from .._learning.example import validate_examples
from .._learning.example_batch import native_batch
from .model import Model
from .scores import textcat_score
from .trainable_pipe import TrainablePipe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any, ClassVar

    from numpy import float32
    from numpy.typing import NDArray

    from .._learning.example import Example
    from .._protocols import Pipeline
    from ..vocab import Vocab

__all__ = ["TextCategorizer"]


class TextCategorizer(TrainablePipe):
    """Scores the categories of documents, which exclude each other.

    model: the section `model` of the settings.
    threshold: the score of a category that holds, for scoring alone.
    """

    factory: ClassVar[str] = "textcat"
    _learned_settings: ClassVar[tuple[str, ...]] = ("threshold",)
    _rehearses: ClassVar[bool] = True

    def __init__(
        self,
        vocab: Vocab,
        model: Mapping[str, Any] | Model,
        name: str = "textcat",
        *,
        threshold: float = 0.0,
        scorer: Callable[..., dict[str, Any]] | None = textcat_score,
    ) -> None:
        super().__init__(vocab, model, name, scorer=scorer)
        self.cfg: dict[str, Any] = {"labels": [], "threshold": threshold, "positive_label": None}

    @property
    def support_missing_values(self) -> bool:
        """False: examples without a category count as negative."""
        return False

    @property
    def labels(self) -> tuple[str, ...]:
        """The categories, in the order of the network's outputs."""
        return tuple(self.cfg["labels"])

    @property
    def label_data(self) -> Any:
        """The categories."""
        return self.labels

    def initialize(
        self,
        get_examples: Callable[[], Iterable[Example]],
        *,
        nlp: Pipeline | None = None,
        labels: Any = None,
        positive_label: str | None = None,
    ) -> None:
        """Finds the categories in examples, and makes new weights from the numbers of NumPy's
        global generator: the same as spaCy's.

        get_examples: a function that returns examples.
        labels: categories instead of those of the examples.
        positive_label: the category that is scored, of two.

        Raises TypeError (E930, E978) for other arguments; ValueError: E867 for less than two
        categories, E851 for one whose value is neither 0 nor 1, E895 for a document of several,
        E919 and E920 for a positive label that is none of two categories.
        """
        super().initialize(get_examples, nlp=nlp, labels=labels)
        if positive_label is None:
            return
        if positive_label not in self.labels:
            raise ValueError(
                f"[E920] the positive label {positive_label!r} is not among {list(self.labels)}"
            )
        if len(self.labels) != 2:
            raise ValueError(
                f"[E919] the positive label {positive_label!r} needs two labels, not "
                f"{list(self.labels)}"
            )
        self.cfg["positive_label"] = positive_label

    def get_loss(self, examples: Iterable[Example], scores: Any) -> tuple[float, Any]:
        """Returns the loss of scores of the network for examples, and its gradient.

        scores: an array with a row for each document.
        """
        import numpy

        validate_examples(examples, f"{self._own_name()}.get_loss")
        rows: NDArray[float32] = numpy.ascontiguousarray(scores, "float32")
        gradient, loss = self._loss(native_batch(examples), rows)
        return loss, gradient

    def _trained_as(self) -> str:
        return self.factory

    def predict(self, docs: Iterable[Doc]) -> NDArray[float32]:
        """Returns the scores of the categories, a row for each document; zeros for a document
        without tokens.
        """
        import numpy

        docs = list(docs)
        scores: NDArray[float32] = numpy.zeros((len(docs), len(self.labels)), "float32")
        for row, doc in zip(scores, docs, strict=True):
            if len(doc):
                row[:] = self.model.predict([doc])[0][0]
        return scores

    def set_annotations(self, docs: Iterable[Doc], scores: Any) -> None:
        """Sets the scores of `predict` in `doc.cats`."""
        for doc, row in zip(docs, scores, strict=False):
            for label, score in zip(self.labels, row, strict=True):
                doc.cats[label] = float(score)
