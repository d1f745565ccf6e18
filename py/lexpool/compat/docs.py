"""Conversion of documents between spaCy and lexpool, by arrays.

Both libraries export and import documents as arrays of ids; only strings that the other side lacks
are copied one by one.
"""

import copy
from collections.abc import Iterable
from typing import Any

from .._core import Doc, Span, Vocab
from .._python_side.spacy_tokenizer import vocab_from_spacy

__all__ = ["from_spacy", "to_spacy"]

_IDS = ("ORTH", "NORM", "TAG", "DEP", "ENT_TYPE", "ENT_KB_ID", "ENT_ID", "LEMMA", "MORPH")
_NUMBERS = ("SPACY", "POS", "HEAD", "ENT_IOB", "SENT_START")
_CARRIED = ("cats", "user_data", "tensor", "sentiment")


def from_spacy(doc: Any, vocab: Vocab | None = None) -> Doc:
    """Returns a lexpool Doc with all data of a spaCy Doc.

    vocab: lexpool's vocab of the new document; by default a new one with the attributes of spaCy's
        vocab. Passing the same vocab for all documents of a corpus is faster.

    Hooks are functions on spaCy's objects and are left out.
    """
    if vocab is None:
        vocab = vocab_from_spacy(doc.vocab)
    lexpool_doc: Doc = _convert(doc, vocab, Doc, Span)
    return lexpool_doc


def to_spacy(doc: Doc, vocab: Any) -> Any:
    """Returns a spaCy Doc with all data of a lexpool Doc.

    vocab: spaCy's vocab of the new document, such as `nlp.vocab`.

    Hooks are functions on lexpool's objects and are left out.
    """
    from spacy import tokens

    return _convert(doc, vocab, tokens.Doc, tokens.Span)


def _convert(doc: Any, vocab: Any, make_doc: Any, make_span: Any) -> Any:
    import numpy

    table = doc.to_array([*_IDS, *_NUMBERS])
    ids = numpy.unique(table[:, : len(_IDS)]) if len(doc) else ()
    _hand_over(ids, doc.vocab.strings, vocab.strings)
    words, spaces = table[:, 0].tolist(), (table[:, len(_IDS)] != 0).tolist()
    target = make_doc(vocab, words=words, spaces=spaces)
    if words:
        target.from_array([*_IDS[1:], *_NUMBERS[1:]], numpy.delete(table, [0, len(_IDS)], axis=1))
    target.has_unknown_spaces = doc.has_unknown_spaces
    for name in _CARRIED:
        setattr(target, name, copy.copy(getattr(doc, name)))
    for name, group in doc.spans.items():
        spans = list(group)
        labels = {number for span in spans for number in (span.label, span.kb_id, span.id)}
        _hand_over(labels, doc.vocab.strings, vocab.strings)
        target.spans[name] = [_span(target, span, make_span) for span in spans]
        target.spans[name].attrs.update(group.attrs)
    return target


def _hand_over(ids: Iterable[Any], source: Any, target: Any) -> None:
    """Copies the strings of ids that the other store lacks."""
    for number in map(int, ids):
        if number not in target:
            target.add(source[number])


def _span(doc: Any, span: Any, make_span: Any) -> Any:
    ids = {"label": span.label, "kb_id": span.kb_id, "span_id": span.id}
    return make_span(doc, span.start, span.end, **ids)
