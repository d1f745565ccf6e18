"""Checksums of lexpool's files, put right after a change, so that readers see what was changed.

A file whose structure is not that of its format any more is returned as it is.
"""

import json
import struct
import zlib
from collections.abc import Callable

Repair = Callable[[bytes], bytes]

PACK_HEADER, PACK_ALIGN = 64, 64
CONTAINER_ENTRY = 32
IMAGE_SECTIONS, IMAGE_HEADER, IMAGE_ENTRY = 12, 64, 32


def _forgiving(repair: Repair) -> Repair:
    def repaired(content: bytes) -> bytes:
        try:
            return repair(content)
        except (ValueError, LookupError, TypeError, struct.error, zlib.error):
            return content

    return repaired


def _with(content: bytes, at: int, part: bytes) -> bytes:
    return content[:at] + part + content[at + len(part) :]


def _u32(number: int) -> bytes:
    return struct.pack("<I", number)


@_forgiving
def message(content: bytes) -> bytes:
    """Documents as bytes: the last pair of the map is the CRC-32 of what is before it."""
    at = content.rindex(b"\xa5crc32")
    return content[:at] + b"\xa5crc32\xce" + struct.pack(">I", zlib.crc32(content[:at]))


@_forgiving
def deflated_message(content: bytes) -> bytes:
    """A `DocBin`: such a message in a zlib stream."""
    return zlib.compress(message(zlib.decompress(content)), 1)


@_forgiving
def last_four_bytes(content: bytes) -> bytes:
    """Phrases: the length in the header, and at the end the CRC-32 of all before."""
    content = _with(content, 24, struct.pack("<Q", len(content)))
    return content[:-4] + _u32(zlib.crc32(content[:-4]))


@_forgiving
def container(content: bytes) -> bytes:
    """A container: the CRC-32 of each section, the size of the file, and the CRC-32 of header and
    table.
    """
    table, count = struct.unpack_from("<QI", content, 32)
    for number in range(min(count, (len(content) - table) // CONTAINER_ENTRY)):
        at = table + CONTAINER_ENTRY * number
        start, size = struct.unpack_from("<QQ", content, at)
        content = _with(content, at + 20, _u32(zlib.crc32(content[start : start + size])))
    content = _with(content, 24, struct.pack("<Q", len(content)))
    return _with(content, 44, _u32(zlib.crc32(content[:44] + content[48:64] + content[table:])))


@_forgiving
def manifest(content: bytes) -> bytes:
    """Packed pipelines: the CRC-32 of the header's end and the manifest, and those that the
    manifest has of the parts.
    """
    offset, _ = struct.unpack_from("<QQ", content, 16)
    text = content[offset:]
    try:
        listed = json.loads(text)
        for part in listed.get("parts", []):
            start, length = part["offset"], part["length"]
            part["crc32"] = zlib.crc32(content[start : start + length])
        text = json.dumps(listed, separators=(",", ":")).encode()
    except (ValueError, LookupError, TypeError, AttributeError):
        pass
    content = _with(content[:offset] + text, 16, struct.pack("<QQ", offset, len(text)))
    return _with(content, 12, _u32(zlib.crc32(content[16:PACK_HEADER] + text)))


@_forgiving
def image(content: bytes) -> bytes:
    """A vocab image: the CRC-32 of each section, then that of the header and the table."""
    for number in range(IMAGE_SECTIONS):
        at = IMAGE_HEADER + IMAGE_ENTRY * number
        start, length = struct.unpack_from("<QQ", content, at + 8)
        content = _with(content, at + 24, _u32(zlib.crc32(content[start : start + length])))
    table = content[IMAGE_HEADER : IMAGE_HEADER + IMAGE_ENTRY * IMAGE_SECTIONS]
    return _with(content, 60, _u32(zlib.crc32(content[:60] + table)))


@_forgiving
def corpus(content: bytes) -> bytes:
    """A corpus: digits in its manifest, of the bytes before the first batch, of the batches, and of
    the end, in which those of the seal count as zeros. For one batch; the lexicon's are its own.
    """
    start = content.index(b'{"version":1,')
    listed = json.JSONDecoder().raw_decode(content[start:].decode("utf8", "replace"))[0]
    lexicon, length = listed["image"]
    first = 72 + struct.unpack_from("<I", content, 68)[0]
    batches = content.rindex(b"\xff\xff\xff\xff\x00\x00\x00\x00", 0, lexicon)

    def put(content: bytes, key: bytes, part: bytes) -> bytes:
        at = content.index(key, start) + len(key)
        return _with(content, at, b"%08x" % zlib.crc32(part))

    content = put(content, b'"head":"', content[:first])
    key = b'"batches":[[%d,%d,"' % tuple(listed["batches"][0][:2])
    content = put(content, key, content[first:batches])
    seal = content.index(b'"seal":"', start) + len(b'"seal":"')
    content = _with(content, seal, b"00000000")
    return put(content, b'"seal":"', content[lexicon + length :])


def unpacked(content: bytes) -> dict[str, bytes]:
    """Returns the parts of a packed pipeline by their names."""
    offset, _ = struct.unpack_from("<QQ", content, 16)
    parts = json.loads(content[offset:])["parts"]
    return {p["name"]: content[p["offset"] : p["offset"] + p["length"]] for p in parts}


def packed(parts: dict[str, bytes]) -> bytes:
    """Returns a packed pipeline of such parts."""
    start = PACK_HEADER
    body, listed = b"", []
    for name, part in parts.items():
        body += bytes(-len(body) % PACK_ALIGN)
        listed.append({"name": name, "offset": start + len(body), "length": len(part)})
        body += part
    header = b"lexpipe\n" + struct.pack("<IIQ", 1, 0, start + len(body))
    return manifest(header.ljust(start, b"\0") + body + json.dumps({"parts": listed}).encode())
