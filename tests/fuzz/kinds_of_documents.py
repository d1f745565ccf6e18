"""Kinds of files: documents, alone and many, in lexpool's forms, spaCy's and those of others."""

import functools
import json
from pathlib import Path
from typing import Any

import checksums
from file_kinds import (
    TEXTS,
    Sample,
    command,
    documents,
    files,
    hash_of,
    kind,
    only,
    parsed,
    read,
    seeds,
    text,
    written,
)

import lexpool
from lexpool.corpus import Corpus
from lexpool.msgpack import packb, unpackb
from lexpool.tokens import Doc, DocBin, SpanGroup
from lexpool.training import Example, read_conllu, write_conllu
from lexpool.training.converters import conll_ner_to_docs, conllu_to_docs, iob_to_docs, json_to_docs


@kind(
    "corpus", files("v1-plain.corpus", "v1-annotated.corpus", "v1-packed.corpus"), checksums.corpus
)
def _corpus(place: Path) -> None:
    path = only(place)
    corpus = Corpus.open(path, verify=["header", "full"][hash_of(path, 2)])
    for doc in corpus:
        read(doc)
    corpus.count_by("LOWER")
    _ = (corpus.column_names, corpus.lang, len(corpus[1:]))
    corpus[:1].save(place / "first.corpus", compressed=True)
    Corpus.merge([corpus, corpus], place / "merged.corpus")
    import pyarrow

    pyarrow.table(corpus.tokens(["LOWER_"]))
    pyarrow.table(corpus.columns())


def doc_bins() -> list[Sample]:
    bins = [
        DocBin(docs=documents(), store_user_data=True),
        DocBin(attrs=["TAG"], docs=documents()[:1]),
    ]
    return [*files("docs.spacy")(), *(written(one.to_disk, "docs.spacy") for one in bins)]


@kind("docbin", doc_bins, checksums.deflated_message)
def _docbin(place: Path) -> None:
    opened = DocBin().from_disk(only(place))
    docs = list(opened.get_docs(lexpool.Vocab()))
    for doc in docs:
        read(doc)
    opened.merge(DocBin(attrs=opened.attrs))
    DocBin().from_bytes(opened.to_bytes())
    DocBin(docs=docs).to_bytes()


def doc_bytes() -> list[Sample]:
    return [*files("sentence.doc")(), *({"doc": doc.to_bytes()} for doc in documents())]


@kind("doc", doc_bytes, checksums.message)
def _doc(place: Path) -> None:
    doc = Doc(lexpool.Vocab()).from_disk(only(place))
    read(doc)
    Doc(doc.vocab).from_bytes(doc.to_bytes())
    doc.copy()
    if len(doc) > 2 and doc[0].idx < doc[1].idx:
        Example(doc, doc)
        with doc.retokenize() as retokenizer:
            retokenizer.merge(doc[0:2])


@kind("span-group", lambda: [{"group": documents()[0].spans["sc"].to_bytes()}])
def _span_group(place: Path) -> None:
    content = only(place).read_bytes()
    group = SpanGroup(documents()[0]).from_bytes(content)
    _ = [(span.text, span.label_, span.id_) for span in group]
    group.to_bytes()


@kind("span-groups", lambda: [{"groups": documents()[0].spans.to_bytes()}])
def _span_groups(place: Path) -> None:
    doc = documents()[0].copy()
    doc.spans.from_bytes(only(place).read_bytes())
    read(doc)
    doc.spans.to_bytes()


def treebanks() -> list[Sample]:
    save = lambda path: write_conllu(path, parsed())
    (many,) = seeds("conllu", "a.conllu", "many", skip=1)
    # Words that do not join to their text are refused.
    rows = [row for row in many["a.conllu"].split(b"\n") if not row.startswith(b"# text")]
    return [{"a.conllu": b"\n".join(rows)}, written(save, "a.conllu")]


@kind("conllu", treebanks)
def _conllu(place: Path) -> None:
    path = only(place)
    for doc in read_conllu(path, lexpool.Vocab()):
        read(doc)
    list(
        conllu_to_docs(
            text(place), n_sents=2, append_morphology=True, merge_subtokens=True, no_print=True
        )
    )
    command("corpus", "convert", path, "-o", place / "again.corpus")


@kind("iob", lambda: seeds("converters", "a.iob", "iob", skip=1))
def _iob(place: Path) -> None:
    for doc in iob_to_docs(text(place), n_sents=2, no_print=True):
        read(doc)


@kind("columns", lambda: seeds("converters", "a.iob", "columns", skip=1))
def _columns(place: Path) -> None:
    for doc in conll_ner_to_docs(text(place), n_sents=2, seg_sents=True, no_print=True):
        read(doc)


@kind("training-json", lambda: seeds("converters", "a.json", "json", skip=1))
def _training_json(place: Path) -> None:
    for doc in json_to_docs(text(place)):
        read(doc)


@kind("doc-json", lambda: [{"a.json": json.dumps(doc.to_json()).encode()} for doc in documents()])
def _doc_json(place: Path) -> None:
    try:
        value = json.loads(text(place))
    except (ValueError, RecursionError):
        return
    read(Doc(lexpool.Vocab()).from_json(value, validate=hash_of(only(place), 2) == 0))


@kind("json-lines", lambda: seeds("json_lines", "a.jsonl", "doc", skip=1))
def _json_lines(place: Path) -> None:
    convert(only(place))


def convert(path: Path, *options: str) -> None:
    """Makes a corpus of a file."""
    corpus = path.parent / "made.corpus"
    command("corpus", "convert", path, "-o", corpus, *options)
    for doc in Corpus.open(corpus):
        read(doc)


def parquet_files() -> list[Sample]:
    import pyarrow
    import pyarrow.parquet

    def of_lexpool(path: Path) -> None:
        Corpus.write(path.parent / "a.corpus", documents())
        command("corpus", "convert", path.parent / "a.corpus", "-o", path)
        (path.parent / "a.corpus").unlink()

    texts = pyarrow.table({"text": TEXTS * 3, "n": [*range(12)]})
    options: list[dict[str, Any]] = [
        {}, {"compression": "zstd", "use_dictionary": False}, {"data_page_version": "2.0", "compression": "gzip"},
    ]  # fmt: skip
    writers = [functools.partial(pyarrow.parquet.write_table, texts, **each) for each in options]
    return [written(save, "a.parquet") for save in [of_lexpool, *writers]]


@kind("parquet", parquet_files)
def _parquet(place: Path) -> None:
    convert(only(place), "--field", "text")


@kind(
    "message",
    lambda: [{"value": packb({"a": [1, -2.5, None, True, "x"], "b": b"y", "c": {"d": [[]]}})}],
)
def _message(place: Path) -> None:
    packb(unpackb(only(place).read_bytes()))
