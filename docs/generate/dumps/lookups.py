"""Look-up tables in a file, taken apart."""

import json
from typing import Any

from .container import Section, container, sections_of
from .dump import Dump

TABLES = "tables/"


def lookups(data: bytes, program: str) -> dict[str, Any]:
    tables = sections_of(data)
    manifest = tables.pop()
    text = data[manifest.start : manifest.start + manifest.size]
    words = {
        section.name: entry["words"]
        for section, entry in zip(tables, json.loads(text)["tables"], strict=True)
    }

    def draw(dump: Dump, section: Section) -> None:
        end = section.start + section.size
        if section.name == "manifest":
            dump.part("manifest", end, "text", "JSON: the language, and what each table is")
            dump.text(section.size, "the manifest", 48)
        else:
            table(dump, section.name.removeprefix(TABLES), words[section.name], section)

    return container(data, program, "lookups", draw)


def table(dump: Dump, name: str, words: int, section: Section) -> None:
    """Adds the arrays of a table."""
    start = section.start
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
    end = start + section.size
    dump.part(f"{name}: values", end, "text", "Values, each a message of MessagePack")
    dump.text(end - dump.at, "the values", 24)
