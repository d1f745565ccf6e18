"""Atomic files: every saver of the package writes through these functions.

A file takes its name when it is whole and on the disk, so a failure leaves the old one as it was. A
test refuses all other ways to write one: `open(..., "w")`, `write_text`, `write_bytes` and their
like.

A symbolic link is followed if it was named as the file to save. In a folder to save it could lead
anywhere: such a folder may have been unpacked from an archive. There `write_part` replaces it, and
`unlinked` refuses it.
"""

from __future__ import annotations

import errno
from os import PathLike
from pathlib import Path

from ._core import write_file, write_part

__all__ = ["unlinked", "write_file", "write_part", "write_text_file", "write_text_part"]


def write_text_file(path: str | PathLike[str], text: str) -> None:
    """Write a file that consists of a text, in UTF-8. Raises OSError; see `write_file`."""
    write_file(path, text.encode("utf8"))


def write_text_part(path: str | PathLike[str], text: str) -> None:
    """Write a part of a folder that consists of a text, in UTF-8. Raises OSError; see
    `write_part`.
    """
    write_part(path, text.encode("utf8"))


def unlinked(path: Path) -> Path:
    """Return the path of a part of a folder, for code that would follow a link in its place.

    Raises OSError (folder-link) if there is a symbolic link.
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
