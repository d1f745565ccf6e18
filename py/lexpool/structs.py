"""The layout of the records: `print(structs.TokenC)` shows it as a table."""

from ._core import (
    Field,
    Record,
    record_layouts as _record_layouts,
    spacy_record_layout as _spacy_record_layout,
)

RECORDS: dict[str, Record] = {record.name: record for record in _record_layouts()}

LexemeC: Record = RECORDS["LexemeC"]
TokenC: Record = RECORDS["TokenC"]
TagC: Record = RECORDS["TagC"]
SyntaxC: Record = RECORDS["SyntaxC"]
EntityC: Record = RECORDS["EntityC"]
SpanC: Record = RECORDS["SpanC"]
SpacyTokenC: Record = _spacy_record_layout()
"""spaCy's own layout of a token, as `doc.c.as_spacy()` exports it."""


def cdef() -> str:
    """Returns C declarations of all records, for `cffi.FFI().cdef(...)`.

    >>> print(cdef().splitlines()[0])  # doctest: +NORMALIZE_WHITESPACE
    typedef struct { uint64_t flags; uint64_t lang; uint64_t id; uint64_t length; uint64_t orth;
    uint64_t lower; uint64_t norm; uint64_t shape; uint64_t prefix; uint64_t suffix; } LexemeC;
    """
    lines: list[str] = []
    for record in (*RECORDS.values(), SpacyTokenC):
        fields = " ".join(f"{field.ctype} {field.name};" for field in record.fields)
        lines.append(f"typedef struct {{ {fields} }} {record.name};")
    return "\n".join(lines)


__all__ = [
    "RECORDS",
    "EntityC",
    "Field",
    "LexemeC",
    "Record",
    "SpacyTokenC",
    "SpanC",
    "SyntaxC",
    "TagC",
    "TokenC",
    "cdef",
]
