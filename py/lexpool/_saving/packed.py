"""The files of a packed pipeline, with the methods of `pathlib.Path` that loading uses."""

from __future__ import annotations

import io
import os

from .._core import PackedPipeline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from os import PathLike
    from pathlib import Path
    from typing import Any

    from .._core import FilePart

__all__ = ["PackedPath", "as_path"]


class PackedPath:
    """A file or folder in a packed pipeline. It has no place in the file system."""

    def __init__(self, pipeline: PackedPipeline, file: str, inner: str = "") -> None:
        """
        file: the path of the packed file.
        inner: the path within the file, with "/" between its parts, without "." and empty parts.
        """
        self.pipeline = pipeline
        self.file = file
        self._inner = inner

    @property
    def root(self) -> Path:
        """The packed file."""
        from pathlib import Path

        return Path(self.file)

    def __truediv__(self, part: str) -> PackedPath:
        added = "/".join(name for name in part.split("/") if name not in ("", "."))
        return PackedPath(self.pipeline, self.file, "/".join(filter(None, (self._inner, added))))

    def with_suffix(self, suffix: str) -> PackedPath:
        """Returns the path with another suffix."""
        old_suffix = self.suffix
        return PackedPath(
            self.pipeline, self.file, self._inner[: len(self._inner) - len(old_suffix)] + suffix
        )

    @property
    def name(self) -> str:
        """The last part."""
        return self._inner.rpartition("/")[2]

    @property
    def suffix(self) -> str:
        """The ending of the last part, such as ".json"."""
        name = self.name
        dot = name.rfind(".")
        return name[dot:] if 0 < dot < len(name) - 1 else ""

    def is_file(self) -> bool:
        """Returns whether there is such a file."""
        return self.pipeline.contains(self._inner or ".")

    def is_dir(self) -> bool:
        """Returns whether there is such a folder."""
        return not self._inner or self.pipeline.contains_folder(self._inner)

    def exists(self) -> bool:
        """Returns whether there is such a file or folder."""
        return self.is_file() or self.is_dir()

    def part(self) -> FilePart:
        """Returns the mapped bytes of the file. Raises FileNotFoundError if it is missing,
        ValueError (container-checksum) if it is damaged.
        """
        return self.pipeline.read(self._inner or ".")

    def read_bytes(self) -> bytes:
        """Returns a copy of the bytes of the file; see `part`."""
        return bytes(self.part())

    def read_text(self, encoding: str = "utf8") -> str:
        """Returns the text of the file; see `part`."""
        return self.read_bytes().decode(encoding)

    def open(self, mode: str = "r", encoding: str = "utf8") -> Any:
        """Returns the file, open for reading text, or bytes in the mode "rb"."""
        if mode not in ("r", "rb"):
            raise OSError(f"{self}: mode is {mode!r}; packed files can only be read")
        data = io.BytesIO(self.read_bytes())
        return data if mode == "rb" else io.TextIOWrapper(data, encoding=encoding)

    def __str__(self) -> str:
        return os.path.join(self.file, *filter(None, self._inner.split("/")))

    def __repr__(self) -> str:
        return f"PackedPath({str(self)!r})"


def as_path(path: str | PathLike[str] | PackedPath) -> Any:
    """Returns a path as an object with the methods of pathlib."""
    if isinstance(path, PackedPath):
        return path
    from pathlib import Path

    return Path(path)
