"""Documents from dictionaries of annotation."""

from __future__ import annotations

import array

from .. import attrs
from .._core import Doc, Span, Vocab
from .._narrow import is_dict, is_list
from .iob_utils import biluo_tags_to_spans, offsets_to_biluo_tags

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

# The long names of annotation of tokens: the parameters of `Doc`.
_TOKEN_KEYS = {
    "words": "ORTH",
    "spaces": "SPACY",
    "tags": "TAG",
    "pos": "POS",
    "morphs": "MORPH",
    "lemmas": "LEMMA",
    "heads": "HEAD",
    "deps": "DEP",
    "sent_starts": "SENT_START",
}
_DOC_KEYS = {"cats": "cats", "links": "links", "spans": "spans", "ner": "entities"}
_DOC_KEYS["entities"] = "entities"
_IGNORED = {"ids", "text", "brackets"}
_WORD = (1 << 64) - 1
# The types that rows may have; type checkers take their items as Any.
_ROWS: tuple[type[Any], ...] = (list, tuple)


def split_annotations(given: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Splits annotation into that of tokens, by attribute name, and that of the document.

    given: both together, or under the keys "token_annotation" and "doc_annotation". It is not
        changed. Sentence starts are left out if the heads define the sentences.

    Raises KeyError (E983) for an unknown key.
    """
    tokens: dict[str, Any] = dict(given.get("token_annotation") or {})
    document: dict[str, Any] = dict(given.get("doc_annotation") or {})
    for key, value in given.items():
        if value is None or key in ("token_annotation", "doc_annotation"):
            continue
        if key in _DOC_KEYS:
            document[_DOC_KEYS[key]] = value
        else:
            tokens[key] = value
    text = given.get("text", given.get("raw"))
    tokens = {_token_key(key): value for key, value in tokens.items() if key not in _IGNORED}
    if _is_given(tokens.get("ORTH")) and not _is_given(tokens.get("SPACY")):
        tokens["SPACY"] = None if text is None else _spaces(text, tokens["ORTH"])
    if "HEAD" in tokens:
        tokens.pop("SENT_START", None)
    return tokens, document


def _token_key(key: str) -> str:
    if key in _TOKEN_KEYS.values():
        return key
    name = _TOKEN_KEYS.get(key.lower())
    if name is None:
        known = ", ".join([*_TOKEN_KEYS, *_DOC_KEYS])
        raise KeyError(f"[E983] annotation {key!r} is not known; what is: {known}")
    return name


def _is_given(values: Any) -> bool:
    return values is not None and any(value is not None for value in values)


def _spaces(text: str, words: Iterable[str]) -> list[bool]:
    """Returns for each word whether a space follows; for words that the text lacks, True."""
    spaces: list[bool] = []
    position = 0
    for word in words:
        start = text.find(word, position)
        if start < 0:
            spaces.append(True)
            continue
        position = start + len(word)
        spaces.append(text[position : position + 1] == " ")
    return spaces


def annotations_to_doc(
    vocab: Vocab, tok_annot: Mapping[str, Any], doc_annot: Mapping[str, Any]
) -> Doc:
    """Makes a document of words and their annotation.

    tok_annot: lists with one value per token, by attribute name: ORTH, SPACY, TAG, POS, LEMMA,
        MORPH, HEAD (positions), DEP, SENT_START.
    doc_annot: "entities" as offsets, BILUO tags or spans; "spans", lists of (start, end, label,
        kb_id) in characters by key; "cats", numbers by label; "links", dicts by (start, end) from
        knowledge base id to a number, of which one is 1.0.

    Raises Raises ValueError: E974 for an unknown key, E973 for malformed entities, E879 for
    malformed spans, E980 and E981 for malformed links; TypeError (E969) for a value that is not a
    string; and the errors of `Doc` and `Doc.from_array`.
    """
    for key, value in doc_annot.items():
        if value and key not in _DOC_KEYS.values():
            raise ValueError(f"[E974] document annotation {key!r} is not known")
    doc = Doc(vocab, words=tok_annot["ORTH"], spaces=tok_annot["SPACY"])
    columns: dict[str, list[int]] = {}
    for key, values in tok_annot.items():
        if key not in attrs.IDS:
            raise ValueError(f"[E974] token annotation {key!r} is not known")
        if key not in ("ORTH", "SPACY"):
            columns[key] = _column(vocab, key, values)
    if doc_annot.get("links"):
        columns["ENT_KB_ID"] = [
            vocab.strings.add(kb_id) for kb_id in _links(doc, doc_annot["links"])
        ]
    if "entities" in doc_annot:
        _set_entities(doc, doc_annot["entities"])
    if "spans" in doc_annot:
        _set_spans(doc, doc_annot["spans"])
    if columns and any(columns.values()):
        doc = doc.from_array(list(columns), _matrix(columns, len(doc)))
    doc.cats.update(doc_annot.get("cats") or {})
    return doc


def _column(vocab: Vocab, attr: str, values: Iterable[Any]) -> list[int]:
    """Returns the values of an attribute as numbers for `Doc.from_array`."""
    if attr == "HEAD":
        numbered = enumerate(values)
        return [(0 if head is None else int(head) - i) & _WORD for i, head in numbered]
    if attr == "SENT_START":
        return [_ternary(value) & _WORD for value in values]
    if attr == "DEP":
        return [0 if dep is None else vocab.strings.add(dep) for dep in values]
    if attr == "MORPH":
        return [vocab.morphology.add(morph) for morph in values]
    values = list(values)
    wrong = {type(value).__name__ for value in values if not isinstance(value, str)}
    if wrong:
        raise TypeError(f"[E969] values of {attr} are strings, not {', '.join(sorted(wrong))}")
    return [vocab.strings.add(value) for value in values]


def _ternary(value: Any) -> int:
    """Returns 1 for True and 1, 0 for None and 0, -1 for False and anything else."""
    if value is None or (value is not False and value == 0):
        return 0
    return 1 if value == 1 else -1


def _matrix(columns: Mapping[str, list[int]], rows: int) -> memoryview:
    """Returns a row per token and a column per attribute, of unsigned 64-bit integers."""
    for attr, column in columns.items():
        if len(column) != rows:
            raise ValueError(f"[E971] {len(column)} values of {attr} for {rows} tokens")
    flat = array.array("Q", (value for row in zip(*columns.values()) for value in row))
    return memoryview(flat).cast("B").cast("Q", [rows, len(columns)])


def _set_spans(doc: Doc, groups: Any) -> None:
    if not is_dict(groups):
        raise ValueError(f"[E879] spans are given as a dict of lists, not as {groups!r}")
    for key, rows in groups.items():
        if not is_list(rows):
            raise ValueError(f"[E879] spans {key!r} are given as a list, not as {rows!r}")
        spans: list[Any] = []
        for row in rows:
            if not isinstance(row, _ROWS) or len(row) < 2:
                text = f"[E879] a span is given as (start, end, label, kb_id), not as {row!r}"
                raise ValueError(text)
            start, end, label, kb_id = [*row, 0, 0][:4]
            spans.append(doc.char_span(start, end, label=label, kb_id=kb_id))
        doc.spans[key] = spans


def _set_entities(doc: Doc, entities: Any) -> None:
    if entities is None:
        return
    if not isinstance(entities, _ROWS):
        raise ValueError(f"[E973] entities are given as a list, not as {entities!r}")
    if not entities:
        doc.set_ents([])
        return
    first = entities[0]
    if isinstance(first, _ROWS):
        entities = biluo_tags_to_spans(doc, offsets_to_biluo_tags(doc, entities))
    elif isinstance(first, str) or first is None:
        entities = biluo_tags_to_spans(doc, entities)
    elif not isinstance(first, Span):
        text = f"[E973] entities are given as offsets, BILUO tags or spans, not as {first!r}"
        raise ValueError(text)
    known = [span for span in entities if span.label]
    doc.set_ents(known, missing=[span for span in entities if not span.label])


def _links(doc: Doc, links: Mapping[Sequence[int], Mapping[str, float]]) -> list[str]:
    """Returns the knowledge base id of each token, empty for tokens without one."""
    starts = {token.idx: token.i for token in doc}
    ends = {token.idx + len(token): token.i for token in doc}
    kb_ids = [""] * len(doc)
    for (start, end), probabilities in links.items():
        true = [kb_id for kb_id, probability in probabilities.items() if probability == 1.0]
        if len(true) > 1:
            text = f"[E980] {start}:{end} is linked to {', '.join(true)}, but may be to one only"
            raise ValueError(text)
        if not true:
            continue
        first, last = starts.get(start), ends.get(end)
        if first is None or last is None:
            text = f"[E981] the link at {start}:{end} does not begin and end between tokens"
            raise ValueError(text)
        kb_ids[first : last + 1] = true * (last + 1 - first)
    return kb_ids
