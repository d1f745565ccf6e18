"""The layouts of the records, from lexpool's reflection: src/data/records.json.

A list of `{name, size, align, doc, fields}`, each field `{name, type, ctype, offset, size, doc,
bits}` and each group of bits `{name, low, width, doc}`. `SpacyTokenC`, which only the binding
shows, comes last.
"""

import json
import subprocess
import sys
from typing import Any

from lexpool import structs


def data() -> list[dict[str, Any]]:
    """All records as the pages draw them."""
    record_list: list[dict[str, Any]] = json.loads(
        subprocess.run(
            [sys.executable, "-m", "lexpool", "struct", "--json"], capture_output=True, check=True
        ).stdout
    )
    spacy = structs.SpacyTokenC
    if spacy.name not in {record["name"] for record in record_list}:
        record_list.append(
            {"name": spacy.name, "size": spacy.size, "align": spacy.align, "doc": spacy.doc}
            | {"fields": [as_told(field) for field in spacy.fields]}
        )
    for record in record_list:
        for field in record["fields"]:
            field["ctype"] = ctype(field["type"])
            for bits in field["bits"]:
                bits["name"] = bits["name"].lower()
    return record_list


def as_told(field: structs.Field) -> dict[str, Any]:
    """A field in the words of `lexpool struct --json`."""
    signed = "u" if field.ctype.startswith("u") else "i"
    return {
        "name": field.name,
        "type": f"{signed}{field.size * 8}",
        "offset": field.offset,
        "size": field.size,
        "doc": field.doc,
        "bits": [],
    }


def ctype(rust: str) -> str:
    """C's name of one of Rust's types: `uint32_t` for `u32`."""
    return f"{'uint' if rust[0] == 'u' else 'int'}{rust[1:]}_t"
