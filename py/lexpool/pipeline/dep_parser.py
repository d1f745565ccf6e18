"""Dependency trees."""

from __future__ import annotations

from collections import defaultdict

from ..parser.arc_eager import ArcEager
from ..parser.nonproj import decompose, deprojectivize
from ..parser.transition_system import TransitionSystem as _System
from .functions import merge_subtokens
from .model import Model
from .scores import parser_score
from .transition_parser import Parser

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any, ClassVar

    from .._core import Beam, Doc
    from ..vocab import Vocab

__all__ = ["DependencyParser"]


class DependencyParser(Parser):
    """Sets heads, dependency labels and sentence starts.

    The parameters are those of `Parser`, and:

    learn_tokens: whether to merge tokens that the label "subtok" joins.
    """

    factory: ClassVar[str] = "parser"
    _learned_settings: ClassVar[tuple[str, ...]] = (
        "update_with_oracle_cut_size",
        "min_action_freq",
        "learn_tokens",
    )
    TransitionSystem: ClassVar[type[_System]] = ArcEager

    def __init__(
        self,
        vocab: Vocab,
        model: Mapping[str, Any] | Model,
        name: str = "parser",
        moves: _System | None = None,
        *,
        update_with_oracle_cut_size: int = 100,
        min_action_freq: int = 30,
        learn_tokens: bool = False,
        beam_width: int = 1,
        beam_density: float = 0.0,
        beam_update_prob: float = 0.0,
        incorrect_spans_key: str | None = None,
        scorer: Callable[..., dict[str, Any]] | None = parser_score,
    ) -> None:
        super().__init__(
            vocab,
            model,
            name,
            moves,
            update_with_oracle_cut_size=update_with_oracle_cut_size,
            min_action_freq=min_action_freq,
            learn_tokens=learn_tokens,
            beam_width=beam_width,
            beam_density=beam_density,
            beam_update_prob=beam_update_prob,
            incorrect_spans_key=incorrect_spans_key,
            scorer=scorer,
        )

    @property
    def postprocesses(self) -> tuple[Callable[[Doc], Any], ...]:
        """Functions that are called with each annotated document."""
        own: list[Callable[[Doc], Any]] = [deprojectivize]
        if self.cfg.get("learn_tokens") is True:
            own.append(merge_subtokens)
        return tuple(own)

    @property
    def labels(self) -> tuple[str, ...]:
        """The dependency labels in alphabetical order."""
        names = (name.partition("-") for name in self.move_names)
        return tuple(sorted({decompose(label)[0] for _, dash, label in names if dash}))

    def scored_parses(
        self, beams: Iterable[Beam]
    ) -> tuple[list[dict[tuple[int, int], float]], list[dict[tuple[int, str], float]]]:
        """Returns for each document the probabilities of heads, by token and head, and those of
        labels, by token and label.
        """
        heads: list[dict[tuple[int, int], float]] = []
        labels: list[dict[tuple[int, str], float]] = []
        for beam in beams:
            of_heads: dict[tuple[int, int], float] = defaultdict(float)
            of_labels: dict[tuple[int, str], float] = defaultdict(float)
            for score, parses in ArcEager.get_beam_parses(self._arc_eager(), beam):
                for head, token, label in parses:
                    of_heads[token, head] += score
                    of_labels[token, label] += score
            heads.append(of_heads)
            labels.append(of_labels)
        return heads, labels

    def beam_scores(
        self, docs: Iterable[Doc], width: int = 16, density: float = 0.0001
    ) -> tuple[list[dict[tuple[int, int], float]], list[dict[tuple[int, str], float]]]:
        """Returns for each document the probabilities among the parses of a beam: those of heads,
        by token and head, and those of labels, by token and label.

        >>> heads, labels = nlp.get_pipe("parser").beam_scores([doc])  # doctest: +SKIP
        """
        return self.scored_parses(self.beam_parse(docs, width, beam_density=density))

    def _arc_eager(self) -> ArcEager:
        assert isinstance(self.moves, ArcEager)
        return self.moves
