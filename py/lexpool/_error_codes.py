"""Rows of the catalogue of errors and of the table of limits: `lexpool.errors.ErrorCode` and
`lexpool.errors.Limit`.
"""

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


class Limit(NamedTuple):
    """A row of the table of limits."""

    name: str
    """The name as messages have it in parentheses, such as "beam.width"."""
    maximum: int
    """The largest number."""
    code: str
    """The code of the error for a larger one."""
    counts: str
    """The things that are counted, in words."""
    settings: tuple[str, ...]
    """The settings and arguments that say the number."""


ErrorCode.__module__ = Limit.__module__ = "lexpool.errors"
