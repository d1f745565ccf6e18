"""JSON as `json` reads and writes it, which is imported for what the native reader and writer
refuse.
"""

from __future__ import annotations

from .._core import read_json, write_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["dumps", "loads"]


def loads(text: str | bytes) -> Any:
    """Returns the value of a JSON text. Raises json.JSONDecodeError, a ValueError, for another
    text, and TypeError for another type.
    """
    try:
        return read_json(text.decode("utf8") if isinstance(text, bytes) else text)
    except (TypeError, ValueError):
        import json

        return json.loads(text)


def dumps(value: object, *, compact: bool = False) -> str:
    """Returns a value as JSON on one line; `compact`, without spaces after commas and colons.
    Raises TypeError for values that JSON cannot have.
    """
    written = write_json(value, compact)
    if written is not None:
        return written
    import json

    return json.dumps(value, separators=(",", ":") if compact else None)
