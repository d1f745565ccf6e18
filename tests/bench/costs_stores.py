"""Costs of strings, vocabs, vectors and files, which `costs.py` measures."""

import os
import tempfile
import zlib
from array import array
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from costs_documents import MODULES, Documents
from short_texts import short_texts
from turns import Costs, Task, drop_each

STRINGS = 100_000
# Rows and columns of the table of vectors, and how many are looked up.
VECTORS, WIDTH, QUERIES = 100_000, 300, 100
# Short documents whose bytes are made and read.
FEW = 500


def strings_of(texts: list[str]) -> list[str]:
    """Different words of the texts in order, then pairs of words, then words with a number."""
    found: dict[str, None] = {}
    for text in texts:
        found.update(dict.fromkeys(text.split()))
    for text in texts:
        found.update(dict.fromkeys(map(" ".join, pairwise(text.split()))))
    words = list(found)
    while len(found) < STRINGS:
        found[f"{words[len(found) % len(words)]} {len(found)}"] = None
    return list(found)[:STRINGS]


def string_costs(costs: Costs, strings: list[str]) -> None:
    """Look-ups in loops of Python. The bound is the same loop over a dict or an array."""
    costs.table("strings", "Strings and lexemes, a look-up", "ns")

    def row(key: str, title: str, sides: dict[str, Task], goal: float) -> None:
        costs.time("strings", key, title, sides, len(strings), goal=goal)

    def add(store: Any) -> None:
        add = store.add
        for string in strings:
            add(string)

    def setdefault(store: dict[str, None]) -> None:
        setdefault = store.setdefault
        for string in strings:
            setdefault(string)

    sides = {side: Task(add, module.strings.StringStore) for side, module in MODULES.items()}
    row("add", "StringStore.add; bound: setdefault", sides | {"bound": Task(setdefault, dict)}, 3.5)

    stores: dict[str, Any] = {
        side: module.strings.StringStore(strings) for side, module in MODULES.items()
    }
    ids = [stores["lexpool"][string] for string in strings]
    sides = looking_up(stores, strings)
    # The id is computed, not looked up.
    sides |= looking_up({"bound": array("Q", ids)}, range(len(ids)))
    row("id", 'StringStore[str]; bound: array("Q")[i]', sides, 2)
    stores["bound"] = dict(zip(ids, strings))
    row("string", "StringStore[int]; bound: dict[int]", looking_up(stores, ids), 3)

    vocabs: dict[str, Any] = {side: module.blank("en").vocab for side, module in MODULES.items()}
    vocabs["bound"] = dict.fromkeys(strings)
    row("lexeme", "vocab[str], known; bound: dict[str]", looking_up(vocabs, strings), 4)


def looking_up(stores: dict[str, Any], keys: Sequence[Any]) -> dict[str, Task]:
    def run(store: Any) -> None:
        for key in keys:
            store[key]

    return {side: Task(lambda _, store=store: run(store)) for side, store in stores.items()}


def file_costs(costs: Costs, docs: Documents, strings: list[str], folder: Path) -> None:
    costs.table("files", "Files and bytes", "ms")
    docbin_costs(costs, docs)
    doc_bytes_costs(costs, docs)
    vocab_costs(costs, strings, folder)


def docbin_costs(costs: Costs, docs: Documents) -> None:
    """A DocBin with the default attributes. The bound of reading is `zlib.decompress`; that of the
    size is spaCy's content compressed by the highest level of zlib.
    """
    blobs = {}
    for side, (_, own) in docs.sides.items():
        docbin = MODULES[side].tokens.DocBin()
        for doc in own:
            docbin.add(doc)
        blobs[side] = docbin.to_bytes()

    def read(side: str) -> None:
        nlp, _ = docs.sides[side]
        docbin = MODULES[side].tokens.DocBin().from_bytes(blobs[side])
        for _ in docbin.get_docs(nlp.vocab):
            pass

    content = zlib.decompress(blobs["spacy"])
    sides = {side: Task(lambda _, side=side: read(side)) for side in blobs}
    sides["bound"] = Task(lambda _: zlib.decompress(blobs["spacy"], bufsize=len(content)))
    title = "DocBin, read; bound: zlib"
    costs.time("files", "docbin-read", title, sides, 1, scale=1e3, goal=4)
    blobs["bound"] = zlib.compress(content, 9)
    sizes = {side: len(blob) / docs.tokens for side, blob in blobs.items()}
    title = "DocBin, size; bound: zlib, level 9"
    costs.values("files", "docbin-size", title, sizes, unit="bytes a token", goal=1)


