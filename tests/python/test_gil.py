"""Other Python threads run while a text is tokenized."""

import itertools
import threading
import time

import pytest

from lexpool import Tokenizer
from lexpool.corpus import Corpus

ATTEMPTS = 4


@pytest.fixture(scope="module")
def huge() -> str:
    return "The quick brown fox, which isn't lazy, jumps over 12 dogs. " * 1_000_000


def test_a_thread_counts_while_a_huge_text_is_tokenized(huge):
    tokenizer = Tokenizer.blank("en")
    seen = []
    for _ in range(ATTEMPTS):
        seen.append(widest_gap(lambda: tokenizer(huge)))
        if seen[-1] < 0.5:
            return
    pytest.fail(f"for {seen} of the time the other thread stood still")


def test_a_thread_counts_while_a_pipe_works(huge):
    tokenizer = Tokenizer.blank("en")
    texts = [huge[: len(huge) // 4]] * 4
    seen = []
    for _ in range(ATTEMPTS):
        seen.append(widest_gap(lambda: list(tokenizer.pipe(texts, n_threads=2))))
        if seen[-1] < 0.5:
            return
    pytest.fail(f"for {seen} of the time the other thread stood still")


def test_a_thread_counts_while_a_batch_of_a_corpus_is_judged(huge, tmp_path):
    path = tmp_path / "huge.corpus"
    Corpus.write(path, [Tokenizer.blank("en")(huge)])
    seen = []
    for _ in range(ATTEMPTS):
        corpus = Corpus.open(path)
        seen.append(widest_gap(lambda: corpus[0]))
        if seen[-1] < 0.5:
            return
    pytest.fail(f"for {seen} of the time the other thread stood still")


def test_the_measure_tells_a_held_gil_from_a_released_one():
    # All in C, without a moment for another thread.
    assert widest_gap(lambda: sorted(range(5_000_000), key=int.__neg__)) > 0.5


def widest_gap(work) -> float:
    """The longest time that another thread stood still, as a part of the time that `work` took."""
    stop, ticks = threading.Event(), []

    def count() -> None:
        while not stop.is_set():
            ticks.append(time.perf_counter())

    counter = threading.Thread(target=count)
    counter.start()
    while not ticks:
        pass
    start = time.perf_counter()
    work()
    end = time.perf_counter()
    stop.set()
    counter.join()
    during = [start, *(tick for tick in ticks if start < tick < end), end]
    return max(b - a for a, b in itertools.pairwise(during)) / (end - start)
