"""A tokenizer with its vocab, called as spaCy's `Language` is."""

from collections.abc import Iterable, Iterator
from typing import Any

from ._core import Doc, Tokenizer, Vocab


class Language:
    """A tokenizer and the vocab of its documents: `nlp(text)` gives a Doc.

    lang: the language's code.
    tokenizer: what cuts the texts; may be replaced.
    """

    def __init__(self, lang: str, tokenizer: Tokenizer) -> None:
        self.lang = lang
        self.tokenizer = tokenizer

    @property
    def vocab(self) -> Vocab:
        """The vocab of all documents made here."""
        return self.tokenizer.vocab

    def __call__(self, text: str) -> Doc:
        """Tokenize a text."""
        return self.tokenizer(text)

    def make_doc(self, text: str) -> Doc:
        """Tokenize a text."""
        return self.tokenizer(text)

    def pipe(
        self,
        texts: Iterable[Any],
        *,
        as_tuples: bool = False,
        batch_size: int = 1000,
        n_threads: int = 0,
        n_process: int | None = None,
    ) -> Iterator[Any]:
        """Tokenize a stream of texts, in order.

        texts: texts, or with `as_tuples` pairs of a text and anything, which come out as pairs of
            a document and that.
        batch_size: how many texts are handed out at once; two batches are in memory.
        n_threads: 0 for one a core, 1 for none but the caller's.
        n_process: spaCy's name for how many workers there are; they are threads here.
        """
        threads = n_threads if n_process is None else n_process if n_process > 0 else 0
        if not as_tuples:
            return self.tokenizer.pipe(texts, batch_size=batch_size, n_threads=threads)
        return self._pipe_tuples(texts, batch_size, threads)

    def _pipe_tuples(
        self, pairs: Iterable[tuple[str, Any]], batch_size: int, n_threads: int
    ) -> Iterator[tuple[Doc, Any]]:
        contexts: list[Any] = []

        def texts() -> Iterator[str]:
            for text, context in pairs:
                contexts.append(context)
                yield text

        docs = self.tokenizer.pipe(texts(), batch_size=batch_size, n_threads=n_threads)
        # The pipe takes texts ahead of the documents that it gives; contexts wait in line.
        for doc in docs:
            yield doc, contexts.pop(0)

    def memory_zone(self) -> Any:
        """Open a memory zone of the vocab, as a context manager; see `Vocab.memory_zone`."""
        return self.vocab.memory_zone()

    def __repr__(self) -> str:
        return f"<Language {self.lang!r}>"


def blank(lang: str, *, vocab: Vocab | None = None) -> Language:
    """A tokenizer with lexpool's own rules for a language: "en", or "xx" for any.

    vocab: the vocab of its documents, such as one of `Vocab.open`; a new one by default.

    Raises ValueError (E048) for a language without rules; spaCy's can be taken over with
    `Tokenizer.from_spacy`.
    """
    return Language(lang, Tokenizer.blank(lang, vocab=vocab))
