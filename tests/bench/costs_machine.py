"""Costs of memory, threads and size, which `costs.py` measures."""

import hashlib
import subprocess
import sys
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from costs_documents import MODULES, Documents
from matching import Terms
from short_texts import BATCHES, drained, short_texts
from turns import Costs, Sides, Task, in_turns

# Characters of a long text and of a shorter one.
LARGE, SMALL = 62_000_000, 2_000_000
FEW_PATTERNS, MANY_PATTERNS = 10, 10_000
# Documents that spaCy searches with the many patterns.
SAMPLE = 30

# A process that keeps all documents, and prints by how many bytes its memory grew.
PROCESS = """
import gc, importlib, sys

def resident():
    gc.collect()
    with open("/proc/self/smaps_rollup") as lines:
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("Rss:"))

side, path, tokens = sys.argv[1:]
texts = open(path, encoding="utf-8").read().split("\\0")
if side == "bound":
    import numpy
    before = resident()
    kept = "".join(texts).encode(), numpy.ones(2 * int(tokens), dtype="uint64")
else:
    tokenizer = importlib.import_module(side).blank("en").tokenizer
    for text in texts[:50]:
        tokenizer(text)
    before = resident()
    kept = [tokenizer(text) for text in texts]
print(resident() - before)
"""


def memory_costs(costs: Costs, docs: Documents, folder: Path) -> None:
    """The memory of documents with the vocab that they fill. The bound is that of the texts in
    UTF-8 and a record of 16 bytes a token.
    """
    costs.table("memory", "Memory of documents and a new vocab", "bytes a token")
    path = folder / "texts"
    path.write_text("\0".join(docs.texts), encoding="utf-8", newline="")
    values = {}
    for side in ("spacy", "lexpool", "bound"):
        command = [sys.executable, "-c", PROCESS, side, str(path), str(docs.tokens)]
        told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        values[side] = int(told) / docs.tokens
    title = "paragraphs; bound: texts and records"
    costs.values("memory", "paragraphs", title, values, goal=10)


def thread_costs(costs: Costs, docs: Documents) -> None:
    """Two threads over one, on the wall clock. The bound is SHA-256, which shares nothing: what a
    second thread gives on this machine.
    """
    costs.table("threads", "Two threads over one", "x", "more")
    halves = [bytes(4_000_000)] * 2
    machine = gain({n: lambda n=n: run_apart(hashlib.sha256, halves, n) for n in (1, 2)})
    values = {
        side: gain({n: lambda n=n, nlp=nlp: tokenized_apart(nlp, docs.texts, n) for n in (1, 2)})
        for side, (nlp, _) in docs.sides.items()
    }
    title = "tokenizer(text); bound: SHA-256"
    costs.times("threads", "tokenizer", title, values | {"bound": machine}, 1.9)

    texts = short_texts(docs.texts)
    for batch in BATCHES:
        nlp = docs.our_nlp
        ours = gain(
            {
                n: lambda n=n, batch=batch: drained(nlp.pipe(texts, batch_size=batch, n_threads=n))
                for n in (1, 2)
            }
        )
        title = f"nlp.pipe, batches of {batch:,}; bound: SHA-256"
        values = {"lexpool": ours, "bound": machine}
        costs.times("threads", f"pipe-{batch}", title, values, 1.8)


def gain(runs: dict[int, Callable[[], object]]) -> float:
    """Returns how many times as fast two threads are as one."""
    sides = {str(threads): Task(lambda _, run=run: run()) for threads, run in runs.items()}
    one, two = in_turns(sides, 21, perf_counter).values()
    return min(one) / min(two)


def run_apart(work: Callable[[object], object], shares: list[object], threads: int) -> None:
    """All shares on one thread, or each on its own."""
    if threads == 1:
        for share in shares:
            work(share)
        return
    pool = [threading.Thread(target=work, args=(share,)) for share in shares]
    for thread in pool:
        thread.start()
    for thread in pool:
        thread.join()


def tokenized_apart(nlp, texts: list[str], threads: int) -> None:
    def work(share: list[str]) -> None:
        for text in share:
            nlp.tokenizer(text)

    run_apart(work, [texts[0::2], texts[1::2]], threads)


def growth_costs(costs: Costs, docs: Documents) -> None:
    """Ratios of the time of much to that of little. A bound adds to the latter what the
    additional memory or the additional matches take by themselves.
    """
    costs.table("growth", "The time of much over that of little", "x")
    length_growth(costs, docs)
    pattern_growth(costs, docs)


def length_growth(costs: Costs, docs: Documents) -> None:
    """One large text beside as many bytes in small ones; the bound writes records of 16 bytes a
    token to new memory.
    """
    tokenizer = docs.our_nlp.tokenizer
    text = "\n".join(docs.texts)
    large, small = ((text * (1 + size // len(text)))[:size] for size in (LARGE, SMALL))
    times = len(large) // len(small)
    words = [2 * int(len(one) * docs.tokens / len(text)) for one in (large, small)]
    sides: Sides = {
        "large": Task(lambda _: tokenizer(large)),
        "small": Task(lambda _: [len(tokenizer(small)) for _ in range(times)]),
        "large records": Task(lambda _: np.ones(words[0], dtype="uint64")),
        "small records": Task(
            lambda _: [np.ones(words[1], dtype="uint64").size for _ in range(times)]
        ),
    }
    taken = {side: min(seconds) for side, seconds in in_turns(sides, 3, perf_counter).items()}
    written = taken["large records"] - taken["small records"]
    values = {
        "lexpool": taken["large"] / taken["small"],
        "bound": 1 + written / taken["small"],
    }
    title = "one text, 62 MB over 2; bound: memory"
    costs.times("growth", "length", title, values, 1 / 0.9)


def pattern_growth(costs: Costs, docs: Documents) -> None:
    """Many token patterns beside few; the bound makes the list of the additional matches."""
    terms = Terms(docs.ours)
    sides: dict[str, Task] = {}
    for count in (FEW_PATTERNS, MANY_PATTERNS):
        patterns = [terms.pattern() for _ in range(count)]
        for side, (nlp, own) in docs.sides.items():
            matcher = MODULES[side].matcher.Matcher(nlp.vocab)
            for i, pattern in enumerate(patterns):
                matcher.add(f"key{i}", [pattern])
            some = own[:SAMPLE] if side == "spacy" else own
            sides[f"{side} {count}"] = Task(partial(search, matcher, some))
        found = [match for doc in docs.ours for match in matcher(doc)]
        sides[f"matches {count}"] = Task(partial(copied, found))
    taken = {side: min(seconds) for side, seconds in in_turns(sides, 3).items()}
    many, few = (
        {side: taken[f"{side} {count}"] for side in ("spacy", "lexpool", "matches")}
        for count in (MANY_PATTERNS, FEW_PATTERNS)
    )
    values = {side: many[side] / few[side] for side in ("spacy", "lexpool")}
    values["bound"] = 1 + (many["matches"] - few["matches"]) / few["lexpool"]
    title = "10,000 token patterns, 10; bound: matches"
    costs.times("growth", "patterns", title, values, 6)


def search(matcher: Any, docs: list[Any], _: object) -> None:
    for doc in docs:
        matcher(doc)


def copied(matches: list[tuple[int, int, int]], _: object) -> list[tuple[int, int, int]]:
    return [(key, start, end) for key, start, end in matches]
