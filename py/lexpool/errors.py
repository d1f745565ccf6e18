"""What lexpool raises beside Python's own exceptions, each a subclass of what spaCy raises."""

from collections.abc import Iterable, Mapping

from ._core import BusyError, HashCollisionError, RuleError, StaleError, ZoneError

__all__ = [
    "BusyError",
    "ComponentNameError",
    "ConfigError",
    "HashCollisionError",
    "MatchPatternError",
    "RuleError",
    "StaleError",
    "ZoneError",
]


class ComponentNameError(ValueError):
    """A name under which a component cannot be saved: it leads out of the pipeline's folder or to another part
    of it, or is no name of a file or section; says which, and what to do."""


class ConfigError(ValueError):
    """A configuration that cannot be read or written; says which file, section and key."""


class MatchPatternError(ValueError):
    """Patterns that a matcher cannot use.

    key: that of the patterns. errors: what is wrong, by the position of the pattern.
    """

    def __init__(self, key: str | int, errors: Mapping[int, Iterable[str]]) -> None:
        lines = [f"Unusable token patterns for {key!r}"]
        for position, problems in errors.items():
            lines += [f"- pattern {position}, element {problem}" for problem in problems]
        super().__init__("\n".join(lines))
