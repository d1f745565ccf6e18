"""Documents in spaCy's forms, taken apart: a message of MessagePack, plain or in a zlib stream."""

import zlib
from typing import Any

from lexpool import msgpack

from .dump import Dump, Unexpected

SHOWN = 24


def doc(data: bytes, program: str) -> dict[str, Any]:
    """`Doc.to_bytes`."""
    return message(data, program)


def docbin(data: bytes, program: str) -> dict[str, Any]:
    """`DocBin.to_bytes`, decompressed, with its compressed length."""
    raw = zlib.decompress(data)
    return message(raw, program) | {"packed": len(data)}


def message(data: bytes, program: str) -> dict[str, Any]:
    """A map of at most fifteen pairs, a part each."""
    pairs = msgpack.unpackb(data)
    if data[0] != 0x80 | len(pairs):
        raise Unexpected("the message is no short map")
    dump = Dump(data)
    dump.part("map", 1, "facts", "A map begins")
    dump.raw(1, "", f"a map of {len(pairs)} pairs")
    for key, value in pairs.items():
        packed_key, packed = msgpack.packb(key), msgpack.packb(value)
        before = dump.parts[-1]["end"]
        if key == "crc32" and value != zlib.crc32(data[:before]):
            raise Unexpected("the checksum is that of other bytes")
        dump.part(key, before + len(packed_key) + len(packed), kind(key), "")
        dump.raw(len(packed_key), "key", repr(key))
        if data[dump.at : dump.at + len(packed)] != packed:
            raise Unexpected(f"{key} is packed in another way")
        dump.raw(len(packed), type_name(value), said(key, value), SHOWN)
    return dump.done(program)


def kind(key: str) -> str:
    if key in ("text", "strings"):
        return "text"
    if key in ("array_body", "tokens"):
        return "word"
    if key in ("array_head", "attrs", "lengths", "spaces"):
        return "place"
    return "facts"


def type_name(value: object) -> str:
    names = {"str": "string", "int": "number", "float": "number", "dict": "map", "bool": "bool"}
    return names.get(type(value).__name__, type(value).__name__)


def said(key: str, value: Any) -> str:
    if key == "crc32":
        return f"{value:#010x}"
    if hasattr(value, "shape"):
        shape = " × ".join(map(str, value.shape))
        return f"an array of {shape} {value.dtype}"
    if isinstance(value, bytes):
        return f"{len(value)} bytes"
    text = repr(value)
    return text if len(text) <= 60 else text[:56] + " ..."
