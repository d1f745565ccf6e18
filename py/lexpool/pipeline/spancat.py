"""Categories of suggested spans."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from .._components.settings import check_kind, checked
from .._core import Doc, Span, check_count
from .._errors import ConfigError
from .._learning.example import validate_examples
from .._learning.example_batch import native_batch
from .._typing import Any
from ..tokens import SpanGroup
from .model import Model, vector_table
from .ragged import Ragged
from .scores import spancat_score
from .trainable_pipe import TrainablePipe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import ClassVar, TypeAlias

    from numpy import float32, int32
    from numpy.typing import NDArray

    from .._core import Learner, SharedRows, TrainingBatch
    from .._learning.example import Example
    from ..vocab import Vocab

__all__ = [
    "SpanCategorizer",
    "build_ngram_range_suggester",
    "build_ngram_suggester",
    "build_preset_spans_suggester",
    "ngram_suggester",
    "preset_spans_suggester",
]

# The first token of a span, and the one after the last.
Range: TypeAlias = tuple[int, int]
# Called with a list of documents. Returns a `Ragged` of starts and ends, of lexpool or thinc, or
# a list of ranges for each document.
Suggester: TypeAlias = Callable[..., Any]


def ngram_suggester(docs: Iterable[Doc], sizes: Sequence[int], *, ops: object = None) -> Ragged:
    """Suggests all spans of some numbers of tokens, size by size, in order of their starts.

    ops: ignored; for the signature of spaCy's suggesters.
    """
    return _ragged(
        [
            (start, start + size)
            for size in sizes
            for start in range(min(len(doc) + 1 - size, len(doc)))
        ]
        for doc in docs
    )


def preset_spans_suggester(docs: Iterable[Doc], spans_key: str, *, ops: object = None) -> Ragged:
    """Suggests the spans of a group.

    ops: ignored; for the signature of spaCy's suggesters.
    """
    return _ragged(
        [(span.start, span.end) for span in doc.spans[spans_key]] if spans_key in doc.spans else []
        for doc in docs
    )


def build_ngram_suggester(sizes: Sequence[int]) -> Suggester:
    """Returns a suggester of all spans of these numbers of tokens: `spacy.ngram_suggester.v1`."""
    return partial(ngram_suggester, sizes=[_within_limit(size) for size in sizes])


def build_ngram_range_suggester(min_size: int, max_size: int) -> Suggester:
    """Returns a suggester of all spans of min_size to max_size tokens:
    `spacy.ngram_range_suggester.v1`.
    """
    sizes = range(_within_limit(min_size), _within_limit(max_size) + 1)
    return partial(ngram_suggester, sizes=sizes)


def _within_limit(size: int) -> int:
    check_count("sizes", size, "a size of a suggester")
    return size


def build_preset_spans_suggester(spans_key: str) -> Suggester:
    """Returns a suggester of the spans of a group: `spacy.preset_spans_suggester.v1`."""
    return partial(preset_spans_suggester, spans_key=spans_key)


_SUGGESTERS: dict[str, Callable[..., Suggester]] = {
    "spacy.ngram_suggester.v1": build_ngram_suggester,
    "spacy.ngram_range_suggester.v1": build_ngram_range_suggester,
    "spacy.preset_spans_suggester.v1": build_preset_spans_suggester,
}
_KINDS = {"sizes": "list of int", "min_size": "int", "max_size": "int", "spans_key": "str"}


class SpanCategorizer(TrainablePipe):
    """Labels the spans that a suggester names.

    model: the section `model` of the settings.
    suggester: the settings of the suggester, such as {"@misc": "spacy.ngram_suggester.v1",
        "sizes": [1, 2]}, or a function from a list of documents to a `Ragged` with a row for each
        span: its first token and the one after its last. A function is called from Python, and so
        is one that the attribute is set to.
    spans_key: the key of `doc.spans` for the spans.
    add_negative_label: whether the last output of the network means that a span has no label.
    threshold: the lowest score of a label.
    max_positive: the most labels of a span; with 1 it has its best label only.
    allow_overlap: whether spans may overlap, if each has one label.
    """

    factory: ClassVar[str] = "spancat"

    def __init__(
        self,
        vocab: Vocab,
        model: Mapping[str, Any] | Model,
        suggester: Mapping[str, Any] | Suggester,
        name: str = "spancat",
        *,
        add_negative_label: bool = False,
        spans_key: str = "spans",
        negative_weight: float | None = 1.0,
        allow_overlap: bool | None = True,
        max_positive: int | None = None,
        threshold: float | None = 0.5,
        scorer: Callable[..., dict[str, Any]] | None = spancat_score,
    ) -> None:
        super().__init__(vocab, model, name, scorer=scorer)
        self.cfg: dict[str, Any] = {
            "labels": [],
            "spans_key": spans_key,
            "threshold": threshold,
            "max_positive": max_positive,
            "negative_weight": negative_weight,
            "allow_overlap": allow_overlap,
        }
        self.suggester_settings: dict[str, Any] = {}
        self._known_suggester: Suggester | None = None
        if callable(suggester):
            self.suggester: Suggester = suggester
        else:
            self.suggester_settings.update(suggester)
            section = f"components.{name}.suggester"
            self.suggester = self._known_suggester = _suggester(self.suggester_settings, section)
        self.add_negative_label = add_negative_label
        if not allow_overlap and (max_positive is None or max_positive > 1):
            raise ValueError(
                f"[E1051] allow_overlap is False, which needs max_positive = 1, not {max_positive}"
            )

    @property
    def key(self) -> str:
        """The key of `doc.spans` for the spans."""
        return str(self.cfg["spans_key"])

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels, in the order of the network's outputs."""
        return tuple(self.cfg["labels"])

    @property
    def label_data(self) -> Any:
        """The labels."""
        return list(self.labels)

    # The name of the argument is spaCy's.
    def get_loss(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, examples: Iterable[Example], spans_scores: tuple[Any, Any]
    ) -> tuple[float, Any]:
        """Returns the loss of scores of the network for examples, and its gradient.

        spans_scores: spans of the documents as suggesters return them, and an array with a row for
            each.
        """
        import numpy

        given = list(examples)
        validate_examples(given, "SpanCategorizer.get_loss")
        spans, scores = spans_scores
        rows: NDArray[float32] = numpy.ascontiguousarray(scores, "float32")
        ranges = _ranges(spans, len(given))
        gradient, loss = self._loss(native_batch(given), rows, ranges)
        return loss, gradient

    def _update_by(
        self,
        learner: Learner,
        batch: TrainingBatch,
        drop: float,
        rows: SharedRows | None,
        examples: list[Example],
    ) -> float:
        spans: list[list[Range]] | None = None
        if not self._suggests_natively():
            docs = [example.predicted for example in examples]
            spans = _ranges(self.suggester(docs), len(docs))
        table = vector_table(self.vocab)
        return learner.update(batch, drop, table, shared=rows, spans=spans)

    def _suggests_natively(self) -> bool:
        is_known = self.suggester is self._known_suggester
        return is_known and "preset" not in str(self.suggester_settings.get("@misc"))

    @property
    def _n_labels(self) -> int:
        """The number of outputs: the labels, and one more if a span may have none."""
        return len(self.labels) + bool(self.add_negative_label)

    @property
    def _negative_label_i(self) -> int | None:
        """The output that means that a span has no label."""
        return self._n_labels - 1 if self.add_negative_label else None

    def _n_outputs(self) -> int:
        return self._n_labels

    def _trained_as(self) -> str:
        return "spancat_singlelabel" if self.add_negative_label else "spancat"

    def _training_settings(self) -> dict[str, Any]:
        keys = ["spans_key", "threshold", "max_positive"]
        if self.add_negative_label:
            keys = ["spans_key", "negative_weight", "allow_overlap"]
        settings = {key: self.cfg[key] for key in keys}
        if self._suggests_natively():
            settings["suggester"] = self.suggester_settings
        return settings

    def predict(self, docs: Iterable[Doc]) -> tuple[Ragged, NDArray[float32]]:
        """Returns the suggested spans and an array of scores with a row for each span."""
        import numpy

        docs = list(docs)
        spans = _ranges(self.suggester(docs), len(docs))
        rows: list[NDArray[float32]] = [
            self.model.native(doc.vocab).span_rows(doc, own)
            for doc, own in zip(docs, spans, strict=True)
            if own
        ]
        none: NDArray[float32] = numpy.zeros((0, 0), "float32")
        return _ragged(spans), numpy.concatenate(rows) if rows else none

    def set_candidates(self, docs: Iterable[Doc], *, candidates_key: str = "candidates") -> None:
        """Sets the suggested spans in `doc.spans[candidates_key]`."""
        docs = list(docs)
        for doc, spans in zip(docs, _ranges(self.suggester(docs), len(docs)), strict=True):
            doc.spans[candidates_key] = [doc[start:end] for start, end in spans]

    def set_annotations(self, docs: Iterable[Doc], scores: Any) -> None:
        """Sets the spans of documents by the result of `predict`."""
        docs = list(docs)
        indices, rows = scores
        done = 0
        for doc, spans in zip(docs, _ranges(indices, len(docs)), strict=True):
            own = rows[done : done + len(spans)]
            done += len(spans)
            if self.cfg["max_positive"] == 1:
                overlap = bool(self.cfg["allow_overlap"])
                group = self._make_span_group_singlelabel(doc, spans, own, overlap)
            else:
                group = self._make_span_group_multilabel(doc, spans, own)
            doc.spans[self.key] = group

    def _make_span_group_multilabel(self, doc: Doc, indices: Any, scores: Any) -> SpanGroup:
        """Returns the spans of a document with all their labels."""
        import numpy

        spans, rows = _pairs(indices), scores
        group = SpanGroup(doc, name=self.key)
        if not spans:
            return group
        keeps = rows >= self.cfg["threshold"]
        if self.cfg["max_positive"] is not None:
            ranked = rows.copy()
            if self.add_negative_label:
                ranked[:, -1] = -numpy.inf
            order = (-ranked).argsort(axis=1, kind="stable")[:, self.cfg["max_positive"] :]
            numpy.put_along_axis(keeps, order, False, axis=1)
        keeps = keeps[:, : len(self.labels)]
        kept: list[list[int]] = numpy.argwhere(keeps).tolist()
        found = rows[:, : len(self.labels)][keeps]
        # spaCy makes the array of a list, whose type is NumPy's default if it is empty.
        group.attrs["scores"] = found if len(found) else numpy.array([])
        group.extend(Span(doc, *spans[span], label=self.labels[label]) for span, label in kept)
        return group

    def _make_span_group_singlelabel(
        self, doc: Doc, indices: Any, scores: Any, allow_overlap: bool = True
    ) -> SpanGroup:
        """Returns the spans of a document with the best label of each."""
        import numpy

        spans, rows = _pairs(indices), scores
        group = SpanGroup(doc, name=self.key)
        if not spans:
            return group
        labels = rows.argmax(axis=1)
        best = rows.max(axis=1)
        order = range(len(spans))
        if not allow_overlap:
            order = (-best).argsort(kind="stable")
        threshold = self.cfg["threshold"]
        taken: set[int] = set()
        chosen: list[int] = []
        for span in order:
            is_negative = self.add_negative_label and labels[span] == len(self.labels)
            if is_negative or (threshold is not None and best[span] < threshold):
                continue
            if not allow_overlap:
                tokens = set(range(*spans[span]))
                if tokens & taken:
                    continue
                taken |= tokens
            chosen.append(int(span))
        group.attrs["scores"] = best[chosen].reshape(-1, 1) if chosen else numpy.array([])
        group.extend(
            Span(doc, *spans[span], label=self.labels[int(labels[span])]) for span in chosen
        )
        return group

    def _is_unchanged(self) -> bool:
        return self.suggester is self._known_suggester and super()._is_unchanged()

    def _own_settings(self) -> dict[str, Any]:
        return {
            "suggester": self.suggester_settings,
            "add_negative_label": self.add_negative_label,
        }


