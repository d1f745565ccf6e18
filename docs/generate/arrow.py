"""Schemas of the tables that objects of lexpool give to Arrow's readers: src/data/arrow.json."""

from pathlib import Path
from typing import Any

import pyarrow
from files import in_an_empty_folder

import lexpool
import lexpool.arrow
from lexpool.corpus import Corpus
from lexpool.matcher import Matcher

# A saved pipeline with a network of each kind.
TRAINED = Path(__file__).parents[2] / "tests" / "files" / "pipelines" / "networks"

TABLES = {
    "doc": "doc",
    "tokens": "lexpool.arrow.tokens(docs)",
    "docs": "lexpool.arrow.docs(docs)",
    "annotated": "lexpool.arrow.annotate(table, nlp)",
    "annotation": (
        "lexpool.arrow.annotate(table, trained, columns="
        '["lemma", "lemma_", "head", "ent_iob", "sent_start", "cats"])'
    ),
    "vocab": "nlp.vocab",
    "matches": "matcher.match_all(docs)",
    "corpus": "corpus",
    "corpus_tokens": 'corpus.tokens(["LOWER_", "POS_"])',
}


def data() -> dict[str, dict[str, Any]]:
    nlp = lexpool.blank("en")
    docs = [nlp("We saw apples."), nlp("Apples fell.")]
    matcher = Matcher(nlp.vocab)
    matcher.add("APPLE", [[{"LOWER": "apples"}]])
    names: dict[str, Any] = {
        "lexpool": lexpool,
        "nlp": nlp,
        "trained": lexpool.load(TRAINED),
        "docs": docs,
        "doc": docs[0],
        "matcher": matcher,
    }
    names["table"] = pyarrow.table({"text": ["We saw apples."]})
    with in_an_empty_folder():
        Corpus.write("two.corpus", docs)
        names["corpus"] = Corpus.open("two.corpus")
        return {
            key: {"made": made, "columns": columns(eval(made, names))}
            for key, made in TABLES.items()
        }


def columns(table: Any) -> list[dict[str, Any]]:
    schema = pyarrow.RecordBatchReader.from_stream(table).schema
    return [
        {"name": field.name, "type": told(field.type), "nulls": field.nullable} for field in schema
    ]


def told(kind: pyarrow.DataType) -> str:
    """A type as prose: `list of struct (start uint32, end uint32)`."""
    if pyarrow.types.is_struct(kind):
        return f"struct ({', '.join(f'{field.name} {told(field.type)}' for field in kind)})"
    if pyarrow.types.is_list(kind) or pyarrow.types.is_large_list(kind):
        return f"{'large ' if pyarrow.types.is_large_list(kind) else ''}list of {told(kind.value_type)}"
    if pyarrow.types.is_fixed_size_binary(kind):
        return f"fixed size binary ({kind.byte_width})"
    names = {
        "string_view": "utf8 view",
        "string": "utf8",
        "large_string": "large utf8",
        "large_binary": "large binary",
        "double": "float64",
    }
    return names.get(str(kind), str(kind))
