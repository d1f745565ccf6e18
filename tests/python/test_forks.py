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


LEASED = """
    from lexpool import Doc
    from lexpool.errors import BusyError

    doc = Doc(tokenizer.vocab, words=["We", "saw", "New", "York"], tags=["A", "B", "C", "D"])
    token, handle = doc[0], doc.c
    tags = lambda: [token.tag_ for token in doc]
    noun = doc.vocab.strings.add("NOUN")

    def forked(child):
        pid = os.fork()
        if pid == 0:
            signal.alarm(12)
            faulthandler.dump_traceback_later(10)
            child()
            os._exit(0)
        _, status = os.waitpid(pid, 0)
        assert status == 0, status

    def is_busy():
        for use in (lambda: doc.text, lambda: token.text, lambda: doc.c.writable()):
            try:
                use()
            except BusyError:
                continue
            return False
        return True
"""


def test_a_lease_that_is_open_at_a_fork_is_the_childs_and_the_parents_alike():
    forking(
        textwrap.dedent(LEASED)
        + textwrap.dedent(
            """
            lease = doc.c.writable()
            tokens = lease.__enter__()

            def write(tag):
                memoryview(tokens.tags).cast("B").cast("Q")[0] = doc.vocab.strings.add(tag)
                lease.__exit__(None, None, None)
                assert tags() == [tag, "B", "C", "D"], tags()

            def child():
                assert is_busy()
                write("OF_THE_CHILD")
                doc[1].tag_ = "E"
                assert len(handle) == 4 and handle[1].idx == 3

            forked(child)
            assert is_busy()
            write("OF_THE_PARENT")
            """
        )
    )


def test_a_document_that_a_thread_left_behind_by_a_fork_has_leased_is_busy_in_the_child():
    forking(
        textwrap.dedent(LEASED)
        + textwrap.dedent(
            """
            is_open, may_end = threading.Event(), threading.Event()

            def hold():
                with doc.c.writable() as tokens:
                    memoryview(tokens.tags).cast("B").cast("Q")[0] = noun
                    is_open.set()
                    may_end.wait()

            thread = threading.Thread(target=hold)
            thread.start()
            is_open.wait()

            def child():
                # The lease cannot end in this process: each access raises an error, and the rest
                # works.
                assert is_busy() and is_busy()
                assert handle[1].idx == 3
                assert tokenizer("isn't").c.writable().__enter__()[1].idx == 2

            forked(child)
            may_end.set()
            thread.join()
            assert tags() == ["NOUN", "B", "C", "D"]
            """
        )
    )


@pytest.mark.parametrize(
    "work",
    ["PhraseMatcher.match_texts", "ops.map", "nlp.pipe"],
)
def test_a_child_of_a_function_that_is_called_while_threads_work_is_told_that_they_are_gone(work):
    python(
        """
        import os, signal, sys, warnings
        import lexpool
        from lexpool import ops
        from lexpool.matcher import PhraseMatcher

        warnings.simplefilter("ignore", DeprecationWarning)
        nlp = lexpool.blank("en")
        # A ruler compares a word with a pattern once, so these are all different.
        docs = [nlp.make_doc(" ".join(f"word{i * k}x" for k in range(4000))) for i in range(200)]
        parent, forked = os.getpid(), []

        def fork(*_):
            if not forked:
                forked.append(os.fork())

        def match_texts():
            matcher = PhraseMatcher(nlp.vocab)
            matcher.add("X", [nlp.make_doc("a b")])

            def texts():
                # Half a megabyte is taken before threads begin.
                for i in range(100_000):
                    if i == 50_000:
                        fork()
                    yield f"a b c d {i}"

            matcher.match_texts(texts(), n_threads=2)

        def pipe():
            if nlp.pipe_names:
                nlp.remove_pipe("entity_ruler")
            nlp.add_pipe("entity_ruler").add_patterns(
                [{"label": "X", "pattern": [{"TEXT": {"FUZZY3": f"{i}other{i}"}}]} for i in range(10)]
            )
            list(nlp.pipe(docs, n_threads=2, batch_size=len(docs)))

        work = {
            "PhraseMatcher.match_texts": match_texts,
            "ops.map": lambda: ops.map("doc.words", docs * 8, n_threads=2),
            "nlp.pipe": pipe,
        }[sys.argv[1]]
        signal.signal(signal.SIGALRM, fork)

        # Returns True if a child, forked so long after the work began, met threads at work and was
        # told.
        def is_told(delay):
            forked.clear()
            signal.setitimer(signal.ITIMER_REAL, delay)
            said = "done"
            try:
                work()
            except BaseException as error:
                said = str(error)
            if os.getpid() != parent:
                os._exit({"done": 1}.get(said, 0 if "[forked]" in said else 2))
            signal.setitimer(signal.ITIMER_REAL, 0)
            assert said == "done", said
            if not forked:
                return False
            status = os.waitstatus_to_exitcode(os.waitpid(forked[0], 0)[1])
            assert status in (0, 1), status
            return status == 0

        # The threads may not be at work yet, or no more.
        assert any(is_told(delay) for delay in (0.15, 0.05, 0.5, 2, 0.02, 5))
        """,
        work,
    )


