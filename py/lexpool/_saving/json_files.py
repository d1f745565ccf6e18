"""Files of components, in the formats of srsly."""

from __future__ import annotations

import os

from .files import write_text_file, write_text_part
from .form import reading
from .json import dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path as _Path
    from typing import Any, TypeAlias


Path: TypeAlias = str | os.PathLike[str]
_COMPACT = (",", ":")


def to_json(value: Any) -> str:
    """Returns a value as JSON on one line."""
    return dumps(value, compact=True)


def write_json(path: _Path, value: Any) -> None:
    """Writes a value as a JSON file, part of a folder."""
    import json

    write_text_part(path, json.dumps(value, indent=2, separators=_COMPACT))


def read_json(path: _Path) -> Any:
    """Returns the value of a JSON file. Raises ValueError (saved-form) for others."""
    content = path.read_bytes()
    with reading(str(path)):
        return loads(content)


def write_jsonl(path: _Path, values: Iterable[Any], *, is_part: bool = True) -> None:
    """Writes values as a file of JSON lines. `is_part`: whether the file is part of a folder, or
    was itself named as the file to save.
    """
    write = write_text_part if is_part else write_text_file
    write(path, "".join(to_json(value) + "\n" for value in values))


def read_jsonl(path: _Path) -> list[Any]:
    """Returns the values of a file of JSON lines; empty lines are skipped.

    Raises ValueError (E1023) for a line that is not valid JSON, with its number, and for a file
    that is not UTF-8.
    """
    import io

    values: list[Any] = []
    try:
        text = path.read_bytes().decode("utf8")
    except UnicodeDecodeError as error:
        raise ValueError(f"[E1023] {path}: byte {error.start} is not valid UTF-8") from None
    for number, line in enumerate(io.StringIO(text, newline=None), 1):
        if not line.strip():
            continue
        try:
            values.append(loads(line))
        except (ValueError, RecursionError) as error:
            raise ValueError(f"[E1023] {path}, line {number}: {error}") from error
    return values
