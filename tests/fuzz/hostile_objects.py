"""Objects that do not behave: they meddle, lie, refuse, or collect garbage when looked at."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from arguments import Pool


class RefusedCall(Exception):
    """The exception that hostile callbacks raise."""


class Strange:
    """An object whose every answer meddles or refuses."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool

    def _answer(self) -> int:
        meddle(self.pool)
        if self.pool.rng.random() < 0.3:
            raise RefusedCall("by an object")
        return self.pool.rng.randint(-3, 13)

    def __index__(self) -> int:
        return self._answer()

    def __len__(self) -> int:
        return abs(self._answer())

    def __getitem__(self, key: object) -> Any:
        return self.pool.rng.choice([self._answer, self.pool.text])()

    def __eq__(self, other: object) -> bool:
        return self._answer() > 0

    def __hash__(self) -> int:
        return self._answer()

    def __str__(self) -> str:
        return str(self._answer())

    def __float__(self) -> float:
        return float(self._answer())

    def __bool__(self) -> bool:
        return self._answer() > 0


class Liar(list[Any]):
    """A sequence whose length is not the number of its items."""

    def __init__(self, values: list[Any], length: int | None) -> None:
        super().__init__(values)
        self.length = length

    def __len__(self) -> int:
        if self.length is None:
            raise RefusedCall("by a sequence that does not know its length")
        return self.length


class LyingSequence(Sequence[Any]):
    """The same without a list below, so that nobody can look past its methods."""

    def __init__(self, values: Liar) -> None:
        self.values = values

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, index: Any) -> Any:
        return list(self.values)[index]


class Collecting:
    """A number, text and key that collects garbage when it is looked at."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool

    def __index__(self) -> int:
        gc.collect()
        return self.pool.number()

    def __hash__(self) -> int:
        gc.collect()
        raise RefusedCall("by a key")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Collecting(self.pool)

    def __call__(self, *_args: Any, **_kwargs: Any) -> Any:
        gc.collect()
        return self.pool.anything()


def meddle(pool: Pool) -> None:
    """Edit some document, while somebody is perhaps reading it."""
    doc, rng = pool.some("Doc"), pool.rng
    if doc is None or rng.random() < 0.5:
        return
    with contextlib.suppress(Exception):
        way = rng.randrange(5)
        if way == 0:
            with doc.retokenize() as retokenizer:
                retokenizer.merge(doc[0:2])
        elif way == 1:
            doc.ents = []
        elif way == 2:
            doc[0].head = doc[len(doc) - 1]
        elif way == 3:
            doc.spans.clear()
        else:
            doc.from_array(["TAG"], np.zeros((len(doc), 1), dtype="uint64"))
