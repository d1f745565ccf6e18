"""Measures files that are mapped: how soon they open, and what memory they take of each process.
Rows of corpora, which have spaCy's DocBin beside them, are in `files_corpus.py`.

`make bench-files` builds what is needed and calls this (TEXT="a.txt b.txt", JSON=out.json). Times
are the median of many turns with the file in the page cache, each turn in an interpreter that has
imported lexpool. Memory is what Linux says in smaps_rollup: Private_Dirty is what a process alone
has and the system cannot drop; Private_Clean is what is of a file and at the moment in this process
only. The processes are ten, all alive while they are measured, beside ten with an empty vocab. The
words of the file are in the order of how often they occur, as `lexpool vocab build` has them.
"""

import argparse
import gc
import random
import statistics
import string
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from time import perf_counter

import figures as written
from figures import Row, Table
from files_corpus import corpora, corpus_table

from lexpool import Vocab, blank

PROCESSES = 10
TURNS = 201
LARGE, SMALL = 1_000_000, 10_000

# A process that opens the vocab, or has an empty one, and says what is its own: after opening,
# after looking words up, and after tokenizing a text.
PROCESS = """
import gc, sys
import lexpool

def private():
    gc.collect()
    with open("/proc/self/smaps_rollup") as lines:
        sizes = dict(line.split(":") for line in list(lines)[1:])
    kilobytes = [int(sizes[name].split()[0]) for name in ("Private_Dirty", "Private_Clean")]
    print(*kilobytes, flush=True)
    sys.stdin.readline()

path, text, lang = sys.argv[1:]
text = open(text, encoding="utf-8").read() if text else ""
vocab = lexpool.Vocab.open(path) if path else lexpool.Vocab()
private()
nlp = lexpool.blank(lang, vocab=vocab) if path else lexpool.blank(lang)
private()
doc = nlp(text)
private()
words = [token.lower_ for token in doc]
private()
"""
STAGES = ("opened", "with a tokenizer", "text tokenized", "words read in Python")


def words(count: int, text: str) -> list[str]:
    """Different words: those of the text, most frequent first, then random ones."""
    rng = random.Random(7)
    counts = Counter(token.text for token in blank("en")(text))
    known = dict.fromkeys(word for word, _ in counts.most_common())
    found = list(known)
    while len(found) < count:
        word = "".join(rng.choices(string.ascii_lowercase, k=rng.randint(4, 11)))
        word = word.capitalize() if rng.random() < 0.3 else word
        if word not in known:
            known[word] = None
            found.append(word)
    return found[:count]


def build(path: Path, chosen: list[str]) -> None:
    vocab = blank("en").vocab
    for word in chosen:
        _ = vocab[word]
    vocab.save(path)


def median_ms(task, turns: int = TURNS) -> float:
    times = []
    gc.disable()
    for _ in range(turns):
        start = perf_counter()
        result = task()
        times.append(perf_counter() - start)
        del result
    gc.enable()
    return statistics.median(times) * 1e3


def memories(path: str, text: str, lang: str = "en") -> list[list[tuple[int, int]]]:
    """Private_Dirty and Private_Clean in kB, by stage, of as many processes at once."""
    command = [sys.executable, "-c", PROCESS, path, text, lang]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    processes = [subprocess.Popen(command, **pipes) for _ in range(PROCESSES)]
    stages = []
    for _ in STAGES:
        lines = [process.stdout.readline().split() for process in processes]
        stages.append([(int(dirty), int(clean)) for dirty, clean in lines])
        for process in processes:
            process.stdin.write("\n")
            process.stdin.flush()
    for process in processes:
        process.wait()
    return stages


