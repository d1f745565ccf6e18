"""Reader of the tables in this folder for the tests of Python and of the command."""

import tomllib
import zlib
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
PATHS = ("rust", "python", "command", "wasm")
NAMES = ("tokenizer", "matcher", "files", "config")

Table = dict[str, Any]


def table(name: str) -> Table:
    """Reads a table."""
    return tomllib.loads((FOLDER / f"{name}.toml").read_text("utf8"))


def paths(table: Table, case: Table) -> tuple[str, ...]:
    """The paths that run a case: its own, those of its table, or all."""
    return tuple(case.get("paths", table.get("paths", PATHS)))


def cases(table: Table, path: str) -> list[Table]:
    """The cases of a table that a path runs; there is at least one."""
    found = [case for case in table["case"] if path in paths(table, case)]
    assert found, f"no case runs through {path}"
    return found


def content(table: Table, case: Table) -> tuple[str, bytes]:
    """The form of a case's file, and its bytes after the changes of the case."""
    (file,) = [file for file in table["file"] if file["name"] == case["file"]]
    if "path" in file:
        data = (FOLDER.parent / "files" / file["path"]).read_bytes()
    else:
        data = bytes.fromhex(file["bytes"])
    if file.get("inflate"):
        data = zlib.decompress(data)
    for change in case.get("changes", []):
        data = changed(data, change)
    return file["form"], zlib.compress(data) if file.get("inflate") else data


def changed(data: bytes, change: Table) -> bytes:
    """Bytes after one change."""
    put = change["put"].encode() if "put" in change else bytes.fromhex(change.get("bytes", ""))
    match change:
        case {"cut": end}:
            return data[:end]
        case {"append": more}:
            return data + bytes.fromhex(more)
        case {"find": text}:
            at, length = data.index(text.encode()), len(text.encode())
        case {"at": at, "xor": bits}:
            at %= len(data)
            put, length = bytes([data[at] ^ bits]), 1
        case {"at": at}:
            length = len(put)
        case _:
            raise ValueError(f"unknown change: {change}")
    return data[:at] + put + data[at + length :]
