"""The table of limits: src/data/limits.json.

A list of `{name, maximum, code, counts, settings}` in the order of names.
"""

from typing import Any

from lexpool import errors


def data() -> list[dict[str, Any]]:
    return [row._asdict() for row in errors.limits().values()]
