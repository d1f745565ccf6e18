"""Exceptions of lexpool, each a subclass of the built-in that spaCy raises, and the catalogue of
codes.

>>> import lexpool.errors
>>> lexpool.errors.codes()["E030"].remedy
'Add a parser or a sentencizer to the pipeline, or set `token.is_sent_start`.'
"""

from __future__ import annotations

from ._core import (
    BusyError,
    HashCollisionError,
    RuleError,
    StaleError,
    ZoneError,
    error_codes,
    number_limits,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ._error_codes import ErrorCode, Limit


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


def __getattr__(name: str) -> object:
    """Imports the classes of rows when they are first used (PEP 562): loading a pipeline imports
    this module, and does not need the classes.
    """
    if name in ("ErrorCode", "Limit"):
        from . import _error_codes

        return getattr(_error_codes, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), "ErrorCode", "Limit"})


def codes() -> dict[str, ErrorCode]:
    """Returns the catalogue: each code of lexpool's errors and warnings, sorted.

    Codes such as "E018" and "W007" have the same meaning as in spaCy.
    """
    from ._error_codes import ErrorCode

    rows = error_codes()
    return {
        code: ErrorCode(code, tuple(raised), form, remedy) for code, raised, form, remedy in rows
    }


def limits() -> dict[str, Limit]:
    """Returns the table of limits: how large the numbers in files, configurations and calls may be.

    >>> limits()["beam.width"].maximum
    1024
    """
    from ._error_codes import Limit

    return {
        name: Limit(name, maximum, code, counts, tuple(settings))
        for name, maximum, code, counts, settings in number_limits()
    }


def explain(error: BaseException | str) -> ErrorCode | None:
    """Returns the row of an exception, a message or a code; None if it has no code of lexpool's.

    The command `lexpool explain` prints the same.
    """
    import re

    table = codes()
    text = str(error)
    for found in (text, *re.findall(r"\[([A-Za-z0-9-]+)\]", text)):
        if found in table:
            return table[found]
    return None


class ComponentNameError(ValueError):
    """A name under which a component cannot be saved: the path is outside of the pipeline's folder
    or another part of it, or the name is invalid for a file or section. The message has the reason
    and the remedy.
    """


class ConfigError(ValueError):
    """A configuration that cannot be read or written; the message has the file, section and key."""


class UnknownLanguageError(ImportError, ValueError):
    """A language without rules; the message has the nearest codes. An ImportError as in spaCy,
    where each language is a module.
    """


class MatchPatternError(ValueError):
    """Patterns that a matcher cannot use.

    key: the key of the patterns.
    errors: the errors of each pattern, by its position.
    """

    def __init__(self, key: str | int, errors: Mapping[int, Iterable[str]]) -> None:
        lines = [f"Unusable token patterns for {key!r}"]
        for position, problems in errors.items():
            lines += [f"- pattern {position}, element {problem}" for problem in problems]
        super().__init__("\n".join(lines))
