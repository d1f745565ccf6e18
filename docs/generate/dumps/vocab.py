"""A vocab image, taken apart."""

from typing import Any

from lexpool import structs
from lexpool.strings import hash_string

from .container import Section, container
from .dump import Dump, Unexpected
from .record import record

KINDS = {
    "meta": "facts",
    "lexemes": "word",
    "ends": "place",
    "text": "text",
    "ids": "id",
    "slots": "place",
    "norms": "id",
    "morphs": "id",
    "rows": "facts",
    "keys": "id",
    "key_rows": "place",
    "key_slots": "place",
    "head": "facts",
}


def vocab(data: bytes, program: str, word: str) -> dict[str, Any]:
    """The whole file, with the record of a word in full."""

    def draw(dump: Dump, section: Section) -> None:
        name, end, size = section.name, section.start + section.size, section.item_size
        dump.part(name, end, KINDS[name], section.note())
        if name == "meta":
            dump.text(48, "JSON", 48)
        elif name == "lexemes":
            number = position(data[section.start : end], word)
            dump.skip(number * size, f"{number} records")
            record(dump, structs.LexemeC, f'the record of "{word}", number {number}')
        elif name == "text":
            dump.text(32, "the first words", 32)
        elif name == "head":
            dump.number("u64", "seed of both indices")
            dump.number("u32", "slots behind its own that a string may lie")
            dump.number("u32", "the same for keys of vectors")
            dump.number("u32", "how many words are symbols")
        elif name in ("ends", "slots"):
            dump.number("u32", "number 0")
            dump.number("u32", "number 1")
        else:
            dump.number("u64", "number 0")

    return container(data, program, "vocab", draw)


def position(records: bytes, word: str) -> int:
    """The number of a word's record."""
    size = structs.LexemeC.size
    (offset,) = (field.offset for field in structs.LexemeC.fields if field.name == "orth")
    orth = hash_string(word).to_bytes(8, "little")
    for i in range(len(records) // size):
        if records[i * size + offset : i * size + offset + 8] == orth:
            return i
    raise Unexpected(f"no record of {word!r}")
