"""Examples from files of annotated documents."""

from __future__ import annotations

import errno
from collections.abc import Iterable, Iterator
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from .._core import Doc, DocBin, Span
from .._learning.example import Example

if TYPE_CHECKING:
    from .._protocols import Pipeline

__all__ = ["docbin_files", "examples_of_references", "read_references"]

_SUFFIX = ".spacy"


def docbin_files(path: str | PathLike[str]) -> list[Path]:
    """Returns the files in a folder and its folders whose names end in `.spacy`, sorted, except
    those with a hidden part; or the path itself if it is a file.

    Raises OSError: file-not-found if the path does not exist, or is a folder without such files.
    """
    given = Path(path)
    if given.is_dir():
        files = sorted(found for found in given.rglob(f"*{_SUFFIX}") if _is_visible(found, given))
        if not files:
            raise _missing(f"the folder {str(given)!r} has no files {'*' + _SUFFIX!r}")
        return files
    if not given.exists():
        raise _missing(f"{str(given)!r} does not exist; expected a file or folder of documents")
    return [given]


def _is_visible(path: Path, folder: Path) -> bool:
    parts = path.relative_to(folder).parts
    return path.is_file() and not any(part.startswith(".") for part in parts)


def _missing(message: str) -> FileNotFoundError:
    error = FileNotFoundError(f"[file-not-found] {message}")
    error.errno = errno.ENOENT
    return error


def read_references(
    files: Iterable[str | PathLike[str]], nlp: Pipeline, *, limit: int = 0
) -> Iterator[Doc]:
    """Yields the documents of DocBin files that have tokens. Raises the errors of
    `DocBin.from_disk`, with a note that names the file.

    limit: the number of documents after which a file ends; 0 for no limit. As in spaCy it counts
        those of all files, but each later file still yields one.
    """
    n_docs = 0
    for path in files:
        try:
            docs = list(DocBin().from_disk(path).get_docs(nlp.vocab))
        except ValueError as error:
            error.add_note(f"in the file {str(path)!r}")
            raise
        for doc in docs:
            if not len(doc):
                continue
            yield doc
            n_docs += 1
            if 0 < limit <= n_docs:
                break


def examples_of_references(
    references: Iterable[Doc], nlp: Pipeline, *, gold_preproc: bool = False, max_length: int = 0
) -> Iterator[Example]:
    """Yields an example for each reference, whose predicted document has the pipeline's tokens, or
    the reference's if its spaces are unknown.

    gold_preproc: whether to yield an example for each sentence of a reference that has sentences,
        whose predicted document has the reference's tokens.
    max_length: the number of tokens from which on a reference is cut into its sentences, and those
        that are as long are left out; 0 for no limit. `gold_preproc` goes before.
    """

    def is_short(tokens: Doc | Span) -> bool:
        return max_length == 0 or len(tokens) < max_length

    for reference in references:
        if not gold_preproc:
            if is_short(reference):
                yield _example(reference, nlp, own_tokens=not reference.has_unknown_spaces)
            elif reference.has_annotation("SENT_START"):
                for sent in filter(is_short, reference.sents):
                    doc = sent.as_doc()
                    yield _example(doc, nlp, own_tokens=not doc.has_unknown_spaces)
        elif reference.has_annotation("SENT_START"):
            for sent in reference.sents:
                yield _example(sent.as_doc(), nlp, own_tokens=False)
        else:
            yield _example(reference, nlp, own_tokens=False)


def _example(reference: Doc, nlp: Pipeline, *, own_tokens: bool) -> Example:
    if own_tokens:
        return Example(nlp.make_doc(reference.text), reference)
    words = [token.text for token in reference]
    spaces = [bool(token.whitespace_) for token in reference]
    return Example(Doc(nlp.vocab, words=words, spaces=spaces), reference)
