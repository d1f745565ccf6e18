"""Exceptions of lexpool, each a subclass of the built-in that spaCy raises, and the catalogue of
codes.

>>> import lexpool.errors
>>> lexpool.errors.codes()["E030"].remedy
'Add a parser or a sentencizer to the pipeline, or set `token.is_sent_start`.'
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ._core import (
    BusyError,
    HashCollisionError,
    RuleError,
    StaleError,
    ZoneError,
    error_codes,
    number_limits,
)
from ._errors import ComponentNameError, ConfigError, MatchPatternError, UnknownLanguageError

__all__ = [
    "BusyError",
    "ComponentNameError",
    "ConfigError",
    "ErrorCode",
    "HashCollisionError",
    "Limit",
    "MatchPatternError",
    "RuleError",
    "StaleError",
    "UnknownLanguageError",
    "ZoneError",
    "codes",
    "explain",
    "limits",
]


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


def codes() -> dict[str, ErrorCode]:
    """Returns the catalogue: each code of lexpool's errors and warnings, sorted.

    Codes such as "E018" and "W007" have the same meaning as in spaCy.
    """
    rows = error_codes()
    return {
        code: ErrorCode(code, tuple(raised), form, remedy) for code, raised, form, remedy in rows
    }


def limits() -> dict[str, Limit]:
    """Returns the table of limits: how large the numbers in files, configurations and calls may be.

    >>> limits()["beam.width"].maximum
    1024
    """
    return {
        name: Limit(name, maximum, code, counts, tuple(settings))
        for name, maximum, code, counts, settings in number_limits()
    }


def explain(error: BaseException | str) -> ErrorCode | None:
    """Returns the row of an exception, a message or a code; None if it has no code of lexpool's.

    The command `lexpool explain` prints the same.
    """
    table = codes()
    text = str(error)
    for code in (text, *re.findall(r"\[([A-Za-z0-9-]+)\]", text)):
        if code in table:
            return table[code]
    return None
