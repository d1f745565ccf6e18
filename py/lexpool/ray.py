"""Pipelines on Ray: adds columns of tokens and annotation to datasets, and trains many pipelines,
on all machines of a cluster.

    import ray.data, lexpool.ray
    from lexpool.engines import Annotator

    books = ray.data.read_parquet("s3://books/")
    tokens = lexpool.ray.annotate(books, Annotator("en", text="body", threads=4), actors=8)

A trained pipeline annotates them: `Annotator(pipeline="/models/en", columns=["lemma_", "head"])`.
Each actor loads it once, from the same path on its machine.

Each actor is a process with one vocab and `threads` threads. Prefer few actors with several threads
to one actor per core, because each actor needs the memory of a vocab and of the pipeline. Batches
are Arrow tables, and are read in Ray's store without a copy. Requires `pip install lexpool[ray]`.

    table = lexpool.ray.train_many("config.cfg", "/shared/runs", seeds=range(12), folds=5)
    print(table)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._extras import needed
from .engines import Annotator
from .training._runs import plan_runs, run_once
from .training.many import collected

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from os import PathLike

    from .training._runs import Configs
    from .training.many import RunResult, RunTable

__all__ = ["Annotate", "annotate", "train_many"]


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

    def __reduce__(self) -> tuple[type[Annotate], tuple[Annotator]]:
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


def train_many(
    configs: Configs | Mapping[str, Configs],
    output: str | PathLike[str],
    *,
    settings: Mapping[str, Mapping[str, Any]] | None = None,
    overrides: Mapping[str, Any] | None = None,
    seeds: Iterable[int] | None = None,
    folds: int = 0,
    threads: int = 1,
    memory: int | None = None,
    report: Callable[[RunResult], object] | None = None,
    **options: Any,
) -> RunTable:
    """Trains a pipeline for each configuration, setting, seed and fold on a cluster, and returns
    one table of their scores; see `lexpool.training.train_many`, which does so on one machine.

    output, and the corpora of the configurations: paths that all machines have in common, such as
        of a network file system.
    threads, memory: those of a run, which Ray reserves.
    options: other arguments of `ray.remote`, such as `max_retries`. A run whose machine was lost is
        retried by Ray, and goes on from its last state.

    Ray is connected to first, by `ray.init`; otherwise it starts on this machine.
    """
    ray = needed("ray", "ray")
    runs = plan_runs(
        configs,
        output,
        settings=settings,
        overrides=overrides,
        seeds=seeds,
        folds=folds,
        threads=threads,
        memory=memory,
    )
    options.setdefault("num_cpus", max(threads, 1))
    if memory is not None:
        options.setdefault("memory", memory)
    task = ray.remote(**options)(run_once)

    def results() -> Iterator[RunResult]:
        waiting = [task.remote(run) for run in runs]
        try:
            while waiting:
                ready, waiting = ray.wait(waiting)
                yield from ray.get(ready)
        finally:
            for reference in waiting:
                ray.cancel(reference)

    return collected(runs, results(), output, report)
