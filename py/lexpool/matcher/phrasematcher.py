"""`PhraseMatcher`: search for fixed sequences of words, or of another attribute."""

from __future__ import annotations

from .._core import PhraseMatcher as _PhraseMatcher
from ._patterns import phrase_attr
from ._streams import match_stream

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from os import PathLike
    from typing import Any, Self

    from .._core import Vocab

__all__ = ["PhraseMatcher"]


class PhraseMatcher(_PhraseMatcher):
    """Finds phrases, any number of them at once.

    vocab: the vocab of the documents.
    attr: the attribute that tokens are compared by, by name or number; "TEXT" is the word itself.
    validate: whether `add` warns (W012) about phrases with annotation that is not compared.

    Raises ValueError: E152 for an unknown attribute.

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
        """Opens a file that `save` wrote: a matcher with its phrases, without callbacks.

        The file is memory-mapped: processes that map it share its memory, and searches read it in
        place. The first change copies the phrases. The file may be replaced while it is mapped, but
        not written to.

        Raises OSError if the file cannot be read. Raises ValueError for a damaged file or one of
        another kind: the codes start with "phrases-", and the message gives the byte.
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
        """Matches each of a stream of documents and yields it, in order.

        return_matches: yield pairs of a document and the result of a call with it. as_tuples: the
            stream consists of pairs of a document and a context; the pairs of a result and its
            context are yielded.
        n_threads: match `batch_size` documents at a time on this many threads (0: one for each
            core). Without it this is spaCy's method, which is deprecated (W105): it calls the
            matcher for each document.
        as_spans: as for a call; sets n_threads to 1 if it is not given.
        """
        return match_stream(
            self, stream, batch_size, return_matches, as_tuples, n_threads, as_spans
        )


class _Unpickling:
    """Rebuilds a matcher from the parts that spaCy pickles."""

    def __init__(self, cls: type[PhraseMatcher], validate: bool) -> None:
        self.cls = cls
        self.validate = validate

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
