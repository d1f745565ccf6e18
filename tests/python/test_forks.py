"""A process forked from one that has used lexpool uses it too, whatever the parent was doing."""

import os
import textwrap

import pytest
from processes import python

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")

CYCLES = 50

# Each child works with all of lexpool and ends, or an alarm ends it.
PARENT = """
    import faulthandler, itertools, os, signal, sys, threading, warnings
    import lexpool

    # Forking while threads run is what is tested here.
    warnings.simplefilter("ignore", DeprecationWarning)
    tokenizer = lexpool.Tokenizer.blank("en")

    def in_a_child(number):
        pid = os.fork()
        if pid == 0:
            signal.alarm(12)
            faulthandler.dump_traceback_later(10)
            doc = tokenizer(f"a word{number} that nobody's seen")
            tokens = ["a", f"word{number}", "that", "nobody", "'s", "seen"]
            assert [token.text for token in doc] == tokens
            texts = [f"text {i} with word{number}x{i}" for i in range(500)]
            for n_threads in (1, 2, 0):
                docs = tokenizer.pipe(texts, batch_size=50, n_threads=n_threads)
                assert [doc.text for doc in docs] == texts
            os._exit(0)
        _, status = os.waitpid(pid, 0)
        assert status == 0, (number, status)

    def stream():
        return (f"text {i} with word{i} " * 20 for i in itertools.count())
"""


def forking(code: str) -> None:
    python(textwrap.dedent(PARENT) + textwrap.dedent(code), str(CYCLES))


def test_a_child_works_after_its_parent_has_used_the_pool():
    forking(
        """
        assert len(list(itertools.islice(tokenizer.pipe(stream(), n_threads=2), 3000))) == 3000
        for i in range(int(sys.argv[1])):
            in_a_child(i)
        assert len(list(itertools.islice(tokenizer.pipe(stream(), n_threads=2), 3000))) == 3000
        """
    )


def test_a_child_works_while_its_parents_pipe_is_at_work():
    forking(
        """
        pipe = tokenizer.pipe(stream(), batch_size=500, n_threads=2)
        for i in range(int(sys.argv[1])):
            assert next(pipe).text.startswith(f"text {300 * i} ")
            in_a_child(i)
            for _ in range(299):
                next(pipe)
        """
    )


def test_a_child_works_while_its_parents_threads_tokenize():
    forking(
        """
        go_on = True
        def work(k):
            for i in itertools.count():
                if not go_on:
                    return
                tokenizer(" ".join(f"w{k}x{i}x{j}" for j in range(300)))
        threads = [threading.Thread(target=work, args=(k,)) for k in range(3)]
        for thread in threads:
            thread.start()
        try:
            for i in range(int(sys.argv[1])):
                in_a_child(i)
        finally:
            go_on = False
        """
    )


def test_a_child_works_while_its_parents_threads_read_pipes():
    forking(
        """
        go_on = True
        def work(n_threads):
            for doc in tokenizer.pipe(stream(), batch_size=100, n_threads=n_threads):
                if not go_on:
                    return
        threads = [threading.Thread(target=work, args=(n,)) for n in (1, 2, 2)]
        for thread in threads:
            thread.start()
        try:
            for i in range(int(sys.argv[1])):
                in_a_child(i)
        finally:
            go_on = False
        """
    )


def test_a_child_works_while_getters_run_in_worker_threads():
    forking(
        """
        vocab = lexpool.Vocab({"LOWER": lambda word: word.lower()})
        pipe = lexpool.Tokenizer(vocab).pipe((f"W{i} " * 50 for i in itertools.count()), n_threads=2)
        for i in range(int(sys.argv[1])):
            next(pipe)
            in_a_child(i)
        """
    )


def test_a_pipe_begun_before_a_fork_does_not_hang_the_child():
    forking(
        """
        pipe = tokenizer.pipe(stream(), batch_size=100, n_threads=2)
        next(pipe)
        pid = os.fork()
        if pid == 0:
            signal.alarm(12)
            try:
                # Its workers are the parent's: it goes on or says so.
                for _ in range(300):
                    next(pipe)
            except RuntimeError:
                pass
            del pipe
            assert len(list(tokenizer.pipe(["a"] * 100, n_threads=2))) == 100
            os._exit(0)
        _, status = os.waitpid(pid, 0)
        assert status == 0, status
        """
    )


@pytest.mark.parametrize("method", ["fork", "forkserver", "spawn"])
def test_workers_of_multiprocessing_tokenize(method):
    python(
        """
        import multiprocessing, sys, warnings
        from multiprocess_worker import lengths, TEXTS
        import lexpool

        warnings.simplefilter("ignore", DeprecationWarning)
        tokenizer = lexpool.Tokenizer.blank("en")
        expected = [len(doc) for doc in tokenizer.pipe(TEXTS, n_threads=2)]
        with multiprocessing.get_context(sys.argv[1]).Pool(2) as pool:
            results = pool.map_async(lengths, [TEXTS] * 4).get(timeout=100)
        assert results == [expected] * 4, results
        """,
        method,
    )
