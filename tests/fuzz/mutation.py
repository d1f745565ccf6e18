"""Changes of files by their structure: values of messages, JSON, settings and tables, and bytes.

A mutator makes every choice by its source of random numbers, so the same seed makes the same file.
"""

import gzip
import io
import json
import random
import struct
import zipfile
import zlib
from collections.abc import Callable
from typing import Any

from arguments import NUMBERS, TEXTS

from lexpool.msgpack import packb, unpackb

FLOATS = [float("nan"), float("inf"), -float("inf"), -1.0, -0.0, 0.0, 1.5, 1e-320, 1e308]
# MessagePack's longest array, map, bytes, string and extension, and its largest number.
MARKERS = b"\xdd\xdf\xc6\xdb\xc9\xcf"
WIDTHS = {1: "B", 2: "H", 4: "I", 8: "Q"}
SETTINGS = """0 -1 1 2 3 null [] {} "" "x" 1e400 NaN true 99999999999999999999 4294967296 2147483647 9007199254740993
    100000 1000000 [1,2] ["a","b"] {"a":1} ${nlp} ${nlp.lang} ${x ${a.b}} $ "${nlp.lang}" [[[[]]]] """.split()
CELLS = ["", "_", "-1", "0", "1", "1-2", "1.1", "5-3", "999999999999", "1e9", "NaN", "x" * 3000]
CELLS += [
    "\u00e9\u0301",
    "\x00",
    "a=b|c=d",
    "=|=|",
    "B-",
    "I-A",
    "'",
    "\\",
    "{",
    "]" * 50,
    "\ufeff",
]
LARGEST_NUMBER = 2**64
_DAMAGED = (zlib.error, struct.error, zipfile.BadZipFile)
DEPTHS = [3, 200, 20_000]


