"""Measures what native code gets of a document: a walk over its records, and what it costs to get
there.

`make bench-interop` builds what is needed and calls this (JSON=out.json). Two things that are
compared take turns, and each figure is the best of all turns, for a busy machine only ever adds. A
figure beyond what is allowed is marked; nothing fails.
"""

import argparse
import gc
import statistics
import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter, process_time

import figures
import numpy as np
import spacy
from bench import paragraphs
from figures import Table

import lexpool

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests" / "interop"))

from rust_crate import rust_kernels

from conftest import Toolchain

# Turns are short, so that a busy machine lets some of them through undisturbed.
TURNS = 60
# Tokens that each turn visits, independent of the document's length.
WALKED = 4_000_000
LENGTHS = (30, 120_000)


COLUMNS = {"short": LENGTHS[0], "long": LENGTHS[1]}
# The walks of which more is better.
GAINS = {"threads", "threads-apart", "beside-spacy"}


@dataclass
class Row:
    key: str
    title: str
    unit: str
    figures: list[float]
    # The most, or with `least` the least, that is allowed.
    allowed: float | None = None
    least: bool = False

    def cells(self) -> list[str]:
        cells = []
        for figure in self.figures:
            beyond = self.allowed is not None and (
                figure < self.allowed if self.least else figure > self.allowed
            )
            cells.append(f"{figure:.3g}{self.unit}{' !' if beyond else ''}")
        sign = "at least" if self.least else "at most"
        bound = f"{sign} {self.allowed:g}{self.unit}" if self.allowed is not None else ""
        return [self.title, *cells, bound]

    def told(self) -> figures.Row:
        row = figures.Row(self.title, dict(zip(COLUMNS, self.figures, strict=True)))
        if self.allowed is not None:
            row.least, row.most = (self.allowed, None) if self.least else (None, self.allowed)
        return row


def seconds(task: Callable[[], object], clock: Callable[[], float]) -> float:
    start = clock()
    task()
    return clock() - start


def in_turns(
    *tasks: Callable[[], object], clock: Callable[[], float] = process_time, turns: int = TURNS
) -> list[float]:
    """The shortest time of each task, in seconds of the processor's or of a clock."""
    taken = [[seconds(task, clock) for task in tasks] for _ in range(turns)]
    return [min(column) for column in zip(*taken, strict=True)]


def per_call(task: Callable[[], object], calls: int) -> float:
    """Nanoseconds that a call takes, the loop around it not counted."""

    def many(of: Callable[[], object]) -> Callable[[], None]:
        def run() -> None:
            for _ in range(calls):
                of()

        return run

    with_it, without = in_turns(many(task), many(lambda: None), turns=15)
    return (with_it - without) / calls * 1e9


def documents(length: int) -> tuple[lexpool.Doc, "spacy.tokens.Doc"]:
    """The same tokens as a document of lexpool's and one of spaCy's."""
    text = "\n".join(paragraphs([], 1.0))
    tokenizer = lexpool.blank("en").tokenizer
    text *= 1 + length // len(tokenizer(text))
    own = tokenizer(text)[:length].as_doc()
    assert len(own) == length
    words, spaces = [token.text for token in own], [bool(token.whitespace_) for token in own]
    return own, spacy.tokens.Doc(spacy.blank("en").vocab, words=words, spaces=spaces)