def vocabs(folder: Path, text: str) -> dict[str, float]:
    found = words(LARGE, text)
    large, small = folder / "large.vocab", folder / "small.vocab"
    start = perf_counter()
    build(large, found)
    print(f"vocab: {LARGE:,} words made and saved in {perf_counter() - start:.1f} s")
    build(small, found[:SMALL])
    figures = {"large_bytes": large.stat().st_size, "small_bytes": small.stat().st_size}
    sample = found[:: LARGE // 1000]

    def open_and_look(path: Path) -> Vocab:
        vocab = Vocab.open(path)
        assert sample[0] in vocab
        return vocab

    for name, path in (("large", large), ("small", small)):
        figures[f"{name}_open_ms"] = median_ms(lambda path=path: Vocab.open(path))
        figures[f"{name}_open_and_look_ms"] = median_ms(lambda path=path: open_and_look(path))
        print(
            f"vocab: {name}, {path.stat().st_size / 1e6:.1f} MB: opened in"
            f" {figures[f'{name}_open_ms']:.3f} ms, with a first look-up"
            f" {figures[f'{name}_open_and_look_ms']:.3f} ms"
        )
    figures["ratio"] = figures["large_open_ms"] / figures["small_open_ms"]
    figures["ratio_with_look"] = (
        figures["large_open_and_look_ms"] / figures["small_open_and_look_ms"]
    )
    print(f"vocab: ratio {figures['ratio']:.2f}, with a look-up {figures['ratio_with_look']:.2f}")
    start = perf_counter()
    Vocab.open(large, verify="full")
    figures["verify_full_s"] = perf_counter() - start
    print(f"vocab: large, everything verified in {figures['verify_full_s']:.2f} s")
    figures |= memory_of_vocabs(folder, large, text)
    return figures


def memory_of_vocabs(folder: Path, path: Path, text: str) -> dict[str, float]:
    if not Path("/proc/self/smaps_rollup").exists():
        print("vocab: no smaps_rollup on this system, memory is not measured")
        return {}
    (folder / "text.txt").write_text(text, encoding="utf-8")
    figures: dict[str, float] = {}
    empty, mapped = (memories(p, str(folder / "text.txt")) for p in ("", str(path)))
    for stage, before, after in zip(STAGES, empty, mapped):
        own = [max(dirty for dirty, _ in side) for side in (before, after)]
        both = [max(dirty + clean for dirty, clean in side) for side in (before, after)]
        name = stage.replace(" ", "_")
        figures[f"{name}_dirty_kb_more"] = own[1] - own[0]
        figures[f"{name}_private_kb_more"] = both[1] - both[0]
        print(
            f"vocab: {PROCESSES} processes, {stage}: Private_Dirty {own[1] / 1e3:.1f} MB, an empty"
            f" vocab's {own[0] / 1e3:.1f} MB, more by {(own[1] - own[0]) / 1e3:.2f} MB; with"
            f" Private_Clean more by {(both[1] - both[0]) / 1e3:.2f} MB"
        )
    return figures


def vocab_tables(figures: dict[str, float]) -> dict[str, Table]:
    columns = {"large": f"{LARGE:,} words", "small": f"{SMALL:,} words"}
    table = Table("A vocab in a file", "ms", "less", columns)
    for key, title in (("open", "to open it"), ("open_and_look", "and to look a word up")):
        values = {side: figures[f"{side}_{key}_ms"] for side in columns}
        table.rows[key.replace("_", "-")] = Row(title, values)
    sizes = {side: figures[f"{side}_bytes"] / 1e6 for side in columns}
    table.rows["size"] = Row("size of the file", sizes, unit="MB")
    table.rows["verify"] = Row("to verify all of it", {"large": figures["verify_full_s"] * 1e3})
    columns = {
        "dirty": "written by the process",
        "private": "and of the file, in this process only",
    }
    memory = Table(
        f"Memory a process more than with an empty vocab, of {PROCESSES} processes",
        "MB",
        "less",
        columns,
    )
    for stage in STAGES:
        name = stage.replace(" ", "_")
        if f"{name}_dirty_kb_more" in figures:
            values = {side: figures[f"{name}_{side}_kb_more"] / 1e3 for side in columns}
            memory.rows[name.replace("_", "-").lower()] = Row(stage, values)
    return {"vocab": table} | ({"memory": memory} if memory.rows else {})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("texts", nargs="*", type=Path, help="files; made-up text without any")
    parser.add_argument("--json", type=Path, help="write the figures there")
    args = parser.parse_args()
    text = "\n\n".join(path.read_text(encoding="utf-8") for path in args.texts)
    if not text:
        rng = random.Random(3)
        known = words(5_000, "")
        text = " ".join(rng.choice(known) for _ in range(100_000))
    with tempfile.TemporaryDirectory() as folder:
        figures = {"corpus": corpora(Path(folder), text)}
        figures["vocab"] = vocabs(Path(folder), text[:1_000_000])
    if args.json:
        tables = {"corpus": corpus_table(figures["corpus"])} | vocab_tables(figures["vocab"])
        taken = {name: figures["corpus"][name] for name in ("docs", "tokens", "text_bytes")}
        written.write(args.json, tables, args.texts, taken=taken, raw=figures)


if __name__ == "__main__":
    main()
