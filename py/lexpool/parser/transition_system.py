"""The base class of transition systems."""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Mapping

from .._core import Moves, StateClass
from .._saving.files import write_file
from .._saving.json import dumps, loads
from .._typing import cast
from ..msgpack import packb, unpackb
from .gold import native_gold

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable
    from os import PathLike
    from typing import Any, ClassVar, Literal, Self, SupportsIndex, TypeAlias, TypeVar

    _Part = TypeVar("_Part")
    _Value = TypeVar("_Value")

    from numpy import float32, int32
    from numpy.typing import NDArray

    from .._core import Beam, Doc, Gold, StateScorer, StringStore
    from .._learning.example import Example

    # A function from features (states, n_features) to scores (states, n_moves).
    _Scorer: TypeAlias = Callable[[NDArray[int32]], NDArray[float32]] | StateScorer

__all__ = ["OracleError", "TransitionSystem"]

# The labels of a move, by text or id, with their frequencies.
_Freqs: TypeAlias = Mapping[str, int] | Mapping[int, int]
LabelsByAction: TypeAlias = Mapping[int, _Freqs] | Mapping[str, _Freqs]


class OracleError(Exception):
    """The oracle found no move. Exists for compatibility with spaCy; lexpool does not raise it."""


class TransitionSystem:
    """Moves with labels, each a class that a model can score.

    strings: the store that labels are added to.
    labels_by_action: the labels of each move, by its number, with their frequencies. Classes are
        ordered by move, then by descending frequency; labels added later come last, with a negative
        frequency, so serialization keeps the order.
    incorrect_spans_key: the key of `doc.spans` in references with spans that are not entities.

    The system itself is abstract: `ArcEager` and `BiluoPushDown` have moves.
    """

    _kind: ClassVar[Literal["arc_eager", "ner"] | None] = None
    # If True, an oracle that finds no class returns the sequence so far.
    _allows_partial_sequences: ClassVar[bool] = False

    def __init__(
        self,
        string_table: StringStore,
        labels_by_action: LabelsByAction | None = None,
        min_freq: int | None = None,
        incorrect_spans_key: str | None = None,
    ) -> None:
        self.cfg: dict[str, Any] = {"neg_key": incorrect_spans_key}
        self.strings = string_table
        self.freqs: object = None
        self._native = None if self._kind is None else Moves(self._kind)
        if labels_by_action:
            self.initialize_actions(labels_by_action, min_freq=min_freq)
        self.root_label: int = self.strings.add("ROOT")

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.strings, self.labels, None, self.neg_key)

    @property
    def native(self) -> Moves:
        """The native moves. Raises NotImplementedError if the class has none."""
        if self._native is None:
            raise NotImplementedError(f"{type(self).__name__} has no moves of its own")
        return self._native

    @property
    def n_moves(self) -> int:
        """The number of classes."""
        return 0 if self._native is None else len(self._native)

    @property
    def labels(self) -> dict[int, Counter[str]]:
        """The current labels of each move with their frequencies; must not be changed."""
        if self._native is None:
            return {}
        return {action: Counter(dict(labels)) for action, labels in self._native.labels()}

    @property
    def neg_key(self) -> str | None:
        """The key of the negative samples in `doc.spans`, or None."""
        return self.cfg.get("neg_key")

    # States

    def init_batch(self, docs: Iterable[Doc]) -> list[StateClass]:
        """Returns the initial state of each document; features are positions in the whole batch."""
        states: list[StateClass] = []
        offset = 0
        for doc in docs:
            states.append(StateClass(doc, offset=offset))
            offset += len(doc)
        return states

    def init_gold(self, state: StateClass, example: Example) -> Any:
        """Returns the gold annotation of an example."""
        raise NotImplementedError

    def has_gold(self, eg: Example, start: int = 0, end: int | None = None) -> bool:
        """Returns True if the reference has annotation to learn from."""
        raise NotImplementedError

    def init_gold_batch(
        self, examples: Iterable[Example]
    ) -> tuple[list[StateClass], list[Any], int]:
        """Returns initial states and gold annotations of the annotated examples, and the number of
        tokens to push.
        """
        examples = list(examples)
        states: list[StateClass] = []
        golds: list[Any] = []
        all_states = self.init_batch([example.predicted for example in examples])
        for state, example in zip(all_states, examples, strict=True):
            if self.has_gold(example) and not state.is_final():
                golds.append(self.init_gold(state, example))
                states.append(state)
        return states, golds, sum(state.buffer_length() for state in states)

    # Moves

    def lookup_transition(self, name: str | int) -> int:
        """Returns the class of a name, or a class itself.

        Raises KeyError (E022) for an unknown class, ValueError (transition-move) if the name does
        not begin with a move, IndexError (transition-class) for a number that is not a class.
        """
        if isinstance(name, str):
            number = self.native.find(name)
            if number is None:
                raise KeyError(f"[E022] unknown transition: {name}")
            return number
        self.native.name(name)
        return name

    def is_valid(self, stcls: StateClass, move_name: str | int) -> bool:
        """Returns whether a state allows a move, given by name or class. Raises the errors of
        `lookup_transition`.
        """
        return self.native.is_valid(stcls, self.lookup_transition(move_name))

    def apply_transition(self, state: StateClass, name: str | int) -> None:
        """Applies a move to a state. Raises ValueError (E170) if the state does not allow it."""
        if not self.is_valid(state, name):
            raise ValueError(f"[E170] the state does not allow the move {name!r}")
        self.native.apply(state, self.lookup_transition(name))

    def transition(self, state: StateClass, action: str | int) -> StateClass:
        """Applies a move, by name or class, even if it is not allowed, and returns the state.

        Raises RuntimeError (state-buffer, state-stack) if the buffer or stack is empty; the state
        is then unchanged.
        """
        self.native.apply(state, self.lookup_transition(action))
        return state

    def get_class_name(self, clas: int) -> str:
        """Returns the name of a class, such as "L-nsubj". Raises IndexError (transition-class) for
        an unknown class.
        """
        return self.native.name(clas)

    def move_name(self, move: int, label: int) -> str:
        """Returns the name of a move with a label, given by its id. Raises ValueError (E019) for an
        unknown move.
        """
        return self.native.move_name(move, self.strings[label] if label else "")

    # Costs

    def get_cost(self, stcls: StateClass, gold: Any, i: int) -> float:
        """Returns the cost of a class: the number of gold arcs or entities that can no longer be
        reached after it; 9000 if the state does not allow it.

        Raises TypeError E909 for the gold of another system, ValueError transition-gold if it has
        another number of tokens, and IndexError transition-class for an unknown class.
        """
        return self.native.cost(stcls, native_gold(gold), i)

    def get_costs(self, stcls: StateClass, gold: Any) -> tuple[list[bool], list[float]]:
        """Returns for each class whether the state allows it, and its cost. Raises the errors of
        `get_cost`, and ValueError (E1031) if a class without cost is missing.
        """
        return self.native.costs(stcls, native_gold(gold))

    def get_oracle_sequence(self, example: Example, _debug: bool = False) -> list[int]:
        """Returns the classes that lead to the gold annotation of an example; empty if it has none.

        If no class can be taken, because a label is missing or the annotation cannot be reached,
        `ArcEager` returns the sequence so far. Other systems, and `ArcEager` with `_debug`, raise
        ValueError (E024).
        """
        states, golds, _ = self.init_gold_batch([example])
        if not states:
            return []
        debug = example if _debug else None
        return self.get_oracle_sequence_from_state(states[0], golds[0], _debug=debug)

    def get_oracle_sequence_from_state(
        self, state: StateClass, gold: Any, _debug: object = None
    ) -> list[int]:
        """Returns the sequence from a state on; the state is then final, or where the sequence
        ended.
        """
        is_checked = _debug is not None and _debug is not False
        partial = self._allows_partial_sequences and not is_checked
        return self.native.oracle_sequence(state, native_gold(gold), partial)

    def oracle(self, examples: Iterable[Example], n_threads: int = 0) -> list[list[int]]:
        """Returns the sequences of many examples, found without the GIL on `n_threads` threads (0:
        one per core).

        The sequence of an example without gold annotation is empty. If no class can be taken,
        `ArcEager` returns the sequence so far; other systems raise ValueError (E024) with the
        position of the example.
        """
        states: list[StateClass] = []
        golds: list[Gold] = []
        places: list[int] = []
        sequences: list[list[int]] = []
        for example in examples:
            own, own_golds, _ = self.init_gold_batch([example])
            if own:
                places.append(len(sequences))
                states += own
                golds += [native_gold(gold) for gold in own_golds]
            sequences.append([])
        for place, sequence in zip(
            places, self.native.oracle(states, golds, n_threads), strict=True
        ):
            sequences[place] = sequence
        return sequences

    # Parsing

    def parse(
        self, docs: Iterable[Doc], scorer: _Scorer, *, n_features: int = 8, n_threads: int = 1
    ) -> list[StateClass]:
        """Returns the final states of documents, which are stepped together by the best moves of a
        scorer.

        scorer: called once per step with an int32 array of the shape (states, n_features), a row
            for each state that is not final; returns a float32 array of the shape (states,
            n_moves). It may be an op on such arrays, or a `StateScorer` of a trained network.
            Features are positions of tokens in the batch, or -1.
        n_features: 1, 2, 3, 6, 8 or 13, as in spaCy's models.
        n_threads: the number of threads that step states; 0 for one per core. Each thread has a
            share of the documents and calls the scorer for it. The result does not depend on the
            number.

        A state that allows no class is finalized as it is: the moves lack a label of its document,
        such as the label of a preset entity. `get_doc_labels` returns the labels to add.

        The documents are not changed; `set_annotations` writes to them. Raises ValueError:
        state-features for another number of features, transition-scores for scores of another
        shape, transition-nan for NaN; TypeError (transition-dtype) if the scores are not a float32
        array. Errors have the state and the step; errors of the scorer have them in a note.
        """
        docs = list(docs)
        return self.native.parse(docs, scorer, n_features, n_threads)

    def beam_parse(
        self,
        docs: Iterable[Doc],
        scorer: _Scorer,
        width: int,
        density: float = 0.0,
        *,
        n_features: int = 8,
    ) -> list[Beam]:
        """Returns the `width` best parses of each document, found by beam search.

        density: candidates are dropped if their probability is less than this fraction of the
            average.

        Other arguments are as for `parse`; the rows are the states of all beams. Raises ValueError:
        beam-width for a width of 0, beam-density for a density outside of 0 to 1, beam-empty if no
        class is valid.
        """
        docs = list(docs)
        return self.native.beam_parse(docs, scorer, width, density, n_features)

    def set_annotations(self, state: StateClass, doc: Doc) -> None:
        """Writes the annotation of a state to a document. Raises ValueError (transition-doc) if the
        document has another length; it is then unchanged.
        """
        self.native.set_annotations(state, doc)

    # Classes

    def initialize_actions(
        self, labels_by_action: LabelsByAction, min_freq: int | None = None
    ) -> None:
        """Replaces all classes by these moves and labels. `min_freq` is ignored, as in spaCy.

        Labels are texts or ids. Raises ValueError (E019) for an unknown move, KeyError (E018) for
        an id without a string, TypeError (transition-label) for another type of label. The classes
        are then unchanged.
        """
        actions = [
            (int(action), [(self._label_text(label), freq) for label, freq in freqs.items()])
            for action, freqs in labels_by_action.items()
        ]
        self.native.initialize(actions)
        for label in self.native.class_labels():
            self.strings.add(label)

    def add_action(self, action: int, label_name: str | SupportsIndex) -> int | None:
        """Adds a class for a move with a label, given by text or id; returns 0 if it exists
        already.

        Raises ValueError (E019) for an unknown move, KeyError (E018) for an id without a string,
        TypeError (transition-label) for another type of label.
        """
        label = self._label_text(label_name)
        is_new = self.native.add(action, label)
        self.strings.add(label)
        return int(is_new)

    def _label_text(self, label: object) -> str:
        """Returns the text of a label, given as text or id (any integer type; 0 for no label)."""
        if isinstance(label, str):
            return label
        if isinstance(label, bool) or not hasattr(label, "__index__"):
            kind = type(label).__name__
            raise TypeError(f"[transition-label] a label is a text or an id, not a {kind}")
        return self.strings[operator.index(cast("SupportsIndex", label))]

    # Files

    def to_disk(self, path: str | PathLike[str], **kwargs: Any) -> None:
        """Writes the bytes of `to_bytes` to a file."""
        write_file(path, self.to_bytes(**kwargs))

    def from_disk(self, path: str | PathLike[str], **kwargs: Any) -> Self:
        """Replaces this system by the one in a file, and returns it."""
        from pathlib import Path

        return self.from_bytes(Path(path).read_bytes(), **kwargs)

    def to_bytes(self, exclude: Container[str] = ()) -> bytes:
        """Returns moves, strings and settings as bytes in spaCy's format; `exclude` may contain
        "moves", "strings" and "cfg".
        """
        parts: dict[str, Any] = {}
        if "moves" not in exclude:
            parts["moves"] = dumps(self.labels, compact=True)
        if "strings" not in exclude:
            parts["strings"] = self.strings.to_bytes()
        if "cfg" not in exclude:
            parts["cfg"] = self.cfg
        return packb(parts)

    def from_bytes(self, bytes_data: bytes, exclude: Container[str] = ()) -> Self:
        """Replaces this system by the one in the bytes, and returns it. Excluded parts are
        unchanged.

        Raises ValueError (transition-bytes) if the bytes are not those of a system, or lack a part
        that is not excluded; the system is then unchanged.
        """
        parts = _a_map(_read(unpackb, bytes_data, "a transition system"), "a transition system")
        # Old files have no settings.
        for name in ("moves", "strings"):
            if name not in exclude and name not in parts:
                raise ValueError(f"[transition-bytes] the part {name!r} is missing; exclude it")
        labels: dict[int, dict[str, int]] | None = None
        if "moves" not in exclude:
            labels = _labels(_read(loads, parts["moves"], "the moves"))
            trial = self.native if self._kind is None else Moves(self._kind)
            _read(trial.initialize, _pairs(labels), "the moves")
        cfg = {} if "cfg" in exclude else _a_map(parts.get("cfg", {}), "the settings")
        # From here on only the strings can fail, and they are unchanged if they do.
        if "strings" not in exclude:
            _read(self.strings.from_bytes, parts["strings"], "the strings")
        self.cfg.update(cfg)
        if labels is not None:
            self.initialize_actions(labels)
        return self


