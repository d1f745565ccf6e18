"""Documents as tables for any library that reads Arrow's C data interface: pyarrow, polars, DuckDB.

None of them is required. A document, a span or a vocab can be passed to such a library directly;
this module makes tables of many documents:

    >>> import lexpool, lexpool.arrow
    >>> nlp = lexpool.blank("en")
    >>> table = lexpool.arrow.docs([nlp("Let's go!"), nlp("Where?")])
    >>> len(table)
    2

Then `pyarrow.table(table)`, `polars.DataFrame(table)` or `duckdb.sql("select text from table")`.

Texts are not copied. A value of more than twelve bytes points into the memory of its document,
which stays alive as long as an array refers to it, even after the document is freed, its tokens are
merged, or its memory zone is closed.

Conversely, `annotate` takes a table with texts and adds columns of tokens and annotation to it.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from ._core import Annotated, AnnotatedBatch, Annotator, Doc, Rows, Tokenizer, add_strings
from .language import Language, native_steps

__all__ = [
    "Annotated",
    "AnnotatedBatch",
    "Annotator",
    "Rows",
    "add_strings",
    "annotate",
    "docs",
    "tokens",
]


def annotate(
    data: Any,
    nlp: Language | Tokenizer,
    *,
    text: str | None = None,
    columns: Sequence[str] = ("tokens", "strings"),
    prefix: str = "",
    threads: int = 0,
    signed: bool = False,
) -> Annotated:
    """Adds columns of tokens and annotation to a table of texts; they follow the existing columns.

    data: any object with an Arrow stream or array, such as a pyarrow.Table or a polars.DataFrame.
    nlp: the pipeline or tokenizer for the texts.
    text: the column of the texts; None for the only column of strings.
    columns: the columns to add, in this order:
        "tokens": lists of structs of `start`, `end` (uint32, in characters), `orth` (uint64) and
            `space`;
        "n_tokens": the number of tokens (uint32);
        "strings": lists of the different strings of the ids of a row, in the order of first
            occurrence; `add_strings` makes a vocab of such columns;
        "start", "end", "space": parts of "tokens" as separate lists;
        "orth", "lower", "norm", "shape", "prefix", "suffix", "lang": lists of ids, and "orth_",
            "lower_", ... of their strings;
        "length", "id", "is_alpha", "like_num" and the other flags;
        "tag", "pos", "morph", "lemma", "dep", "ent_type", "ent_kb_id": lists of ids, as the
            attributes of tokens, and "tag_", "pos_", ... of their strings; a token without features
            has the morph "_";
        "head": lists of the positions of heads in the document (uint32); that of the token itself
            for a root;
        "ent_iob": lists of 1 inside an entity, 2 outside, 3 at the beginning of one (uint8);
        "sent_start": lists of 1 at the beginning of a sentence, -1 elsewhere (int8);
        "cats": lists of structs of `label` (large_string) and `score` (float64).
    prefix: a prefix of the names of the added columns.
    threads: the number of threads per batch; 0 for one per core, 1 for the caller's thread only.
    signed: whether columns are int32 and int64, with the same bits, instead of uint32 and uint64;
        also int8 instead of uint8.

    The components of the pipeline run if a column from "tag" on in this list is requested:
    natively, in groups of documents, on all threads. All columns are then of the resulting
    documents, whose tokens components may have merged or split. Error handlers of components are
    not called.

    A null text has null in all added columns, and annotation that is not set is null in its list.
    The added values depend only on the text, the rules and the components. Data is read lazily,
    batch by batch: `pyarrow.RecordBatchReader.from_stream(...)` of another such reader takes the
    memory of one batch.

    Raises ValueError for an unknown column, for a column of annotation that no component sets, and
    (pipeline-unsupported) for one with components that run in Python; TypeError for data that is
    not Arrow's. The error of a component is raised with the row and the component.

    >>> import lexpool, lexpool.arrow
    >>> nlp = lexpool.blank("en")
    >>> texts = lexpool.arrow.docs([nlp("Let's go!")])
    >>> lexpool.arrow.annotate(texts, nlp, columns=["lower_", "is_punct"])
    <Annotated Rows>
    """
    tokenizer, steps = (
        (nlp, []) if isinstance(nlp, Tokenizer) else (nlp.tokenizer, native_steps(nlp))
    )
    annotator = Annotator(
        tokenizer,
        text,
        columns,
        prefix,
        threads=threads,
        signed=signed,
        steps=steps,
    )
    return annotator(data)


def docs(docs: Iterable[Doc]) -> Rows:
    """One row per document: `text`, `n_tokens` and `tokens`, a list of `start`, `end`, `orth`,
    `space`.

    Offsets are in characters. The documents are read all at once when a reader requests a stream.
    """
    return Rows(docs)


def tokens(docs: Iterable[Doc]) -> Rows:
    """One row per token with the columns that `Doc` exports, and the document's position as the
    first column `doc`.

    Each document is a batch. Annotation that is not set is null.
    """
    return Rows(docs, by_token=True)
