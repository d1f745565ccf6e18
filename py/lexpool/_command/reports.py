"""Reports of errors and imports of users' modules, for the commands written in Python."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

from .._core import escape_lines

__all__ = ["import_file", "reported", "say"]

# Interrupted by Ctrl-C, as a shell reports it.
_INTERRUPTED = 130


def reported(work: Callable[[], None]) -> int:
    """Does the work of a command, reports its error and returns the exit code."""
    try:
        work()
    except KeyboardInterrupt:
        say("lexpool: interrupted")
        return _INTERRUPTED
    except Exception as error:
        for line in (_message(error), *getattr(error, "__notes__", [])):
            say(f"lexpool: {line}")
        return 1
    return 0


def say(text: str) -> None:
    """Prints a line on the standard error, with the characters escaped that a terminal obeys."""
    # An end of line in the name of a file must not begin a message of its own.
    line = escape_lines(text).replace("\n", r"\u{a}")
    print(line, file=sys.stderr)


def _message(error: Exception) -> str:
    """Returns the message of an error, after its class if the message has no code."""
    # A KeyError quotes its message.
    argument: object = error.args[0] if len(error.args) == 1 else None
    text = argument if isinstance(argument, str) else str(error)
    return text if text.startswith("[") else f"{type(error).__name__}: {text}"


def import_file(path: str | os.PathLike[str]) -> Any:
    """Imports a module by its path, under the name of the file."""
    from importlib.util import module_from_spec, spec_from_file_location
    from pathlib import Path

    file = Path(path)
    spec = spec_from_file_location(file.stem, file)
    if spec is None or spec.loader is None or not file.is_file():
        raise FileNotFoundError(f"[package-files] {str(file)!r} is not a module in Python")
    module = module_from_spec(spec)
    sys.modules[file.stem] = module
    spec.loader.exec_module(module)
    return module
