"""Tasks that take turns, and tables of their costs: spaCy's, lexpool's and a measured lower bound.

In each repetition every side has one turn, so a busy machine slows all of them. A figure is the
median of its repetitions, or on the wall clock the best, because other load only ever adds time. A
ratio is the median of the ratios in each repetition.
"""

import collections
import gc
import statistics
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from time import perf_counter, process_time
from typing import Any

from figures import Row, Table
from rounding import short

REPEATS = 7
SIDES = {"spacy": "spaCy", "lexpool": "lexpool", "bound": "bound"}


@dataclass
class Task:
    """Work to be timed. `run` gets what `prepare` returns, which is not timed."""

    run: Callable[[Any], object]
    prepare: Callable[[], Any] = lambda: None


Sides = Mapping[str, Task]


def drop_each(results: Iterable[object]) -> None:
    """Drops each result before the next one, so that its memory is used again."""
    collections.deque(results, 0)


def in_turns(
    sides: Sides, repeats: int = REPEATS, clock: Callable[[], float] = process_time
) -> dict[str, list[float]]:
    """The seconds of each side in each repetition. An untimed turn of each side is first."""
    taken: dict[str, list[float]] = {side: [] for side in sides}
    for repetition in range(repeats + 1):
        for side, task in sides.items():
            prepared = task.prepare()
            gc.collect()
            gc.disable()
            start = clock()
            result = task.run(prepared)
            seconds = clock() - start
            gc.enable()
            del result, prepared
            if repetition:
                taken[side].append(seconds)
    return taken


class Costs:
    """The tables of a run. Each row is printed as soon as it is measured."""

    def __init__(self) -> None:
        self.tables: dict[str, Table] = {}

    def table(self, key: str, title: str, unit: str, better: str = "less") -> None:
        """Begins a table; its ratios are to spaCy, except in a table of ratios."""
        baseline = None if unit == "x" else "spacy"
        self.tables[key] = Table(title, unit, better, dict(SIDES), baseline=baseline)

    def time(
        self,
        table: str,
        key: str,
        title: str,
        sides: Sides,
        count: float,
        *,
        scale: float = 1e9,
        unit: str | None = None,
        goal: float | None = None,
        repeats: int = REPEATS,
        clock: Callable[[], float] = process_time,
    ) -> None:
        """Adds a row of times: those of `count` things, divided by it, in 1 / `scale` seconds.

        goal: how many times as fast as spaCy lexpool should be; in `values` too.
        """
        taken = in_turns(sides, repeats, clock)
        typical = min if clock is perf_counter else statistics.median
        values = {side: typical(times) / count * scale for side, times in taken.items()}
        if clock is perf_counter:
            ratios = {side: values["spacy"] / value for side, value in values.items()}
        else:
            ratios = {
                side: statistics.median(
                    theirs / own for theirs, own in zip(taken["spacy"], times, strict=True)
                )
                for side, times in taken.items()
            }
        self.add(table, key, Row(title, values, ratios, unit), goal)

    def values(
        self,
        table: str,
        key: str,
        title: str,
        values: dict[str, float],
        *,
        unit: str | None = None,
        goal: float | None = None,
    ) -> None:
        """Adds a row of figures of which less is better, such as sizes."""
        ratios = {side: values["spacy"] / value for side, value in values.items()}
        self.add(table, key, Row(title, values, ratios, unit), goal)

    def times(
        self, table: str, key: str, title: str, values: dict[str, float], goal: float
    ) -> None:
        """Adds a row of ratios. `goal` is the least or the most that lexpool should have."""
        self.add(table, key, Row(title, values), goal)

    def add(self, table: str, key: str, row: Row, goal: float | None) -> None:
        into = self.tables[table]
        if goal is not None:
            row.bounded = "lexpool"
            if into.better == "more":
                row.least = goal
            else:
                row.most = row.values["spacy"] / goal if row.ratios else goal
        into.rows[key] = row
        shown = [
            f"{SIDES[side]} {short(value)}"
            + (f" ({short(row.ratios[side])}x)" if row.ratios else "")
            for side, value in row.values.items()
        ]
        print(f"{into.title}: {row.title}, {row.unit or into.unit}: {', '.join(shown)}", flush=True)
