"""The archives of a package: a wheel, and a source distribution. Both are made in memory, without
setuptools, and are the same bytes for the same files.
"""

from __future__ import annotations

import gzip
import io
import re
import tarfile
import zipfile
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

from .._core import __version__

__all__ = ["sdist", "wheel"]

# Archives in memory are not written to any file here.
_INTO: Literal["w"] = "w"
# The earliest time of a zip archive.
_TIME = (1980, 1, 1, 0, 0, 0)


def wheel(folder: Path, name: str, meta: dict[str, Any]) -> tuple[str, bytes]:
    """Returns the name and the content of the wheel of a package."""
    stem = f"{re.sub('_+', '_', name)}-{meta['version']}"
    info = f"{stem}.dist-info"
    files = {path: content for path, content in _files(folder) if path.startswith(f"{name}/")}
    files |= {
        f"{info}/METADATA": _metadata(folder, name, meta),
        f"{info}/WHEEL": (
            f"Wheel-Version: 1.0\nGenerator: lexpool {__version__}\nRoot-Is-Purelib: true\n"
            "Tag: py3-none-any\n"
        ).encode(),
        f"{info}/entry_points.txt": f"[spacy_models]\n{name} = {name}\n".encode(),
        f"{info}/top_level.txt": f"{name}\n".encode(),
    }
    record = [
        f"{_quoted(path)},sha256={_digest(content)},{len(content)}\n"
        for path, content in files.items()
    ]
    files[f"{info}/RECORD"] = "".join([*record, f"{info}/RECORD,,\n"]).encode()
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, mode=_INTO) as archive:
        for path, content in files.items():
            entry = zipfile.ZipInfo(path, _TIME)
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content, compress_type=zipfile.ZIP_DEFLATED)
    return f"{stem}-py3-none-any.whl", buffer.getvalue()


def sdist(folder: Path, name: str, meta: dict[str, Any]) -> tuple[str, bytes]:
    """Returns the name and the content of the source distribution of a package."""
    stem = f"{name}-{meta['version']}"
    files = dict(_files(folder)) | {"PKG-INFO": _metadata(folder, name, meta)}
    buffer = io.BytesIO()
    with tarfile.TarFile(fileobj=buffer, mode=_INTO, format=tarfile.PAX_FORMAT) as archive:
        for path, content in files.items():
            entry = tarfile.TarInfo(f"{stem}/{path}")
            entry.size, entry.mode = len(content), 0o644
            archive.addfile(entry, io.BytesIO(content))
    return f"{stem}.tar.gz", gzip.compress(buffer.getvalue(), mtime=0)


def _files(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yields the files of a package but for its archives, and what Python has compiled."""
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        below = path.relative_to(folder)
        if below.parts[0] != "dist" and "__pycache__" not in below.parts:
            yield below.as_posix(), path.read_bytes()


def _metadata(folder: Path, name: str, meta: dict[str, Any]) -> bytes:
    """Returns the metadata of a distribution."""
    fields = {
        "Summary": meta.get("description"),
        "Home-page": meta.get("url"),
        "Author": meta.get("author"),
        "Author-email": meta.get("email"),
        "License": meta.get("license"),
    }
    lines = ["Metadata-Version: 2.1", f"Name: {name}", f"Version: {meta['version']}"]
    # A field is one line.
    lines += [f"{key}: {' '.join(str(value).split())}" for key, value in fields.items() if value]
    required: list[Any] = [*(meta.get("setup_requires") or []), *(meta.get("requirements") or [])]
    lines += [f"Requires-Dist: {' '.join(str(each).split())}" for each in required]
    lines += ["Description-Content-Type: text/markdown", "", ""]
    return "\n".join(lines).encode() + (folder / "README.md").read_bytes()


def _digest(content: bytes) -> str:
    return urlsafe_b64encode(sha256(content).digest()).decode().rstrip("=")


def _quoted(path: str) -> str:
    """Returns a path as a field of a table with commas."""
    if not re.search('[,"\r\n]', path):
        return path
    doubled = '""'.join(path.split('"'))
    return f'"{doubled}"'
