"""Tokenizers with segmenters: the packages that have their data, and the files that spaCy's classes
write in the place of rules.

Each function is called by `Tokenizer`; `py/src/runtime/python_side.rs` lists those that Rust calls.
"""

import json
from importlib.util import find_spec
from os import PathLike
from pathlib import Path
from typing import Any

from ._core import Tokenizer, packb, unpackb
from ._files import unlinked, write_part
from ._narrow import is_dict

__all__ = ["data", "from_bytes", "from_disk", "to_bytes", "to_disk"]

# The packages that have the data of segmenters without data in lexpool.
_PACKAGES = {"jieba": "jieba"}
# The segmenter whose tokenizer has no files in spaCy.
_WITHOUT_FILES = "newmm"


def data(name: str) -> Path | None:
    """Returns the folder of the installed package with the data of a segmenter, or None. The
    package is not imported.
    """
    package = _PACKAGES.get(name)
    spec = None if package is None else find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(next(iter(spec.submodule_search_locations)))


def _settings(tokenizer: Tokenizer) -> bytes:
    return json.dumps({"segmenter": tokenizer.segmenter}).encode()


def _model(tokenizer: Tokenizer) -> dict[str, bytes]:
    """Returns the files of a pkuseg model by their path in a folder of spaCy's; none for other
    segmenters.

    Raises OSError for files that are gone.
    """
    folder = tokenizer.segmenter_data
    if tokenizer.segmenter != "pkuseg" or folder is None:
        return {}
    inside = folder / "pkuseg_model" if (folder / "pkuseg_model").is_dir() else folder
    files = {
        f"pkuseg_model/{name}": (inside / name).read_bytes()
        for name in ("features.msgpack", "weights.npz")
    }
    processors = folder / "pkuseg_processors"
    # Without processors: no words of the user, and nothing is merged.
    files["pkuseg_processors"] = (
        processors.read_bytes() if processors.exists() else packb([[], False, [], []])
    )
    return files


def _check(tokenizer: Tokenizer, settings: bytes) -> None:
    """Raises ValueError for the settings of another segmenter."""
    read: Any = json.loads(settings)
    found = read.get("segmenter") if is_dict(read) else None
    if found != tokenizer.segmenter:
        raise ValueError(
            f"expected the settings of the segmenter {tokenizer.segmenter!r}, not {found!r}"
        )


def to_bytes(tokenizer: Tokenizer) -> bytes:
    """Returns the settings as spaCy's `ChineseTokenizer` writes them; nothing for Thai."""
    if tokenizer.segmenter == _WITHOUT_FILES:
        return b""
    model = _model(tokenizer)
    return packb(
        {
            "cfg": _settings(tokenizer),
            "pkuseg_features": model.get("pkuseg_model/features.msgpack", b""),
            "pkuseg_weights": model.get("pkuseg_model/weights.npz", b""),
            "pkuseg_processors": model.get("pkuseg_processors", packb(None)),
        }
    )


def from_bytes(tokenizer: Tokenizer, given: bytes) -> None:
    """Validates the bytes of `to_bytes`.

    Raises ValueError for the settings of another segmenter.
    """
    if tokenizer.segmenter == _WITHOUT_FILES:
        return
    parts: Any = unpackb(given)
    _check(tokenizer, parts.get("cfg", b"null") if is_dict(parts) else b"null")


def to_disk(tokenizer: Tokenizer, path: str | PathLike[str]) -> None:
    """Writes the settings to a folder, as spaCy's `ChineseTokenizer` does; nothing for Thai."""
    if tokenizer.segmenter == _WITHOUT_FILES:
        return
    folder = Path(path)
    # Read first: the folder may be that of the model.
    files = {**_model(tokenizer), "cfg": _settings(tokenizer)}
    for name, content in files.items():
        part = folder / name
        unlinked(part.parent).mkdir(parents=True, exist_ok=True)
        write_part(unlinked(part), content)


def from_disk(tokenizer: Tokenizer, path: str | PathLike[str]) -> None:
    """Validates the folder of `to_disk`.

    Raises ValueError for the settings of another segmenter, OSError for a missing file.
    """
    if tokenizer.segmenter != _WITHOUT_FILES:
        _check(tokenizer, (Path(path) / "cfg").read_bytes())
