"""Atomic files: every saver of the package writes through these functions.

A file gets its name when it is complete and on the disk, so a failure leaves the old file
unchanged. A test rejects all other ways to write files: `open(..., "w")`, `write_text`,
`write_bytes` and similar functions.

A symbolic link is followed if it is itself the file to save. Inside of a folder to save a link
could lead anywhere, since the folder may come from an archive: `write_part` replaces such a link,
and `unlinked` rejects it.
"""

from __future__ import annotations

import errno

from ._core import write_file, write_part

TYPE_CHECKING = False
if TYPE_CHECKING:
    from os import PathLike
    from pathlib import Path


__all__ = ["unlinked", "write_file", "write_part", "write_text_file", "write_text_part"]


def write_text_file(path: str | PathLike[str], text: str) -> None:
    """Writes a text file in UTF-8. Raises OSError; see `write_file`."""
    write_file(path, text.encode("utf8"))


def write_text_part(path: str | PathLike[str], text: str) -> None:
    """Writes a text file in UTF-8 as part of a folder. Raises OSError; see `write_part`."""
    write_part(path, text.encode("utf8"))


def unlinked(path: Path) -> Path:
    """Returns the path of a part of a folder, for code that would follow a symbolic link.

    Raises OSError (folder-link) if the path is a symbolic link.
    """
    if path.is_symlink():
        text = (
            f"[folder-link] {str(path)!r} is a symbolic link, and the parts of a folder are saved within it: "
            "remove the link, or save to another folder"
        )
        error = OSError(text)
        error.errno = errno.ELOOP
        raise error
    return path
