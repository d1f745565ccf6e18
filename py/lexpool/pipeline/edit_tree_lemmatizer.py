"""Lemmas by edit trees: a network chooses among rules that rewrite the ends of a word form, and the
first rule that applies gives the lemma.
"""

from __future__ import annotations

from .._core import Doc
from .edit_trees import EditTrees
from .model import Model
from .scores import lemmatizer_score
from .trainable_pipe import TrainablePipe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any, ClassVar, NoReturn

    from .._core import Learner
    from .._learning.example import Example
    from .._protocols import Pipeline
    from ..vocab import Vocab

__all__ = ["EditTreeLemmatizer", "EditTrees"]


class EditTreeLemmatizer(TrainablePipe):
    """Sets the lemma of each token by the edit tree of the highest score.

    model: the section `model` of the settings.
    backoff: the attribute that is the lemma of a word to which no tree applies; None for no lemma.
    overwrite: whether lemmas that are set are replaced.
    top_k: the number of best trees that are tried.
    """

    factory: ClassVar[str] = "trainable_lemmatizer"

    def __init__(
        self,
        vocab: Vocab,
        model: Mapping[str, Any] | Model,
        name: str = "trainable_lemmatizer",
        *,
        backoff: str | None = "orth",
        min_tree_freq: int = 3,
        overwrite: bool = False,
        top_k: int = 1,
        scorer: Callable[..., dict[str, Any]] | None = lemmatizer_score,
    ) -> None:
        super().__init__(vocab, model, name, scorer=scorer)
        self.backoff = backoff
        self.min_tree_freq = min_tree_freq
        self.overwrite = overwrite
        self.top_k = top_k
        self.trees: EditTrees = EditTrees(vocab.strings)
        self.cfg: dict[str, Any] = {"labels": []}

    @property
    def labels(self) -> tuple[Any, ...]:
        """The numbers of the trees, in the order of the network's outputs."""
        return tuple(self.cfg["labels"])

    @property
    def hide_labels(self) -> bool:
        """True: the labels are numbers of trees."""
        return True

    @property
    def tree2label(self) -> dict[int, int]:
        """The positions of the labels by the numbers of their trees."""
        return {int(tree): at for at, tree in enumerate(self.cfg["labels"])}

    @property
    def label_data(self) -> dict[str, Any]:
        """The trees, with their strings, and the numbers of those that are labels."""
        trees: list[dict[str, Any]] = []
        for number in range(len(self.trees)):
            tree: dict[str, Any] = dict(self.trees[number])
            for key in ("orig", "subst"):
                if key in tree:
                    tree[key] = self.vocab.strings[tree[key]] if tree[key] else ""
            trees.append(tree)
        return {"trees": trees, "labels": self.labels}

    def initialize(
        self,
        get_examples: Callable[[], Iterable[Example]],
        *,
        nlp: Pipeline | None = None,
        labels: Any = None,
    ) -> None:
        """Makes trees of the lemmas of examples, and new weights from the numbers of NumPy's global
        generator: the same as spaCy's.

        get_examples: a function that returns examples.
        labels: trees and labels instead of those of the examples, as `label_data` has them.

        Raises TypeError (E930, E978) for other arguments; ValueError: E857 for labels without
        "labels" and "trees", E143 if no tree is frequent enough.
        """
        for key in ("labels", "trees"):
            if labels is not None and key not in labels:
                raise ValueError(f"[E857] the labels of the lemmatizer lack {key!r}")
        super().initialize(get_examples, nlp=nlp, labels=labels)

    def add_label(self, label: str) -> NoReturn:
        """Raises NotImplementedError: labels are trees, which `initialize` makes."""
        raise NotImplementedError(
            "[E931] EditTreeLemmatizer.add_label: labels are trees, which initialize makes"
        )

    def _trained_as(self) -> str:
        return self.factory

    def _training_settings(self) -> dict[str, Any]:
        return {**self._own_settings(), "min_tree_freq": self.min_tree_freq}

    def _label_files(self) -> dict[str, bytes]:
        return {**super()._label_files(), "trees": self.trees.to_bytes()}

    def _take_labels(self, learner: Learner) -> None:
        super()._take_labels(learner)
        self.trees.from_bytes(learner.files()["trees"])

    def predict(self, docs: Iterable[Doc]) -> list[list[int]]:
        """Returns for each document the numbers of the trees of its tokens; -1 if none of the best
        trees applies.
        """
        docs = list(docs)
        return [
            [self._tree(token.text, row) for token, row in zip(doc, rows, strict=True)]
            for doc, rows in zip(docs, self.model.predict(docs), strict=True)
        ]

    def _tree(self, word: str, scores: Any) -> int:
        import numpy

        scores = scores.copy()
        for _ in range(min(self.top_k, len(scores))):
            best = int(scores.argmax())
            if self.trees.apply(self.labels[best], word) is not None:
                return int(self.labels[best])
            scores[best] = numpy.finfo("float32").min
        return -1

    def set_annotations(self, docs: Iterable[Doc], scores: Any) -> None:
        """Sets the lemmas of documents by the trees of `predict`."""
        for doc, trees in zip(docs, scores, strict=False):
            for token, tree in zip(doc, trees, strict=False):
                if token.lemma != 0 and not self.overwrite:
                    continue
                lemma = None if tree == -1 else self.trees.apply(int(tree), token.text)
                if lemma is not None:
                    token.lemma_ = lemma
                elif self.backoff is not None:
                    token.lemma = getattr(token, self.backoff)

    def _own_settings(self) -> dict[str, Any]:
        return {"backoff": self.backoff, "overwrite": self.overwrite, "top_k": self.top_k}

    def _files(self) -> dict[str, Callable[[], bytes]]:
        return {**super()._files(), "trees": self.trees.to_bytes}

    def _readers(self) -> dict[str, Callable[[bytes], Any]]:
        return {**super()._readers(), "trees": self.trees.from_bytes}
