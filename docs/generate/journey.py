"""The journey of one sentence, computed by the Python package at each step: src/data/journey.json.

Nothing in it depends on where memory lies, so two runs write the same file.
"""

from itertools import groupby
from typing import Any

import numpy as np

import lexpool
from lexpool.tokens import Doc

TEXT = "Let's go to N.Y., shall we?"
# Examples that the sentence itself does not contain.
ACROSS = "go to"
INFIX = "well-known"


def data() -> dict[str, Any]:
    """The results of all steps."""
    nlp = lexpool.blank("en")
    before = known(nlp.vocab)
    doc = nlp(TEXT)
    first = known(nlp.vocab)
    doc = nlp(TEXT)
    if doc.text != TEXT:
        raise ValueError(f"the document's text is {doc.text!r}")
    return {
        "text": TEXT,
        "chars": len(TEXT),
        "bytes": list(TEXT.encode()),
        "chunks": chunks(nlp.tokenizer, doc),
        "lexemes": [lexeme(token) for token in doc],
        "words": {"before": before, "first": first, "second": known(nlp.vocab)},
        "records": records(doc),
        "across": across(),
        "infix": {"text": INFIX, "pieces": pieces(nlp.tokenizer, INFIX)},
        "doc": {"tokens": len(doc), "record_bytes": doc.c.nbytes, "text_bytes": len(TEXT.encode())},
        "views": views(doc),
    }


def known(vocab: lexpool.Vocab) -> dict[str, int]:
    return {"words": len(vocab), "strings": len(vocab.strings)}


def chunks(tokenizer: lexpool.Tokenizer, doc: Doc) -> list[dict[str, Any]]:
    """The chunks between spaces, with the pieces into which the rules cut them."""
    spaces = 0
    numbered = []
    for token in doc:
        numbered.append((spaces, token))
        spaces += len(token.whitespace_)
    result = []
    for _, group in groupby(numbered, lambda pair: pair[0]):
        tokens = [token for _, token in group]
        text = "".join(token.text for token in tokens)
        cut = pieces(tokenizer, text)
        if [piece["text"] for piece in cut] != [token.text for token in tokens]:
            raise ValueError(f"{text!r} alone is cut otherwise than in its sentence")
        for piece, token in zip(cut, tokens, strict=True):
            piece["at"] = token.idx - tokens[0].idx
        result.append({"text": text, "idx": tokens[0].idx, "pieces": cut})
    return result


def pieces(tokenizer: lexpool.Tokenizer, text: str) -> list[dict[str, Any]]:
    return [{"reason": reason, "text": word} for reason, word in tokenizer.explain(text)]


def lexeme(token: lexpool.Token) -> dict[str, Any]:
    record = token.lex.c[0]
    return {
        "text": token.text,
        "ix": int(token.doc.c[token.i].lex),
        "orth": f"{record.orth:016x}",
        "lower": token.lex.lower_,
        "shape": token.lex.shape_,
        "norm": token.norm_,
        "size": token.lex.c.nbytes,
    }


def records(doc: Doc) -> list[dict[str, Any]]:
    """Each token's record: its fields, the facts that are not zero, and its bytes."""
    rows = np.asarray(doc.c)
    items = []
    for row, token, record in zip(rows, doc, doc.c, strict=True):
        facts = {
            name: int(getattr(record, name))
            for name in ("spacy", "sent_start", "ent_iob", "norm_ix")
        }
        items.append(
            {"text": token.text, "hex": row.tobytes().hex()}
            | {name: int(row[name]) for name in rows.dtype.names or ()}
            | {"said": {name: value for name, value in facts.items() if value}}
        )
    return items


def across() -> dict[str, Any]:
    """The same sentence with a special case that spans two chunks."""
    tokenizer = lexpool.Tokenizer.blank("en")
    before = [token.text for token in tokenizer(TEXT)]
    tokenizer.add_special_case(ACROSS, [{"ORTH": ACROSS}])
    return {"case": ACROSS, "before": before, "after": pieces(tokenizer, TEXT)}


def views(doc: Doc) -> list[dict[str, str]]:
    values = {
        "doc[1]": doc[1],
        "doc[1].norm_": doc[1].norm_,
        "doc[4].shape_": doc[4].shape_,
        "doc[2:5]": doc[2:5],
        "doc[2:5].start_char": doc[2:5].start_char,
        "len(doc.c), doc.c.record": (len(doc.c), doc.c.record),
        "doc.c[4].idx": doc.c[4].idx,
        "numpy.asarray(doc.c)['idx'].tolist()": np.asarray(doc.c)["idx"].tolist(),
    }
    return [{"code": code, "gives": repr(value)} for code, value in values.items()]
