"""Measures corpora beside spaCy's DocBin, for `files.py`: how soon, how large, how fast counted."""

import re
import statistics
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import pyarrow as pa
import spacy
from figures import Row, Table
from spacy.tokens import DocBin

from lexpool import blank
from lexpool.corpus import Corpus

TURNS = 9


def median_ms(task: Callable[[], Any], turns: int = TURNS) -> float:
    times = []
    for _ in range(turns):
        start = perf_counter()
        task()
        times.append(perf_counter() - start)
    return statistics.median(times) * 1e3


def count_docbin(data: bytes) -> dict[int, int]:
    """Counts as spaCy does with a DocBin: reads it, and counts document by document."""
    counts: dict[int, int] = {}
    for doc in DocBin().from_bytes(data).get_docs(spacy.blank("en").vocab):
        for value, count in doc.count_by(spacy.attrs.LOWER).items():
            counts[value] = counts.get(value, 0) + count
    return counts


def corpora(folder: Path, text: str) -> dict[str, float]:
    paragraphs = [part for part in re.split(r"\n+", text) if part.strip()]
    docs = list(blank("en").pipe(paragraphs))
    tokens, size = sum(map(len, docs)), sum(len(doc.text.encode()) for doc in docs)
    plain, packed = folder / "plain.corpus", folder / "packed.corpus"
    start = perf_counter()
    Corpus.write(plain, docs)
    figures = {"docs": len(docs), "tokens": tokens, "text_bytes": size}
    figures["write_s"] = perf_counter() - start
    Corpus.write(packed, docs, compressed=True)
    figures["bytes_a_token"] = (plain.stat().st_size - size) / tokens
    figures["packed_bytes"] = packed.stat().st_size
    print(
        f"corpus: {len(docs):,} documents, {tokens:,} tokens, {size / 1e6:.1f} MB of text: written in"
        f" {figures['write_s']:.2f} s, {figures['bytes_a_token']:.1f} bytes a token beyond the text"
    )
    figures["open_ms"] = median_ms(lambda: Corpus.open(plain), 201)
    corpus = Corpus.open(plain)
    start = perf_counter()
    counts = corpus.count_by("LOWER")
    figures["first_count_ms"] = (perf_counter() - start) * 1e3
    figures["count_ms"] = median_ms(lambda: corpus.count_by("LOWER"))
    # The column of what is counted, as it lies in the file: a number in each record.
    with pa.memory_map(str(plain)) as file:
        reader = pa.ipc.open_file(file)
        batches = [reader.get_batch(i).column("tokens") for i in range(reader.num_record_batches)]
        words = [np.frombuffer(batch.values.buffers()[1], np.uint32)[::4] for batch in batches]
        figures["numpy_sum_ms"] = median_ms(lambda: sum(int(part.sum()) for part in words))
    figures["full_ms"] = median_ms(lambda: Corpus.open(plain, verify="full"), 3)
    vocab = spacy.blank("en").vocab
    theirs = DocBin(docs=[as_spacy(doc, vocab) for doc in docs])
    data = theirs.to_bytes()
    figures["docbin_bytes"] = len(data)
    start = perf_counter()
    assert count_docbin(data) == counts
    figures["docbin_count_ms"] = (perf_counter() - start) * 1e3
    print(
        f"corpus: opened in {figures['open_ms']:.3f} ms, everything verified in"
        f" {figures['full_ms']:.0f} ms\n"
        f"corpus: LOWER counted in {figures['count_ms']:.1f} ms (the first time"
        f" {figures['first_count_ms']:.1f}): {figures['docbin_count_ms'] / figures['count_ms']:.0f}x"
        f" spaCy's DocBin, {figures['count_ms'] / figures['numpy_sum_ms']:.2f} times NumPy's sum of the"
        f" same column ({figures['numpy_sum_ms']:.1f} ms)\n"
        f"corpus: compressed {figures['packed_bytes'] / 1e6:.1f} MB, spaCy's DocBin"
        f" {figures['docbin_bytes'] / 1e6:.1f} MB"
    )
    return figures


def corpus_table(figures: dict[str, float]) -> Table:
    """The figures of `corpora` beside spaCy's DocBin, and NumPy's sum of the same column."""
    columns = {"spacy": "spaCy's DocBin", "numpy": "NumPy, a sum", "lexpool": "lexpool"}
    table = Table("A corpus in a file", "ms", "less", columns, baseline="spacy")
    table.rows["open"] = Row("to open it", {"lexpool": figures["open_ms"]})
    counts = {
        "spacy": figures["docbin_count_ms"],
        "numpy": figures["numpy_sum_ms"],
        "lexpool": figures["count_ms"],
    }
    table.rows["count"] = Row("to read it and count its words by LOWER", counts, beside(counts))
    table.rows["first-count"] = Row("the first count", {"lexpool": figures["first_count_ms"]})
    table.rows["verify"] = Row("to verify all of it", {"lexpool": figures["full_ms"]})
    table.rows["write"] = Row("to write it", {"lexpool": figures["write_s"] * 1e3})
    size = {"spacy": figures["docbin_bytes"] / 1e6, "lexpool": figures["packed_bytes"] / 1e6}
    table.rows["packed"] = Row("size, compressed", size, beside(size), unit="MB")
    each = {"lexpool": figures["bytes_a_token"]}
    table.rows["token"] = Row("size, mapped, beyond the text", each, unit="bytes a token")
    return table


def beside(values: dict[str, float]) -> dict[str, float]:
    """Returns how many times smaller each value is than spaCy's."""
    return {key: values["spacy"] / value for key, value in values.items()}


def as_spacy(doc: Any, vocab: Any) -> Any:
    words = [token.text for token in doc]
    return spacy.tokens.Doc(vocab, words=words, spaces=[bool(token.whitespace_) for token in doc])
