"""Checksums of lexpool's files, put right after a change, so that readers see what was changed.

A file whose structure is not that of its format any more is returned as it is.
"""

import json
import struct
import zlib
from collections.abc import Callable

Repair = Callable[[bytes], bytes]

CONTAINER_HEADER, CONTAINER_ALIGN, CONTAINER_ENTRY = 64, 64, 32


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
    """Returns the sections of a container by their names."""
    table, count = struct.unpack_from("<QI", content, 32)
    names = content[table + CONTAINER_ENTRY * count :]
    parts = {}
    for entry in range(table, table + CONTAINER_ENTRY * count, CONTAINER_ENTRY):
        start, size, _, _, length = struct.unpack_from("<QQIII", content, entry)
        parts[names[:length].decode()] = content[start : start + size]
        names = names[length:]
    return parts


def packed(parts: dict[str, bytes]) -> bytes:
    """Returns a packed pipeline of such parts."""
    body, table, names = b"", b"", b""
    for name, part in parts.items():
        start = CONTAINER_HEADER + len(body)
        table += struct.pack("<QQIIII", start, len(part), 1, 0, len(name.encode()), 0)
        body += part + bytes(-len(part) % CONTAINER_ALIGN)
        names += name.encode()
    place = CONTAINER_HEADER + len(body)
    header = b"lexpool\0pipeline" + struct.pack("<IIQQI", 1, 1, 0, place, len(parts))
    return container(header.ljust(CONTAINER_HEADER, b"\0") + body + table + names)
