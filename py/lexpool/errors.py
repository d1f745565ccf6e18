"""What lexpool raises beside Python's own exceptions, each a subclass of what spaCy raises."""

from ._core import HashCollisionError, RuleError, ZoneError

__all__ = ["HashCollisionError", "RuleError", "ZoneError"]
