"""Unpickling of corpora, and columns of extension attributes."""

from typing import Any

from .._core import Corpus
from .._extras import needed


def load(path: str, positions: "list[int] | None") -> Corpus:
    """Opens a pickled corpus; `positions` selects documents of the file, None means all."""
    corpus = Corpus.open(path)
    return corpus if positions is None else corpus.select(positions)


def extension_columns(named: list[tuple[str, list[Any]]]) -> Any:
    """Returns a table of the values of extension attributes, each of the same type in all
    documents.
    """
    pa = needed("pyarrow", "arrow")
    columns = {}
    for name, values in named:
        try:
            columns[f"_.{name}"] = pa.array(values)
        except (pa.ArrowException, OverflowError) as error:
            raise ValueError(
                f"[corpus-column] the values of the extension {name!r} differ in type; a column has one type: {error}"
            ) from error
    return pa.table(columns)
