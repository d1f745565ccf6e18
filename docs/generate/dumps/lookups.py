"""Look-up tables in a file, taken apart."""

import json
from typing import Any
from zlib import crc32

from .dump import Dump


def lookups(data: bytes, made: str) -> dict[str, Any]:
    dump = Dump(data)
    offset = int.from_bytes(data[16:24], "little")
    dump.part("header", 32, "facts", "What it is, and where the manifest lies")
    dump.text(8, "magic")
    dump.number("u32", "version", 1)
    dump.sum("CRC-32 of what follows here, and of the manifest", crc32(data[16:32] + data[offset:]))
    dump.number("u64", "offset of the manifest", offset)
    dump.number("u64", "length of the manifest", len(data) - offset)
    for entry in json.loads(data[offset:])["tables"]:
        table(dump, entry)
    free(dump, offset)
    dump.part("manifest", len(data), "text", "JSON: the language, and what each table is")
    dump.text(len(data) - offset, "the manifest", 48)
    return dump.done(made)


def table(dump: Dump, entry: dict[str, Any]) -> None:
    """The arrays of a table."""
    name, words, start = entry["name"], entry["words"], entry["offset"]
    free(dump, start)
    dump.part(f"{name}: ids", start + 8 * words, "id", f"The ids of {words} words, ascending")
    ids = [dump.number("u64", f"id {place}") for place in range(words)]
    if ids != sorted(ids):
        raise AssertionError(f"the ids of {name} do not ascend: {ids}")
    dump.part(f"{name}: order", start + 12 * words, "place", "The place of each entry's id")
    for entry_number in range(words):
        dump.number("u32", f"place of entry {entry_number}")
    dump.part(f"{name}: offsets", start + 16 * words, "place", "Where the value of each id begins")
    for place in range(words):
        dump.number("u32", f"offset of the value of id {place}")
    end = start + entry["length"]
    dump.part(f"{name}: values", end, "text", "Values, each a message of MessagePack")
    dump.text(end - dump.at, "the values", 24)
    if crc32(dump.data[start:end]) != entry["crc32"]:
        raise AssertionError(f"the manifest has another checksum of {name}")


def free(dump: Dump, begin: int) -> None:
    if begin > dump.parts[-1]["end"]:
        dump.part("", begin, "free", "Zeros up to a multiple of 64")
