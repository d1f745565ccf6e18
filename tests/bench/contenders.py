"""The measured tokenizers: spaCy, spaCy with a larger cache, lexpool from Python and from Rust."""

import subprocess
import time
from collections.abc import Callable, Sized
from dataclasses import dataclass
from pathlib import Path

import spacy

import lexpool

Tokenize = Callable[[str], Sized]


@dataclass
class RunCost:
    """The processor time, wall-clock time and counts of a run."""

    cpu: float
    wall: float
    count: int


class Contender:
    """A tokenizer in this process; `fresh` makes one that has seen no word yet."""

    name: str

    def __init__(self, texts: list[str]) -> None:
        self.texts = texts
        self.known = self.fresh()
        count(self.known, texts)

    def fresh(self) -> Tokenize:
        raise NotImplementedError

    def warm(self) -> RunCost:
        """Texts whose words have all been seen."""
        return timed(lambda: count(self.known, self.texts))

    def cold(self) -> RunCost:
        """The same texts with an empty vocab and an empty cache."""
        fresh = self.fresh()
        return timed(lambda: count(fresh, self.texts))


# Passes over a stream before the one that counts. Each thread has a cache of its own, and gets
# other texts each time, so that it has seen nearly all words only after some passes.
PASSES = 5


def last_of(run: Callable[[], RunCost]) -> RunCost:
    """The cost of a stream whose words have been seen by all threads."""
    for _ in range(PASSES):
        run()
    return run()


class Spacy(Contender):
    name = "spaCy"

    def fresh(self) -> Tokenize:
        return spacy.blank("en").tokenizer

    def pipe(self, threads: int) -> RunCost | None:
        """Documents as a stream; spaCy's tokenizer has one thread."""
        if threads != 1:
            return None
        return timed(lambda: sum(map(len, self.known.pipe(self.texts))))


class SpacyUnbound(Spacy):
    """spaCy with the one line that lets its cache hold all chunks of a corpus."""

    name = "spaCy, cache unbound"

    def fresh(self) -> Tokenize:
        tokenizer = super().fresh()
        tokenizer.max_cache_size = 10**7
        return tokenizer


class Lexpool(Contender):
    name = "lexpool"

    def fresh(self) -> Tokenize:
        return lexpool.blank("en").tokenizer

    def pipe(self, threads: int) -> RunCost:
        def stream() -> RunCost:
            return timed(lambda: sum(map(len, self.known.pipe(self.texts, n_threads=threads))))

        return last_of(stream)


class Rust:
    """The program `lexpool-bench`, which measures itself and answers over a pipe."""

    name = "lexpool, Rust"

    def __init__(self, program: Path, texts: list[str], folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / "texts"
        path.write_text("\0".join(texts), encoding="utf-8", newline="")
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        self.process = subprocess.Popen([program, path], **pipes)
        self.warm()

    def ask(self, task: str) -> RunCost:
        self.process.stdin.write(task + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().split()
        if len(answer) != 3:
            raise RuntimeError(f"lexpool-bench ended at the task {task!r}")
        cpu, wall, counted = answer
        return RunCost(float(cpu), float(wall), int(counted))

    def warm(self) -> RunCost:
        return self.ask("warm")

    def cold(self) -> RunCost:
        return self.ask("cold")

    def pipe(self, threads: int) -> RunCost:
        return last_of(lambda: self.ask(f"threads {threads}"))

    def close(self) -> None:
        self.process.stdin.close()
        self.process.wait()


class Scan:
    """A lower bound: one pass over the bytes that counts spaces and allocates nothing."""

    name = "scan"

    def __init__(self, rust: Rust) -> None:
        self.rust = rust

    def warm(self) -> RunCost:
        return self.rust.ask("scan")

    cold = warm

    def pipe(self, threads: int) -> RunCost | None:
        return self.warm() if threads == 1 else None


def count(tokenize: Tokenize, texts: list[str]) -> int:
    return sum(len(tokenize(text)) for text in texts)


def timed(run: Callable[[], int]) -> RunCost:
    cpu, wall = time.process_time(), time.perf_counter()
    counted = run()
    return RunCost(time.process_time() - cpu, time.perf_counter() - wall, counted)