def doc_bytes_costs(costs: Costs, docs: Documents) -> None:
    """`to_bytes` and `from_bytes` of short documents. The bound copies the bytes twice."""
    texts = short_texts(docs.texts, FEW)
    short = {side: [nlp.tokenizer(text) for text in texts] for side, (nlp, _) in docs.sides.items()}

    def run(side: str) -> None:
        make, vocab = MODULES[side].tokens.Doc, docs.sides[side][0].vocab
        for doc in short[side]:
            make(vocab).from_bytes(doc.to_bytes())

    sides = {side: Task(lambda _, side=side: run(side)) for side in short}
    blobs = [doc.to_bytes() for doc in short["lexpool"]]
    sides["bound"] = Task(lambda _: drop_each(bytes(bytearray(blob)) for blob in blobs))
    title = "Doc, to and from bytes; bound: copies"
    costs.time("files", "doc-bytes", title, sides, len(blobs), scale=1e6, unit="µs", goal=60)


def vocab_costs(costs: Costs, strings: list[str], folder: Path) -> None:
    """A vocab of many words in a folder, in processor time. The bound writes the bytes of lexpool's
    files, each to a file that then gets the name; or reads them, and enters the strings in a dict.
    """
    vocabs = {}
    for side, module in MODULES.items():
        vocabs[side] = module.blank("en").vocab
        for string in strings:
            vocabs[side][string]
        vocabs[side].to_disk(folder / side)
    files = {
        path: path.read_bytes()
        for path in sorted((folder / "lexpool").rglob("*"))
        if path.is_file()
    }
    sides = {
        side: Task(lambda _, side=side: vocabs[side].to_disk(folder / side)) for side in vocabs
    }
    sides["bound"] = Task(lambda _: [written(path, content) for path, content in files.items()])
    title = "Vocab.to_disk; bound: writing the bytes"
    costs.time("files", "vocab-write", title, sides, 1, scale=1e3, goal=8, repeats=5)
    sides = {
        side: Task(lambda vocab, side=side: vocab.from_disk(folder / side), module.vocab.Vocab)
        for side, module in MODULES.items()
    }
    sides["bound"] = Task(lambda _: ([path.read_bytes() for path in files], dict.fromkeys(strings)))
    title = "Vocab.from_disk; bound: bytes and a dict"
    costs.time("files", "vocab-read", title, sides, 1, scale=1e3, goal=8, repeats=5)


def written(path: Path, content: bytes) -> None:
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
        file.write(content)
    os.replace(file.name, path)


def vector_costs(costs: Costs) -> None:
    """The ten nearest rows of many queries, on the wall clock. The bound is the product of matrices
    by the BLAS of NumPy, on all cores.
    """
    costs.table("vectors", f"Vectors.most_similar, {QUERIES} queries", "ms")
    rng = np.random.default_rng(13)
    rows = rng.standard_normal((VECTORS, WIDTH), dtype="float32")
    noise = rng.standard_normal((QUERIES, WIDTH), dtype="float32")
    queries = rows[rng.choice(VECTORS, QUERIES, replace=False)] + 0.3 * noise
    keys = np.arange(1, VECTORS + 1, dtype="uint64")
    sides = {}
    for side, module in MODULES.items():
        vectors = module.vectors.Vectors(data=rows, keys=keys)
        # The argument is scaled in place.
        sides[side] = Task(lambda batch, v=vectors: v.most_similar(batch, n=10), queries.copy)
    sides["bound"] = Task(lambda _: queries @ rows.T)
    title = f"{VECTORS:,} rows of {WIDTH}; bound: sgemm"
    costs.time(
        "vectors", "similar", title, sides, 1, scale=1e3, goal=5, repeats=3, clock=perf_counter
    )
