"""The structs that native code is given, as a C compiler lays them out: src/data/native.json.

They have addresses in them and are no records, so no reflection knows them. Their declarations are
taken from the headers as they stand there, and sizes and offsets from what a C compiler makes of
them.
"""

import ctypes
import re
import subprocess
import sysconfig
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import lexpool

STRUCTS = {
    "lexpool_values.h": [
        "lexpool_doc",
        "lexpool_str",
        "lexpool_value",
        "lexpool_array",
        "lexpool_rows",
        "lexpool_failure",
    ],
    "lexpool_api.h": ["lexpool_records", "lexpool_doc_mut"],
}
FIELD = re.compile(r"^\s*(?P<type>[\w ]+?[ *]+(?:const \*)?)(?P<name>\w+);$", re.MULTILINE)


def data() -> list[dict[str, Any]]:
    """`{name, header, size, align, doc, source, fields}` each, a field `{name, type, offset, size,
    doc}`.
    """
    declarations = [declared(header, name) for header, names in STRUCTS.items() for name in names]
    numbers = compiled(declarations)
    for struct in declarations:
        struct["size"], struct["align"] = next(numbers)
        for field in struct["fields"]:
            field["offset"], field["size"] = next(numbers)
    return declarations


def declared(header: str, name: str) -> dict[str, Any]:
    """A struct as its header has it."""
    text = (Path(lexpool.get_include()) / header).read_text()
    match = re.search(
        r"/\* (?P<doc>(?:(?!\*/).)*) \*/\n"
        rf"(?P<source>typedef struct {name} \{{\n(?P<body>.*?)\n\}} {name};)",
        text,
        re.DOTALL,
    )
    if match is None:
        raise LookupError(f"{header} declares no {name} with a comment before it")
    body = re.sub(r"^\s*/\*.*?\*/\n", "", match["body"] + "\n", flags=re.DOTALL | re.MULTILINE)
    fields = [
        {"name": field["name"], "type": field["type"].strip(), "doc": ""}
        for field in FIELD.finditer(body)
    ]
    if len(fields) != body.count(";"):
        raise ValueError(
            f"a field of {name} is declared in a way that this generator does not read"
        )
    doc = re.sub(r"\s*\n \* ", " ", match["doc"])
    return {"name": name, "header": header, "doc": doc, "source": match["source"], "fields": fields}


def compiled(declarations: list[dict[str, Any]]) -> Iterator[tuple[int, int]]:
    """Size and alignment of each struct, and offset and size of each of its fields, in order."""
    numbers = []
    for struct in declarations:
        name = struct["name"]
        numbers += [f"sizeof({name})", f"_Alignof({name})"]
        for field in struct["fields"]:
            member = field["name"]
            numbers += [f"offsetof({name}, {member})", f"sizeof((({name} *)0)->{member})"]
    includes = "".join(f'#include "{header}"\n' for header in STRUCTS)
    # A library and no program: what the headers call of Python's is in the process that loads it.
    with tempfile.TemporaryDirectory() as folder:
        source, library = Path(folder) / "layout.c", Path(folder) / "layout.so"
        source.write_text(f"{includes}const size_t layout[] = {{{', '.join(numbers)}}};\n")
        subprocess.run(
            ["cc", "-std=c11", "-shared", "-fPIC", "-o", str(library), str(source)]
            + ["-I", lexpool.get_include(), "-I", sysconfig.get_path("include")],
            check=True,
        )
        layout = (ctypes.c_size_t * len(numbers)).in_dll(ctypes.CDLL(str(library)), "layout")
        flat = iter(list(layout))
    return zip(flat, flat, strict=True)
