"""lexpool's tokenizer in a spaCy pipeline, which returns spaCy's own documents.

>>> nlp.tokenizer = lexpool.compat.spacy.Tokenizer(nlp.tokenizer)

The rules remain those of spaCy's tokenizer, which it wraps: assignments, additions, serialization
and loading are forwarded to it, and lexpool's tokenizer is updated. Only the tokenization is
lexpool's.
"""

from collections.abc import Iterable, Iterator, Mapping
from os import PathLike
from threading import Lock
from typing import TYPE_CHECKING, Any, Self

from .._core import Doc as _Doc, Tokenizer as _Tokenizer, Vocab, words_of
from .._python_side.spacy_tokenizer import from_spacy, names

if TYPE_CHECKING:
    from spacy.tokens import Doc

__all__ = ["Tokenizer"]


class Tokenizer:
    """A spaCy tokenizer whose texts are tokenized by lexpool; the documents are spaCy's.

    tokenizer: spaCy's Tokenizer, or an instance of this class. Its vocab, rules and patterns can be
        read and assigned here too.

    Raises TypeError for tokenizers that do not consist of affix rules and special cases, such as
    those of Chinese and Japanese.

    The first token of every document starts a sentence; spaCy omits that in some documents.
    """

    _make: type["Doc"]
    _theirs: Any
    _ours: _Tokenizer | None
    _zone: Lock

    def __init__(self, tokenizer: Any) -> None:
        # spaCy is imported at first use, because `patch` has to run before.
        from spacy.tokens import Doc

        spacy_tokenizer = tokenizer._theirs if isinstance(tokenizer, Tokenizer) else tokenizer
        keep = super().__setattr__
        keep("_make", Doc)
        keep("_theirs", spacy_tokenizer)
        keep("_ours", _follow(spacy_tokenizer))
        keep("_zone", Lock())

    def __getattr__(self, name: str) -> Any:
        # pickle reads attributes before __init__, when there is nothing to forward to.
        if name.startswith("__") or name in Tokenizer.__annotations__:
            raise AttributeError(name)
        return getattr(self._theirs, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._theirs, name, value)
        super().__setattr__("_ours", None)

    def __call__(self, text: str) -> "Doc":
        """Tokenizes a text."""
        if not self.vocab.in_memory_zone:
            return self._doc(self._tokenizer()(text))
        # Words that spaCy drops at the end of its memory zone are not kept here either.
        tokenizer = self._tokenizer()
        with self._zone, tokenizer.vocab.memory_zone():
            return self._doc(tokenizer(text))

    def pipe(
        self, texts: Iterable[str], batch_size: int = 1000, n_threads: int = 0
    ) -> Iterator["Doc"]:
        """Tokenizes a stream of texts, in order; lexpool's part runs on all cores.

        batch_size: the number of texts per batch; two batches are in memory.
        n_threads: 0 for one per core, 1 for one thread at a time: the caller's, which waits while
            another one tokenizes a text of more than a megabyte.
        """
        if self.vocab.in_memory_zone:
            return map(self, texts)
        docs = self._tokenizer().pipe(texts, batch_size=batch_size, n_threads=n_threads)
        return map(self._doc, docs)

    def add_special_case(self, string: str, token_attrs: Iterable[Mapping[Any, Any]]) -> None:
        """Adds a special case, as spaCy's tokenizer does."""
        attrs = list(token_attrs)
        self._theirs.add_special_case(string, attrs)
        follower = self._ours
        if follower is not None:
            follower.add_special_case(string, [names(token, self.vocab.strings) for token in attrs])

    def from_bytes(self, bytes_data: bytes, *, exclude: Iterable[str] = ()) -> Self:
        """Loads the bytes of `to_bytes`, of this class or of spaCy's tokenizer."""
        self._theirs.from_bytes(bytes_data, exclude=exclude)
        super().__setattr__("_ours", None)
        return self

    def from_disk(self, path: str | PathLike[str], *, exclude: Iterable[str] = ()) -> Self:
        """Loads a file of `to_disk`, of this class or of spaCy's tokenizer."""
        self._theirs.from_disk(path, exclude=exclude)
        super().__setattr__("_ours", None)
        return self

    def report(self) -> dict[str, str]:
        """Returns the engine that runs each rule in lexpool; see `lexpool.Tokenizer.report`."""
        return self._tokenizer().report()

    def __reduce__(self) -> tuple[type[Self], tuple[Any]]:
        return type(self), (self._theirs,)

    def _tokenizer(self) -> _Tokenizer:
        """Returns lexpool's tokenizer, rebuilt if the rules have changed."""
        tokenizer = self._ours
        if tokenizer is None:
            tokenizer = _follow(self._theirs)
            super().__setattr__("_ours", tokenizer)
        return tokenizer

    def _doc(self, doc: _Doc) -> "Doc":
        # Ids are looked up many times faster than strings; spaCy's stubs have only strings.
        parts: Any = words_of(doc)
        words, spaces, norms = parts
        try:
            spacy_doc = self._make(self.vocab, words=words, spaces=spaces)
        except KeyError:
            for token in doc:
                self.vocab.strings.add(token.orth_)
            spacy_doc = self._make(self.vocab, words=words, spaces=spaces)
        for position, norm in norms:
            spacy_doc[position].norm_ = norm
        return spacy_doc


def _follow(spacy_tokenizer: Any) -> _Tokenizer:
    """Returns a tokenizer with the rules of spaCy's; its words have no attributes, as spaCy has its
    own.
    """
    return from_spacy(spacy_tokenizer, Vocab())