class Mutator:
    """Makes changed files."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng

    def changed(self, name: str, content: bytes) -> bytes:
        """Returns a file's content with one to four changes that suit its name and its form."""
        change = self._way(name, content)
        if self.rng.random() < 0.3:
            change = self.raw
        try:
            return change(content)
        except (ValueError, TypeError, ArithmeticError, RecursionError, LookupError, *_DAMAGED):
            # A value that its format cannot hold, or a form that the content has not.
            return self.raw(content)

    def _way(self, name: str, content: bytes) -> Callable[[bytes], bytes]:
        ending = name.rpartition(".")[2]
        if ending == "cfg" and not content.lstrip().startswith(b"{"):
            return self.settings
        if ending in ("txt", "py", "conllu", "iob", "jsonl"):
            return self.lines
        if content.startswith(b"\x93NUMPY"):
            return self.array_file
        if content.startswith(b"\x1f\x8b"):
            return self.gzipped
        if content.startswith(b"PK"):
            return self.archive
        if content[:1] == b"x" and ending == "spacy":
            return self.deflated
        if content[:1] in (b"{", b"["):
            return self.json
        return self.message if is_message(content) else self.raw

    # Values.

    def tree(self, value: Any) -> Any:
        """Changes one to four places of nested lists and dicts."""
        for _ in range(self.rng.choice([1, 1, 1, 2, 4])):
            value = self._at_some_place(value, 0)
        return value

    def _at_some_place(self, value: Any, depth: int) -> Any:
        places = (
            list(value)
            if isinstance(value, dict)
            else list(range(len(value)))
            if isinstance(value, list)
            else []
        )
        if not places or self.rng.random() < 0.08 * depth:
            return self.replaced(value)
        place, way = self.rng.choice(places), self.rng.random()
        other = self.rng.choice(places)
        if way < 0.8 or depth == 0:
            value[place] = self._at_some_place(value[place], depth + 1)
        elif way < 0.86:
            del value[place]
        elif way < 0.93 and isinstance(value, list):
            value[place:place] = [value[other]] * self.rng.choice([1, 2, 300])
        elif isinstance(value, list):
            value[place], value[other] = value[other], value[place]
        elif way < 0.9:
            value[self.replaced(place)] = value[place]
        else:
            value[place], value[other] = value[other], value[place]
        return value

    def replaced(self, value: Any) -> Any:
        """Returns another value: mostly of the same type, else of any."""
        rng = self.rng
        if rng.random() < 0.15:
            return rng.choice([None, [], {}, 5, -1, "x", 1.5, b"x", [[[]]], {"a": {}}, True])
        match value:
            case bool():
                return not value
            case int():
                near = [value + 1, value - 1, 2 * value, -value]
                return rng.choice(near + [n for n in NUMBERS if -(2**63) <= n < LARGEST_NUMBER])
            case float():
                return rng.choice([*FLOATS, value * 1e30, rng.choice(NUMBERS[:16])])
            case str():
                odd = [text for text in TEXTS if "\ud800" not in text]
                return rng.choice([*odd, value[:-1], value + value[:1], value[::-1], value * 50])
            case bytes():
                nested = is_message(value) and len(value) > 2 and rng.random() < 0.7
                return self.message(value) if nested else self.raw(value)
            case list() | dict() if rng.random() < 0.3:
                for _ in range(rng.choice(DEPTHS[:2])):
                    value = [value] if rng.random() < 0.7 else {"a": value}
                return value
        return rng.choice([0, "x", [], {}, -1, 2**40, None])

    # Formats.

    def message(self, content: bytes) -> bytes:
        """Changes values of a message, nested messages too."""
        return packb(self.tree(unpackb(content)))

    def json(self, content: bytes) -> bytes:
        """Changes values of JSON; at times the nesting is deeper than any reader's."""
        value = self.tree(json.loads(content))
        text = json.dumps(value, ensure_ascii=self.rng.random() < 0.5)
        if self.rng.random() < 0.05:
            depth = self.rng.choice(DEPTHS)
            text = text.replace(":", ":" + "[" * depth, 1).replace(",", "]" * depth + ",", 1)
        return text.encode("utf8", "surrogatepass")

    def settings(self, content: bytes) -> bytes:
        """Changes lines of settings."""
        rows, rng = content.decode("utf8").split("\n"), self.rng
        for _ in range(rng.choice([1, 1, 2, 3])):
            at = rng.randrange(len(rows))
            key, is_setting, _ = rows[at].partition(" = ")
            way = rng.random()
            if is_setting and way < 0.8:
                value = rng.choice([*SETTINGS, f"${{{key}}}", "[" * rng.choice(DEPTHS)])
                rows[at] = f"{key} = {value}"
            elif way < 0.85:
                del rows[at]
                rows.append("")
            else:
                rows.insert(rng.randrange(len(rows)), rows[at])
        return "\n".join(rows).encode()

    def lines(self, content: bytes) -> bytes:
        """Changes lines and cells of a text, and JSON in its lines."""
        rows, rng = content.decode("utf8").split("\n"), self.rng
        for _ in range(rng.choice([1, 1, 2, 4])):
            at, way = rng.randrange(len(rows)), rng.random()
            if way < 0.75:
                row = rows[at]
                if row.startswith(("{", "[")) and rng.random() < 0.8:
                    rows[at] = self.json(row.encode()).decode("utf8", "surrogatepass")
                    continue
                between = "\t" if "\t" in row else " "
                cells = row.split(between)
                cells[rng.randrange(len(cells))] = rng.choice([*CELLS, rng.choice(cells)])
                rows[at] = between.join(cells)
            elif way < 0.82:
                del rows[at]
                rows.append("")
            elif way < 0.9:
                rows[at:at] = rows[at : at + 3] * rng.choice([1, 1, 100])
            else:
                other = rng.randrange(len(rows))
                rows[at], rows[other] = rows[other], rows[at]
        return "\n".join(rows).encode("utf8", "surrogatepass")

    def array_file(self, content: bytes) -> bytes:
        """Changes the header of a file of NumPy's, which says the shape and the type."""
        length = struct.unpack_from("<H", content, 8)[0]
        header, rest = content[10 : 10 + length].decode("latin1"), content[10 + length :]
        digits = [at for at, char in enumerate(header) if char.isdigit()]
        at, rng = self.rng.choice(digits), self.rng
        value = rng.choice(["0", "-1", "9", "99999", str(2**31), str(2**63), "1, 1", "'", "O"])
        header = header[:at] + value + header[at + 1 :]
        return content[:8] + struct.pack("<H", len(header)) + header.encode("latin1") + rest

    def archive(self, content: bytes) -> bytes:
        """Changes a file of an archive, or what the archive says of it; at times that file is
        compressed, and of very many zeros.
        """
        rng, out = self.rng, io.BytesIO()
        with zipfile.ZipFile(io.BytesIO(content)) as old:
            parts = {name: old.read(name) for name in old.namelist()}
        chosen = rng.choice(list(parts))
        parts[chosen] = self.array_file(parts[chosen])
        is_packed = rng.random() < 0.3
        with zipfile.ZipFile(out, "w") as new:
            for name, part in parts.items():
                if is_packed and name == chosen:
                    new.writestr(name, part + bytes(64 << 20), zipfile.ZIP_DEFLATED)
                else:
                    new.writestr(name, part)
        return self.raw(out.getvalue()) if rng.random() < 0.3 else out.getvalue()

    def gzipped(self, content: bytes) -> bytes:
        """Changes JSON in gzip; at times very many spaces follow."""
        inside = self.json(gzip.decompress(content)) + b" " * self.rng.choice([0, 0, 0, 100 << 20])
        return gzip.compress(inside, mtime=0)

    def deflated(self, content: bytes) -> bytes:
        """Changes what is inside of a zlib stream."""
        inside = zlib.decompress(content)
        return zlib.compress(self.message(inside) if self.rng.random() < 0.7 else self.raw(inside))

    # Bytes.

    def raw(self, content: bytes) -> bytes:
        """Flips, cuts, repeats and replaces bytes, and numbers at places where they may be."""
        changed, rng = bytearray(content), self.rng
        for _ in range(rng.choice([1, 1, 2, 4])):
            at = self._place(changed)
            length = rng.choice([1, 2, 4, 8, 16])
            match rng.randrange(10):
                case 0 if changed:
                    changed[at % len(changed)] ^= 1 << rng.randrange(8)
                case 1:
                    changed[at : at + length] = rng.randbytes(length)
                case 2:
                    del changed[at : at + length]
                case 3:
                    changed[at:at] = changed[at : at + length * rng.choice([1, 30])]
                case 4 if rng.random() < 0.3:
                    del changed[at:]
                case 5:
                    marker = bytes([rng.choice(MARKERS), *b"\xff\xff\xff\xff"])
                    changed[at : at + rng.choice([0, 5])] = marker
                case 6:
                    odd = struct.pack("<f", rng.choice([*FLOATS[:7], 3e38]))
                    changed[at : at + 4] = odd
                case 7 if changed:
                    part = changed[at : at + length]
                    start = rng.randrange(len(changed))
                    changed[start : start + len(part)] = part
                case _:
                    self._put_number(changed, at)
        return bytes(changed)

    def _place(self, content: bytearray) -> int:
        """Some place of bytes: often near the start or the end, where headers are, and not often
        among zeros.
        """
        if not content:
            return 0
        limit = self.rng.choice([len(content), len(content), 512, 64])
        at = self.rng.randrange(min(limit, len(content)))
        if limit == 512 and self.rng.random() < 0.4:
            at = len(content) - 1 - at
        for _ in range(8):
            if content[at]:
                break
            at = self.rng.randrange(len(content))
        return at

    def _put_number(self, content: bytearray, at: int) -> None:
        width = self.rng.choice([1, 2, 4, 4, 8, 8])
        if self.rng.random() < 0.8:
            at -= at % width
        if at + width > len(content):
            return
        form, limit = "<" + WIDTHS[width], 1 << (8 * width)
        before = struct.unpack_from(form, content, at)[0]
        near = [before + 1, before - 1, 2 * before, before + 64, len(content), len(content) - at]
        number = self.rng.choice([*near, *NUMBERS, limit - 1, limit // 2])
        struct.pack_into(form, content, at, number % limit)


def is_message(content: bytes) -> bool:
    """Returns whether bytes are one message."""
    if not content or len(content) > 4_000_000:
        return False
    try:
        return isinstance(unpackb(content), list | dict)
    except ValueError:
        return False
