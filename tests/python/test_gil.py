"""Other Python threads run while a text is tokenized."""

import itertools
import threading
import time

import pytest

from lexpool import Tokenizer
from lexpool.corpus import Corpus


@pytest.fixture(scope="module")
def huge() -> str:
    return "The quick brown fox, which isn't lazy, jumps over 12 dogs. " * 1_000_000


def test_a_thread_counts_while_a_huge_text_is_tokenized(huge):
    tokenizer = Tokenizer.blank("en")
    assert widest_gap(lambda: tokenizer(huge)) < 0.5


def test_a_thread_counts_while_a_pipe_works(huge):
    tokenizer = Tokenizer.blank("en")
    texts = [huge[: len(huge) // 4]] * 4
    assert widest_gap(lambda: list(tokenizer.pipe(texts, n_threads=2))) < 0.5


def test_a_thread_counts_while_a_batch_of_a_corpus_is_judged(huge, tmp_path):
    path = tmp_path / "huge.corpus"
    Corpus.write(path, [Tokenizer.blank("en")(huge)])
    corpus = Corpus.open(path)
    assert widest_gap(lambda: corpus[0]) < 0.5


def test_the_measure_tells_a_held_gil_from_a_released_one():
    # All in C, without a moment for another thread.
    assert widest_gap(lambda: sorted(range(5_000_000), key=int.__neg__)) > 0.5


def widest_gap(work) -> float:
    """The longest time that another thread stood still, as a part of the time that `work` took.

    Both are times of the processors that this process was given, which other processes do not
    lengthen.
    """
    stop, ticks = threading.Event(), []

    def count() -> None:
        while not stop.is_set():
            ticks.append(time.process_time() - time.thread_time())

    counter = threading.Thread(target=count)
    counter.start()
    while not ticks:
        pass
    # The time of the counter itself does not count.
    start = ticks[-1]
    work()
    stop.set()
    counter.join()
    during = [start, *(tick for tick in ticks if tick > start)]
    return max(b - a for a, b in itertools.pairwise(during)) / (during[-1] - start)
