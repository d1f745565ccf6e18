"""A progress bar for commands that run in Python, like that of the others."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from time import monotonic
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

__all__ = ["Progress"]

T = TypeVar("T")

_WIDTH = 40
_SECONDS_BETWEEN = 0.1


class Progress:
    """A bar on the standard error, drawn on terminals only and removed at the end of a `with`
    block, so that messages start on a fresh line.

    total: the number of steps.
    what: what a step is, for the text beside the bar.
    quiet: whether to draw nothing.
    """

    def __init__(self, total: int, what: str, *, quiet: bool = False) -> None:
        self._total = total
        self._what = what
        self._is_shown = not quiet and sys.stderr.isatty()
        self._done = 0
        self._start = self._drawn = monotonic()

    def add(self, steps: int = 1) -> None:
        """Counts finished steps."""
        self._done += steps
        now = monotonic()
        if self._is_shown and now - self._drawn >= _SECONDS_BETWEEN:
            self._drawn = now
            sys.stderr.write(f"\r\x1b[2K{self._line(now - self._start)}")
            sys.stderr.flush()

    def over(self, items: Iterable[T]) -> Iterator[T]:
        """Yields items, and counts each when the next one is asked for."""
        for item in items:
            yield item
            self.add()

    def _line(self, seconds: float) -> str:
        share = min(self._done / max(self._total, 1), 1.0)
        bar = ("=" * int(share * _WIDTH) + ">")[:_WIDTH].ljust(_WIDTH)
        left = round(seconds * (1 / share - 1)) if share else 0
        return f"{bar} {self._done:,}/{self._total:,} {self._what}  {left}s left"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._is_shown:
            sys.stderr.write("\r\x1b[2K")
            sys.stderr.flush()