def test_a_child_that_comes_back_to_a_thread_of_a_pool_is_ended_with_a_message():
    python(
        """
        import os, sys, threading, warnings, lexpool

        warnings.simplefilter("ignore", DeprecationWarning)
        nlp = lexpool.blank("en")
        reader, writer = os.pipe()
        pids = []

        def match(text):
            if text == "fork" and not pids:
                assert threading.current_thread() is not threading.main_thread()
                pid = os.fork()
                if pid == 0:
                    os.dup2(writer, 2)
                else:
                    pids.append(pid)

        nlp.tokenizer.token_match = match
        # The thread that iterates leaves long texts to those of the pool.
        texts = ["a fork" + " of the road" * 8_000] + [f"text {i}" for i in range(1000)]
        assert [doc.text for doc in nlp.tokenizer.pipe(texts, n_threads=2)] == texts
        os.close(writer)
        _, status = os.waitpid(pids[0], 0)
        said = os.read(reader, 10_000).decode()
        assert os.waitstatus_to_exitcode(status) == 1, (status, said)
        assert "os.fork()" in said and "n_threads=1" in said, said
        """
    )


def test_a_child_that_the_iterating_thread_forks_meanwhile_is_told_that_its_stream_has_ended():
    python(
        """
        import os, threading, warnings, lexpool

        warnings.simplefilter("ignore", DeprecationWarning)
        nlp = lexpool.blank("en")
        parent, pids = os.getpid(), []

        def match(text):
            # The function is asked about special cases too, before there is a stream.
            is_first = text.startswith("word") and os.getpid() == parent and not pids
            if is_first and threading.current_thread() is threading.main_thread():
                pids.append(os.fork())

        nlp.tokenizer.token_match = match
        # Different words, so that the function is asked for each.
        texts = [f"text{i} of word{i}" for i in range(20_000)]
        said = "done"
        try:
            done = [doc.text for doc in nlp.tokenizer.pipe(texts, n_threads=2)]
        except RuntimeError as error:
            said = str(error)
        if os.getpid() != parent:
            os._exit(0 if "[forked]" in said else 1)
        assert said == "done" and done == texts
        assert os.waitstatus_to_exitcode(os.waitpid(pids[0], 0)[1]) == 0
        """
    )


def test_a_fork_in_a_function_that_a_thread_of_a_pool_calls_waits_for_no_thread_that_waits_for_it():
    python(
        """
        import os, threading, warnings
        import pyarrow as pa
        import lexpool
        from lexpool import arrow

        warnings.simplefilter("ignore", DeprecationWarning)
        seen = []
        warnings.showwarning = lambda *warning: seen.append(warning)
        nlp, pids = lexpool.blank("en"), []

        def match(text):
            if text == "fork" and not pids:
                pid = os.fork()
                if pid == 0:
                    os._exit(7)
                pids.append(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))

        nlp.tokenizer.token_match = match
        texts = ["a fork"] + [f"lorem{i} ipsum " * 300 for i in range(1000)]
        batch = pa.RecordBatch.from_pydict({"text": texts})
        assert pa.record_batch(arrow.annotate(batch, nlp, text="text")).num_rows == len(texts)
        assert pids == [7] and not seen, seen
        """
    )
