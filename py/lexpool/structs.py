"""The layout of the records: `print(structs.TokenC)` shows it as a table."""

from ._core import Field, Record
from ._core import record_layouts as _record_layouts

RECORDS: dict[str, Record] = {record.name: record for record in _record_layouts()}

LexemeC: Record = RECORDS["LexemeC"]
TokenC: Record = RECORDS["TokenC"]
TagC: Record = RECORDS["TagC"]
SyntaxC: Record = RECORDS["SyntaxC"]
EntityC: Record = RECORDS["EntityC"]
SpanC: Record = RECORDS["SpanC"]

__all__ = [
    "RECORDS",
    "EntityC",
    "Field",
    "LexemeC",
    "Record",
    "SpanC",
    "SyntaxC",
    "TagC",
    "TokenC",
]
