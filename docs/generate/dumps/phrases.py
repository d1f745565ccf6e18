"""Phrases in a file, taken apart."""

from typing import Any

from .container import Section, container
from .dump import Dump

KINDS = {
    "ids": "id",
    "edges": "place",
    "nodes": "place",
    "labels": "word",
    "key_lists": "place",
    "keys": "id",
    "ends": "place",
    "text": "text",
    "head": "facts",
}
NODE = ["keys", "label", "length of the label", "first edge", "node behind it"]


def phrases(data: bytes, program: str) -> dict[str, Any]:
    return container(data, program, "phrases", draw)


def draw(dump: Dump, section: Section) -> None:
    """Adds a section."""
    name, end, size = section.name, section.start + section.size, section.item_size
    dump.part(name, end, KINDS[name], section.note())
    if name in ("ids", "edges"):
        table(dump, end, size, name)
    elif name == "nodes":
        for node in range(min(3, section.size // size)):
            for field in NODE:
                dump.number("u32", f"node {node}: {field}" if field == NODE[0] else field)
    elif name == "keys":
        dump.number("u64", "id of the key's string")
    elif name == "text":
        dump.text(section.size, "the keys' strings")
    elif name == "head":
        dump.number("u64", "seed of both tables")
        dump.number("u32", "attribute that phrases are compared by")
    else:
        dump.number("u32", "number 0")


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
