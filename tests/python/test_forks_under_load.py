"""Processes begin and end, one after another, while threads of their parent work with lexpool."""

import os

import pytest
from ledger import LONG
from processes import python

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")

FULL = 1000
CYCLES = dict.fromkeys(("fork", "forkserver", "spawn"), FULL)
if "LEXPOOL_FULL" not in os.environ:
    # Each spawned process starts an interpreter.
    CYCLES = {"fork": 30, "forkserver": 30, "spawn": 3}


@pytest.mark.parametrize("method", CYCLES)
def test_children_of_a_parent_whose_threads_work_all_end_with_the_right_results(method):
    told = python(
        """
        import itertools, multiprocessing, sys, threading, time, warnings
        from load_worker import check, matcher, nlp, phrases, text

        # Forking while threads run is what is tested here; a fork that gives up waiting is not.
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", category=DeprecationWarning)
        method, cycles = sys.argv[1], int(sys.argv[2])
        context = multiprocessing.get_context(method)
        if method == "forkserver":
            context.set_forkserver_preload(["load_worker"])
        is_over, failed, done = threading.Event(), [], itertools.count()
        numbers = itertools.count(10**9)

        def tokenize():
            nlp.make_doc(" ".join(f"w{next(numbers)}" for _ in range(50)))

        def match():
            docs = [nlp.make_doc(text(next(numbers))) for _ in range(10)]
            matcher.match_all(docs, n_threads=2)
            phrases.match_texts([doc.text for doc in docs], n_threads=2)

        def stream():
            list(nlp.pipe([text(next(numbers)) for _ in range(20)], batch_size=5, n_threads=2))

        def work(call):
            try:
                while not is_over.is_set():
                    call()
                    next(done)
                    # Words stay: not so many that the process grows, and forks take long.
                    time.sleep(0.002)
            except BaseException as error:
                failed.append(error)

        threads = [threading.Thread(target=work, args=(call,)) for call in (tokenize, match, stream)]
        for thread in threads:
            thread.start()
        try:
            for number in range(1, cycles + 1):
                child = context.Process(target=check, args=(number,))
                child.start()
                child.join(120)
                if child.exitcode != 0:
                    child.kill()
                    raise AssertionError(f"child {number} has ended with {child.exitcode}")
        finally:
            is_over.set()
            for thread in threads:
                thread.join()
        assert not failed, failed
        print(next(done))
        """,
        method,
        str(CYCLES[method]),
        timeout=120 + 5 * CYCLES[method],
    )
    assert int(told) >= CYCLES[method] // 3, "the threads have hardly worked"


def test_the_ledger_knows_how_many_processes_there_are():
    assert LONG["forks"].count == 3 * FULL
