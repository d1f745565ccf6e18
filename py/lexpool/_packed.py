"""The files of a packed pipeline, with the methods of `pathlib.Path` that loading uses."""

from __future__ import annotations

import io
from os import PathLike
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from ._core import PackedPipeline

if TYPE_CHECKING:
    from ._core import FilePart

__all__ = ["AnyPath", "PackedPath", "as_path"]


class PackedPath:
    """A file or folder in a packed pipeline. It has no place in the file system."""

    def __init__(self, pipeline: PackedPipeline, inner: PurePosixPath | None = None) -> None:
        self.pipeline = pipeline
        self._inner = PurePosixPath() if inner is None else inner

    @property
    def root(self) -> Path:
        """The packed file."""
        return Path(self.pipeline.path)

    def __truediv__(self, part: str) -> PackedPath:
        return PackedPath(self.pipeline, self._inner / part)

    def with_suffix(self, suffix: str) -> PackedPath:
        """Returns the path with another suffix."""
        return PackedPath(self.pipeline, self._inner.with_suffix(suffix))

    @property
    def name(self) -> str:
        """The last part."""
        return self._inner.name

    @property
    def suffix(self) -> str:
        """The ending of the last part, such as ".json"."""
        return self._inner.suffix

    def is_file(self) -> bool:
        """Returns whether there is such a file."""
        return self.pipeline.contains(str(self._inner))

    def is_dir(self) -> bool:
        """Returns whether there is such a folder."""
        return not self._inner.parts or self.pipeline.contains_folder(str(self._inner))

    def exists(self) -> bool:
        """Returns whether there is such a file or folder."""
        return self.is_file() or self.is_dir()

    def part(self) -> FilePart:
        """Returns the mapped bytes of the file. Raises FileNotFoundError if it is missing,
        ValueError (pack-checksum) if it is damaged.
        """
        return self.pipeline.read(str(self._inner))

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
        return str(self.root / self._inner)

    def __repr__(self) -> str:
        return f"PackedPath({str(self)!r})"


AnyPath = Path | PackedPath


def as_path(path: str | PathLike[str] | PackedPath) -> Any:
    """Returns a path as an object with the methods of pathlib."""
    return path if isinstance(path, PackedPath) else Path(path)
