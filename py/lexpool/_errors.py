"""Exceptions of lexpool, which `lexpool.errors` shows beside those of native code."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["ComponentNameError", "ConfigError", "MatchPatternError", "UnknownLanguageError"]


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


for _public in (ComponentNameError, ConfigError, MatchPatternError, UnknownLanguageError):
    _public.__module__ = "lexpool.errors"
