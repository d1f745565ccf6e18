"""Lemmas by edit trees."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from .._core import Doc
from .._narrow import is_dict, is_list
from ..msgpack import packb, unpackb
from .model import Model
from .scores import lemmatizer_score
from .trainable_pipe import TrainablePipe

if TYPE_CHECKING:
    from typing import Self

    from .._core import StringStore
    from ..vocab import Vocab

__all__ = ["EditTreeLemmatizer", "EditTrees"]

# The number that stands for a missing tree.
_NONE = 2**32 - 1
# The most nodes of a tree with all its parts, and the most levels.
_MOST_NODES = 1 << 16
_MOST_LEVELS = 200


class EditTrees:
    """Trees that rewrite the ends of words, as a trained lemmatizer has them.

    strings: the store with the strings of the trees.

    `trees[i]` is a dict: with "orig" and "subst" a string and its substitute, by their ids, else
    with the lengths of a prefix and a suffix and the trees that rewrite them.
    """

    def __init__(self, strings: StringStore) -> None:
        self.strings = strings
        self._trees: list[dict[str, int]] = []

    def __len__(self) -> int:
        """The number of trees."""
        return len(self._trees)

    def __getitem__(self, idx: int) -> dict[str, int]:
        """Returns a tree by its number."""
        return dict(self._trees[idx])

    def apply(self, tree_id: int, form: str) -> str | None:
        """Returns the lemma of a form by a tree; None if the tree does not apply to it. Raises
        IndexError for an unknown tree.
        """
        if not 0 <= tree_id < len(self._trees):
            raise IndexError(f"[E1030] no tree has the number {tree_id}")
        return self._applied(tree_id, form)

    def _applied(self, tree_id: int, form: str) -> str | None:
        tree = self._trees[tree_id]
        if "orig" in tree:
            is_same = form == (self.strings[tree["orig"]] if tree["orig"] else "")
            substitute = self.strings[tree["subst"]] if tree["subst"] else ""
            return substitute if is_same else None
        start, end = tree["prefix_len"], len(form) - tree["suffix_len"]
        if start > end:
            return None
        parts = [(tree["prefix_tree"], form[:start]), (tree["suffix_tree"], form[end:])]
        ends = ["" if number == _NONE else self._applied(number, part) for number, part in parts]
        if ends[0] is None or ends[1] is None:
            return None
        return ends[0] + form[start:end] + ends[1]

    def to_bytes(self, **kwargs: Any) -> bytes:
        """Returns the trees as bytes, in spaCy's format."""
        return packb({"trees": self._trees})

    def from_bytes(self, bytes_data: bytes) -> Self:
        """Loads the bytes of `to_bytes`. Raises ValueError (E1026) for other bytes."""
        read: object = unpackb(bytes_data)
        trees: object = read.get("trees") if is_dict(read) else None
        if not is_list(trees) or not all(_is_tree(tree, at) for at, tree in enumerate(trees)):
            raise ValueError("[E1026] expected a list of edit trees, each with parts before it")
        extents: list[tuple[int, int]] = []
        for at, tree in enumerate(trees):
            numbers = (tree.get("prefix_tree", _NONE), tree.get("suffix_tree", _NONE))
            parts = [extents[part] for part in numbers if part != _NONE]
            nodes = 1 + sum(count for count, _ in parts)
            levels = 1 + max((depth for _, depth in parts), default=0)
            if nodes > _MOST_NODES or levels > _MOST_LEVELS:
                raise ValueError(f"[E1026] tree {at} has {nodes} nodes on {levels} levels")
            extents.append((nodes, levels))
        self._trees = trees
        return self


def _is_tree(tree: object, at: int) -> bool:
    if not is_dict(tree) or not all(isinstance(value, int) for value in tree.values()):
        return False
    if tree.keys() == {"orig", "subst"}:
        return True
    if tree.keys() != {"prefix_len", "suffix_len", "prefix_tree", "suffix_tree"}:
        return False
    parts = (tree["prefix_tree"], tree["suffix_tree"])
    return all(part == _NONE or 0 <= part < at for part in parts)


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
        self.trees = EditTrees(vocab.strings)
        self.cfg = {"labels": []}

    @property
    def labels(self) -> tuple[Any, ...]:
        """The numbers of the trees, in the order of the network's outputs."""
        return tuple(self.cfg["labels"])

    @property
    def hide_labels(self) -> bool:
        """True: the labels are numbers of trees."""
        return True

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
