"""A record within a file, field by field as reflection has it."""

from lexpool import structs

from .dump import Dump


def record(dump: Dump, layout: structs.Record, note: str) -> None:
    for field in layout.fields:
        kind = f"{'u' if field.ctype.startswith('u') else 'i'}{field.size * 8}"
        first = field is layout.fields[0] or field.offset == 0
        dump.number(kind, f"{field.name}: {note}" if first else field.name)
