"""A vocab image, taken apart."""

from typing import Any
from zlib import crc32

from lexpool import structs
from lexpool.strings import hash_string

from .dump import Dump, Unexpected
from .record import record

SECTIONS = [
    ("meta", "facts"),
    ("lexemes", "word"),
    ("ends", "place"),
    ("text", "text"),
    ("ids", "id"),
    ("slots", "place"),
    ("norms", "id"),
    ("morphs", "id"),
    ("rows", "facts"),
    ("keys", "id"),
    ("key rows", "place"),
    ("key slots", "place"),
]


def sections(dump: Dump, data: bytes, start: int = 0) -> list[tuple[int, int, int, int]]:
    """Reads the header of an image that begins at `start`; number, start, end and sum of each
    section.
    """
    head = start + 60
    dump.part("header", start + 64, "facts", "What it is, and how long")
    dump.text(8, "magic")
    dump.number("u32", "version", 1)
    dump.number("u32", "flags", 0)
    dump.text(16, "the oldest lexpool that reads this")
    dump.number("u64", "length of the image")
    dump.number("u64", "seed of both indices")
    dump.number("u16", "slots behind its own that a string may lie")
    dump.number("u16", "the same for keys of vectors")
    dump.number("u32", "how many words are symbols")
    dump.number("u32", "how many sections", len(SECTIONS))
    dump.sum(
        "CRC-32 of the header and the entries",
        crc32(data[start:head] + data[start + 64 : start + 448]),
    )
    dump.part("entries", start + 448, "facts", "Where each section lies: 32 bytes each")
    found = []
    for number, (name, _) in enumerate(SECTIONS, 1):
        at = dump.at
        size = int.from_bytes(data[at + 4 : at + 8], "little")
        begin = int.from_bytes(data[at + 8 : at + 16], "little") + start
        length = int.from_bytes(data[at + 16 : at + 24], "little")
        total = int.from_bytes(data[at + 24 : at + 28], "little")
        if total != crc32(data[begin : begin + length]):
            raise Unexpected(f"section {name} has another checksum than its entry says")
        if number > 2:
            dump.raw(32, f"entry {number}: {name}", f"{length:,} bytes at {begin:,}", 8)
        else:
            dump.number("u32", f"entry {number}: {name}", number)
            dump.number("u32", "bytes an item", size)
            dump.number("u64", "where it begins")
            dump.number("u64", "how many bytes")
            dump.sum("their CRC-32", total)
            dump.zeros(4)
        found.append((number, begin, begin + length, size))
    return found


def vocab(data: bytes, made: str, word: str) -> dict[str, Any]:
    """The whole file, with the record of a word in full."""
    dump = Dump(data)
    found = sections(dump, data)
    for (number, begin, end, size), (name, kind) in zip(found, SECTIONS, strict=True):
        if begin > dump.parts[-1]["end"]:
            dump.part("", begin, "free", "Zeros up to a multiple of 64")
        if end == begin:
            continue
        note = f"Section {number}: {(end - begin) // size:,} items of {size} bytes"
        dump.part(name, end, kind, note if size > 1 else f"Section {number}: {end - begin:,} bytes")
        if name == "meta":
            dump.text(48, "JSON", 48)
        elif name == "lexemes":
            i = position(data[begin:end], word)
            dump.skip(i * size, f"{i} records")
            record(dump, structs.LexemeC, f'the record of "{word}", number {i}')
        elif name == "text":
            dump.text(32, "the first words", 32)
        elif name in ("ends", "slots"):
            dump.number("u32", "number 0")
            dump.number("u32", "number 1")
        else:
            dump.number("u64", "number 0")
    return dump.done(made)


def position(records: bytes, word: str) -> int:
    """The number of a word's record."""
    size = structs.LexemeC.size
    (offset,) = (field.offset for field in structs.LexemeC.fields if field.name == "orth")
    orth = hash_string(word).to_bytes(8, "little")
    for i in range(len(records) // size):
        if records[i * size + offset : i * size + offset + 8] == orth:
            return i
    raise Unexpected(f"no record of {word!r}")
