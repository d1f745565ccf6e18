"""The error of saved files and bytes that are damaged, or of something else."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Any

__all__ = ["expect", "reading", "wrong_form"]

# Exceptions of values that have other types than expected, where they are used.
_CAUSED = (TypeError, ValueError, LookupError, AttributeError, ArithmeticError, RecursionError)


class reading:
    """A block that raises ValueError (saved-form) in the place of an exception without a code:
    values of a damaged file cause any, and where they are used nobody knows the file. Arguments of
    the caller are to be looked at before.

    what: the file, or what the bytes are of.
    """

    # Not by `contextlib`, which takes a tenth of the time of loading a pipeline to import.
    def __init__(self, what: str) -> None:
        self.what = what

    def __enter__(self) -> None:
        return None

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        if isinstance(error, _CAUSED) and not _has_code(error):
            raise wrong_form(self.what, f"{type(error).__name__}: {error}") from error


def _has_code(error: BaseException) -> bool:
    import re

    message = error.args[0] if error.args else ""
    return isinstance(message, str) and re.search(r"\[[A-Za-z0-9-]+\] ", message) is not None


def wrong_form(what: str, why: str) -> ValueError:
    """Returns the error of a damaged file, or of bytes."""
    return ValueError(f"[saved-form] {what}: {why:.200}")


def expect(value: Any, of: type | tuple[type, ...], what: str) -> Any:
    """Returns a value of a saved file that has one of these types. Raises ValueError (saved-form)
    for others; a bool is no number.
    """
    types = of if isinstance(of, tuple) else (of,)
    if not isinstance(value, types) or (isinstance(value, bool) and bool not in types):
        names = " or ".join(each.__name__ for each in types)
        raise wrong_form(what, f"found {value!r:.80}; expected {names}")
    return value
