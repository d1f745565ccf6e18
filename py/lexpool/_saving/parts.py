"""Serialization as named parts: a MessagePack map, or files in a folder."""

from __future__ import annotations

from ..msgpack import packb, unpackb
from .files import update_by
from .form import expect
from .packed import as_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Mapping
    from os import PathLike
    from pathlib import Path
    from typing import Any


def parts_to_bytes(
    parts: Mapping[str, Callable[[], bytes | str]], exclude: Container[str]
) -> bytes:
    """Returns the bytes of all parts except the excluded ones."""
    return packb({name: part() for name, part in parts.items() if name not in exclude})


def parts_from_bytes(
    data: bytes, readers: Mapping[str, Callable[[bytes], object]], exclude: Container[str]
) -> None:
    """Calls the reader of each existing part except the excluded ones. Raises ValueError if the
    bytes do not contain parts (saved-form).
    """
    parts: Any = expect(unpackb(data), dict, "the map of a component's parts")
    for name, read in readers.items():
        if name in parts and name not in exclude:
            read(expect(parts[name], bytes, f"the part {name!r} of a component"))


def parts_to_disk(
    path: str | PathLike[str],
    writers: Mapping[str, Callable[[Path], object]],
    exclude: Container[str],
) -> None:
    """Calls each part's writer, except for excluded parts, with a path in a folder that replaces
    those parts of the given folder in one step.
    """
    from pathlib import Path

    def fill(folder: Path) -> None:
        for name, write in writers.items():
            if name not in exclude:
                write(folder / name)

    update_by(Path(path), fill)


def parts_from_disk(
    path: str | PathLike[str],
    readers: Mapping[str, Callable[[Path], object]],
    exclude: Container[str],
) -> None:
    """Calls each part's reader with its path in a folder, except for excluded parts."""
    for name, read in readers.items():
        if name not in exclude:
            read(as_path(path) / name)
