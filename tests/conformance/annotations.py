"""The annotation of documents, and the first value in which two documents differ."""

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy

# The largest difference between numbers that count as equal, where bits need not be.
TOLERANCE = 1e-5

_COLUMNS: dict[str, Callable[[Any], Any]] = {
    "text": lambda token: token.text_with_ws,
    "tag": lambda token: token.tag_,
    "pos": lambda token: token.pos_,
    "morph": lambda token: str(token.morph),
    "lemma": lambda token: token.lemma_,
    "head": lambda token: token.head.i,
    "dep": lambda token: token.dep_,
    # spaCy marks the first token of some documents only.
    "sent_start": lambda token: token.is_sent_start if token.i else None,
    "ent_iob": lambda token: token.ent_iob_,
    "ent_type": lambda token: token.ent_type_,
    "ent_kb_id": lambda token: token.ent_kb_id_,
    "ent_id": lambda token: token.ent_id_,
}


class Annotation:
    """All annotation of a document at one time, as pairs of places and values."""

    def __init__(self, doc: Any) -> None:
        self.values = list(_values(doc))

    def difference(self, other: "Annotation", exact: bool) -> str | None:
        """Returns the first difference, or None if both are equal.

        exact: whether numbers must have the same bits.
        """
        for expected, given in itertools.zip_longest(self.values, other.values):
            if expected is None or given is None:
                place = (expected or given)[0]
                return f"{place} is {'additional' if expected is None else 'missing'}"
            if expected[0] != given[0]:
                return f"{given[0]} = {given[1]!r}, expected {expected[0]} = {expected[1]!r}"
            if not _equal(expected[1], given[1], exact):
                return f"{expected[0]} is {_shown(given[1])}, expected {_shown(expected[1])}"
        return None


def _values(doc: Any) -> Iterator[tuple[str, Any]]:
    yield "the number of tokens", len(doc)
    tokens = list(doc)
    for name, read in _COLUMNS.items():
        for token in tokens:
            yield f"{name} of token {token.i} {token.text!r}", read(token)
    for index, ent in enumerate(doc.ents):
        yield f"entity {index}", (ent.start, ent.end, ent.label_, ent.kb_id_, ent.id_)
    for label, score in doc.cats.items():
        yield f"category {label!r}", numpy.asarray(score)
    for key, group in sorted(doc.spans.items()):
        for index, span in enumerate(group):
            found = (span.start, span.end, span.label_, span.kb_id_, span.id_)
            yield f"span {index} of {key!r}", found
        for attr, value in sorted(group.attrs.items()):
            yield f"attrs[{attr!r}] of spans {key!r}", numpy.asarray(value)
    tensor = numpy.asarray(doc.tensor)
    # spaCy's empty tensors have various shapes.
    yield "tensor", tensor if tensor.size else numpy.zeros(0)


def _equal(expected: Any, given: Any, exact: bool) -> bool:
    if not isinstance(expected, numpy.ndarray):
        return bool(expected == given)
    if expected.shape != given.shape:
        return False
    if exact or expected.dtype.kind not in "fiu":
        return expected.dtype == given.dtype and expected.tobytes() == given.tobytes()
    return bool(numpy.allclose(expected, given, rtol=0, atol=TOLERANCE))


def _shown(value: Any) -> str:
    if not isinstance(value, numpy.ndarray):
        return repr(value)
    start = ", ".join(f"{number!r}" for number in value.ravel()[:6].tolist())
    return f"{value.dtype}{list(value.shape)} [{start}{', ...' if value.size > 6 else ''}]"
