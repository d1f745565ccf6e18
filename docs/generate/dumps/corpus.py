"""A corpus with one batch, taken apart."""

import json
import re
from typing import Any
from zlib import crc32

from lexpool import structs

from .dump import Dump, Unexpected
from .record import record

END_OF_STREAM = b"\xff\xff\xff\xff\0\0\0\0"


def corpus(data: bytes, program: str, texts: list[str]) -> dict[str, Any]:
    manifest = said_of_itself(data)
    head, begin, length = int(manifest["head"], 16), *manifest["image"]
    dump = Dump(data)
    dump.part("head", first_batch(data, head), "facts", "The schema, for readers of Arrow")
    dump.text(8, "magic of Arrow")
    dump.zeros(56, "zeros, up to a multiple of 64")
    message(dump, "a message: the schema, a flatbuffer")
    end = data.rindex(END_OF_STREAM, 0, begin)
    dump.part(
        "batch 0", end, "word", f"{manifest['batches'][0][0]} documents, their records as they lie"
    )
    if crc32(data[dump.at : end]) != int(manifest["batches"][0][2], 16):
        raise Unexpected("the batch has another checksum than the corpus says")
    message(dump, "a message: where each buffer is, a flatbuffer")
    text = data.index("".join(texts).encode(), dump.at)
    dump.skip_to(text, "offsets of the texts, and zeros between buffers")
    dump.text(sum(len(one.encode()) for one in texts), "text: of all documents", 48)
    dump.skip_to(tokens(data, dump.at), "offsets of the rows of tokens")
    record(dump, structs.TokenC, "token 0 of document 0")
    record(dump, structs.TokenC, "token 1")
    dump.part("end of the stream", begin, "facts", "Arrow's readers of streams end here")
    dump.raw(8, "end of the stream")
    dump.zeros(begin - dump.at, "zeros, up to a multiple of 64")
    dump.part(
        "lexicon", begin + length, "id", "A vocab image, with the words and strings of this file"
    )
    dump.text(16, "magic and kind of a vocab image")
    dump.part("footer", len(data), "facts", "Where everything is, sealed by a checksum")
    dump.raw(8, "a message that ends")
    at = data.index(b'{"version"', dump.at)
    dump.skip_to(at, "schema and places of batches, a flatbuffer")
    text = json.dumps(manifest, separators=(",", ":"))
    dump.text(len(text.encode()), "what the corpus says of itself", 48)
    dump.skip_to(len(data) - 10, "the rest of the flatbuffer")
    size = dump.number("i32", "length of the footer")
    if not 0 < size < len(data) - begin - length:
        raise Unexpected(f"a footer of {size} bytes")
    dump.text(6, "magic of Arrow")
    return {**dump.done(program), "said": text}


def said_of_itself(data: bytes) -> dict[str, Any]:
    match = re.search(rb'\{"version":.*?\}', data[-4096:])
    if match is None:
        raise Unexpected("no JSON object in the footer")
    manifest: dict[str, Any] = json.loads(match[0])
    if len(manifest["batches"]) != 1:
        raise Unexpected("a corpus of one batch was expected")
    return manifest


def first_batch(data: bytes, head: int) -> int:
    """The end of the head: the multiple of 64 at which its checksum is correct."""
    for end in range(64, len(data), 64):
        if crc32(data[:end]) == head:
            return end
    raise Unexpected("the checksum of the head is not right anywhere")


def message(dump: Dump, note: str) -> None:
    """The beginning of an Arrow message; its flatbuffer is skipped."""
    dump.raw(4, "a message begins")
    size = dump.number("i32", "length of what follows")
    dump.raw(size, note, "", 8)


def tokens(data: bytes, at: int) -> int:
    """The offset of the token records: the first multiple of 64 with a token at 0 and one after
    it.
    """
    size = structs.TokenC.size
    at += -at % 64
    while at + 2 * size <= len(data):
        lex, idx, byte, _ = (
            int.from_bytes(data[at + i : at + i + 4], "little") for i in range(0, size, 4)
        )
        lex2, idx2, byte2, _ = (
            int.from_bytes(data[at + size + i : at + size + i + 4], "little")
            for i in range(0, size, 4)
        )
        if lex and lex2 and idx == byte == 0 and 0 < idx2 == byte2 < 64:
            return at
        at += 64
    raise Unexpected("no records of tokens")
