"""Finding phrases: sequences of words, or of another attribute, given as documents."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias, overload

from .._core import Doc, PhraseTree, Span
from ._annotation import SET_BY, require
from ._patterns import phrase_attr
from ._validation import ATTR_NAMES
from .matcher import search_stream, searched

if TYPE_CHECKING:
    from .._core import Vocab

__all__ = ["PhraseMatcher"]

_OnMatch: TypeAlias = Callable[["PhraseMatcher", Doc, int, list[tuple[int, int, int]]], Any]
_Phrase: TypeAlias = Doc | Sequence[int]

# The mark of a phrase's end in spaCy's tree. No phrase goes on behind a token with this id.
_END = 826361138722620965


class PhraseMatcher:
    """Finds phrases, any number of them at once.

    vocab: that of the documents.
    attr: the attribute that tokens are compared by, by name or number; "TEXT" is the word itself.
    validate: whether `add` warns (W012) of phrases with annotation that is not compared.

    ValueError E152: there is no such attribute.
    """

    def __init__(self, vocab: Vocab, attr: int | str | None = "ORTH", validate: bool = False) -> None:
        self.vocab = vocab
        self.attr: int = phrase_attr(attr)
        self._validate = validate
        self._callbacks: dict[str, _OnMatch | None] = {}
        self._docs: dict[str, set[tuple[int, ...]]] = {}
        self._tree = PhraseTree(self.attr)

    def __reduce__(self) -> tuple[Any, ...]:
        make = _Unpickling(type(self), self._validate)
        return make, (self.vocab, self._docs, self._callbacks, self.attr)

    def __len__(self) -> int:
        """How many keys there are."""
        return len(self._callbacks)

    def __contains__(self, key: str) -> bool:
        return key in self._callbacks

    @overload
    def add(
        self, key: str, docs: Iterable[_Phrase], *, on_match: _OnMatch | None = None
    ) -> None: ...
    @overload
    def add(self, key: str, docs: _OnMatch | None, *_docs: _Phrase) -> None: ...
    def add(
        self, key: str, docs: Any, *_docs: _Phrase, on_match: _OnMatch | None = None
    ) -> None:
        """Add phrases under a key: documents, or sequences of ids. Empty ones are skipped.

        on_match: called for each match, with the matcher, the document, the position of the match
            and all matches. In the old form it is the second argument, and the documents follow.

        ValueError: E179 one document in the place of a list; E155 an attribute is compared that a
        document has not.
        """
        phrases: Iterable[_Phrase]
        if docs is None or callable(docs):
            on_match, phrases = docs, _docs
        elif isinstance(docs, Doc):
            raise ValueError(f"[E179] the phrases for {key!r} are a list of documents, not a Doc")
        else:
            phrases = docs
        number: int = self.vocab[key].orth
        converted = [self._phrase(key, phrase) for phrase in phrases if len(phrase)]
        self._callbacks[key] = on_match
        kept = self._docs.setdefault(key, set())
        for ids in converted:
            kept.add(tuple(ids))
            if _END in ids:
                text = f"[W021] a phrase for {key!r} is cut before a token with the id {_END}"
                warnings.warn(text, UserWarning, stacklevel=2)
            self._tree.add(number, _until_end(ids))

    def remove(self, key: str) -> None:
        """Remove a key with its phrases. KeyError if it is unknown."""
        number: int = self.vocab.strings[key] if key in self._docs else 0
        for ids in self._docs.pop(key):
            self._tree.remove(number, _until_end(ids))
        del self._callbacks[key]

    def pipe(
        self,
        stream: Iterable[Any],
        batch_size: int = 1000,
        return_matches: bool = False,
        as_tuples: bool = False,
    ) -> Iterator[Any]:
        """Match each of a stream of documents and give it back. Deprecated (W105): call the matcher."""
        return search_stream(self, stream, return_matches, as_tuples)

    def __call__(self, doclike: Doc | Span | None, *, as_spans: bool = False) -> list[Any]:
        """All matches, overlapping ones too, by their starts and then their lengths: tuples of the
        key's id, start and end, as positions in the document.

        as_spans: give spans that have the key as label.

        Nothing is found in None. ValueError: E195 for what is neither document nor span.
        """
        if doclike is None or len(doclike) == 0:
            return []
        doc, start, end = searched(doclike)
        found = self._tree.find(doc, start, end)
        if any(self._callbacks.values()):
            for i, (key, *_) in enumerate(found):
                on_match = self._callbacks.get(self.vocab.strings[key])
                if on_match is not None:
                    on_match(self, doc, i, found)
        if as_spans:
            return [Span(doc, first, last, label=key) for key, first, last in found]
        return found

    def _phrase(self, key: str, phrase: _Phrase) -> list[int]:
        if not isinstance(phrase, Doc):
            return list(phrase)
        require(phrase, (self.attr,))
        if self._validate and self.attr not in SET_BY:
            if any(phrase.has_annotation(attr) for attr in SET_BY):
                name = ATTR_NAMES.get(self.attr, self.attr)
                text = (
                    f"[W012] a phrase for {key!r} has annotation, and only {name} is compared; "
                    "make phrases with the tokenizer alone, which is faster"
                )
                warnings.warn(text, UserWarning, stacklevel=3)
        return self._tree.ids(phrase)


def _until_end(ids: Sequence[int]) -> list[int]:
    return list(ids[: ids.index(_END)] if _END in ids else ids)


@dataclass(frozen=True)
class _Unpickling:
    """Makes a matcher again, of the parts that spaCy's is pickled as."""

    cls: type[PhraseMatcher]
    validate: bool

    def __call__(
        self,
        vocab: Vocab,
        docs: dict[str, set[tuple[int, ...]]],
        callbacks: dict[str, _OnMatch | None],
        attr: int,
    ) -> PhraseMatcher:
        matcher = self.cls(vocab, attr, self.validate)
        for key, phrases in docs.items():
            matcher.add(key, phrases, on_match=callbacks[key])
        return matcher
