"""Documents as tables for any library that reads Arrow's C data interface: pyarrow, polars, DuckDB.

Needs none of them. A document, a span and a vocab can be given to such a library as they are; here
are tables of many documents:

    >>> import lexpool, lexpool.arrow
    >>> nlp = lexpool.blank("en")
    >>> table = lexpool.arrow.docs([nlp("Let's go!"), nlp("Where?")])
    >>> len(table)
    2

Then `pyarrow.table(table)`, `polars.DataFrame(table)` or `duckdb.sql("select text from table")`.

Texts are not copied. A value of more than twelve bytes points into its document's memory, which
stays for as long as there is an array that points there: also after the document has gone, its
tokens were merged, or its memory zone was closed.

The other way round, `annotate` takes a table with texts and adds columns of tokens to it.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from ._core import Annotated, AnnotatedBatch, Annotator, Doc, Rows, Tokenizer, add_strings
from .language import Language

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
    """A table of texts with columns of tokens: what comes in passes through, what is added comes
    last.

    data: any object with an Arrow stream or array, such as a pyarrow.Table or a polars.DataFrame.
    nlp: what cuts the texts.
    text: the column of the texts; None for the only one that has strings.
    columns: what to add, in this order:
        "tokens": lists of structs of `start`, `end` (uint32, in characters), `orth` (uint64),
        `space`; "n_tokens": how many there are (uint32); "strings": lists of the different strings
        that the ids of a row stand for, in the order in which
            they first occur. No vocab has to go along: `add_strings` makes one of such columns;
        "start", "end", "space": parts of "tokens" as lists of their own; "orth", "lower", "norm",
        "shape", "prefix", "suffix", "lang": lists of ids, and "orth_", "lower_",
            ... of their strings; "length", "id", "is_alpha", "like_num" and the other flags.
    prefix: what to put before the names of what is added.
    threads: how many are at work on one batch; 0 for one a core, 1 for the caller's alone.
    signed: int32 and int64 of the same bits in the place of uint32 and uint64.

    A null has null everywhere. What a row gets depends on its text and the rules alone. Nothing is
    read before a reader asks, and then batch by batch: `pyarrow.RecordBatchReader.from_stream(...)`
    of another such reader takes the memory of one batch.

    Raises ValueError for a column that there is not; TypeError for data that is not Arrow's.

    >>> import lexpool, lexpool.arrow
    >>> nlp = lexpool.blank("en")
    >>> texts = lexpool.arrow.docs([nlp("Let's go!")])
    >>> lexpool.arrow.annotate(texts, nlp, columns=["lower_", "is_punct"])
    <Annotated Rows>
    """
    tokenizer = nlp if isinstance(nlp, Tokenizer) else nlp.tokenizer
    made = Annotator(tokenizer, text, columns, prefix, threads=threads, signed=signed)
    return made(data)


def docs(docs: Iterable[Doc]) -> Rows:
    """A row a document: `text`, `n_tokens` and `tokens`, a list of `start`, `end`, `orth`, `space`.

    Offsets are in characters. The documents are read when a reader asks for a stream, all at once.
    """
    return Rows(docs)


def tokens(docs: Iterable[Doc]) -> Rows:
    """A row a token, as `Doc` itself gives them, and the document's position in a first column
    `doc`.

    Each document is a batch. Annotation is null where nothing is set.
    """
    return Rows(docs, by_token=True)
