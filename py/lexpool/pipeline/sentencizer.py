"""The sentencizer: sentences from punctuation."""

from __future__ import annotations

from .._components.pipe import Pipe, does_as
from .._core import Doc, SentenceMarks
from .._narrow import is_dict, is_list
from .._saving.json_files import Path, read_json, write_json
from .._saving.packed import as_path
from ..msgpack import packb, unpackb
from .scores import senter_score

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any, Self

    from .._core import NativeComponent

__all__ = ["Sentencizer"]


class Sentencizer(Pipe):
    """Starts a sentence after each token that ends sentences and the punctuation that follows it.

    punct_chars: the tokens that end sentences; by default characters of the world's scripts.
    overwrite: whether existing sentence starts are replaced.
    scorer: the function that `score` calls.

    >>> import lexpool
    >>> doc = Sentencizer()(lexpool.blank("en")("Is it? It is."))
    >>> [sent.text for sent in doc.sents]
    ['Is it?', 'It is.']
    """

    default_punct_chars: list[str] = SentenceMarks.default_marks()

    def __init__(
        self,
        name: str = "sentencizer",
        *,
        punct_chars: Iterable[str] | None = None,
        overwrite: bool = False,
        scorer: Callable[..., dict[str, Any]] | None = senter_score,
    ) -> None:
        self.name = name
        chars = set(punct_chars or ())
        self.punct_chars: set[str] = chars or set(self.default_punct_chars)
        self.overwrite: bool = overwrite
        self.scorer = scorer
        self._made: tuple[set[str], bool, SentenceMarks] | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_made": None}

    def native(self) -> NativeComponent | None:
        if not does_as(self, Sentencizer, "__call__", "predict", "set_annotations"):
            return None
        return self._marks().component()

    def __call__(self, doc: Doc) -> Doc:
        """Sets the sentence starts of a document and returns it."""
        try:
            self.set_annotations([doc], self.predict([doc]))
        except Exception as error:
            self.get_error_handler()(self.name, self, [doc], error)
        return doc

    def predict(self, docs: Iterable[Doc]) -> list[list[bool]]:
        """Returns for each token of each document whether it starts a sentence. Documents are
        unchanged.
        """
        marks = self._marks()
        return [marks.predict(doc) for doc in docs]

    def set_annotations(
        self, docs: Iterable[Doc] | Doc, batch_tag_ids: Sequence[Sequence[Any]]
    ) -> None:
        """Sets the sentence starts that `predict` returned. Raises ValueError (E971) for more
        values than tokens.
        """
        marks = self._marks()
        docs = [docs] if isinstance(docs, Doc) else docs
        for doc, starts in zip(docs, batch_tag_ids, strict=False):
            marks.annotate(doc, [bool(start) for start in starts])

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """Returns the settings as bytes."""
        return packb(self._settings())

    def from_bytes(self, bytes_data: bytes, *, exclude: Iterable[str] = ()) -> Self:
        """Loads the bytes of `to_bytes`. Raises ValueError (E972) for other bytes."""
        return self._take(unpackb(bytes_data))

    def to_disk(self, path: Path, *, exclude: Iterable[str] = ()) -> None:
        """Writes the settings to a JSON file, and adds the suffix to its name. A symbolic link of
        that name is replaced.
        """
        write_json(as_path(path).with_suffix(".json"), self._settings())

    def from_disk(self, path: Path, *, exclude: Iterable[str] = ()) -> Self:
        """Loads a file of `to_disk`. Raises ValueError (E972) for other files."""
        return self._take(read_json(as_path(path).with_suffix(".json")))

    def _settings(self) -> dict[str, Any]:
        return {"punct_chars": sorted(self.punct_chars), "overwrite": self.overwrite}

    def _take(self, settings: Any) -> Self:
        if not is_dict(settings):
            kind = type(settings).__name__
            raise ValueError(f"[E972] expected the settings of a sentencizer, a dict, not {kind}")
        chars: Any = settings.get("punct_chars", self.default_punct_chars)
        if not is_list(chars) or not all(isinstance(char, str) for char in chars):
            raise ValueError(f"[E972] punct_chars is a list of strings, not {chars!r}")
        self.punct_chars = set(chars)
        self.overwrite = bool(settings.get("overwrite", self.overwrite))
        return self

    def _marks(self) -> SentenceMarks:
        """Returns the marks of the current settings, which may have been changed in place."""
        made = self._made
        if made is None or (made[0], made[1]) != (self.punct_chars, self.overwrite):
            # Tokens do not contain lone surrogates.
            chars = [char for char in self.punct_chars if char.isascii() or _is_text(char)]
            marks = SentenceMarks(chars, bool(self.overwrite))
            made = self._made = (set(self.punct_chars), self.overwrite, marks)
        return made[2]


def _is_text(char: str) -> bool:
    return not any("\ud800" <= unit <= "\udfff" for unit in char)
