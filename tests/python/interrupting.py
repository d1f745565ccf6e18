"""Exceptions raised at any bytecode of lexpool's Python code, as those of signal handlers are."""

import random
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import lexpool

_FOLDER = str(Path(lexpool.__file__).parent)


class Stopped(BaseException):
    """Raised in the middle of an operation; derived as KeyboardInterrupt is."""


class _Tracer:
    """Notes the lines of bytecodes in frames of lexpool's, and raises before one of them.

    at: the number of the bytecode to raise at; by default none.
    """

    def __init__(self, at: int = -1) -> None:
        self.at = at
        self.lines: list[tuple[str, int]] = []

    def __call__(self, frame: FrameType, event: str, _: Any) -> Any:
        code = frame.f_code
        # Exceptions do not leave a finalizer.
        if not code.co_filename.startswith(_FOLDER) or code.co_name == "__del__":
            return None
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        if event == "opcode":
            if len(self.lines) == self.at:
                raise Stopped
            self.lines.append((code.co_filename.removeprefix(_FOLDER), frame.f_lineno))
        return self


def _traced(operation: Callable[[], object], tracer: _Tracer) -> None:
    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        operation()
    finally:
        sys.settrace(before)


def bytecodes(operation: Callable[[], object]) -> list[tuple[str, int]]:
    """Runs an operation, and returns the file and line of each bytecode of lexpool's it has run."""
    tracer = _Tracer()
    _traced(operation, tracer)
    return tracer.lines


def stops(lines: list[tuple[str, int]], limit: int) -> list[int]:
    """Returns the numbers of bytecodes to stop at: the last one of each line, which is behind the
    native calls of the line, as signals arrive; by random choice if these are more than the limit.
    The lines of components and trainings come first.
    """
    last = {line: at for at, line in enumerate(lines)}
    order = list(last.items())
    random.Random(0).shuffle(order)
    order.sort(key=lambda pair: not pair[0][0].startswith(("/pipeline/", "/training/", "/tokens/")))
    return sorted(at for _, at in order[:limit])


def interrupted(operation: Callable[[], object], at: int) -> str:
    """Runs an operation that is stopped before the bytecode of a number, unless it ends before.
    Returns the place.
    """
    tracer = _Tracer(at)
    try:
        _traced(operation, tracer)
    except Stopped:
        pass
    file, line = tracer.lines[-1] if tracer.lines else ("the beginning", 0)
    return f"bytecode {at}, after {file}:{line}"
