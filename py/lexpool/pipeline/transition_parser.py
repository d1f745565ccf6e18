"""`Parser`: the base class of components that parse by transitions."""

from __future__ import annotations

from .._core import Beam, Doc, StateClass
from ..parser.arc_eager import ArcEager
from ..parser.transition_system import TransitionSystem as _System
from .learning import check_label
from .model import Model
from .trainable_pipe import TrainablePipe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any, ClassVar, NoReturn

    from .._core import Learner
    from .._learning.example import Example
    from ..vocab import Vocab

__all__ = ["Parser"]


class Parser(TrainablePipe):
    """A component that annotates documents with the best parses of a transition system, whose moves
    a network scores.

    model: the section `model` of the settings.
    moves: the transition system; by default one without labels, which `from_disk` adds.
    beam_width: the number of parses that are followed; 1 for a greedy parse.
    beam_density: parses whose probability is less than this fraction of the average are dropped.
    """

    # The class of the transition system.
    TransitionSystem: ClassVar[type[_System]]
    _rehearses: ClassVar[bool] = True
    # True if labels were added that the native component does not know yet.
    _has_new_labels: bool = False
    _replaced: ClassVar[tuple[str, ...]] = (
        *TrainablePipe._replaced,
        "beam_parse",
        "greedy_parse",
        "postprocesses",
    )

    def __init__(
        self,
        vocab: Vocab,
        model: Mapping[str, Any] | Model,
        name: str = "base_parser",
        moves: _System | None = None,
        *,
        update_with_oracle_cut_size: int,
        min_action_freq: int,
        learn_tokens: bool,
        beam_width: int = 1,
        beam_density: float = 0.0,
        beam_update_prob: float = 0.0,
        multitasks: Iterable[str] = (),
        incorrect_spans_key: str | None = None,
        scorer: Callable[..., dict[str, Any]] | None = None,
    ) -> None:
        super().__init__(vocab, model, name, scorer=scorer)
        self.moves: _System = _checked(moves) or self.TransitionSystem(
            vocab.strings, incorrect_spans_key=incorrect_spans_key
        )
        self.cfg: dict[str, Any] = {
            "moves": None,
            "update_with_oracle_cut_size": update_with_oracle_cut_size,
            "multitasks": list(multitasks),
            "min_action_freq": min_action_freq,
            "learn_tokens": learn_tokens,
            "beam_width": beam_width,
            "beam_density": beam_density,
            "beam_update_prob": beam_update_prob,
            "incorrect_spans_key": incorrect_spans_key,
        }

    @property
    def incorrect_spans_key(self) -> str | None:
        """The key of `doc.spans` in references with spans that are not entities."""
        key: str | None = self.cfg["incorrect_spans_key"]
        return key

    @property
    def move_names(self) -> list[str]:
        """The names of the classes that the network scores, such as "L-nsubj"."""
        names = [self.moves.get_class_name(i) for i in range(self.moves.n_moves)]
        return [name for name in names if name != "U-"]

    @property
    def label_data(self) -> Any:
        """The labels of each move with their frequencies."""
        return self.moves.labels

    @property
    def postprocesses(self) -> tuple[Callable[[Doc], Any], ...]:
        """Functions that are called with each annotated document."""
        return ()

    @property
    def is_resizable(self) -> bool:
        """True: labels can be added to a network with weights."""
        return True

    def add_label(self, label: str) -> int:
        """Adds the classes of a label. Returns 0 if the component has them, else 1.

        Raises ValueError (E187) for a label that is not a string.
        """
        check_label(label)
        try:
            is_new = self._add_classes(label)
        except BaseException:
            # An interrupt leaves all classes of the label, or none.
            self._add_classes(label)
            raise
        return int(is_new)

    def _add_classes(self, label: str) -> bool:
        moves: Any = self.moves
        # Before the first class: an interrupt may come after it.
        self._has_new_labels = True
        self.vocab.strings.add(label)
        added = [moves.add_action(action, label) for action in moves.action_types]
        return any(added)

    def _learn(self) -> Learner:
        learner = super()._learn()
        if self._has_new_labels:
            learner.restore(self._label_files())
            self._has_new_labels = False
        return learner

    def _before_saving(self) -> None:
        # Until the network has learned, it has no outputs for new labels.
        if self.model.is_initialized and self.moves.n_moves > self.model.native(self.vocab).width:
            self._learn().fit_outputs()

    def get_loss(self, examples: Iterable[Example], scores: Any) -> NoReturn:
        """Raises NotImplementedError: the loss depends on the states that an update reaches."""
        raise NotImplementedError(
            f"[E931] {type(self).__name__}.get_loss: the loss is one of parse states; see `update`"
        )

    def _trained_as(self) -> str:
        factory = self.factory or ("parser" if isinstance(self.moves, ArcEager) else "ner")
        return f"beam_{factory}" if self.cfg["beam_width"] > 1 else factory

    def _training_settings(self) -> dict[str, Any]:
        settings = super()._training_settings()
        if self.cfg["beam_width"] > 1:
            keys = ("beam_width", "beam_density", "beam_update_prob")
            settings.update({key: self.cfg[key] for key in keys})
        return settings

    def _n_outputs(self) -> int:
        return self.moves.n_moves

    def _label_files(self) -> dict[str, bytes]:
        return {"moves": self.moves.to_bytes(exclude=["strings"])}

    def _take_labels(self, learner: Learner) -> None:
        self.moves.from_bytes(learner.files()["moves"], exclude=["strings"])

    def predict(self, docs: Iterable[Doc] | Doc) -> list[StateClass] | list[Beam]:
        """Returns the final state of each document, or its beam if `beam_width` is more than 1."""
        docs = [docs] if isinstance(docs, Doc) else list(docs)
        if not any(len(doc) for doc in docs):
            return self.moves.init_batch(docs)
        if self.cfg["beam_width"] == 1:
            return self.greedy_parse(docs)
        return self.beam_parse(docs, self.cfg["beam_width"], beam_density=self.cfg["beam_density"])

    def greedy_parse(self, docs: Iterable[Doc], drop: float = 0.0) -> list[StateClass]:
        """Returns the final state of each document, reached by the best move of each step."""
        docs = list(docs)
        moves = self._moves_for(docs)
        scorer = self.model.scorer(docs, moves.n_moves)
        return moves.parse(docs, scorer, n_features=scorer.n_features)

    def beam_parse(
        self, docs: Iterable[Doc], beam_width: int, drop: float = 0.0, beam_density: float = 0.0
    ) -> list[Beam]:
        """Returns the best parses of each document.

        beam_width: the number of parses.
        beam_density: as for the component.
        """
        docs = list(docs)
        moves = self._moves_for(docs)
        scorer = self.model.scorer(docs, moves.n_moves, rectify=True)
        return moves.beam_parse(
            docs, scorer, beam_width, beam_density, n_features=scorer.n_features
        )

    def set_annotations(self, docs: Iterable[Doc], scores: Any) -> None:
        """Annotates documents with the states or beams of `predict`."""
        for doc, found in zip(docs, scores, strict=False):
            state: StateClass = found.states[0] if isinstance(found, Beam) else found
            self.moves.set_annotations(state, doc)
            for process in self.postprocesses:
                process(doc)

    def _moves_for(self, docs: list[Doc]) -> _System:
        """Returns the moves, with those for labels that documents bring along."""
        return self.moves

    def _own_settings(self) -> dict[str, Any]:
        return {"n_moves": self.moves.n_moves}

    def _files(self) -> dict[str, Callable[[], bytes]]:
        return {**super()._files(), "moves": lambda: self.moves.to_bytes(exclude=["strings"])}

    def _readers(self) -> dict[str, Callable[[bytes], Any]]:
        def read(data: bytes) -> None:
            self.moves.from_bytes(data, exclude=["strings"])

        return {**super()._readers(), "moves": read}


def _checked(moves: object) -> _System | None:
    if moves is None or isinstance(moves, _System):
        return moves
    raise TypeError(f"[E972] moves are {moves!r:.80}; expected a {_System.__name__} or None")