def walking(toolchain: Toolchain, docs: list[tuple]) -> list[Row]:
    """Walks over records beside walks over a copy of them that lies in memory of the system's."""
    flags = ("-O3",)
    folder = Path(__file__).parent
    own = toolchain.module("walks", folder=folder, flags=flags)
    theirs = toolchain.module(
        "walks_spacy", language="c++", folder=folder, flags=flags, include=(np.get_include(),)
    )
    rust = rust_kernels("release")
    titles = {
        "cython": "doc.c in Cython / a copy",
        "rust": "doc.c in Rust / a copy",
        "threads": "2 threads / 1 thread, without the GIL",
        "threads-apart": "2 threads / 1 thread, each over a copy of its own",
        "as-spacy": "doc.c.as_spacy() / spaCy's doc.c",
        "beside-spacy": "spaCy's doc.c / doc.c",
    }
    columns = []
    for doc, of_spacy in docs:
        rounds = WALKED // len(doc)
        handle, exported = doc.c, doc.c.as_spacy()
        copy = np.array(np.asarray(handle))
        assert own.walk(handle, 3) == own.walk(copy, 3) == theirs.walk(of_spacy, 3)
        lent, copied, in_spacy, in_export = in_turns(
            lambda: own.walk(handle, rounds),
            lambda: own.walk(copy, rounds),
            lambda: theirs.walk(of_spacy, rounds // 4),
            lambda: theirs.walk_address(exported.address, len(exported), rounds // 4),
        )
        in_rust = [rust.walks(handle, rounds) for _ in range(TURNS // 10)]
        lent_to_rust, copied_by_rust = (min(column) for column in zip(*in_rust, strict=True))
        with ThreadPoolExecutor(2) as pool:
            # Two threads with separate memory show how much of this machine two threads can use.
            one, two, apart = in_turns(
                lambda: list(pool.map(own.walk, [handle], [2 * rounds])),
                lambda: list(pool.map(own.walk, [handle] * 2, [2 * rounds] * 2)),
                lambda: list(pool.map(own.walk, [copy, copy.copy()], [2 * rounds] * 2)),
                clock=perf_counter,
            )
        columns.append(
            [
                lent / copied,
                lent_to_rust / copied_by_rust,
                2 * one / two,
                2 * one / apart,
                in_export / in_spacy,
                4 * in_spacy / lent,
            ]
        )
    bounds = [(1.05, False), (1.05, False), (1.9, True), *[(None, False)] * 3]
    return [
        Row(key, title, "x", list(found), allowed, least)
        for (key, title), found, (allowed, least) in zip(
            titles.items(), zip(*columns, strict=True), bounds, strict=True
        )
    ]


def exporting(doc: lexpool.Doc) -> tuple[float, float, float, float]:
    """Nanoseconds a token: for `as_spacy` of new documents, one after another and once more of the
    same; where all exports are kept, in memory that is new to the process; and for writing bytes
    into as much new memory, which is the system's part in it.
    """
    calls = 2000 if len(doc) < 1000 else 8
    new, kept, plain = [], [], []
    for _ in range(5):
        fresh = [doc[:].as_doc() for _ in range(2 * calls)]
        exports = [None] * calls
        gc.collect()
        start = process_time()
        for one in fresh[:calls]:
            one.c.as_spacy()
        new.append(process_time() - start)
        start = process_time()
        for i, one in enumerate(fresh[calls:]):
            exports[i] = one.c.as_spacy()
        kept.append(process_time() - start)
        size = exports[0].nbytes + 10 * exports[0].itemsize  # and the padding
        start = process_time()
        for i in range(calls):
            # A `bytes` of its own length, which are written once.
            exports[i] = (exports[i], b"\x01" * size)
        plain.append(process_time() - start)
        del fresh, exports, one
    again = per_call(lambda: doc.c.as_spacy(), calls) / len(doc)
    each = [statistics.median(times) / calls * 1e9 / len(doc) for times in (new, kept, plain)]
    return each[0], again, each[1], each[2]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--json", type=Path, help="write the figures there")
    args = parser.parse_args()
    docs = [documents(length) for length in LENGTHS]
    with tempfile.TemporaryDirectory() as folder:
        walks = walking(Toolchain(Path(folder)), docs)
    for doc, _ in docs:
        assert np.asarray(doc.c).__array_interface__["data"][0] == doc.c.address
    made = [per_call(lambda doc=doc: doc.c, 200_000) for doc, _ in docs]
    costs = [Row("handle", "to make a handle, doc.c", " ns", made, 60)]
    new, again, kept, plain = zip(*(exporting(doc) for doc, _ in docs), strict=True)
    costs.append(Row("new", "as_spacy, a token, new documents", " ns", list(new), 40))
    costs.append(Row("again", "as_spacy, a token, once more", " ns", list(again), 40))
    costs.append(Row("kept", "as_spacy, a token, all of them kept", " ns", list(kept)))
    costs.append(Row("memory", "bytes in as much new memory, a token", " ns", list(plain)))
    lines = [["", *(f"{length:,} tokens" for length in LENGTHS), "allowed"]]
    lines += [row.cells() for row in walks + costs]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    lines.insert(1, ["-" * width for width in widths])
    for line in lines:
        cells = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        print(f"| {' | '.join(cells)} |")
    if args.json:
        lengths = {key: f"{length:,} tokens" for key, length in COLUMNS.items()}
        tables = {
            "walks": Table("Walks over records, times as long", "x", "less", lengths),
            "gains": Table("Walks over records, times as fast", "x", "more", lengths),
            "handles": Table("What it costs to get there", "ns", "less", lengths),
        }
        for row in walks:
            tables["gains" if row.key in GAINS else "walks"].rows[row.key] = row.told()
        tables["handles"].rows = {row.key: row.told() for row in costs}
        figures.write(args.json, tables, ())


if __name__ == "__main__":
    main()
