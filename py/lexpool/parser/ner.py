"""Entity recognition with the BILUO transition system."""

from __future__ import annotations

from collections import Counter

from .._core import Gold, StateClass
from .gold import GoldAnnotation, numbers_of
from .transition_system import TransitionSystem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, SupportsIndex

    from .._core import Beam, Doc, Span
    from .._learning.example import Example

__all__ = ["BiluoGold", "BiluoPushDown"]

_MISSING, _BEGIN, _IN, _LAST, _UNIT, _OUT = range(6)


class BiluoGold(GoldAnnotation):
    """The entities of an example's reference on predicted tokens, and negative samples: spans that
    must not be entities.

    neg_key: the key of `doc.spans` in the reference with the negative samples.

    Raises ValueError: E868 if a span is both, E869 if a label begins with "!"; KeyError (E022) if
    the moves lack a label.
    """

    __slots__ = ()

    def __init__(
        self, moves: BiluoPushDown, stcls: StateClass, example: Example, neg_key: str | None
    ) -> None:
        entities, tags = example.get_aligned_ents_and_ner()
        negatives: Sequence[Span] = []
        if neg_key is not None:
            spans = _spans(example.y, neg_key)
            negatives = example.get_aligned_spans_y2x(spans, allow_overlap=True)
        self.native: Gold = Gold.biluo(
            moves.native, tags, numbers_of(entities), numbers_of(negatives)
        )


class BiluoPushDown(TransitionSystem):
    """The BILUO system of entities: B(egin), I(n), L(ast), U(nit) with labels, and O(ut).

    Existing entities of a document are kept. "U-" without a label is for blocked tokens.

    >>> import lexpool
    >>> from lexpool.training import Example
    >>> nlp = lexpool.blank("en")
    >>> example = Example.from_dict(nlp("to New York"), {"entities": ["O", "B-GPE", "L-GPE"]})
    >>> moves = BiluoPushDown(nlp.vocab.strings, BiluoPushDown.get_actions(entity_types=["GPE"]))
    >>> [moves.get_class_name(clas) for clas in moves.get_oracle_sequence(example)]
    ['O', 'B-GPE', 'L-GPE']
    """

    _kind = "ner"

    @classmethod
    def get_actions(cls, **kwargs: Any) -> dict[int, Counter[str]]:
        """Returns the required labels of each move, with their frequencies.

        entity_types: labels to include in any case.
        examples: examples whose references are counted.
        """
        actions: dict[int, Counter[str]] = {action: Counter() for action in range(6)}
        actions[_OUT][""] = 1
        actions[_UNIT][""] = 1
        labelled = [actions[action] for action in (_BEGIN, _IN, _LAST, _UNIT)]
        for label in kwargs.get("entity_types", []):
            for counts in labelled:
                counts[label] = 1
        label_counts = Counter(
            token.ent_type_
            for example in kwargs.get("examples", [])
            for token in example.y
            if token.ent_type_
        )
        for counts in labelled:
            counts.update(label_counts)
        return actions

    @property
    def action_types(self) -> tuple[int, ...]:
        """The numbers of the moves that a model may choose."""
        return (_BEGIN, _IN, _LAST, _UNIT, _OUT)

    def get_doc_labels(self, doc: Doc) -> set[str]:
        """Returns the labels that a document requires."""
        return {token.ent_type_ for token in doc if token.ent_type}

    def lookup_transition(self, name: str | int) -> int:
        """Returns the class of a name. Raises ValueError (E869) if its label begins with "!", and
        the errors of the base class.
        """
        if isinstance(name, str) and name.partition("-")[2].startswith("!"):
            raise ValueError(f"[E869] no label begins with '!', as that of {name!r} does")
        return super().lookup_transition(name)

    def is_valid(self, stcls: StateClass, move_name: str | int | None) -> bool:
        """Returns True if a state allows a move; False for the move of missing annotation, None or
        "-".
        """
        if move_name is None or move_name in ("", "-"):
            return False
        return super().is_valid(stcls, move_name)

    def add_action(
        self, action: int, label_name: str | SupportsIndex, freq: int | None = None
    ) -> int | None:
        """Adds a class for a move with a label; returns None if the move never has that label."""
        if action == _MISSING or (action == _OUT and label_name):
            return None
        return super().add_action(action, label_name)

    def init_gold(self, state: StateClass, example: Example) -> BiluoGold:
        """Returns the gold entities of an example. Raises the errors of `BiluoGold`."""
        return BiluoGold(self, state, example, self.neg_key)

    def has_gold(self, eg: Example, start: int = 0, end: int | None = None) -> bool:
        """Returns whether the reference has entity annotation or negative samples."""
        spans = eg.get_aligned_spans_x2y([eg.x[start:end]])
        y_span = spans[0] if spans else eg.y[:]
        if self.neg_key is not None:
            for span in _spans(eg.y, self.neg_key):
                if span.start >= y_span.start and span.end <= y_span.end:
                    return True
        return any(token.ent_iob != 0 for token in eg.y[y_span.start : y_span.end])

    def get_beam_parses(self, beam: Beam) -> list[tuple[float, list[tuple[int, int, str]]]]:
        """Returns the finished parses of a beam: probability, and entities as (start, end,
        label).
        """
        parses: list[tuple[float, list[tuple[int, int, str]]]] = []
        for prob, state in zip(beam.probs, beam.states, strict=True):
            if state.is_final():
                closed = [(start, end, label) for start, end, label in state.ents if end != -1]
                ents = [
                    (start, end, self.strings[label] if label else "")
                    for start, end, label in closed
                ]
                parses.append((prob, ents))
        return parses


def _spans(doc: Doc, key: str) -> list[Span]:
    return list(doc.spans[key]) if key in doc.spans else []
