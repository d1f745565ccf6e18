"""The catalogue of error codes: src/data/errors.json.

A list of `{code, raised, form, remedy}` in the order of codes.
"""

from typing import Any

from lexpool import errors


def data() -> list[dict[str, Any]]:
    return [row._asdict() for row in errors.codes().values()]
