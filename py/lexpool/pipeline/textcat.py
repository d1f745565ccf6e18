"""Categories of documents, one of which holds."""

from __future__ import annotations

from .._core import Doc
from .model import Model
from .scores import textcat_score
from .trainable_pipe import TrainablePipe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any, ClassVar

    from numpy import float32
    from numpy.typing import NDArray

    from ..vocab import Vocab

__all__ = ["TextCategorizer"]


class TextCategorizer(TrainablePipe):
    """Scores the categories of documents, which exclude each other.

    model: the section `model` of the settings.
    threshold: the score of a category that holds, for scoring alone.
    """

    factory: ClassVar[str] = "textcat"

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
