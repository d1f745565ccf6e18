"""A file's bytes in parts, each with lines that say what some of its bytes mean.

A dump proceeds from the beginning of a file to its end: `Dump.part` begins a part, `line`
names its next bytes, and what is passed over is counted. `done` fails unless the parts fill the
file.
"""

from dataclasses import dataclass, field
from typing import Any

NUMBERS = {
    "u16": (2, False),
    "u32": (4, False),
    "u64": (8, False),
    "i32": (4, True),
    "f64": (8, False),
}


class Unexpected(Exception):
    """A file is not laid out as its page says."""


@dataclass
class Dump:
    data: bytes
    at: int = 0
    parts: list[dict[str, Any]] = field(default_factory=list)

    def part(self, name: str, end: int, kind: str, note: str = "") -> None:
        """Begins a part that goes up to `end`; what is left of the one before is passed over."""
        self.close()
        if end < self.at or end > len(self.data):
            raise Unexpected(f"{name} ends at {end}, and begins at {self.at} of {len(self.data)}")
        part = {"name": name, "start": self.at, "end": end, "kind": kind, "note": note, "lines": []}
        self.parts.append(part)

    def close(self) -> None:
        if self.parts:
            end = self.parts[-1]["end"]
            if self.at > end:
                raise Unexpected(
                    f"{self.parts[-1]['name']} ends at {end}, and was read up to {self.at}"
                )
            self.skip(end - self.at)

    def skip(self, count: int, note: str = "") -> None:
        """Passes over bytes of this part."""
        if count:
            line = {"at": self.at, "hex": "", "left": count, "name": note, "value": ""}
            self.parts[-1]["lines"].append(line)
            self.at += count

    def skip_to(self, at: int, note: str = "") -> None:
        self.skip(at - self.at, note)

    def raw(self, count: int, name: str, value: str = "", n_shown: int = 16) -> bytes:
        """Names the next bytes, of which so many are shown."""
        content = self.data[self.at : self.at + count]
        line = {
            "at": self.at,
            "hex": content[:n_shown].hex(" "),
            "left": max(0, len(content) - n_shown),
            "name": name,
            "value": value,
        }
        self.parts[-1]["lines"].append(line)
        self.at += count
        return content

    def text(self, count: int, name: str, n_shown: int = 16) -> str:
        content = self.data[self.at : self.at + count]
        text = content[:n_shown].decode("utf-8", "replace").rstrip("\0")
        self.raw(count, name, text + (" ..." if count > n_shown else ""), n_shown)
        return content.rstrip(b"\0").decode("utf-8", "replace")

    def number(self, kind: str, name: str, expected: int | None = None, say: str = "") -> int:
        """The next number; `expected` is what it has to be, `say` what it means."""
        size, signed = NUMBERS[kind]
        value = int.from_bytes(self.data[self.at : self.at + size], "little", signed=signed)
        if expected is not None and value != expected:
            raise Unexpected(f"{name} at {self.at} is {value}, not {expected}")
        value_text = hex(value) if size == 8 and value > 2**40 else f"{value:,}"
        self.raw(size, name, say or value_text)
        return value

    def sum(self, name: str, expected: int) -> int:
        """The next checksum, which has to be right."""
        checksum = self.number("u32", name, expected, f"{expected:#010x}")
        return checksum

    def zeros(self, count: int, name: str = "zeros") -> None:
        if any(self.data[self.at : self.at + count]):
            raise Unexpected(f"{name} at {self.at} are not zero")
        if count:
            self.raw(count, name, "", 8)

    def pad(self, step: int) -> None:
        self.zeros(-self.at % step, "zeros, up to a multiple of " + str(step))

    def done(self, program: str) -> dict[str, Any]:
        """All of it as data: `made` is the program that wrote the file."""
        self.close()
        if self.at != len(self.data):
            raise Unexpected(f"{len(self.data) - self.at} bytes are in no part")
        return {"made": program, "size": len(self.data), "parts": self.parts}
