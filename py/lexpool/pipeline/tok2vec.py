"""Token vectors that several components share."""

from __future__ import annotations

from .model import Model
from .trainable_pipe import TrainablePipe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any, ClassVar

    from numpy import float32
    from numpy.typing import NDArray

    from .._core import Doc
    from ..vocab import Vocab

__all__ = ["Tok2Vec"]


class Tok2Vec(TrainablePipe):
    """Sets the tensor of documents, which the listeners of other components read.

    model: the section `model` of the settings.
    """

    factory: ClassVar[str] = "tok2vec"

    def __init__(
        self, vocab: Vocab, model: Mapping[str, Any] | Model, name: str = "tok2vec"
    ) -> None:
        super().__init__(vocab, model, name)

    def set_annotations(self, docs: Iterable[Doc], scores: Iterable[NDArray[float32]]) -> None:
        """Sets the tensors of documents."""
        for doc, tensor in zip(docs, scores, strict=True):
            doc.tensor = tensor
