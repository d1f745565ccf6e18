"""Threads of lexpool's own are few, and no Python thread stands still because another one waits."""

import threading
from pathlib import Path

import numpy as np
import pytest
from processes import python

from lexpool.vectors import Vectors

STATUS = Path("/proc/self/status")


@pytest.mark.skipif(not STATUS.exists(), reason="this system does not tell the number of threads")
def test_threads_do_not_pile_up_with_the_numbers_that_are_asked_for():
    python(
        """
        import os, time, lexpool
        from pathlib import Path

        def threads():
            lines = Path("/proc/self/status").read_text().splitlines()
            return int(next(line for line in lines if line.startswith("Threads:")).split()[1])

        tokenizer = lexpool.Tokenizer.blank("en")
        before, cores = threads(), len(os.sched_getaffinity(0))
        bound = before + 2 * max(4 * cores, 8)
        for n_threads in [*range(2, 41), 1000, 70_000, 2**31, 2**40]:
            docs = tokenizer.pipe(["a b c"] * 3, n_threads=n_threads, batch_size=3)
            assert [len(doc) for doc in docs] == [3, 3, 3]
        # Threads of pools that were replaced end by themselves.
        deadline = time.monotonic() + 60
        while threads() > bound:
            assert time.monotonic() < deadline, (threads(), bound)
            time.sleep(0.01)
        """
    )


def test_other_threads_run_while_one_waits_for_a_search_to_end():
    vectors = Vectors(data=np.random.rand(100_000, 32).astype("f"), keys=range(1, 100_001))
    queries = np.random.rand(256, 32).astype("f")
    ticks, done = [0], threading.Event()

    def tick() -> None:
        while not done.is_set():
            ticks[0] += 1
            done.wait(0.0005)

    def search() -> None:
        started.set()
        vectors.most_similar(queries, n=3)

    ticker = threading.Thread(target=tick)
    ticker.start()
    waited = []
    try:
        # A search may have ended before the write began, which then shows nothing.
        for _ in range(20):
            started = threading.Event()
            searcher = threading.Thread(target=search)
            searcher.start()
            started.wait()
            before = ticks[0]
            vectors.add(5, vector=np.zeros(32, "f"))
            waited.append(ticks[0] - before)
            searcher.join()
            if waited[-1] > 5:
                return
    finally:
        done.set()
        ticker.join()
    pytest.fail(f"no other thread ran while one waited: {waited}")


def test_searches_that_follow_each_other_let_a_write_go_first():
    vectors = Vectors(data=np.random.rand(20_000, 100).astype("f"), keys=range(1, 20_001))
    queries = np.random.rand(64, 100).astype("f")
    begun, wrote, count, most = [0], threading.Event(), 8, 400

    def search() -> None:
        while not wrote.is_set() and begun[0] < most:
            begun[0] += 1
            vectors.most_similar(queries, n=3)

    threads = [threading.Thread(target=search) for _ in range(count)]
    for thread in threads:
        thread.start()
    while begun[0] < 2 * count:
        wrote.wait(0.001)
    before = begun[0]
    vectors.add(1, vector=np.zeros(100, "f"))
    waited = begun[0] - before
    wrote.set()
    for thread in threads:
        thread.join()
    # Threads that were about to begin may, and each may come once more while the write goes on.
    assert waited <= 3 * count, f"{waited} searches began while a write waited"


def test_an_op_on_all_cores_within_a_function_of_the_users_takes_up_no_other_work():
    python(
        """
        import sys, threading
        import numpy as np
        import lexpool
        from lexpool import ops

        query = np.random.rand(256).astype("f4")
        rows = np.random.rand(4096, 256).astype("f4")
        nlp = lexpool.blank("en")
        own, nested = threading.local(), []

        def match(text):
            if getattr(own, "inside", False):
                nested.append(text)
            own.inside = True
            ops.vectors.cosines(query, rows)
            own.inside = False

        nlp.tokenizer.token_match = match

        def run(number):
            for i in range(40):
                texts = [f"w{number}x{i}x{j}x{k}" for j in range(3) for k in range(2)]
                assert [doc.text for doc in nlp.tokenizer.pipe(texts)] == texts

        threads = [threading.Thread(target=run, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not nested
        """
    )


def test_an_object_that_runs_code_when_it_goes_is_let_go_of_without_a_lock():
    python(
        """
        import faulthandler
        import numpy as np
        import lexpool
        from lexpool.tokens import Span

        faulthandler.dump_traceback_later(60, exit=True)
        doc = lexpool.blank("en").make_doc("a b c")
        gone = []

        class Reads:
            def __init__(self, span):
                self.span = span

            def __del__(self):
                gone.append([type(self.span._vector), type(self.span._vector_norm)])

        def hook(span):
            span._vector_norm = Reads(span)
            span._vector = Reads(span)
            return np.ones(3, "f4")

        doc.user_span_hooks["vector"] = hook
        span = doc[0:2]
        assert abs(span.vector_norm - 3**0.5) < 1e-6
        span._vector = span._vector_norm = None
        assert len(gone) == 2, gone
        """
    )
