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
"""

from collections.abc import Iterable

from ._core import Doc, Rows

__all__ = ["Rows", "docs", "tokens"]


def docs(docs: Iterable[Doc]) -> Rows:
    """A row a document: `text`, `n_tokens` and `tokens`, a list of `start`, `end`, `orth`, `space`.

    Offsets are in characters. The documents are read when a reader asks for a stream, all at once.
    """
    return Rows(docs)


def tokens(docs: Iterable[Doc]) -> Rows:
    """A row a token, as `Doc` itself gives them, and the document's position in a first column `doc`.

    Each document is a batch. Annotation is null where nothing is set.
    """
    return Rows(docs, by_token=True)