def _ragged(spans: Iterable[Sequence[Range]]) -> Ragged:
    """Returns the spans of documents as an array with their starts and ends."""
    import numpy

    by_doc = list(spans)
    rows = [span for own in by_doc for span in own]
    data: NDArray[int32] = numpy.asarray(rows, "int32").reshape(len(rows), 2 if rows else 0)
    return Ragged(data, [len(own) for own in by_doc])


def _pairs(indices: Any) -> list[Range]:
    """Returns ranges of a list, or of an array with a row for each."""
    return [(int(start), int(end)) for start, end in getattr(indices, "tolist", lambda: indices)()]


def _ranges(suggested: Any, n_docs: int) -> list[list[Range]]:
    """Returns the spans of each document as ranges. Raises ValueError for another number of
    documents.
    """
    if not hasattr(suggested, "dataXd"):
        by_doc: list[list[Range]] = [[(start, end) for start, end in own] for own in suggested]
    else:
        rows = iter(suggested.dataXd.tolist())
        by_doc = [[tuple(next(rows)) for _ in range(length)] for length in suggested.lengths]
    if len(by_doc) != n_docs:
        raise ValueError(f"expected the spans of {n_docs} documents, got those of {len(by_doc)}")
    return by_doc


def _suggester(settings: Mapping[str, Any], section: str) -> Suggester:
    arguments = dict(settings)
    name = arguments.pop("@misc", None)
    make = _SUGGESTERS.get(str(name))
    if make is None:
        raise ConfigError(
            f"[{section}] names the function {name!r}, which lexpool lacks; it has "
            f"{', '.join(_SUGGESTERS)}"
        )
    for key, value in arguments.items():
        if key in _KINDS:
            check_kind(value, (_KINDS[key],), f"[{section}]", key)
    return make(**checked(make, arguments, section))
