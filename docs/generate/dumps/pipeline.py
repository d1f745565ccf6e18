"""Files of a trained pipeline, taken apart."""

import struct
from typing import Any

from lexpool import msgpack

from .dump import Dump, Unexpected

LISTS = {"nodes": "word", "attrs": "facts", "params": "place", "shims": "free"}
NONE = 2**32 - 1
# Layers that are named; the entries of the others are alike.
NAMED = 9


def model(data: bytes, program: str) -> dict[str, Any]:
    """thinc's file of a network: a line for each node, and one array in full."""
    message = msgpack.unpackb(data)
    if list(message) != list(LISTS):
        raise Unexpected(f"the lists are {list(message)}")
    dump = Dump(data)
    dump.part("map", 1, "facts", "A map of four lists of one length")
    packed(dump, b"\x84", "", "a map of 4 pairs")
    names = [node["name"] for node in message["nodes"]]
    for key, kind in LISTS.items():
        items = message[key]
        size = len(msgpack.packb(key)) + len(msgpack.packb(items))
        dump.part(key, dump.at + size, kind, NOTES[key])
        packed(dump, msgpack.packb(key), "key", repr(key))
        packed(dump, array_head(len(items)), "list", f"{len(items)} items")
        for at, (name, item) in enumerate(zip(names, items, strict=True)):
            if key == "nodes" and at == NAMED:
                rest = sum(len(msgpack.packb(other)) for other in items[at:])
                dump.skip(rest, f"{len(items) - at} more layers")
                break
            if not item:
                empty(dump, at, items)
            elif key == "params" and name == "hashembed":
                packed(dump, bytes([0x80 | len(item)]), f"{at}", f"{name}: {', '.join(item)}")
                for param, array in item.items():
                    packed(dump, msgpack.packb(param), "key", repr(param))
                    one_array(dump, array)
            else:
                packed(dump, msgpack.packb(item), f"{at}", said(key, name, item))
    return dump.done(program)


NOTES = {
    "nodes": "Layers, breadth first: name, dims, refs",
    "attrs": "Settings of each layer; each value is a message of its own",
    "params": "Arrays of each layer",
    "shims": "Parts of other frameworks: none",
}


def empty(dump: Dump, at: int, items: list[Any]) -> None:
    """Names the empty items from `at` on together, at the first of them."""
    if at and not items[at - 1]:
        return
    count = next((i for i, item in enumerate(items[at:]) if item), len(items) - at)
    name = f"{at}" if count == 1 else f"{at} to {at + count - 1}"
    packed(dump, msgpack.packb(items[at]) * count, name, "empty")


def said(key: str, name: str, item: dict[str, Any]) -> str:
    if key == "attrs":
        pairs = {attr: msgpack.unpackb(value) for attr, value in item.items()}
        return f"{last(name)}: " + ", ".join(f"{attr} {value!r}" for attr, value in pairs.items())
    if key == "params":
        shapes = (f"{param} {shape(array)}" for param, array in item.items())
        return f"{last(name)}: {', '.join(shapes)}"
    refs = "".join(f", {ref} is {at}" for ref, at in item["refs"].items())
    dims = "".join(f", {dim} {'unset' if n is None else n}" for dim, n in item["dims"].items())
    return last(name) + dims + refs


def last(name: str) -> str:
    """A name of a layer, of which a long one is cut at the front."""
    return name if len(name) <= 40 else "..." + name[-36:]


def shape(array: Any) -> str:
    return "unset" if array is None else " × ".join(map(str, array.shape))


def one_array(dump: Dump, array: Any) -> None:
    """An array in the form of msgpack-numpy: its keys are bytes."""
    packed(dump, b"\x85", "an array", "a map of 5 pairs")
    packed(dump, b"\xc4\x02nd\xc3", "nd", "true")
    packed(dump, b"\xc4\x04type\xa3<f4", "type", "'<f4', floats of 32 bits, little-endian")
    packed(dump, b"\xc4\x04kind\xc4\x00", "kind", "empty")
    dims = msgpack.packb(list(array.shape))
    packed(dump, b"\xc4\x05shape" + dims, "shape", shape(array))
    raw = array.astype("<f4").tobytes()
    packed(dump, b"\xc4\x04data" + bytes([0xC4, len(raw)]), "data", f"{len(raw)} bytes")
    numbers = ", ".join(f"{number:.3g}" for number in array.flat)
    packed(dump, raw, "numbers", numbers)


