"""The base class of transition systems."""

from __future__ import annotations

import json
import operator
from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping
from os import PathLike
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Literal,
    Self,
    SupportsIndex,
    TypeAlias,
    TypeVar,
    cast,
)

from .._core import Moves, StateClass
from .._files import write_file
from ..msgpack import packb, unpackb
from .gold import native_gold

if TYPE_CHECKING:
    from numpy import float32, int32
    from numpy.typing import NDArray

    from .._core import Beam, Doc, Gold, StringStore
    from ..training import Example

    # From features (states, n_features) to scores (states, n_moves).
    _Scorer: TypeAlias = Callable[[NDArray[int32]], NDArray[float32]]

__all__ = ["OracleError", "TransitionSystem"]

# For each move, by number, its labels, by text or id, and how often each occurs.
_Freqs: TypeAlias = Mapping[str, int] | Mapping[int, int]
LabelsByAction: TypeAlias = Mapping[int, _Freqs] | Mapping[str, _Freqs]


class OracleError(Exception):
    """No move is right; kept for spaCy's name, and raised by nobody."""


class TransitionSystem:
    """Moves with labels, each a class that a model can score.

    strings: the store that labels are added to. labels_by_action: for each move, by its number, its
    labels with their frequencies. Classes come in the order of moves, then of descending frequency;
    what is added later comes last, by a negative frequency, and this order survives serialization.
    incorrect_spans_key: the key of `doc.spans` under which references have spans that are no
    entities.

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
        """The moves themselves. NotImplementedError: the class has none."""
        if self._native is None:
            raise NotImplementedError(f"{type(self).__name__} has no moves of its own")
        return self._native

    @property
    def n_moves(self) -> int:
        """The number of classes."""
        return 0 if self._native is None else len(self._native)

    @property
    def labels(self) -> dict[int, Counter[str]]:
        """For each move its labels with their frequencies, as they are now; not to be written
        to.
        """
        if self._native is None:
            return {}
        return {action: Counter(dict(labels)) for action, labels in self._native.labels()}

    @property
    def neg_key(self) -> str | None:
        """The key of the negative samples in `doc.spans`; None without them."""
        return self.cfg.get("neg_key")

    # States

    def init_batch(self, docs: Iterable[Doc]) -> list[StateClass]:
        """The first state of each document; features are counted over all documents together."""
        states: list[StateClass] = []
        offset = 0
        for doc in docs:
            states.append(StateClass(doc, offset=offset))
            offset += len(doc)
        return states

    def init_gold(self, state: StateClass, example: Example) -> Any:
        """The gold annotation of an example."""
        raise NotImplementedError

    def has_gold(self, eg: Example, start: int = 0, end: int | None = None) -> bool:
        """Returns whether the reference has annotation to learn from."""
        raise NotImplementedError

    def init_gold_batch(
        self, examples: Iterable[Example]
    ) -> tuple[list[StateClass], list[Any], int]:
        """First states and gold annotations of the examples that have any, and the number of tokens
        that are to be pushed."""
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
        """The class of a name; a class as it is.

        KeyError E022: there is no such class; ValueError transition-move: the name begins with no
        move; IndexError transition-class: the number is no class's.
        """
        if isinstance(name, str):
            found = self.native.find(name)
            if found is None:
                raise KeyError(f"[E022] unknown transition: {name}")
            return found
        self.native.name(name)
        return name

    def is_valid(self, stcls: StateClass, move_name: str | int) -> bool:
        """Returns whether a state allows a move, given by name or class. Raises the errors of
        `lookup_transition`.
        """
        return self.native.is_valid(stcls, self.lookup_transition(move_name))

    def apply_transition(self, state: StateClass, name: str | int) -> None:
        """Does what a move says. ValueError E170: the state does not allow it."""
        if not self.is_valid(state, name):
            raise ValueError(f"[E170] the state does not allow the move {name!r}")
        self.native.apply(state, self.lookup_transition(name))

    def transition(self, state: StateClass, action: str | int) -> StateClass:
        """Does what a move says, by name or class, whether or not it is allowed; gives the state
        back.

        RuntimeError state-buffer, state-stack: there is nothing that it could take; the state is as
        it was.
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
        """For each class whether the state allows it, and what it costs. Errors as for `get_cost`,
        and ValueError E1031 where a class without cost was promised."""
        return self.native.costs(stcls, native_gold(gold))

    def get_oracle_sequence(self, example: Example, _debug: bool = False) -> list[int]:
        """The classes that lead to the gold annotation of an example; none where it has none.

        Where no class is to be taken, for one is missing or the annotation cannot be reached,
        `ArcEager` gives the sequence to there, unless `_debug` is set; otherwise it is ValueError
        E024.
        """
        states, golds, _ = self.init_gold_batch([example])
        if not states:
            return []
        debug = example if _debug else None
        return self.get_oracle_sequence_from_state(states[0], golds[0], _debug=debug)

    def get_oracle_sequence_from_state(
        self, state: StateClass, gold: Any, _debug: object = None
    ) -> list[int]:
        """The same from a state on, which is then final, or where the sequence ended."""
        is_checked = _debug is not None and _debug is not False
        partial = self._allows_partial_sequences and not is_checked
        return self.native.oracle_sequence(state, native_gold(gold), partial)

    def oracle(self, examples: Iterable[Example], n_threads: int = 0) -> list[list[int]]:
        """The sequences of many examples, found without the GIL on `n_threads` threads (0: one a
        core).

        An example without gold annotation has none. Where no class is to be taken, `ArcEager` gives
        the sequence to there; of other moves it is ValueError E024, which says of which example.
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
        """The final states of documents, all stepped together by the moves that a scorer prefers.

        scorer: called once a step with an int32 array of the shape (states, n_features), a row for
        each
            state that is not final; returns a float32 array of the shape (states, n_moves). An op
            that takes and gives such arrays is one. Features are positions of tokens in the batch,
            -1 for none.
        n_features: 1, 2, 3, 6, 8 or 13, as spaCy's models have them. n_threads: threads that step
        states; 0 is one a core. With more than one, each has a share of the
            documents and calls the scorer for it. What comes out is the same on any number.

        A state that allows no class is made final as it is: the moves lack a label that its
        document brings along, such as that of a preset entity. `get_doc_labels` names the labels to
        add.

        The documents are not touched; `set_annotations` writes to them. Errors say for which state
        and at which step: ValueError transition-scores, another shape; TypeError transition-dtype,
        no array of float32; ValueError transition-nan. What the scorer raises comes out with a note
        of that. ValueError state-features: no such number of features.
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
        """For each document the best parses, as many as `width`, found by beam search.

        density: ways to go on are dropped whose probability is less than this part of an average
        one's. Otherwise as for `parse`; rows are those of all states in all beams. ValueError
        beam-width, beam-density: a width of 0, a density that is not from 0 to 1; beam-empty, no
        class is valid.
        """
        docs = list(docs)
        return self.native.beam_parse(docs, scorer, width, density, n_features)

    def set_annotations(self, state: StateClass, doc: Doc) -> None:
        """Writes what a state has found to a document. ValueError transition-doc: it is of another
        length; it is then as it was."""
        self.native.set_annotations(state, doc)

    # Classes

    def initialize_actions(
        self, labels_by_action: LabelsByAction, min_freq: int | None = None
    ) -> None:
        """Begins anew with these moves and labels. min_freq is taken for spaCy's sake, which
        ignores it.

        Labels are texts or ids. ValueError E019: there is no such move; KeyError E018: an id is no
        string's; TypeError transition-label: a label is neither. The classes stay what they were.
        """
        given = [
            (int(action), [(self._label_text(label), freq) for label, freq in freqs.items()])
            for action, freqs in labels_by_action.items()
        ]
        self.native.initialize(given)
        for label in self.native.class_labels():
            self.strings.add(label)

    def add_action(self, action: int, label_name: str | SupportsIndex) -> int | None:
        """Adds a class for a move with a label, given by text or id; 0 if there is one already.

        ValueError E019: there is no such move; KeyError E018: the id is no string's; TypeError
        transition-label: the label is neither.
        """
        label = self._label_text(label_name)
        is_new = self.native.add(action, label)
        self.strings.add(label)
        return int(is_new)

    def _label_text(self, label: object) -> str:
        """Returns the text of a label, given as text or id (any integer type; 0 for no label)."""
        if isinstance(label, str):
            return label
        if isinstance(label, bool) or not isinstance(label, SupportsIndex):
            given = type(label).__name__
            raise TypeError(f"[transition-label] a label is a text or an id, not a {given}")
        return self.strings[operator.index(label)]

    # Files

    def to_disk(self, path: str | PathLike[str], **kwargs: Any) -> None:
        """Writes a file of what `to_bytes` gives."""
        write_file(path, self.to_bytes(**kwargs))

    def from_disk(self, path: str | PathLike[str], **kwargs: Any) -> Self:
        """Becomes what a file has, and returns it."""
        return self.from_bytes(Path(path).read_bytes(), **kwargs)

    def to_bytes(self, exclude: Container[str] = ()) -> bytes:
        """Moves, strings and settings, in spaCy's form; `exclude` has the names "moves", "strings",
        "cfg".
        """
        parts: dict[str, Any] = {}
        if "moves" not in exclude:
            parts["moves"] = json.dumps(self.labels, separators=(",", ":"))
        if "strings" not in exclude:
            parts["strings"] = self.strings.to_bytes()
        if "cfg" not in exclude:
            parts["cfg"] = self.cfg
        return packb(parts)

    def from_bytes(self, bytes_data: bytes, exclude: Container[str] = ()) -> Self:
        """Becomes what was written, and returns it. What is excluded stays as it is.

        ValueError transition-bytes: the bytes are no system's, or lack a part that is not excluded;
        then nothing is changed.
        """
        parts = _a_map(_read(unpackb, bytes_data, "a transition system"), "a transition system")
        # Old files have no settings.
        for name in ("moves", "strings"):
            if name not in exclude and name not in parts:
                raise ValueError(f"[transition-bytes] the part {name!r} is missing; exclude it")
        labels: dict[int, dict[str, int]] | None = None
        if "moves" not in exclude:
            labels = _labels(_read(json.loads, parts["moves"], "the moves"))
            trial = self.native if self._kind is None else Moves(self._kind)
            _read(trial.initialize, _pairs(labels), "the moves")
        cfg = {} if "cfg" in exclude else _a_map(parts.get("cfg", {}), "the settings")
        # From here on only strings can fail, which are as they were if they do.
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


_Part = TypeVar("_Part")
_Value = TypeVar("_Value")


def _read(read: Callable[[_Part], _Value], given: _Part, what: str) -> _Value:
    """Reads a part of a message. Raises ValueError (transition-bytes), chained to the original
    error.
    """
    try:
        return read(given)
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
                given = type(freq).__name__
                raise ValueError(f"[transition-bytes] a frequency is an int, not a {given}")
            labels[int(action)][label] = freq
    return labels


def _pairs(labels: Mapping[int, Mapping[str, int]]) -> list[tuple[int, list[tuple[str, int]]]]:
    return [(action, list(freqs.items())) for action, freqs in labels.items()]
