"""Fine-grained tags."""

from __future__ import annotations

from .._core import Doc
from .model import Model
from .scores import tagger_score
from .trainable_pipe import TrainablePipe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any, ClassVar

    from numpy import int64
    from numpy.typing import NDArray

    from ..vocab import Vocab

__all__ = ["Tagger"]


class Tagger(TrainablePipe):
    """Sets the tag of each token to the label of the highest score.

    model: the section `model` of the settings.
    overwrite: whether tags that are set are replaced.
    """

    factory: ClassVar[str] = "tagger"
    _learned_settings: ClassVar[tuple[str, ...]] = ("overwrite", "neg_prefix", "label_smoothing")
    _rehearses: ClassVar[bool] = True

    def __init__(
        self,
        vocab: Vocab,
        model: Mapping[str, Any] | Model,
        name: str = "tagger",
        *,
        overwrite: bool = False,
        scorer: Callable[..., dict[str, Any]] | None = tagger_score,
        neg_prefix: str = "!",
        label_smoothing: float = 0.0,
    ) -> None:
        super().__init__(vocab, model, name, scorer=scorer)
        self.cfg: dict[str, Any] = {
            "labels": [],
            "overwrite": overwrite,
            "neg_prefix": neg_prefix,
            "label_smoothing": label_smoothing,
        }

    @property
    def labels(self) -> tuple[str, ...]:
        """The tags, in the order of the network's outputs."""
        return tuple(self.cfg["labels"])

    @property
    def label_data(self) -> Any:
        """The tags."""
        return self.labels

    def _trained_as(self) -> str:
        return self.factory or "tagger"

    def predict(self, docs: Iterable[Doc]) -> list[NDArray[int64]]:
        """Returns for each document the positions of the labels of its tokens."""
        return [rows.argmax(axis=1) for rows in self.model.predict(docs)]

    def set_annotations(self, docs: Iterable[Doc] | Doc, scores: Any) -> None:
        """Sets the tags of documents to the labels of `predict`."""
        labels = self.labels
        docs = [docs] if isinstance(docs, Doc) else docs
        for doc, guesses in zip(docs, scores, strict=False):
            for token, label in zip(doc, guesses, strict=False):
                if token.tag == 0 or self.cfg["overwrite"]:
                    token.tag_ = labels[label]
