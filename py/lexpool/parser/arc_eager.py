"""Dependency parsing with the arc-eager transition system."""

from __future__ import annotations

from collections import Counter

from .._core import Gold, StateClass, arc_eager_labels
from .._learning.example import Example
from .gold import GoldAnnotation
from .transition_system import TransitionSystem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from .._core import Beam, Doc

__all__ = ["ArcEager", "ArcEagerGold"]

_SHIFT, _REDUCE, _LEFT, _RIGHT, _BREAK = range(5)


class ArcEagerGold(GoldAnnotation):
    """The projective tree of an example's reference, on predicted tokens.

    Labels that the moves lack are replaced by "dep", or "ROOT" for a root.
    """

    __slots__ = ()

    def __init__(self, moves: ArcEager, stcls: StateClass, example: Example) -> None:
        heads, labels = example.get_aligned_parse(projectivize=True)
        strings = example.x.vocab.strings
        for label in {label for label in labels if label is not None}:
            strings.add(label, allow_transient=False)
        self.native: Gold = Gold.arc_eager(moves.native, heads, labels, _sent_starts(example))


class ArcEager(TransitionSystem):
    """The arc-eager system, non-monotonic: S(hift), D (reduce), L(eft), R(ight) and B(reak).

    >>> import lexpool
    >>> from lexpool.tokens import Doc
    >>> from lexpool.training import Example
    >>> nlp = lexpool.blank("en")
    >>> example = Example.from_dict(
    ...     nlp("Rats bite things"), {"heads": [1, 1, 1], "deps": ["nsubj", "ROOT", "dobj"]}
    ... )
    >>> moves = ArcEager(nlp.vocab.strings, ArcEager.get_actions(examples=[example]))
    >>> [moves.get_class_name(clas) for clas in moves.get_oracle_sequence(example)]
    ['S', 'L-nsubj', 'S', 'R-dobj', 'D', 'D']
    """

    _kind = "arc_eager"
    _allows_partial_sequences = True

    @classmethod
    def get_actions(cls, **kwargs: Any) -> dict[int, Counter[str]]:
        """Returns the required labels of each move, with their frequencies.

        left_labels, right_labels: labels to include in any case.
        examples: examples whose references are counted.
        min_freq: the minimum frequency of labels.
        learn_tokens: whether to include "subtok".
        """
        # Only training needs the module, and a loaded pipeline imports this one.

        trees: list[tuple[list[int | None], list[str | None]]] = []
        for example in kwargs.get("examples", []):
            # The trees of the reference, independent of the predicted tokens.
            alone = Example(example.reference, example.reference)
            trees.append(alone.get_aligned_parse(projectivize=True))
        labels = arc_eager_labels(
            list(kwargs.get("left_labels", [])),
            list(kwargs.get("right_labels", [])),
            trees,
            kwargs.get("min_freq"),
            kwargs.get("learn_tokens") is True,
        )
        return {action: Counter(dict(counts)) for action, counts in labels}

    @property
    def builtin_labels(self) -> list[str]:
        """The labels that are always included."""
        return ["ROOT", "dep"]

    @property
    def action_types(self) -> tuple[int, ...]:
        """The numbers of the moves."""
        return (_SHIFT, _REDUCE, _LEFT, _RIGHT, _BREAK)

    def get_doc_labels(self, doc: Doc) -> set[str]:
        """Returns the labels that a document requires."""
        return {token.dep_ for token in doc if token.dep_} | set(self.builtin_labels)

    def class_name(self, i: int) -> str:
        """Returns the name of a class: an alias of `get_class_name`."""
        return self.get_class_name(i)

    def init_gold(self, state: StateClass, example: Example) -> ArcEagerGold:
        """Returns the gold tree of an example.

        Raises ValueError if the heads of the reference contain a cycle.
        """
        return ArcEagerGold(self, state, example)

    def has_gold(self, eg: Example, start: int = 0, end: int | None = None) -> bool:
        """Returns whether any token of the reference has a label."""
        return any(token.dep != 0 for token in eg.y[start:end])

    def is_gold_parse(self, state: StateClass, gold: object) -> bool:
        """Returns whether the state's document has reached the heads and labels of the gold tree.

        Raises TypeError (E909) for the gold of another transition system.
        """
        if not isinstance(gold, ArcEagerGold):
            kind = type(gold).__name__
            raise TypeError(f"[E909] these moves go with an ArcEagerGold, not with a {kind}")
        native = gold.native
        return all(native.holds(token.i, token.head.i, token.dep) for token in state.doc or ())

    def get_beam_parses(self, beam: Beam) -> list[tuple[float, list[tuple[int, int, str]]]]:
        """Returns the finished parses of a beam: probability, and arcs as (head, child, label).

        Parses without any arc are left out, as in spaCy.
        """
        parses: list[tuple[float, list[tuple[int, int, str]]]] = []
        for prob, state in zip(beam.probs, beam.states, strict=True):
            arcs = [(arc["head"], arc["child"], self.strings[arc["label"]]) for arc in state.arcs]
            if state.is_final() and arcs:
                parses.append((prob, arcs))
        return parses


def _sent_starts(example: Example) -> list[bool | None]:
    """Returns for each predicted token whether a sentence of the reference starts there.

    All are None if the reference has no sentences, or if a token belongs to two of them: the start
    of a sentence merged with the end of another one is ambiguous.
    """
    unknown: list[bool | None] = [None] * len(example.x)
    if not example.y.has_annotation("SENT_START"):
        return unknown
    starts: list[bool | None] = [False] * len(example.x)
    aligned = example.alignment.y2x
    aligned_tokens: set[int] = set()
    for sent in example.y.sents:
        tokens: Iterable[int] = [int(i) for i in aligned[sent.start : sent.end]]
        if any(token in aligned_tokens for token in tokens):
            return unknown
        aligned_tokens.update(tokens)
        for first in tokens:
            starts[first] = True
            break
    return starts
