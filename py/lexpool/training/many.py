"""Many trainings of seeds, settings and folds, on processes of this machine, in one table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from os import PathLike
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from .._saving.files import write_text_part
from ._runs import Configs, Run, RunResult, plan_runs, run_once

__all__ = ["RunResult", "RunTable", "train_many"]

# The file of the table in the folder of all runs.
_TABLE = "results.json"


@dataclass(frozen=True)
class RunTable:
    """The results of many trainings.

    runs: a result for each run, in the order of settings, seeds and folds.
    """

    runs: list[RunResult]

    def summary(self) -> list[dict[str, Any]]:
        """Returns a row for each setting: `setting`, `runs`, `failed`, and for `score` and each
        score of the runs their `mean` and `sd`, the standard deviation of a sample (None for one
        run).
        """
        runs_of: dict[str, list[RunResult]] = {}
        for run in self.runs:
            runs_of.setdefault(run.setting, []).append(run)
        rows: list[dict[str, Any]] = []
        for setting, own in runs_of.items():
            done = [run for run in own if run.error is None]
            row: dict[str, Any] = {
                "setting": setting,
                "runs": len(done),
                "failed": len(own) - len(done),
                "score": _spread([run.score for run in done]),
            }
            for name in dict.fromkeys(name for run in done for name in run.scores):
                values = [run.scores.get(name) for run in done]
                if all(isinstance(value, int | float) for value in values):
                    row[name] = _spread(values)
            rows.append(row)
        return rows

    def to_dict(self) -> dict[str, Any]:
        """Returns runs and summary as lists of dicts, for JSON."""
        return {"runs": [asdict(run) for run in self.runs], "settings": self.summary()}

    def __str__(self) -> str:
        lines: list[str] = []
        for row in self.summary():
            failed = f", {row['failed']} failed" if row["failed"] else ""
            lines.append(f"{row['setting']}: {row['runs']} runs{failed}")
            for name, value in row.items():
                if isinstance(value, dict):
                    lines.append(f"  {name:<20} {_shown(value)}")  # pyright: ignore[reportUnknownArgumentType]
        return "\n".join(lines)


def train_many(
    configs: Configs | Mapping[str, Configs],
    output: str | PathLike[str],
    *,
    settings: Mapping[str, Mapping[str, Any]] | None = None,
    overrides: Mapping[str, Any] | None = None,
    seeds: Iterable[int] | None = None,
    folds: int = 0,
    processes: int = 1,
    threads: int = 1,
    memory: int | None = None,
    report: Callable[[RunResult], object] | None = None,
) -> RunTable:
    """Trains a pipeline for each configuration, setting, seed and fold, and returns one table of
    their scores, which is written to `results.json` too.

    configs: a configuration or its file, or a mapping of these by name.
    output: the folder of all runs, each of which has a folder of its own in it.
    settings: overrides by the name of a setting, such as {"wide": {"training.dropout": 0.2}}. The
        folders of its runs lie in one of this name.
    overrides: settings of all runs by dotted name.
    seeds: values of `training.seed`; by default that of the configuration alone.
    folds: the number of folds of a cross-validation, or 0: the documents of the training corpus are
        dealt to folds in turn, and each fold is evaluated with once, by a pipeline that has learned
        from the others.
    processes, threads: the number of processes, and of threads for each.
    memory: the most bytes of memory of a run.
    report: called with each result when it is there.

    A run that fails is a row with an error, and the others go on. Called again after a stop, it
    returns the results of runs that were done, as long as their configuration and corpora are the
    same, and goes on with the others from their last states. Processes are started anew, so a
    script that calls this needs `if __name__ == "__main__":`.

    Raises ValueError for `folds` of 1, or more than there are documents, for two runs of one name,
    and for a setting that cannot name a folder; the errors of reading configurations and, with
    folds, corpora.
    """
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
    if processes <= 1:
        return collected(runs, map(run_once, runs), output, report)
    from concurrent.futures import ProcessPoolExecutor, as_completed
    from multiprocessing import get_context

    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        futures = [pool.submit(run_once, run) for run in runs]
        try:
            results = (future.result() for future in as_completed(futures))
            return collected(runs, results, output, report)
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def collected(
    runs: list[Run],
    results: Iterable[RunResult],
    output: str | PathLike[str],
    report: Callable[[RunResult], object] | None,
) -> RunTable:
    """Returns the table of results that come in any order, and writes it."""
    by_folder: dict[str, RunResult] = {}
    for result in results:
        by_folder[result.folder] = result
        if report is not None:
            report(result)
    import json

    table = RunTable([by_folder[run.folder] for run in runs])
    folder = Path(output)
    folder.mkdir(parents=True, exist_ok=True)
    write_text_part(folder / _TABLE, json.dumps(table.to_dict(), indent=2) + "\n")
    return table


def _spread(values: list[Any]) -> dict[str, float | None]:
    numbers = [float(value) for value in values if value is not None]
    return {
        "mean": fmean(numbers) if numbers else None,
        "sd": stdev(numbers) if len(numbers) > 1 else None,
    }


def _shown(spread: dict[str, float | None]) -> str:
    mean, sd = spread["mean"], spread["sd"]
    if mean is None:
        return "-"
    return f"{mean:.4f}" if sd is None else f"{mean:.4f} \u00b1 {sd:.4f}"
