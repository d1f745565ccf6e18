"""Categories of documents, any number of which holds."""

from __future__ import annotations

from .model import Model
from .scores import textcat_multilabel_score
from .textcat import TextCategorizer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any, ClassVar

    from .._learning.example import Example
    from .._protocols import Pipeline
    from ..vocab import Vocab

__all__ = ["MultiLabel_TextCategorizer"]


class MultiLabel_TextCategorizer(TextCategorizer):
    """Scores the categories of documents, which do not exclude each other.

    model: the section `model` of the settings.
    threshold: the score of a category that holds, for scoring alone.
    """

    factory: ClassVar[str] = "textcat_multilabel"

    def __init__(
        self,
        vocab: Vocab,
        model: Mapping[str, Any] | Model,
        name: str = "textcat_multilabel",
        *,
        threshold: float = 0.5,
        scorer: Callable[..., dict[str, Any]] | None = textcat_multilabel_score,
    ) -> None:
        super().__init__(vocab, model, name, threshold=threshold, scorer=scorer)
        del self.cfg["positive_label"]

    def initialize(  # type: ignore[override]  # spaCy's class has no positive label either
        self,
        get_examples: Callable[[], Iterable[Example]],
        *,
        nlp: Pipeline | None = None,
        labels: Any = None,
    ) -> None:
        """Finds the categories in examples, and makes new weights from the numbers of NumPy's
        global generator: the same as spaCy's.

        get_examples: a function that returns examples.
        labels: categories instead of those of the examples.

        Raises TypeError (E930, E978) for other arguments; ValueError: E143 without categories, E851
        for one whose value is neither 0 nor 1.
        """
        super().initialize(get_examples, nlp=nlp, labels=labels)

    @property
    def support_missing_values(self) -> bool:
        """True: examples without a category do not count for it."""
        return True
