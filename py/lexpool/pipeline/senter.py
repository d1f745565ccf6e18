"""Sentence starts by a network."""

from __future__ import annotations

from .._core import Doc
from .model import Model
from .scores import senter_score
from .tagger import Tagger

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any, ClassVar, NoReturn

    from .._learning.example import Example
    from .._protocols import Pipeline
    from ..vocab import Vocab

__all__ = ["SentenceRecognizer"]


class SentenceRecognizer(Tagger):
    """Sets whether a sentence starts with each token.

    model: the section `model` of the settings.
    overwrite: whether sentence starts that are set are replaced.
    """

    factory: ClassVar[str] = "senter"
    _learned_settings: ClassVar[tuple[str, ...]] = ("overwrite",)

    def __init__(
        self,
        vocab: Vocab,
        model: Mapping[str, Any] | Model,
        name: str = "senter",
        *,
        overwrite: bool = False,
        scorer: Callable[..., dict[str, Any]] | None = senter_score,
    ) -> None:
        super().__init__(vocab, model, name, scorer=scorer)
        self.cfg: dict[str, Any] = {"overwrite": overwrite}

    @property
    def labels(self) -> tuple[str, ...]:
        """The two labels: inside of a sentence, start of a sentence."""
        return ("I", "S")

    @property
    def hide_labels(self) -> bool:
        """True: the labels are always the same."""
        return True

    @property
    def label_data(self) -> Any:
        """Returns None: the labels are always the same."""
        return None

    def initialize(  # type: ignore[override]  # there are no labels to give
        self, get_examples: Callable[[], Iterable[Example]], *, nlp: Pipeline | None = None
    ) -> None:
        """Makes new weights from the numbers of NumPy's global generator: the same as spaCy's.

        Raises TypeError (E930, E978) for another argument than a function that returns examples.
        """
        self._initialize(get_examples, {})

    def add_label(self, label: str) -> NoReturn:
        """Raises NotImplementedError: the labels are always the same."""
        raise NotImplementedError("[E931] SentenceRecognizer.add_label: its labels are I and S")

    def _trained_as(self) -> str:
        return "senter"

    def set_annotations(self, docs: Iterable[Doc] | Doc, scores: Any) -> None:
        """Sets the sentence starts of documents to the labels of `predict`."""
        docs = [docs] if isinstance(docs, Doc) else docs
        for doc, guesses in zip(docs, scores, strict=False):
            for token, label in zip(doc, guesses, strict=False):
                if token.is_sent_start is None or self.cfg["overwrite"]:
                    token.is_sent_start = bool(label == 1)
