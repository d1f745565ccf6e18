"""Atomic files: every saver of the package writes through these functions.

A file gets its name when it is complete and on the disk, so a failure leaves the old file
unchanged. A test rejects all other ways to write files: `open(..., "w")`, `write_text`,
`write_bytes` and similar functions.

A symbolic link is followed if it is itself the file to save. Inside of a folder to save a link
could lead anywhere, since the folder may come from an archive: `write_part` replaces such a link,
and `update_by` rejects one in the place of a folder.
"""

from __future__ import annotations

from .._core import update_folder, write_file, write_part, write_pipeline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from os import PathLike
    from pathlib import Path


__all__ = [
    "update_by",
    "write_file",
    "write_part",
    "write_pipeline_by",
    "write_text_file",
    "write_text_part",
]


def write_text_file(path: str | PathLike[str], text: str) -> None:
    """Writes a text file in UTF-8. Raises OSError; see `write_file`."""
    write_file(path, text.encode("utf8"))


def write_text_part(path: str | PathLike[str], text: str) -> None:
    """Writes a text file in UTF-8 as part of a folder. Raises OSError; see `write_part`."""
    write_part(path, text.encode("utf8"))


def update_by(folder: Path, fill: Callable[[Path], object]) -> None:
    """Writes files into a folder in one step when they are complete; other files of it stay.

    fill: writes the files into the folder that it is called with.

    Raises OSError, and the exceptions of `fill`, after which the folder is unchanged.
    """
    update_folder(folder, _named(folder, fill))


def write_pipeline_by(folder: Path, parts: Iterable[str], fill: Callable[[Path], object]) -> None:
    """Writes the files of a pipeline, as `update_by`, with the number of the save.

    parts: the vocab and components into whose folders the number is written too.
    """
    write_pipeline(folder, tuple(parts), _named(folder, fill))


def _named(folder: Path, fill: Callable[[Path], object]) -> Callable[[str], object]:
    """Returns `fill` as a function of the path of a temporary folder, which errors do not name."""

    def filled(temporary: str) -> None:
        from pathlib import Path

        try:
            fill(Path(temporary))
        except OSError as error:
            error.args = tuple(
                str(folder).join(part.split(temporary)) if isinstance(part, str) else part
                for part in error.args
            )
            raise

    return filled
