"""Atomic files: every saver of the package writes through these functions.

A file takes its name when it is whole and on the disk, so a failure leaves the old one as it was. A test
refuses all other ways to write one: `open(..., "w")`, `write_text`, `write_bytes` and their like.
"""

from __future__ import annotations

from os import PathLike

from ._core import write_file

__all__ = ["write_file", "write_text_file"]


def write_text_file(path: str | PathLike[str], text: str) -> None:
    """Write a file that consists of a text, in UTF-8. Raises OSError; see `write_file`."""
    write_file(path, text.encode("utf8"))
