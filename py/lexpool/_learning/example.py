"""`Example`: a predicted document and its reference."""

from __future__ import annotations

from .. import attrs
from .._core import AlignmentArray, Doc, Span, projectivize
from .._narrow import is_iterable
from .annotations import annotations_to_doc, split_annotations
from .iob_utils import doc_to_biluo_tags, offsets_to_biluo_tags

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from .alignment import Alignment

__all__ = ["Example", "annotations_to_doc", "validate_examples", "validate_get_examples"]

_OUTSIDE = 2


class Example:
    """A predicted document and its reference, which may have another tokenization.

    predicted: the document that a pipeline annotates.
    reference: the same text with gold annotation.
    alignment: a known alignment of the two; otherwise it is computed at first use, and again after
        a retokenization.

    Raises TypeError (E972) if one of them is not a document.
    """

    __slots__ = ("__weakref__", "_alignment", "_tokens", "_x", "_y")

    def __init__(
        self, predicted: Doc, reference: Doc, *, alignment: Alignment | None = None
    ) -> None:
        self._x = _checked(predicted, "predicted")
        self._y = _checked(reference, "reference")
        self._alignment = alignment
        # The records of the tokens for which the alignment is valid.
        self._tokens = b""
        if alignment is not None:
            self._tokens = self._signature()

    @classmethod
    def from_dict(cls, predicted: Doc, example_dict: dict[str, Any]) -> Example:
        """Returns an example with a reference made from a dictionary, in the format of `to_dict`.

        The keys may also be on the top level, under their long names: words, spaces, tags, pos,
        morphs, lemmas, heads, deps, sent_starts; entities, spans, cats, links. Without words the
        reference has the words of `predicted`.

        Raises ValueError (E976) if an argument is None, TypeError if it has another type, KeyError
        (E983) for an unknown key, and the errors of `annotations_to_doc`.
        """
        for value, name, expected in (
            (predicted, "predicted", Doc),
            (example_dict, "example_dict", dict),
        ):
            _require(value, name, expected)
        tokens, document = split_annotations(example_dict)
        if "ORTH" not in tokens:
            tokens["ORTH"] = [token.text for token in predicted]
            tokens["SPACY"] = [bool(token.whitespace_) for token in predicted]
        return cls(predicted, annotations_to_doc(predicted.vocab, tokens, document))

    def __len__(self) -> int:
        """The number of predicted tokens."""
        return len(self._x)

    @property
    def predicted(self) -> Doc:
        """The predicted document; setting it drops the alignment."""
        return self._x

    @predicted.setter
    def predicted(self, doc: Doc) -> None:
        self._x = _checked(doc, "predicted")
        self._alignment = None

    @property
    def reference(self) -> Doc:
        """The reference document; setting it drops the alignment."""
        return self._y

    @reference.setter
    def reference(self, doc: Doc) -> None:
        self._y = _checked(doc, "reference")
        self._alignment = None

    @property
    def x(self) -> Doc:
        """The predicted document."""
        return self._x

    @property
    def y(self) -> Doc:
        """The reference document."""
        return self._y

    @property
    def text(self) -> str:
        """The text of the predicted document."""
        return self._x.text

    def copy(self) -> Example:
        """Returns an example with copies of both documents."""
        return Example(self._x.copy(), self._y.copy())

    def _signature(self) -> bytes:
        return b"|".join((bytes(self._x.c), bytes(self._y.c)))

    @property
    def alignment(self) -> Alignment:
        """The alignment of predicted tokens (x) with those of the reference (y).

        Raises ValueError (E949) if the texts differ in more than case and whitespace.
        """
        tokens = self._signature()
        if self._alignment is None or tokens != self._tokens:
            x = [token.text for token in self._x]
            y = [token.text for token in self._y]
            # Alignments are a dataclass: `dataclasses` takes a tenth of loading a pipeline.
            from .alignment import Alignment

            self._alignment = Alignment.from_strings(x, y)
            self._tokens = tokens
        return self._alignment

    def get_aligned(self, field: str | int, as_string: bool = False) -> list[Any]:
        """Returns an attribute of the reference for each predicted token.

        The value is None if the token aligns with no token of the reference, or with several whose
        values differ.

        as_string: whether to return strings instead of ids; ENT_IOB and SENT_START remain numbers.
        """
        values = self._y.to_array([field]).tolist()
        aligned: list[Any] = self.alignment.x2y._common(values)
        if not as_string or attrs.intify_attr(field) in (attrs.ENT_IOB, attrs.SENT_START):
            return aligned
        strings = self._y.vocab.strings
        return [None if value is None else strings[value] for value in aligned]

    def get_aligned_parse(
        self, projectivize: bool = True
    ) -> tuple[list[int | None], list[str | None]]:
        """Returns the heads, as positions, and the labels of the reference for each predicted
        token.

        A value is None unless the token aligns with exactly one token of the reference, whose head
        aligns with exactly one predicted token.

        projectivize: whether to lift crossing arcs and decorate their labels.
        """
        heads = [token.head.i for token in self._y]
        deps = [token.dep_ for token in self._y]
        if projectivize:
            heads, deps = self._projective(heads, deps)
        gold = self.alignment.x2y._singles()
        back = self.alignment.y2x._singles()
        aligned_heads = [None if at is None else back[heads[at]] for at in gold]
        return aligned_heads, [None if at is None else deps[at] for at in gold]

    def _projective(self, heads: list[int], deps: list[str]) -> tuple[list[int], list[str]]:
        lifted, decorated = projectivize(heads, deps)
        # Missing values remain missing.
        for token in self._y:
            if not token.has_head():
                lifted[token.i] = heads[token.i]
            if not token.has_dep():
                decorated[token.i] = deps[token.i]
        return lifted, decorated

    def get_aligned_sent_starts(self) -> list[bool] | list[None]:
        """Returns for each predicted token whether a sentence of the reference starts there.

        The values are None if the reference has no sentences.
        """
        if not self._y.has_annotation("SENT_START"):
            return [None] * len(self._x)
        starts = [False] * len(self._x)
        y2x = self.alignment.y2x
        for sent in self._y.sents:
            aligned = y2x[sent.start : sent.end]
            if len(aligned):
                starts[aligned[0]] = True
        return starts

    def get_aligned_spans_x2y(
        self, x_spans: Iterable[Span], allow_overlap: bool = False
    ) -> list[Span]:
        """Returns spans of the predicted document as spans of the reference.

        Leaves out spans whose text differs in more than case and spaces, and spans that overlap an
        earlier one unless `allow_overlap` is set.
        """
        return _aligned_spans(self._y, x_spans, self.alignment.x2y, allow_overlap)

    def get_aligned_spans_y2x(
        self, y_spans: Iterable[Span], allow_overlap: bool = False
    ) -> list[Span]:
        """Returns spans of the reference as spans of the predicted document."""
        return _aligned_spans(self._x, y_spans, self.alignment.y2x, allow_overlap)

    def get_aligned_ents_and_ner(self) -> tuple[list[Span], list[str | None]]:
        """Returns the entities of the reference on predicted tokens, as spans and as BILUO tags.

        A tag is None if the annotation is missing.
        """
        if not self._y.has_annotation("ENT_IOB"):
            return [], [None] * len(self._x)
        ents = self.get_aligned_spans_y2x(self._y.ents, allow_overlap=False)
        offsets = [(ent.start_char, ent.end_char, ent.label_) for ent in ents]
        tags = offsets_to_biluo_tags(self._x, offsets, missing=None)
        for i, ent_iob in enumerate(self.get_aligned("ENT_IOB")):
            if tags[i] is None and (ent_iob == _OUTSIDE or self._x[i].is_space):
                tags[i] = "O"
        return ents, tags

    def get_aligned_ner(self) -> list[str | None]:
        """Returns the entities of the reference as BILUO tags of predicted tokens, None if
        unknown.
        """
        return self.get_aligned_ents_and_ner()[1]

    def get_matching_ents(self, check_label: bool = True) -> list[Span]:
        """Returns the predicted entities that the reference has at the same characters.

        check_label: whether the labels must be equal too.
        """
        gold = {(ent.start_char, ent.end_char): ent.label for ent in self._y.ents}
        matching: list[Span] = []
        for ent in self._x.ents:
            label = gold.get((ent.start_char, ent.end_char))
            if label is not None and (label == ent.label or not check_label):
                matching.append(ent)
        return matching

    def split_sents(self) -> list[Example]:
        """Returns an example for each sentence of the reference; only itself if it has no
        sentences.
        """
        if not self._y.has_annotation("SENT_START"):
            return [self]
        y2x = self.alignment.y2x
        used_tokens: set[int] = set()
        examples: list[Example] = []
        for sent in self._y.sents:
            aligned = [int(i) for i in y2x[sent.start : sent.end] if int(i) not in used_tokens]
            if aligned:
                predicted = self._x[aligned[0] : aligned[-1] + 1]
                examples.append(Example(predicted.as_doc(), sent.as_doc()))
                used_tokens.update(aligned)
        return examples

    def to_dict(self) -> dict[str, Any]:
        """Returns the annotation of the reference, in the format of `from_dict`."""
        doc = self._y
        links = {
            (ent.start_char, ent.end_char): {ent.kb_id_: 1.0} for ent in doc.ents if ent.kb_id_
        }
        return {
            "doc_annotation": {
                "cats": dict(doc.cats),
                "entities": doc_to_biluo_tags(doc),
                "spans": {key: [_as_tuple(span) for span in doc.spans[key]] for key in doc.spans},
                "links": links,
            },
            "token_annotation": {
                "ORTH": [token.text for token in doc],
                "SPACY": [bool(token.whitespace_) for token in doc],
                "TAG": [token.tag_ for token in doc],
                "LEMMA": [token.lemma_ for token in doc],
                "POS": [token.pos_ for token in doc],
                "MORPH": [str(token.morph) for token in doc],
                "HEAD": [token.head.i for token in doc],
                "DEP": [token.dep_ for token in doc],
                "SENT_START": [int(bool(token.is_sent_start)) for token in doc],
            },
        }

    def __repr__(self) -> str:
        return str(self.to_dict())


