"""Components that merge tokens, split tokens, or clear attributes of documents."""

from __future__ import annotations

import warnings

from .._components.native_forms import NativeFunctions
from .._core import NativeComponent, NounChunks, Retokenization, has_vectors
from .._saving.files import write_text_part
from .._saving.form import expect, reading
from .._saving.json import loads
from .._saving.json_files import to_json
from .._saving.packed import as_path
from ..msgpack import packb, unpackb
from ..tokens._retokenize import carry_out

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from os import PathLike
    from typing import Any, Self

    from .._core import Doc, Vocab

__all__ = [
    "DocCleaner",
    "TokenSplitter",
    "merge_entities",
    "merge_noun_chunks",
    "merge_subtokens",
]

_SUBTOKEN = "subtok"


def merge_noun_chunks(doc: Doc) -> Doc:
    """Merges each noun chunk into one token with the attributes of its root. A document without a
    parse is unchanged.

    Raises NotImplementedError (E894) if the document's language has no rules for noun chunks.
    """
    if not doc.has_annotation("DEP"):
        return doc
    chunks = doc.noun_chunks_iterator
    if isinstance(chunks, NounChunks):
        return _changed(doc, Retokenization.noun_chunks(doc, chunks))
    plan = Retokenization(doc)
    for chunk in doc.noun_chunks:
        plan.merge(chunk, [])
    return _changed(doc, plan)


def merge_entities(doc: Doc) -> Doc:
    """Merges each entity into one token with the attributes of its root. Raises ValueError (E093)
    if a token continues an entity that no token begins.
    """
    return _changed(doc, Retokenization.entities(doc))


def merge_subtokens(doc: Doc, label: str = _SUBTOKEN) -> Doc:
    """Merges each run of tokens with a dependency label, and the token after it, into one token.

    label: the dependency label.

    Raises ValueError (E155) if the document is not parsed.
    """
    return _changed(doc, Retokenization.subtokens(doc, doc.vocab.strings.add(label)))


def native_for_texts(
    component: object, vocab: Vocab, *, sets_vectors: bool = True
) -> NativeComponent | None:
    """Returns the native form of a component for documents just made from texts. None if the
    component is not of this module or needs Python: for vectors of merged words unless
    `sets_vectors` is false, or for a custom function for noun chunks.
    """
    if type(component) is TokenSplitter and "pipe" not in vars(component):
        settings = (component.min_length, component.split_length)
        return NativeComponent.split_tokens(*(max(0, setting) for setting in settings))
    if sets_vectors and has_vectors(vocab):
        return None
    if component is merge_entities:
        return NativeComponent.merge_entities()
    if component is merge_subtokens:
        return NativeComponent.merge_subtokens(_SUBTOKEN)
    chunks = vocab.get_noun_chunks
    if component is merge_noun_chunks and isinstance(chunks, NounChunks):
        return NativeComponent.merge_noun_chunks(chunks)
    return None


def _changed(doc: Doc, plan: Retokenization) -> Doc:
    if not plan.is_empty:
        carry_out(doc, plan)
    return doc


class _Configured:
    """A component whose settings are saved as JSON under the name "cfg"."""

    def _get_config(self) -> dict[str, Any]:
        raise NotImplementedError

    def _set_config(self, config: dict[str, Any] = {}) -> None:
        raise NotImplementedError

    def to_bytes(self, **_kwargs: object) -> bytes:
        """Returns the settings as bytes."""
        return packb({"cfg": to_json(self._get_config())})

    def from_bytes(self, data: bytes, **_kwargs: object) -> Self:
        """Loads the bytes of `to_bytes`. Raises ValueError (saved-form) if they do not contain
        settings.
        """
        parts = expect(unpackb(data), dict, "the map of settings")
        if "cfg" in parts:
            self._set_config(_config(parts["cfg"]))
        return self

    def to_disk(self, path: str | PathLike[str], **_kwargs: object) -> None:
        """Writes the settings into the file "cfg" of a folder, which is created if it is
        missing.
        """
        import json
        from pathlib import Path

        folder = Path(path)
        folder.mkdir(exist_ok=True)
        write_text_part(folder / "cfg", json.dumps(self._get_config(), indent=2))

    def from_disk(self, path: str | PathLike[str], **_kwargs: object) -> Self:
        """Loads a file of `to_disk`. Raises ValueError (saved-form) if it does not contain
        settings.
        """
        self._set_config(_config((as_path(path) / "cfg").read_bytes()))
        return self


def _config(text: str | bytes) -> dict[str, Any]:
    expect(text, (str, bytes), "the settings of a component")
    with reading("the settings of a component"):
        settings: dict[str, Any] = expect(loads(text), dict, "the JSON object of settings")
    return settings


class TokenSplitter(_Configured):
    """Splits long tokens into parts of equal length, each its own head.

    min_length: the minimum number of characters of tokens to split.
    split_length: the number of characters of each part; the last one may be shorter.

    Tokens are not split if one of the two is 0.
    """

    def __init__(self, min_length: int = 0, split_length: int = 0) -> None:
        self.min_length: int = min_length
        self.split_length: int = split_length

    def __call__(self, doc: Doc) -> Doc:
        """Splits the long tokens of a document and returns it."""
        if self.min_length > 0 and self.split_length > 0:
            _changed(doc, Retokenization.long_tokens(doc, self.min_length, self.split_length))
        return doc

    def _get_config(self) -> dict[str, Any]:
        return {"min_length": self.min_length, "split_length": self.split_length}

    def _set_config(self, config: dict[str, Any] = {}) -> None:
        self.min_length = expect(config.get("min_length", 0), int, "the setting min_length")
        self.split_length = expect(config.get("split_length", 0), int, "the setting split_length")


class DocCleaner(_Configured):
    """Sets attributes of documents, for example to free memory: {"tensor": None}.

    attrs: the attributes, with dots for nested ones, and their values.
    silent: whether missing attributes are ignored without a warning (W116).
    """

    def __init__(self, attrs: Mapping[str, Any], *, silent: bool = True) -> None:
        self.cfg: dict[str, Any] = {"attrs": dict(attrs), "silent": silent}

    def __call__(self, doc: Doc) -> Doc:
        """Sets the attributes of a document and returns it."""
        for attr, value in self.cfg["attrs"].items():
            *owners, name = attr.split(".")
            owner = _reached(doc, owners)
            if owner is not None and hasattr(owner, name):
                setattr(owner, name, value)
            elif not self.cfg["silent"]:
                text = f"[W116] the document has no attribute {attr!r} that could be set"
                warnings.warn(text, UserWarning, stacklevel=2)
        return doc

    def _get_config(self) -> dict[str, Any]:
        return self.cfg

    def _set_config(self, config: dict[str, Any] = {}) -> None:
        expect(config.get("attrs", {}), dict, "the setting attrs of a doc_cleaner")
        self.cfg.update(config)


def _reached(owner: object, names: Iterable[str]) -> object | None:
    """Returns the value of a chain of attributes; None if one of them is missing."""
    for name in names:
        owner = getattr(owner, name, None)
        if owner is None:
            return None
    return owner


def _clears_extras(component: object) -> bool:
    """Returns whether a component clears nothing but the tensor and extension attributes."""
    if type(component) is not DocCleaner or "pipe" in vars(component):
        return False
    return all(attr == "tensor" or attr.startswith("_.") for attr in component.cfg["attrs"])


NativeFunctions(__name__, native_for_texts, _clears_extras)
