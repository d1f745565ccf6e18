"""The header and the table of a container, taken apart; its sections by functions of their own."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from zlib import crc32

from .dump import Dump

HEADER, ENTRY = 64, 32


@dataclass(frozen=True)
class Section:
    """The place of a section, as the table has it."""

    name: str
    start: int
    size: int
    item_size: int

    def note(self) -> str:
        """The note of a part of a drawing."""
        if self.item_size == 1:
            return f"{self.size:,} bytes"
        return f"{self.size // self.item_size:,} items of {self.item_size} bytes"


def sections_of(data: bytes) -> list[Section]:
    """Returns the sections of a container, in their order."""
    table, count = (
        int.from_bytes(data[32:40], "little"),
        int.from_bytes(data[40:44], "little"),
    )
    sections, name_start = [], table + ENTRY * count
    for entry in range(table, table + ENTRY * count, ENTRY):
        start, size = (int.from_bytes(data[at : at + 8], "little") for at in (entry, entry + 8))
        item_size, name_size = (
            int.from_bytes(data[at : at + 4], "little") for at in (entry + 16, entry + 24)
        )
        name = data[name_start : name_start + name_size].decode()
        name_start += name_size
        sections.append(Section(name, start, size, item_size))
    return sections


def container(
    data: bytes, code: str, kind: str, draw: Callable[[Dump, Section], None]
) -> dict[str, Any]:
    """Takes a container apart; `draw` adds the parts of a section, from its first byte on."""
    sections = sections_of(data)
    table = int.from_bytes(data[32:40], "little")
    dump = Dump(data)
    dump.part("header", HEADER, "facts", "What it is, and where the table lies")
    dump.text(8, "magic")
    if dump.text(8, "kind") != kind:
        raise AssertionError(f"a file of another kind than {kind}")
    dump.number("u32", "version of the container", 1)
    dump.number("u32", "version of the kind", 1)
    dump.number("u64", "size of the file", len(data))
    dump.number("u64", "offset of the table", table)
    dump.number("u32", "number of sections", len(sections))
    covered = data[:44] + data[48:HEADER] + data[table:]
    dump.sum("CRC-32 of the header but this, and of the table", crc32(covered))
    dump.zeros(16)
    for section in sections:
        free(dump, section.start)
        if section.size:
            draw(dump, section)
    free(dump, table)
    names = table + ENTRY * len(sections)
    dump.part("table", names, "facts", "Where each section lies: 32 bytes each")
    for section in sections:
        end = section.start + section.size
        dump.number("u64", f"{section.name}: where it begins", section.start)
        dump.number("u64", "how many bytes", section.size)
        dump.number("u32", "bytes an item", section.item_size)
        dump.sum("CRC-32 of its bytes", crc32(data[section.start : end]))
        dump.number("u32", "bytes of its name", len(section.name.encode()))
        dump.zeros(4)
    dump.part("names", len(data), "text", "The names of the sections, one after another")
    dump.text(len(data) - names, "names", 48)
    return dump.done(code)


def free(dump: Dump, begin: int) -> None:
    """Adds the padding before a section."""
    if begin > dump.parts[-1]["end"]:
        dump.part("", begin, "free", "Zeros up to a multiple of 64")
