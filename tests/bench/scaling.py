"""Measures how streams, matchers and the Rust API scale, and shows what a model makes of it.

`make bench-scaling` builds what is needed and calls this (TEXT="a.txt b.txt", JSON=out.json).
Numbers of threads are 1, 2, 4 and so on up to the cores, which take turns in each repetition. Texts
are short, so that the costs of documents weigh most. "Known" means that all words were met and all
states of matchers made before; "new" begins with an empty vocab or a new matcher. Speed is the best
repetition on the wall clock; time of the processor and switches are those of the whole process,
median of the repetitions; a switch is voluntary if the thread waits for another.

What the model (`scaling_model.py`) needs is measured on one thread: the work on a document is that
of the Rust API, and the rest of the Python call is done by the calling thread alone.
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import figures
from bench import paragraphs
from figures import Row, Table
from matching import Terms
from rounding import short
from scaling_model import DocCosts, match_time, stream_time, tokenize_time
from short_texts import BATCHES, drained, short_texts

import lexpool
from lexpool.matcher import Matcher, PhraseMatcher

REPEATS = 21
# Passes before the first that counts. Each thread caches words for itself.
PASSES = 5
PATTERNS, PHRASES = 1_000, 10_000
MEGABYTES = 1
RUST = {
    "stream": "Rust, stream",
    "tokenize": "Rust, tokenize_all",
    "match": "Rust, find_all",
}
# Texts in a batch of the Rust program's stream.
RUST_BATCH = 1_000
# Nanoseconds of a transfer that the model is run with.
TRANSFERS = [50, 100, 200]
MODELLED = [1, 2, 4, 8, 16, 32, 64]


@dataclass
class Pass:
    """The cost of a pass over all texts: seconds, and voluntary switches of threads."""

    wall: float
    cpu: float
    switches: int
    # The seconds that the calling thread spends on results; known of the Rust API only.
    alone: float = 0.0


@dataclass
class Workload:
    """A pass over all texts on a number of threads."""

    key: str
    title: str
    run: Callable[[int], Pass]
    is_new: bool


def in_python(
    run: Callable[[Any, int], object], prepare: Callable[[], Any]
) -> Callable[[int], Pass]:
    """A pass in this process; `prepare` is not timed."""

    def timed(threads: int) -> Pass:
        prepared = prepare()
        switches = resource.getrusage(resource.RUSAGE_SELF).ru_nvcsw
        cpu, wall = process_time(), perf_counter()
        result = run(prepared, threads)
        wall, cpu = perf_counter() - wall, process_time() - cpu
        switches = resource.getrusage(resource.RUSAGE_SELF).ru_nvcsw - switches
        del result, prepared
        return Pass(wall, cpu, switches)

    return timed


class Rust:
    """The program `scaling`, which measures itself and answers over a pipe."""

    def __init__(self, program: Path, texts: list[str], patterns: list[Any], folder: Path) -> None:
        (folder / "texts").write_text("\0".join(texts), encoding="utf-8", newline="")
        (folder / "patterns").write_text("\n".join(map(json.dumps, patterns)), encoding="utf-8")
        command = [program, folder / "texts", folder / "patterns"]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        self.process = subprocess.Popen(command, **pipes)

    def ask(self, task: str, threads: int) -> Pass:
        before = self.switches()
        self.process.stdin.write(f"{task} {threads}\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().split()
        if len(answer) != 4:
            raise RuntimeError(f"the program `scaling` ended at the task {task!r}")
        wall, alone, cpu = map(float, answer[:3])
        return Pass(wall, cpu, max(self.switches() - before, 0), alone)

    def switches(self) -> int:
        """Voluntary switches of its threads so far; 0 where the system does not say."""
        found = 0
        for status in Path(f"/proc/{self.process.pid}/task").glob("*/status"):
            lines = status.read_text(encoding="ascii", errors="replace").splitlines()
            found += sum(int(line.split()[1]) for line in lines if line.startswith("voluntary"))
        return found

    def close(self) -> None:
        self.process.stdin.close()
        self.process.wait()


def workloads(texts: list[str], rust: Rust, patterns: list[Any], phrases: list[str]):
    """All workloads, with known and with new words."""
    nlp = lexpool.blank("en")
    docs = [nlp(text) for text in texts]

    def matcher() -> Matcher:
        made = Matcher(nlp.vocab)
        for number, pattern in enumerate(patterns):
            made.add(f"key{number}", [pattern])
        return made

    def phrase_matcher(nlp: Any) -> tuple[Any, PhraseMatcher]:
        made = PhraseMatcher(nlp.vocab)
        made.add_texts("key", phrases)
        return nlp, made

    def stream(batch: int):
        return lambda nlp, n: drained(nlp.pipe(texts, batch_size=batch, n_threads=n))

    def match_texts(given: Any, n: int) -> object:
        nlp, found = given
        return found.match_texts(texts, tokenizer=nlp.tokenizer, n_threads=n)

    new_nlp = lambda: lexpool.blank("en")
    known_matcher, known_phrases = matcher(), phrase_matcher(nlp)
    for batch in BATCHES:
        key, title = f"pipe-{batch}", f"nlp.pipe, batches of {batch:,}"
        yield Workload(key, title, in_python(stream(batch), lambda: nlp), False)
    search = lambda found, n: found.match_all(docs, n)
    yield Workload("match-all", "match_all", in_python(search, lambda: known_matcher), False)
    known = in_python(match_texts, lambda: known_phrases)
    yield Workload("match-texts", "match_texts", known, False)
    for task, title in RUST.items():
        yield Workload(f"rust-{task}", title, lambda n, task=task: rust.ask(task, n), False)
    for batch in BATCHES:
        key, title = f"pipe-{batch}-new", f"nlp.pipe, batches of {batch:,}, new"
        yield Workload(key, title, in_python(stream(batch), new_nlp), True)
    yield Workload("match-all-new", "match_all, new", in_python(search, matcher), True)
    new = in_python(match_texts, lambda: phrase_matcher(new_nlp()))
    yield Workload("match-texts-new", "match_texts, new", new, True)
    for task, title in RUST.items():
        run = lambda n, task=task: rust.ask(f"{task}-new", n)
        yield Workload(f"rust-{task}-new", f"{title}, new", run, True)


def counts_of(cores: int) -> list[int]:
    """Returns 1, 2, 4 and so on up to the number of cores, and that number."""
    powers = [1 << power for power in range(cores.bit_length())]
    return sorted({*powers, cores})


def measure(workload: Workload, counts: list[int]) -> dict[int, list[Pass]]:
    if not workload.is_new:
        for threads in counts * PASSES:
            workload.run(threads)
    passes: dict[int, list[Pass]] = {threads: [] for threads in counts}
    for _ in range(REPEATS):
        for threads, taken in passes.items():
            taken.append(workload.run(threads))
    return passes


def best(passes: list[Pass]) -> Pass:
    return min(passes, key=lambda one: one.wall)


def columns_of(counts: list[int]) -> dict[str, str]:
    return {str(n): f"{n} thread{'s' if n > 1 else ''}" for n in counts}


def measured(found: dict[str, dict[int, list[Pass]]], titles: dict[str, str], size: int):
    """Tables of speed, of gain over one thread, of time of the processor, and of switches."""
    counts = list(next(iter(found.values())))
    columns = columns_of(counts)
    tables = {
        "speed": Table("Short texts, by number of threads", "MB/s", "more", columns),
        "gain": Table("Speed over that of one thread", "x", "more", columns),
        "cpu": Table("Time of the processor, a byte", "ns", "less", columns),
        "switches": Table("Voluntary switches, a pass", "", "less", columns),
    }
    for key, passes in found.items():
        walls = {n: best(taken).wall for n, taken in passes.items()}
        values = {
            "speed": {n: size / 1e6 / wall for n, wall in walls.items()},
            "gain": {n: walls[1] / wall for n, wall in walls.items()},
            "cpu": {
                n: statistics.median(one.cpu for one in taken) / size * 1e9
                for n, taken in passes.items()
            },
            "switches": {
                n: statistics.median(one.switches for one in taken) for n, taken in passes.items()
            },
        }
        for name, by_threads in values.items():
            row = Row(titles[key], {str(n): value for n, value in by_threads.items()})
            tables[name].rows[key] = row
        shown = ", ".join(f"{n}: {short(value)} MB/s" for n, value in values["speed"].items())
        gained, switched = values["gain"][counts[-1]], values["switches"][counts[-1]]
        print(f"{titles[key]}: {shown}; {short(gained)}x, {switched:g} switches", flush=True)
    return tables


def doc_costs(found: dict[str, dict[int, list[Pass]]], docs: int) -> dict[str, DocCosts]:
    """Returns the nanoseconds of a document in each workload of the model."""
    one = {key: best(passes[1]) for key, passes in found.items()}
    each = {key: taken.wall / docs * 1e9 for key, taken in one.items()}
    costs = {}
    for key in (f"rust-{task}" for task in RUST):
        alone = one[key].alone / docs * 1e9
        costs[key] = DocCosts(each[key] - alone, alone, is_handed=key == "rust-stream")
    sources = {f"pipe-{batch}": "rust-stream" for batch in BATCHES} | {"match-all": "rust-match"}
    for key, source in sources.items():
        work = min(costs[source].work, each[key])
        costs[key] = DocCosts(work, each[key] - work, costs[source].is_handed)
    return costs


def modelled(costs: dict[str, DocCosts], titles: dict[str, str], docs: int, doc_bytes: float):
    """Tables of the model: its inputs, the gain over one thread, and how far the largest gain
    depends on the time of a transfer.
    """
    inputs = {"work": "on any thread", "alone": "by the caller", "most": "gain at most"}
    transfers = {str(time): f"{time} ns" for time in TRANSFERS}
    tables = {
        "inputs": Table("Nanoseconds of a document, one thread", "", "less", inputs),
        "model": Table("Model: speed over one thread's", "times", "more", columns_of(MODELLED)),
        "transfers": Table(
            f"Model: the same with {MODELLED[-1]} threads, by the time of a transfer",
            "times",
            "more",
            transfers,
        ),
    }
    for key, cost in costs.items():
        if key.startswith("pipe") or key == "rust-stream":
            batch = RUST_BATCH if key == "rust-stream" else int(key.split("-")[1])
            time = partial(stream_time, cost, docs, batch, doc_bytes)
        elif key == "rust-tokenize":
            time = partial(tokenize_time, cost, docs, doc_bytes)
        else:
            time = partial(match_time, cost, docs)
        told = {"work": cost.work, "alone": cost.alone}
        told |= {"most": cost.most} if cost.most < 1_000 else {}
        gains = {str(n): time(1) / time(n) for n in MODELLED}
        by_transfer = {str(one): time(1) / time(MODELLED[-1], one) for one in TRANSFERS}
        for name, values in (("inputs", told), ("model", gains), ("transfers", by_transfer)):
            tables[name].rows[key] = Row(titles[key], values)
        shown = ", ".join(f"{n}: {short(value)}" for n, value in gains.items())
        print(f"model, {titles[key]}: {cost.work:.0f} + {cost.alone:.0f} ns; {shown}", flush=True)
    return tables


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("texts", nargs="*", type=Path, help="UTF-8, a paragraph a line")
    parser.add_argument("--program", type=Path, required=True, help="the built example `scaling`")
    parser.add_argument("--json", type=Path, help="write the figures there")
    args = parser.parse_args()
    texts = short_texts(paragraphs(args.texts, MEGABYTES))
    size = sum(len(text.encode()) for text in texts)
    tokenizer = lexpool.blank("en").tokenizer
    terms = Terms([tokenizer(text) for text in texts])
    patterns = [terms.pattern() for _ in range(PATTERNS)]
    phrases = terms.phrases(PHRASES)
    with tempfile.TemporaryDirectory() as folder:
        rust = Rust(args.program.absolute(), texts, patterns, Path(folder))
        counts, found, titles = counts_of(os.cpu_count() or 1), {}, {}
        for workload in workloads(texts, rust, patterns, phrases):
            titles[workload.key] = workload.title
            found[workload.key] = measure(workload, counts)
        rust.close()
    tables = measured(found, titles, size)
    tables |= modelled(doc_costs(found, len(texts)), titles, len(texts), size / len(texts))
    if args.json:
        figures.write(args.json, tables, args.texts, taken={"docs": len(texts), "bytes": size})


if __name__ == "__main__":
    main()