def _require(value: Any, name: str, expected: type[Any]) -> None:
    if value is None:
        raise ValueError(f"[E976] {name} is None, but a {expected.__name__} is needed")
    if not isinstance(value, expected):
        type_name = type(value).__name__
        raise TypeError(f"[E976] {name} is a {type_name}, but a {expected.__name__} is needed")


def _checked(doc: Any, name: str) -> Doc:
    if not isinstance(doc, Doc):
        raise TypeError(f"[E972] {name} must be a Doc, not {type(doc).__name__}")
    return doc


def _as_tuple(span: Span) -> tuple[int, int, str, str]:
    return span.start_char, span.end_char, span.label_, span.kb_id_


def _aligned_spans(
    doc: Doc, spans: Iterable[Span], alignment: AlignmentArray, allow_overlap: bool
) -> list[Span]:
    """Returns spans of another tokenization as spans of `doc`."""
    used_tokens: set[int] = set()
    aligned_spans: list[Span] = []
    for span in spans:
        aligned = [int(i) for i in alignment[span.start : span.end]]
        if not allow_overlap:
            aligned = [i for i in aligned if i not in used_tokens]
        if not aligned:
            continue
        candidate = Span(doc, aligned[0], aligned[-1] + 1, label=span.label)
        if _bare(candidate.text) == _bare(span.text):
            aligned_spans.append(candidate)
            used_tokens.update(aligned)
    return aligned_spans


def _bare(text: str) -> str:
    return text.lower().strip().replace(" ", "")


def validate_examples(examples: Any, method: str) -> None:
    """Raises TypeError (E978) with the name of `method` unless all items are examples."""
    if not is_iterable(examples):
        raise TypeError(f"[E978] {method} takes examples, not {type(examples).__name__}")
    wrong = {type(example).__name__ for example in examples if not isinstance(example, Example)}
    if wrong:
        raise TypeError(f"[E978] {method} takes Example objects, not {', '.join(sorted(wrong))}")


def validate_get_examples(get_examples: Callable[[], Iterable[Any]] | None, method: str) -> None:
    """Raises TypeError unless the argument is a function that returns at least one example.

    The code is E930 if it is not a function or returns no examples, E978 if it returns other
    objects.
    """
    if not callable(get_examples):
        type_name = type(get_examples).__name__
        raise TypeError(f"[E930] {method} takes a function that gives examples, not {type_name}")
    examples = get_examples()
    if not examples:
        raise TypeError(f"[E930] {method} needs at least one example, but was given {examples!r}")
    validate_examples(examples, method)
