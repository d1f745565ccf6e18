"""Measures lexpool beside spaCy, and beside a scan of the same bytes, in one run.

`make bench TEXT="a.txt b.txt" GOLD=treebank.conllu JSON=figures.json` builds what is needed and
calls this. Contenders take turns inside of each repetition, so that a busy machine slows all of
them; a ratio is the median over the repetitions of spaCy's time by the contender's. Rows "on the
clock" are for threads: they give the best repetition, for noise only ever adds to a clock.
"""

import argparse
import gc
import itertools
import os
import random
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import figures
from agreement import against_gold, agreement, read_conllu
from contenders import Lexpool, RunCost, Rust, Scan, Spacy, SpacyUnbound
from figures import Table
from rounding import share, short

import lexpool

SEED = 13
# The keys of contenders and tasks in the file of figures.
COLUMNS = {
    Spacy.name: "spacy",
    SpacyUnbound.name: "unbound",
    Lexpool.name: "lexpool",
    Rust.name: "rust",
}
COLUMNS |= {Scan.name: "scan"}


@dataclass
class Row:
    """A task and what it took each contender, repetition by repetition."""

    key: str
    title: str
    clock: str
    took: dict[str, list[RunCost]]

    def seconds(self, name: str) -> list[float]:
        return [getattr(took, self.clock) for took in self.took.get(name, [])]

    def typical(self, name: str) -> float:
        return (min if self.clock == "wall" else statistics.median)(self.seconds(name))

    def ratio(self, name: str) -> float:
        """The speed relative to spaCy's."""
        if self.clock == "wall":
            return self.typical(Spacy.name) / self.typical(name)
        pairs = zip(self.seconds(Spacy.name), self.seconds(name), strict=True)
        return statistics.median(theirs / own for theirs, own in pairs)

    def figures(self, n_bytes: int) -> figures.Row:
        """Speeds in MB/s, and how many times that is spaCy's."""
        speeds = {COLUMNS[name]: n_bytes / 1e6 / self.typical(name) for name in self.took}
        return figures.Row(
            self.title, speeds, {COLUMNS[name]: self.ratio(name) for name in self.took}
        )

    def raw(self) -> dict[str, Any]:
        """The seconds of each repetition."""
        return {"clock": self.clock} | {COLUMNS[name]: self.seconds(name) for name in self.took}


def measure(
    key: str,
    title: str,
    contenders: Iterable[Any],
    task: Callable[[Any], RunCost | None],
    repeats: int,
    clock: str = "cpu",
) -> Row:
    took: dict[str, list[RunCost]] = {}
    for _ in range(repeats):
        for contender in contenders:
            gc.collect()
            gc.disable()
            one = task(contender)
            gc.enable()
            if one is not None:
                took.setdefault(contender.name, []).append(one)
    print(".", end="", file=sys.stderr, flush=True)
    return Row(key, title, clock, took)


def rows(texts: list[str], program: Path, folder: Path, repeats: int) -> list[Row]:
    """All tasks, on the texts one by one and on the texts as one."""
    cores = os.cpu_count() or 1
    out = []
    rust = Rust(program, texts, folder / "many")
    pool = [Spacy(texts), SpacyUnbound(texts), Lexpool(texts), rust, Scan(rust)]
    out.append(measure("new-words", "new words", pool, lambda c: c.cold(), repeats))
    out.append(measure("known-words", "known words", pool, lambda c: c.warm(), repeats))
    streams = [contender for contender in pool if not isinstance(contender, SpacyUnbound)]
    one, every = "a stream, 1 thread, on the clock", f"a stream, {cores} threads, on the clock"
    row = measure("stream-one", one, streams, lambda c: c.pipe(1), repeats, "wall")
    more = measure("stream-all", every, streams, lambda c: c.pipe(cores), repeats, "wall")
    more.took[Spacy.name] = row.took[Spacy.name]
    out += [row, more]
    rust.close()
    whole = ["\n".join(texts)]
    rust = Rust(program, whole, folder / "one")
    pool = [Spacy(whole), SpacyUnbound(whole), Lexpool(whole), rust, Scan(rust)]
    out.append(
        measure("one-text", "all texts as one, known words", pool, lambda c: c.warm(), repeats)
    )
    rust.close()
    for row in out:
        counts = {took.count for name in (Lexpool.name, Rust.name) for took in row.took[name]}
        if len(counts) != 1:
            raise AssertionError(f"{row.title}: Python and Rust found different tokens: {counts}")
    return out


