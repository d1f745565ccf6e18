"""A row of the catalogue of errors: `lexpool.errors.ErrorCode`."""

from typing import NamedTuple


class ErrorCode(NamedTuple):
    """A row of the catalogue of errors and warnings."""

    code: str
    """The code as messages have it in brackets, such as "E030" or "file-not-found"."""
    raised: tuple[str, ...]
    """Names of the built-in exceptions or warnings that carry the code, the usual one first."""
    form: str
    """The meaning in one line, with placeholders in braces."""
    remedy: str

    """The steps that avoid or fix the error."""


ErrorCode.__module__ = "lexpool.errors"