def packed(dump: Dump, expected: bytes, name: str, value: str) -> None:
    """The next bytes, which have to be these."""
    if dump.data[dump.at : dump.at + len(expected)] != expected:
        raise Unexpected(f"{name or value} at {dump.at} is packed in another way")
    dump.raw(len(expected), name, value, 24)


def array_head(count: int) -> bytes:
    return bytes([0x90 | count]) if count < 16 else struct.pack(">BH", 0xDC, count)


def moves(data: bytes, program: str) -> dict[str, Any]:
    """Labels of a transition system, by the number of a move."""
    message = msgpack.unpackb(data)
    dump = Dump(data)
    dump.part("map", 1, "facts", "A map begins")
    packed(dump, b"\x82", "", "a map of 2 pairs")
    for key, kind in (("moves", "text"), ("cfg", "facts")):
        key_bytes, value = msgpack.packb(key), msgpack.packb(message[key])
        dump.part(key, dump.at + len(key_bytes) + len(value), kind)
        packed(dump, key_bytes, "key", repr(key))
        if key == "moves":
            packed(dump, value[:2], "text", f"{len(message[key])} bytes, JSON")
            for move in message[key].split("},"):
                text = move if move.endswith("}") else move + "},"
                dump.text(len(text.encode()), "", 48)
        else:
            packed(dump, value, "map", repr(message[key]))
    return dump.done(program)


def trees(data: bytes, program: str, strings: Any) -> dict[str, Any]:
    """Edit trees, a part each."""
    items = msgpack.unpackb(data)["trees"]
    dump = Dump(data)
    dump.part("list", 8, "facts", "A map of one list")
    packed(dump, b"\x81\xa5trees", "key", "'trees'")
    packed(dump, array_head(len(items)), "list", f"{len(items)} trees")
    for at, tree in enumerate(items):
        size = len(msgpack.packb(tree))
        is_match = "prefix_len" in tree
        dump.part(
            f"tree {at}", dump.at + size, "word" if is_match else "id", summary(tree, strings)
        )
        packed(dump, bytes([0x80 | len(tree)]), "map", f"{len(tree)} pairs")
        for key, value in tree.items():
            is_none = key.endswith("_tree") and value == NONE
            meaning = "none" if is_none else str(value) if is_match else repr(strings[value])
            packed(dump, msgpack.packb(key) + msgpack.packb(value), key, meaning)
    return dump.done(program)


def summary(tree: dict[str, int], strings: Any) -> str:
    if "orig" in tree:
        return f"Replaces {strings[tree['orig']]!r} by {strings[tree['subst']]!r}"
    before, after = tree["prefix_len"], tree["suffix_len"]
    return f"Cuts {before} characters before and {after} behind, and keeps what is between"


def knowledge(data: bytes, program: str, strings: Any) -> dict[str, Any]:
    """The file `contents` of a knowledge base."""
    dump = Dump(data)
    dump.part("header", 16, "facts", "How many, and how wide")
    count = dump.number("u64", "number of entities")
    width = dump.number("u64", "numbers of a vector")
    dump.part("vectors", dump.at + 4 * count * width, "place", "A row of floats for each entity")
    for row in range(count):
        raw = dump.data[dump.at : dump.at + 4 * width]
        numbers = ", ".join(f"{number:g}" for number in struct.unpack(f"<{width}f", raw))
        dump.raw(4 * width, f"row {row}", numbers)
    dump.part("entities", dump.at + 16 * count, "id", "16 bytes each")
    for entity in range(count):
        identifier(dump, f"entity {entity + 1}: id", strings)
        real(dump, "frequency")
        dump.number("u32", "row of its vector", entity)
    dump.part("aliases", len(data), "word", "Mentions, each with its candidates")
    for alias in range(dump.number("u64", "number of aliases")):
        identifier(dump, f"alias {alias + 1}: id", strings)
        for _ in range(dump.number("u64", "number of candidates")):
            dump.number("u64", "candidate: number of an entity, from 1")
            real(dump, "its prior probability")
    return dump.done(program)


def identifier(dump: Dump, name: str, strings: Any) -> None:
    number = int.from_bytes(dump.data[dump.at : dump.at + 8], "little")
    dump.raw(8, name, repr(strings[number]))


def real(dump: Dump, name: str) -> None:
    (number,) = struct.unpack("<f", dump.data[dump.at : dump.at + 4])
    dump.raw(4, name, f"{number:g}")