def table(all_rows: list[Row], n_bytes: int) -> str:
    """MB/s, and in brackets how many times as fast as spaCy."""
    names = list(dict.fromkeys(name for row in all_rows for name in row.took))
    lines = [["tokenize, MB/s", *names]]
    for row in all_rows:
        cells = [row.title]
        for name in names:
            if name not in row.took:
                cells.append("")
                continue
            speed = short(n_bytes / 1e6 / row.typical(name))
            cells.append(speed if name == Spacy.name else f"{speed} ({short(row.ratio(name))}x)")
        lines.append(cells)
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    lines.insert(1, ["-" * width for width in widths])
    for line in lines:
        line[:] = [cell.ljust(width) for cell, width in zip(line, widths, strict=True)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def paragraphs(paths: list[Path], megabytes: float) -> list[str]:
    """Paragraphs of the texts (non-empty lines) in a fixed random order, up to a size."""
    if paths:
        sources = [path.read_text(encoding="utf-8") for path in paths]
    else:
        # Prose that comes with every CPython; here a paragraph goes over several lines.
        from pydoc_data.topics import topics

        parts = itertools.chain(*(text.split("\n\n") for text in topics.values()))
        sources = [" ".join(part.split()) for part in parts]
    lines = [line for source in sources for line in source.split("\n") if line.strip()]
    random.Random(SEED).shuffle(lines)
    out, size = [], 0
    for line in lines:
        if size >= megabytes * 1e6:
            break
        out.append(line)
        size += len(line.encode())
    return out


def tables_of(measured: list[Row], n_bytes: int, cores: int) -> dict[str, Table]:
    """Speeds in CPU time; streams, which are on the clock; and what more threads make of a
    stream.
    """
    columns = {key: name for name, key in COLUMNS.items()}
    speed = Table("Tokenizing", "MB/s", "more", columns, baseline="spacy")
    of_streams = {key: name for key, name in columns.items() if key != "unbound"}
    title = "Streams of documents, on the clock, the best repetition"
    streams = Table(title, "MB/s", "more", of_streams, baseline="spacy")
    for row in measured:
        (streams if row.clock == "wall" else speed).rows[row.key] = row.figures(n_bytes)
    streams.rows["stream-one"].title = "1 thread"
    streams.rows["stream-all"].title = f"{cores} threads, spaCy with one"
    one, every = (streams.rows[key].values for key in ("stream-one", "stream-all"))
    ours = {key: columns[key] for key in ("lexpool", "rust")}
    gains = Table(f"{cores} threads beside one, over a stream", "x", "more", ours)
    gains.rows["stream"] = figures.Row("a stream", {key: every[key] / one[key] for key in ours})
    return {"speed": speed, "streams": streams, "stream-threads": gains}


def agreeing(agreed: dict[str, dict[str, float]]) -> Table:
    """The shares of spaCy's tokens that lexpool finds, by spaCy's and by its own rules."""
    table = Table("Tokens that are spaCy's", "%", "more", {"lexpool": "lexpool"})
    for (name, score), key in zip(agreed.items(), ("own", "spacy"), strict=True):
        table.rows[key] = figures.Row(f"{name} rules", {"lexpool": score["percent"]})
    return table


def finding(gold: dict[str, dict[str, dict[str, float]]]) -> Table:
    """F1 over the gold tokens of treebanks."""
    table = Table("F1 over gold tokens", "%", "more", {"spacy": "spaCy", "lexpool": "lexpool"})
    for name, scores in gold.items():
        tokens = scores[Lexpool.name]["tokens"]
        values = {COLUMNS[one]: score["f1"] for one, score in scores.items()}
        table.rows[Path(name).stem] = figures.Row(f"{name}, {tokens:,} tokens", values)
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("texts", nargs="*", type=Path, help="UTF-8, a paragraph a line")
    parser.add_argument("--program", type=Path, required=True, help="the built lexpool-bench")
    parser.add_argument("--gold", type=Path, nargs="*", default=[], help="treebanks in CoNLL-U")
    parser.add_argument("--json", type=Path, help="also write all figures to a file")
    parser.add_argument("--mb", type=float, default=4, help="how much text to take (default 4)")
    parser.add_argument("--repeats", type=int, default=5)
    args = parser.parse_args()

    here, texts = figures.head(args.texts), paragraphs(args.texts, args.mb)
    n_bytes = sum(len(text.encode()) for text in texts)
    with tempfile.TemporaryDirectory() as folder:
        measured = rows(texts, args.program.absolute(), Path(folder), args.repeats)
    print(file=sys.stderr)
    print("{cpu}, {cores} cores, load {load}; {date}".format(**here))
    print("Python {python}, spaCy {spacy}, lexpool {lexpool}".format(**here))
    print(f"{len(texts)} texts, {n_bytes / 1e6:.2f} MB; {args.repeats} repetitions\n")
    print(table(measured, n_bytes))

    theirs = Spacy([]).known
    rules = {"lexpool's own": Lexpool([]).known, "spaCy's": lexpool.Tokenizer.from_spacy(theirs)}
    agreed = {name: agreement(ours, theirs, texts) for name, ours in rules.items()}
    print()
    for name, score in agreed.items():
        part = share(score["percent"])
        print(f"with {name} rules lexpool has {part} % of spaCy's {score['tokens']:,} tokens")
    gold = {}
    for path in args.gold:
        sentences = list(read_conllu(path))
        pair = (Spacy([]), Lexpool([]))
        gold[path.name] = {one.name: against_gold(one.known, sentences) for one in pair}
        for name, score in gold[path.name].items():
            print(
                f"{path.name}: {name} {share(score['f1'])} % F1 on {score['tokens']:,} gold tokens"
            )
    if args.json:
        tables = tables_of(measured, n_bytes, here["cores"]) | {"agreement": agreeing(agreed)}
        tables |= {"gold": finding(gold)} if gold else {}
        tokens = agreed["spaCy's"]["tokens"]
        taken = {
            "paragraphs": len(texts),
            "bytes": n_bytes,
            "tokens": tokens,
            "repetitions": args.repeats,
        }
        raw = {row.key: row.raw() for row in measured}
        figures.write(args.json, tables, args.texts, taken=taken, raw=raw)


if __name__ == "__main__":
    main()
