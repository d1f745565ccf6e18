"""Finding phrases: sequences of words, or of another attribute, given as documents or texts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any

from .._core import PhraseMatcher as _PhraseMatcher
from ._patterns import phrase_attr
from ._streams import match_stream

if TYPE_CHECKING:
    from typing import Self

    from .._core import Vocab

__all__ = ["PhraseMatcher"]


class PhraseMatcher(_PhraseMatcher):
    """Finds phrases, any number of them at once.

    vocab: that of the documents.
    attr: the attribute that tokens are compared by, by name or number; "TEXT" is the word itself.
    validate: whether `add` warns (W012) of phrases with annotation that is not compared.

    ValueError E152: there is no such attribute.

    >>> import lexpool
    >>> nlp = lexpool.blank("en")
    >>> matcher = PhraseMatcher(nlp.vocab, attr="LOWER")
    >>> matcher.add_texts("CITY", ["New York", "Rome"])
    >>> [span.text for span in matcher(nlp("from Rome to new york"), as_spans=True)]
    ['Rome', 'new york']
    >>> matcher.match_texts(["To Rome!", "New York, old York"])
    <Matches: 2 in 2 texts: CITY in 0 at 1:2, CITY in 1 at 0:2>
    """

    def __init__(
        self, vocab: Vocab, attr: int | str | None = "ORTH", validate: bool = False
    ) -> None:
        super().__init__(vocab, phrase_attr(attr), validate)

    def __reduce__(self) -> tuple[Any, ...]:
        make = _Unpickling(type(self), self._validate)
        return make, (self.vocab, self._docs, self._callbacks, self.attr)

    @classmethod
    def open(cls, path: str | PathLike[str], vocab: Vocab, *, validate: bool = False) -> Self:
        """A matcher with the phrases of a file that `save` wrote, without callbacks.

        The file is mapped: its memory is shared with whoever else maps it, and searches read it
        where it lies. The first change copies it. The file may be replaced meanwhile, but not
        written to.

        OSError where it cannot be read. ValueError for what is no such file, or damaged: the codes
        begin with "phrases-", and the text says at which byte.
        """
        matcher = cls(vocab, validate=validate)
        matcher._map(path)
        return matcher

    def pipe(
        self,
        stream: Iterable[Any],
        batch_size: int = 1000,
        return_matches: bool = False,
        as_tuples: bool = False,
        *,
        n_threads: int | None = None,
        as_spans: bool = False,
    ) -> Iterator[Any]:
        """Match each of a stream of documents and give it back, in order.

        return_matches: give pairs of a document and what a call gives for it. as_tuples: the stream
            has pairs of a document and anything, which come out as pairs of the result and that.
        n_threads: match so many documents as `batch_size` says at once, on that many threads (0:
        one
            a core). Without it this is spaCy's method, which is deprecated (W105): it calls the
            matcher.
        as_spans: as for a call; it makes n_threads 1.
        """
        return match_stream(
            self, stream, batch_size, return_matches, as_tuples, n_threads, as_spans
        )


@dataclass(frozen=True)
class _Unpickling:
    """Makes a matcher again, of the parts that spaCy's is pickled as."""

    cls: type[PhraseMatcher]
    validate: bool

    def __call__(
        self,
        vocab: Vocab,
        docs: dict[str, set[tuple[int, ...]]],
        callbacks: dict[str, Any],
        attr: int,
    ) -> PhraseMatcher:
        matcher = self.cls(vocab, attr, self.validate)
        for key, phrases in docs.items():
            matcher.add(key, phrases, on_match=callbacks[key])
        return matcher
