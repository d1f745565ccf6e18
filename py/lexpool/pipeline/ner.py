"""Named entities."""

from __future__ import annotations

from collections import defaultdict

from ..parser.ner import BiluoPushDown
from ..parser.transition_system import TransitionSystem as _System
from .model import Model
from .scores import ner_score
from .transition_parser import Parser

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any, ClassVar

    from .._core import Beam, Doc, Learner, SharedRows, TrainingBatch
    from .._learning.example import Example
    from ..vocab import Vocab

__all__ = ["EntityRecognizer"]


class EntityRecognizer(Parser):
    """Sets named entities; those that are set already are kept.

    The parameters are those of `Parser`.
    """

    factory: ClassVar[str] = "ner"
    _learned_settings: ClassVar[tuple[str, ...]] = (
        "update_with_oracle_cut_size",
        "incorrect_spans_key",
    )
    TransitionSystem: ClassVar[type[_System]] = BiluoPushDown

    def __init__(
        self,
        vocab: Vocab,
        model: Mapping[str, Any] | Model,
        name: str = "ner",
        moves: _System | None = None,
        *,
        update_with_oracle_cut_size: int = 100,
        beam_width: int = 1,
        beam_density: float = 0.0,
        beam_update_prob: float = 0.0,
        incorrect_spans_key: str | None = None,
        scorer: Callable[..., dict[str, Any]] | None = ner_score,
    ) -> None:
        super().__init__(
            vocab,
            model,
            name,
            moves,
            update_with_oracle_cut_size=update_with_oracle_cut_size,
            min_action_freq=1,
            learn_tokens=False,
            beam_width=beam_width,
            beam_density=beam_density,
            beam_update_prob=beam_update_prob,
            incorrect_spans_key=incorrect_spans_key,
            scorer=scorer,
        )

    @property
    def labels(self) -> tuple[str, ...]:
        """The types of entities in alphabetical order."""
        names = (name.partition("-") for name in self.move_names)
        return tuple(sorted({label for move, _, label in names if move in set("BILU")}))

    def _update_by(
        self,
        learner: Learner,
        batch: TrainingBatch,
        drop: float,
        rows: SharedRows | None,
        examples: list[Example],
    ) -> float:
        known = learner.labels
        loss = super()._update_by(learner, batch, drop, rows, examples)
        if learner.labels != known:
            # Documents had types of entities that were not labels.
            self._take_labels(learner)
            for label in learner.labels:
                self.vocab.strings.add(label)
        return loss

    def scored_ents(self, beams: Iterable[Beam]) -> list[dict[tuple[int, int, str], float]]:
        """Returns for each document the probabilities of entities, by first token, the one after
        the last, and type.
        """
        scores: list[dict[tuple[int, int, str], float]] = []
        for beam in beams:
            of_doc: dict[tuple[int, int, str], float] = defaultdict(float)
            for score, ents in BiluoPushDown.get_beam_parses(self._biluo(), beam):
                for start, end, label in ents:
                    of_doc[start, end, label] += score
            scores.append(of_doc)
        return scores

    def beam_scores(
        self, docs: Iterable[Doc], width: int = 16, density: float = 0.0001
    ) -> list[dict[tuple[int, int, str], float]]:
        """Returns for each document the probabilities of entities among the parses of a beam, by
        first token, the one after the last, and type.

        >>> scores = nlp.get_pipe("ner").beam_scores([doc])  # doctest: +SKIP
        """
        return self.scored_ents(self.beam_parse(docs, width, beam_density=density))

    def _biluo(self) -> BiluoPushDown:
        assert isinstance(self.moves, BiluoPushDown)
        return self.moves

    def _moves_for(self, docs: list[Doc]) -> _System:
        """A type of preset entities that the network lacks gets moves, with the lowest scores."""
        known = set(self.labels)
        for label in sorted({label for doc in docs for label in self._biluo().get_doc_labels(doc)}):
            if label not in known:
                self.add_label(label)
        return self.moves
