"""Converters of annotated files into documents to train with, as spaCy has them; the command
`lexpool convert` runs them on files.

They yield the documents of spaCy's converters. What spaCy cannot read is a ValueError that names
the line.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from .._core import (
    Doc,
    Vocab,
    convert_columns,
    convert_conllu,
    convert_iob,
    convert_json,
    docs_as_json,
    escape_lines,
)
from .._narrow import is_dict
from .._saving.json import dumps
from ..language import blank, load

__all__ = ["conll_ner_to_docs", "conllu_to_docs", "docs_to_json", "iob_to_docs", "json_to_docs"]


def conllu_to_docs(
    input_data: str,
    n_sents: int = 10,
    append_morphology: bool = False,
    ner_map: Mapping[str, str] | None = None,
    merge_subtokens: bool = False,
    no_print: bool = False,
    **_: Any,
) -> Iterator[Doc]:
    """Yields documents of a treebank in CoNLL-U, with the entities that its last column has.

    n_sents: number of sentences of a document; 0 for one document.
    append_morphology: whether features are appended to tags.
    ner_map: new names of types of entities; an empty one takes them away.
    merge_subtokens: whether the words of a multiword token become one token.
    no_print: whether to leave out remarks on the standard error.

    Raises ValueError: convert-syntax for a line that cannot be read, E1021 for an unknown part of
    speech, E190 for a head outside of its sentence, E102 and E199 for wrong ranges. Raises
    RuntimeError (E039) for heads that form a cycle.
    """
    names = None if ner_map is None else dict(ner_map)
    docs, notes = convert_conllu(
        input_data, Vocab(), n_sents, append_morphology, merge_subtokens, names
    )
    _print(notes, no_print)
    yield from docs


def conll_ner_to_docs(
    input_data: str,
    n_sents: int = 10,
    seg_sents: bool = False,
    model: str | Path | None = None,
    no_print: bool = False,
    **_: Any,
) -> Iterator[Doc]:
    """Yields documents of lines with a word, its tag, which may be missing, and its entity in IOB
    in the last column. A blank line ends a sentence, `-DOCSTART- -X- O O` begins a document.

    n_sents: number of sentences of a document, if none is marked; 0 for one document.
    seg_sents: whether to find sentences, if there are no blank lines.
    model: a pipeline whose parser finds them; otherwise punctuation ends them.
    no_print: whether to leave out remarks on the standard error.

    Raises ValueError: E903 for a line of one column, E177 for a tag that is not one of IOB.
    """
    vocab, segmenter = _xx_vocab(), None
    if model is not None:
        vocab, segmenter = _parser(model)
    docs, notes = convert_columns(input_data, vocab, n_sents, seg_sents, segmenter)
    _print(notes, no_print)
    yield from docs


def iob_to_docs(
    input_data: str, n_sents: int = 10, no_print: bool = False, *_: Any, **__: Any
) -> Iterator[Doc]:
    """Yields documents of lines of words such as `Rome|NNP|B-GPE` or `Rome|B-GPE`.

    n_sents: number of lines of a document; 0 for one document.
    no_print: whether to leave out remarks on the standard error.

    Raises ValueError: E902 for a word without a tag, E177 for a tag that is not one of IOB.
    """
    docs, notes = convert_iob(input_data, Vocab(), n_sents)
    _print(notes, no_print)
    yield from docs


def json_to_docs(
    input_data: str | bytes | list[Any] | dict[str, Any],
    model: str | Path | None = None,
    **_: Any,
) -> Iterator[Doc]:
    """Yields a document for each paragraph of the JSON that spaCy 2 trained with.

    input_data: the text, or the list of documents that it is.
    model: a pipeline, for the vocab of the documents.

    Raises ValueError (convert-json) with the place of a value that is missing or wrong, and the
    errors of tags of entities, parts of speech and heads.
    """
    if isinstance(input_data, bytes):
        input_data = input_data.decode("utf8")
    elif not isinstance(input_data, str):
        input_data = dumps(input_data)
    vocab = _xx_vocab() if model is None else _parser(model)[0]
    yield from convert_json(input_data, vocab)


def docs_to_json(
    docs: Doc | Iterable[Doc], doc_id: int = 0, ner_missing_tag: str = "O"
) -> dict[str, Any]:
    """Returns documents as the JSON that spaCy 2 trained with, each as a paragraph of one document.

    ner_missing_tag: the tag of tokens outside of entities.

    Raises ValueError (E030) for a document whose sentences are not set.
    """
    docs = [docs] if isinstance(docs, Doc) else list(docs)
    made: dict[str, Any] = docs_as_json(docs, doc_id, ner_missing_tag)
    for doc, paragraph in zip(docs, made["paragraphs"], strict=True):
        cats: Mapping[str, Any] = doc.cats
        paragraph["cats"] = [{"label": label, "value": value} for label, value in cats.items()]
        paragraph["entities"] = [tuple(entity) for entity in paragraph["entities"]]
        links: list[Any] = paragraph["links"]
        paragraph["links"] = [_with_offsets(link) for link in links if is_dict(link)]
    return made


def _with_offsets(link: dict[str, Any]) -> dict[tuple[int, ...], Any]:
    """Returns a link whose names "(start, end)" are tuples."""
    return {
        tuple(int(part) for part in name.strip("()").split(",")): value
        for name, value in link.items()
    }


def _xx_vocab() -> Vocab:
    return blank("xx").vocab


def _parser(model: str | Path) -> tuple[Vocab, Callable[[list[str]], list[bool]] | None]:
    """Returns the vocab of a pipeline, and what finds sentences of words by its parser."""
    nlp = load(model)
    if "parser" not in nlp.pipe_names:
        return nlp.vocab, None
    parser: Any = nlp.get_pipe("parser")

    def starts(words: list[str]) -> list[bool]:
        doc = parser(Doc(nlp.vocab, words=words))
        return [bool(token.is_sent_start) for token in doc]

    return nlp.vocab, starts


def _print(notes: Iterable[str], no_print: bool) -> None:
    for note in () if no_print else notes:
        print(escape_lines(note), file=sys.stderr)
