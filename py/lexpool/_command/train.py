"""`lexpool train` by a configuration that names functions of Python.

The command's arguments are parsed in Rust, in `core/cli`, which calls `run`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from os import PathLike
from pathlib import Path

from .._core import escape_lines
from ..config import Config
from ..training._python_training import check_options, console_logger, train_in_python
from .assemble import with_overrides
from .reports import import_file, reported

__all__ = ["run"]


def run(
    *,
    config_path: str | PathLike[str],
    output_path: str | PathLike[str],
    code_path: str | PathLike[str] | None = None,
    overrides: Sequence[tuple[str, str]] = (),
    resume: str | None = None,
    threads: int = 0,
    memory: int | None = None,
    json: bool = False,
    quiet: bool = False,
) -> int:
    """Runs the command with its arguments, reports errors and returns the exit code."""

    def work() -> None:
        check_options(resume=resume, threads=threads, memory=memory)
        if code_path is not None:
            import_file(code_path)
        config = Config.from_disk(config_path, interpolate=False)
        config = with_overrides(config, overrides)
        folder, output = Path(output_path), _Output()
        console = None if quiet else console_logger(lines=output, is_json=json)
        train_in_python(config, os.fspath(config_path), folder, console=console)
        if not quiet and not json:
            output(f"\u2714 Saved pipeline to output directory\n{folder / 'model-last'}")

    return reported(work)


class _Output:
    """Lines on the standard output, until its reader closes it: the model is what a training is
    for, so it goes on without them.
    """

    def __init__(self) -> None:
        self._is_open = True

    def __call__(self, text: str) -> None:
        line = (escape_lines(text) + "\n").encode("utf8", "backslashreplace")
        # Not through Python's buffer, which would be written again at the end if this fails.
        while line and self._is_open:
            try:
                line = line[os.write(sys.stdout.fileno(), line) :]
            except BrokenPipeError:
                self._is_open = False