def _a_map(value: Any, what: str) -> dict[str, Any]:
    if isinstance(value, dict):
        return cast("dict[str, Any]", value)
    raise ValueError(f"[transition-bytes] {what} is a map, not a {type(value).__name__}")


def _read(read: Callable[[_Part], _Value], part: _Part, what: str) -> _Value:
    """Reads a part of a message. Raises ValueError (transition-bytes), chained to the original
    error.
    """
    try:
        return read(part)
    except (ValueError, TypeError, KeyError, IndexError, OverflowError, RecursionError) as error:
        raise ValueError(f"[transition-bytes] {what} cannot be read: {error}") from error


def _labels(value: Any) -> dict[int, dict[str, int]]:
    labels: dict[int, dict[str, int]] = {}
    for action, freqs in _a_map(value, "the moves").items():
        if not action.isdecimal():
            raise ValueError(f"[transition-bytes] a move is a number, not {action!r}")
        labels[int(action)] = {}
        for label, freq in _a_map(freqs, "the labels of a move").items():
            if not isinstance(freq, int) or isinstance(freq, bool):
                kind = type(freq).__name__
                raise ValueError(f"[transition-bytes] a frequency is an int, not a {kind}")
            labels[int(action)][label] = freq
    return labels


def _pairs(labels: Mapping[int, Mapping[str, int]]) -> list[tuple[int, list[tuple[str, int]]]]:
    return [(action, list(freqs.items())) for action, freqs in labels.items()]
