"""Corpora written by many workers at once: a file a batch, merged into one at the end.

    import ray.data
    from lexpool.engines import Annotator
    from lexpool.shards import CorpusWriter, merge

    write = CorpusWriter("shards", Annotator("en", text="body"), columns=["id"])
    written = ray.data.read_parquet("books").map_batches(write, batch_format="pyarrow")
    merge(written.to_pandas(), "books.corpus", order="id")

Files are corpora by themselves (`lexpool.corpus`), whatever becomes of the rest. Needs pyarrow.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import Any, cast

from .engines import Annotator, altered, needed

__all__ = ["CorpusWriter", "merge"]

# The columns of a corpus that are documents, and not a user's.
PARTS = frozenset(
    ["text", "tokens", "tags", "syntax", "entities", "spans", "cats", "span_groups", "user_data"]
    + ["unknown_spaces"]
)


@dataclass(frozen=True)
class CorpusWriter:
    """Batches of texts in, a corpus file for each out: on any worker, into a folder that all reach.

    Called with a table, it writes its documents to a new file, which appears when it is whole, and
    gives a table of one row: `path` and `docs`, their number. A null text has no document, and a
    table without a text no file. For `map_batches`, `map_partitions` and their like, and then
    `merge`.

    What a worker began and did not finish, or an engine did twice, leaves a file that no table
    names and `merge` does not take.

    folder: where files go; it is made if need be.
    annotator: the language or rules, and the column of the texts; what it would add is not.
    columns: the columns to keep beside the texts, of the types that `Corpus.write` takes.
    compressed: whether files are to be small rather than mapped.
    """

    folder: str | PathLike[str]
    annotator: Annotator | None = None
    columns: Sequence[str] = ()
    compressed: bool = False

    def __post_init__(self) -> None:
        if isinstance(self.columns, str):
            raise TypeError(f"columns is a list of names, not the string {self.columns!r}")
        given = Annotator() if self.annotator is None else self.annotator
        # The added columns are dropped; the prefix only keeps them from clashing with others.
        object.__setattr__(self, "annotator", altered(given, columns=(), prefix=""))
        object.__setattr__(self, "folder", fspath(self.folder))
        object.__setattr__(self, "columns", tuple(self.columns))

    def __call__(self, data: Any) -> Any:
        """Writes a file of the documents of a table; says which and how many."""
        from uuid import uuid4

        from ._core import Corpus

        pa = needed("pyarrow", "arrow")
        table = pa.table(data)
        annotator = cast(Annotator, self.annotator)
        text = _text_column(pa, table, annotator)
        given = table.filter(table.column(text).is_valid())
        paths: list[str] = []
        counts: list[int] = []
        if given.num_rows:
            folder = Path(self.folder)
            folder.mkdir(parents=True, exist_ok=True)
            path = folder / f"{uuid4().hex}.corpus"
            docs = annotator.tokenizer().pipe(
                given.column(text).to_pylist(), n_threads=annotator.threads
            )
            columns = given.select(self.columns)
            counts.append(Corpus.write(path, docs, columns=columns, compressed=self.compressed))
            paths.append(str(path))
        return pa.table(
            {"path": pa.array(paths, pa.string()), "docs": pa.array(counts, pa.int64())}
        )


def merge(
    written: Any, path: str | PathLike[str], order: str | None = None, *, compressed: bool = False
) -> int:
    """Makes one corpus of those that tables of a `CorpusWriter` name; gives the number of
    documents.

    written: a table, as the engine gives it in the end; its files stay.
    order: a column by which documents are put in order. Then the file is the same, byte for byte,
        however texts were dealt out, if no two have one value there. It is written twice for that,
        the first time into a new folder beside its place, which is removed.
    compressed: whether it is to be small rather than mapped.

    Raises ValueError (hash-collision) if two strings have one id, and for a table that names no
    file, a column that there is not, or one to order by with a null or NaN in it. Then there is no
    new file, and one that was at its place is as before.
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
    # Beside its place, where there is room for it, and by a name that nothing else has.
    with TemporaryDirectory(prefix=".lexpool-", dir=Path(path).parent) as folder:
        mixed = Path(folder, "mixed.corpus")
        Corpus.merge(paths, mixed)
        return _put_in_order(pa, mixed, path, order, compressed)


def _put_in_order(
    pa: Any, mixed: Path, path: str | PathLike[str], order: str, compressed: bool
) -> int:
    """Writes the documents of a corpus as another; when it returns, the file is no longer
    mapped.
    """
    from ._core import Corpus

    corpus = Corpus.open(mixed)
    own = [name for name in corpus.column_names if name not in PARTS]
    table = pa.table(corpus.columns(list({*own, order})))
    values: list[Any] = table.column(order).to_pylist()
    for place, value in enumerate(values):
        # NaN has no place in an order; only NaN differs from itself.
        if value is None or value != value:
            raise ValueError(
                f"the column {order!r} gives no order: document {place} of {len(values)}, "
                f"{corpus[place].text[:40]!r}, has {value!r} there"
            )
    places = sorted(range(len(values)), key=values.__getitem__)
    columns = table.select(own).take(places)
    # Not a selection of the merged corpus, which would keep what each of its parts brought.
    docs = (corpus[place] for place in places)
    return Corpus.write(path, docs, columns=columns, compressed=compressed)


def _text_column(pa: Any, table: Any, annotator: Annotator) -> str:
    """The column of the texts, which the annotator would take."""
    # It refuses a table without one, or with several.
    pa.table(annotator(table.slice(0, 0)))
    if annotator.text is not None:
        return annotator.text

    def holds_texts(kind: Any) -> bool:
        kind = kind.value_type if pa.types.is_dictionary(kind) else kind
        return kind in (pa.string(), pa.large_string(), pa.string_view())

    name: str = next(field.name for field in table.schema if holds_texts(field.type))
    return name
