"""Phrases in a file, taken apart."""

from typing import Any
from zlib import crc32

from .dump import Dump

SECTIONS = [
    ("ids", "id"),
    ("edges", "place"),
    ("nodes", "place"),
    ("labels", "word"),
    ("key lists", "place"),
    ("keys", "id"),
    ("ends", "place"),
    ("strings", "text"),
]
NODE = ["keys", "label", "length of the label", "first edge", "node behind it"]


def phrases(data: bytes, made: str) -> dict[str, Any]:
    dump = Dump(data)
    dump.part("header", 40, "facts", "What it is, and how long")
    dump.text(8, "magic")
    dump.number("u32", "version", 1)
    dump.number("u32", "attribute that phrases are compared by")
    dump.number("u64", "seed of both tables")
    dump.number("u64", "length of the file", len(data))
    dump.number("u32", "how many sections", len(SECTIONS))
    dump.zeros(4)
    dump.part("entries", 40 + 24 * len(SECTIONS), "facts", "Where each section lies: 24 bytes each")
    found = []
    for number, (name, _) in enumerate(SECTIONS, 1):
        dump.number("u32", f"entry {number}: {name}", number)
        size = dump.number("u32", "bytes an item")
        begin = dump.number("u64", "where it begins")
        found.append((begin, begin + dump.number("u64", "how many bytes"), size))
    for number, ((begin, end, size), (name, kind)) in enumerate(
        zip(found, SECTIONS, strict=True), 1
    ):
        if begin > dump.parts[-1]["end"]:
            dump.part("", begin, "free", "Zeros up to a multiple of 8")
        if end == begin:
            continue
        dump.part(
            name, end, kind, f"Section {number}: {(end - begin) // size:,} items of {size} bytes"
        )
        if name in ("ids", "edges"):
            table(dump, end, size, name)
        elif name == "nodes":
            for i in range(min(3, (end - begin) // size)):
                for field in NODE:
                    dump.number("u32", f"node {i}: {field}" if field == NODE[0] else field)
        elif name == "keys":
            dump.number("u64", "id of the key's string")
        elif name == "strings":
            dump.text(end - begin, "the keys' strings")
        elif end - dump.at >= 4:
            dump.number("u32", "number 0")
    if len(data) - 4 > dump.parts[-1]["end"]:
        dump.part("", len(data) - 4, "free", "Zeros up to a multiple of 8")
    dump.part("sum", len(data), "facts", "CRC-32 of all before")
    dump.sum("CRC-32", crc32(data[:-4]))
    return dump.done(made)


def table(dump: Dump, end: int, size: int, name: str) -> None:
    """The first slot of a table that is used, in full."""
    used = dump.at
    while used < end and not any(dump.data[used : used + size]):
        used += size
    dump.skip_to(used, "slots that are unused")
    if used == end:
        return
    if name == "ids":
        dump.number("u64", "a slot: id of a word, in two halves")
        dump.number("u32", "its symbol")
    else:
        dump.number("u32", "a slot: node")
        dump.number("u32", "symbol")
        dump.number("u32", "the node behind")
