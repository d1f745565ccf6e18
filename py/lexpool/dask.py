"""Pipelines in Dask: adds columns of tokens and annotation to data frames, partition by partition.

    import dask.dataframe, lexpool.dask
    from lexpool.engines import Annotator

    books = dask.dataframe.read_parquet("books")
    tokens = lexpool.dask.annotate(books, Annotator("en", text="body"))

A trained pipeline annotates them: `Annotator(pipeline="/models/en", columns=["lemma_", "head"])`.
Each worker process loads it once, from the same path on its machine.

The new columns have pandas' `ArrowDtype`. The other columns and the index are unchanged. Requires
`pip install lexpool[dask]`.
"""

from typing import Any

from ._extras import needed
from .engines import Annotator, altered

__all__ = ["annotate", "annotate_partition"]


def annotate(frame: Any, annotator: Annotator | None = None) -> Any:
    """Returns a data frame with the added columns; lazy, like Dask.

    frame: a `dask.dataframe.DataFrame`.
    annotator: the columns to add, and the column of the texts, which is optional if only one column
        has strings.

    Raises ValueError if the frame has no such column, or already has a column of an added name.
    """
    meta = needed("dask.dataframe.utils", "dask").make_meta(frame)
    annotator = _settled(meta, Annotator() if annotator is None else annotator)
    return frame.map_partitions(
        annotate_partition, annotator, meta=annotate_partition(meta, annotator)
    )


def annotate_partition(partition: Any, annotator: Annotator) -> Any:
    """Annotates a partition; `map_partitions` calls it. Returns the frame with the added columns.

    It reads only the column of texts, which may have any type for strings, `object` included.
    """
    pa, pd = needed("pyarrow", "dask"), needed("pandas", "dask")
    annotator = _settled(partition, annotator)
    # The type is explicit, since a partition without texts has no values to infer it from.
    texts = pa.array(partition[annotator.text], type=pa.large_string(), from_pandas=True)
    if isinstance(texts, pa.ChunkedArray):
        texts = pa.chunked_array(texts.chunks, type=pa.large_string())
    table = pa.table(annotator(pa.table({annotator.text: texts})))
    new: dict[str, Any] = {}
    for name in table.column_names[1:]:
        if name in partition.columns:
            raise ValueError(
                f"there is a column {name!r} already; the columns are "
                f"{', '.join(map(str, partition.columns))}; give the new ones a prefix"
            )
        values = pd.arrays.ArrowExtensionArray(table.column(name))
        new[name] = pd.Series(values, index=partition.index)
    return partition.assign(**new)


def _settled(frame: Any, annotator: Annotator) -> Annotator:
    """Returns the annotator with the name of the column of the texts."""
    names = list(frame.columns)
    if annotator.text is not None:
        if annotator.text not in names:
            raise ValueError(
                f"no column is named {annotator.text!r}; the columns are "
                f"{', '.join(map(str, names))}"
            )
        return annotator
    strings = list(frame.select_dtypes(include=["object", "string"]).columns)
    if len(strings) != 1:
        listing = ", ".join(f"{name} ({kind})" for name, kind in frame.dtypes.items())
        raise ValueError(
            f"{len(strings)} columns may hold strings; name the one to take; the columns are {listing}"
        )
    return altered(annotator, text=strings[0])
