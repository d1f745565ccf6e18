"""Pipelines in Ray Data: adds columns of tokens and annotation to datasets, on all machines of a
cluster.

    import ray.data, lexpool.ray
    from lexpool.engines import Annotator

    books = ray.data.read_parquet("s3://books/")
    tokens = lexpool.ray.annotate(books, Annotator("en", text="body", threads=4), actors=8)

A trained pipeline annotates them: `Annotator(pipeline="/models/en", columns=["lemma_", "head"])`.
Each actor loads it once, from the same path on its machine.

Each actor is a process with one vocab and `threads` threads. Prefer few actors with several threads
to one actor per core, because each actor needs the memory of a vocab and of the pipeline. Batches
are Arrow tables, and are read in Ray's store without a copy. Requires `pip install lexpool[ray]`.
"""

from typing import Any

from .engines import Annotator, needed

__all__ = ["Annotate", "annotate"]


class Annotate:
    """A class for `Dataset.map_batches`, which makes one object per actor and calls it with batches
    in the format "pyarrow".

    Use it for settings that `annotate` does not have:

        dataset.map_batches(
            Annotate, fn_constructor_args=[annotator], batch_format="pyarrow", num_cpus=4,
            compute=ray.data.ActorPoolStrategy(min_size=1, max_size=8),
        )

    Its state is the annotator's configuration and pickles in less than a kilobyte.
    """

    def __init__(self, annotator: Annotator | None = None) -> None:
        self.annotator: Annotator = Annotator() if annotator is None else annotator
        self._table = needed("pyarrow", "ray").table

    def __call__(self, batch: Any) -> Any:
        """Returns a batch with the added columns."""
        return self._table(self.annotator(batch))

    def __reduce__(self) -> tuple[type["Annotate"], tuple[Annotator]]:
        return Annotate, (self.annotator,)


def annotate(
    dataset: Any,
    annotator: Annotator | None = None,
    *,
    actors: int = 1,
    batch_size: int | None = 4096,
    **options: Any,
) -> Any:
    """Returns a dataset with the added columns; rows keep their order if Ray keeps it.

    dataset: a `ray.data.Dataset`.
    annotator: the columns to add; its `threads` are the processors that Ray reserves for each
        actor.
    actors: the number of processes.
    batch_size: the number of rows per batch; None for Ray's blocks.
    options: other arguments of `Dataset.map_batches`, such as `memory`.
    """
    annotator = Annotator() if annotator is None else annotator
    options.setdefault("num_cpus", max(annotator.threads, 1))
    options.setdefault("compute", needed("ray.data", "ray").ActorPoolStrategy(size=actors))
    return dataset.map_batches(
        Annotate,
        fn_constructor_args=[annotator],
        batch_format="pyarrow",
        batch_size=batch_size,
        zero_copy_batch=True,
        **options,
    )
