"""Corpora written by many workers: one file per batch, merged into one corpus at the end.

    import ray.data
    from lexpool.engines import Annotator
    from lexpool.shards import CorpusWriter, merge

    write = CorpusWriter("shards", Annotator("en", text="body"), columns=["id"])
    written = ray.data.read_parquet("books").map_batches(write, batch_format="pyarrow")
    merge(written.to_pandas(), "books.corpus", order="id")

Each file is a valid corpus by itself (`lexpool.corpus`). Requires pyarrow.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import Any, cast

from ._extras import needed
from .engines import Annotator, altered

__all__ = ["CorpusWriter", "merge"]

# The columns of a corpus that store documents; other columns are users'.
PARTS = frozenset(
    ["text", "tokens", "tags", "syntax", "entities", "spans", "cats", "span_groups", "user_data"]
    + ["unknown_spaces"]
)


@dataclass(frozen=True)
class CorpusWriter:
    """A function that writes a batch of texts as a corpus file, on any worker, into a shared
    folder.

    A call with a table writes its documents to a new file, atomically, and returns a table of one
    row: `path` and `docs`, the number of documents. Null texts have no document, and tables without
    texts no file. Use it with `map_batches`, `map_partitions` and similar functions, and then
    `merge`.

    Work that a worker did not finish, or that an engine repeated, leaves files that the returned
    tables do not contain, so `merge` ignores them.

    folder: the folder of the files; it is created if it is missing.
    annotator: the language, rules or pipeline, which annotates the documents, and the column of the
        texts; its columns are not added.
    columns: other columns to keep, of the types that `Corpus.write` accepts.
    compressed: whether to compress the files, which then cannot be memory-mapped.
    """

    folder: str | PathLike[str]
    annotator: Annotator | None = None
    columns: Sequence[str] = ()
    compressed: bool = False

    def __post_init__(self) -> None:
        if isinstance(self.columns, str):
            raise TypeError(f"columns is a list of names, not the string {self.columns!r}")
        annotator = Annotator() if self.annotator is None else self.annotator
        # The added columns are dropped; the prefix only keeps them from clashing with others.
        object.__setattr__(self, "annotator", altered(annotator, columns=(), prefix=""))
        object.__setattr__(self, "folder", fspath(self.folder))
        object.__setattr__(self, "columns", tuple(self.columns))

    def __call__(self, data: Any) -> Any:
        """Writes a file of the documents of a table; returns its path and the number of
        documents.
        """
        from uuid import uuid4

        from ._core import Corpus

        pa = needed("pyarrow", "arrow")
        table = pa.table(data)
        annotator = cast(Annotator, self.annotator)
        text = _text_column(pa, table, annotator)
        rows = table.filter(table.column(text).is_valid())
        paths: list[str] = []
        counts: list[int] = []
        if rows.num_rows:
            folder = Path(self.folder)
            folder.mkdir(parents=True, exist_ok=True)
            path = folder / f"{uuid4().hex}.corpus"
            docs = annotator.pipe(rows.column(text).to_pylist())
            columns = rows.select(self.columns)
            counts.append(Corpus.write(path, docs, columns=columns, compressed=self.compressed))
            paths.append(str(path))
        return pa.table(
            {"path": pa.array(paths, pa.string()), "docs": pa.array(counts, pa.int64())}
        )


def merge(
    written: Any, path: str | PathLike[str], order: str | None = None, *, compressed: bool = False
) -> int:
    """Merges the corpora that a `CorpusWriter` wrote into one; returns the number of documents.

    written: the table of all results, from the engine; its files are kept.
    order: a column to sort documents by. If its values are unique, the file is the same, byte for
        byte, for any distribution of texts to workers. The corpus is then written twice, first into
        a temporary folder beside the file.
    compressed: whether to compress the corpus, which then cannot be memory-mapped.

    Raises ValueError: hash-collision if two strings have the same id; also for a table without
    files, an unknown column, and null or NaN in the column to sort by. An existing file is then
    unchanged.
    """
    from tempfile import TemporaryDirectory

    from ._core import Corpus

    pa = needed("pyarrow", "arrow")
    table = pa.table(written)
    # Some engines pass an empty partition as a table without columns.
    if table.num_rows == 0:
        raise ValueError("no corpus to merge: the table of written files has no rows")
    paths: list[str] = sorted(table.column("path").to_pylist())
    if order is None:
        return Corpus.merge(paths, path, compressed=compressed)
    # In the folder of the file, on the same disk, and with a unique name.
    with TemporaryDirectory(prefix=".lexpool-", dir=Path(path).parent) as folder:
        mixed = Path(folder, "mixed.corpus")
        Corpus.merge(paths, mixed)
        return _put_in_order(pa, mixed, path, order, compressed)


def _put_in_order(
    pa: Any, mixed: Path, path: str | PathLike[str], order: str, compressed: bool
) -> int:
    """Writes the documents of a corpus, sorted, to another file; the corpus is closed
    afterwards.
    """
    from ._core import Corpus

    corpus = Corpus.open(mixed)
    names = [name for name in corpus.column_names if name not in PARTS]
    table = pa.table(corpus.columns(list({*names, order})))
    values: list[Any] = table.column(order).to_pylist()
    for place, value in enumerate(values):
        # NaN cannot be sorted; only NaN differs from itself.
        if value is None or value != value:
            raise ValueError(
                f"the column {order!r} gives no order: document {place} of {len(values)}, "
                f"{corpus[place].text[:40]!r}, has {value!r} there"
            )
    places = sorted(range(len(values)), key=values.__getitem__)
    columns = table.select(names).take(places)
    # Not a selection of the merged corpus, which would keep the data of each of its parts.
    docs = (corpus[place] for place in places)
    return Corpus.write(path, docs, columns=columns, compressed=compressed)


def _text_column(pa: Any, table: Any, annotator: Annotator) -> str:
    """Returns the column of the texts that the annotator would choose."""
    # It rejects a table without one, or with several.
    pa.table(annotator(table.slice(0, 0)))
    if annotator.text is not None:
        return annotator.text

    def holds_texts(kind: Any) -> bool:
        kind = kind.value_type if pa.types.is_dictionary(kind) else kind
        return kind in (pa.string(), pa.large_string(), pa.string_view())

    name: str = next(field.name for field in table.schema if holds_texts(field.type))
    return name
