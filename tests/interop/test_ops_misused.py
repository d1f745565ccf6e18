"""Ops called as nobody should: an error, and never a crash or a wrong answer."""

import array
import gc
import io
import os
import signal
import threading
import time

import numpy as np
import pytest

import lexpool
from lexpool import Doc, ops
from lexpool.attrs import ORTH
from lexpool.errors import BusyError


def test_a_document_that_a_callback_gives_goes_when_the_call_has(bench, nlp):
    for _ in range(50):
        with pytest.raises(TypeError, match="was to give int, and gave Doc"):
            bench.apply(lambda x: Doc(nlp.vocab, words=["a", "b"]), 1)
        gc.collect()
        docs = [Doc(nlp.vocab, words=["c"]) for _ in range(20)]
        for doc in docs:
            doc[0].tag_ = "TAG"
        assert {doc[0].tag_ for doc in docs} == {"TAG"}


def test_a_class_of_objects_cannot_be_taken_apart(bench):
    with pytest.raises(TypeError, match="immutable"):
        bench.Counter.__new__ = lambda cls, *args: object.__new__(cls)
    with pytest.raises(TypeError):
        object.__new__(bench.Counter)

    class Sub(bench.Counter):
        pass

    Sub.__new__ = lambda cls, *args: bench.Counter.__new__(cls, 1)
    assert Sub().add(1) == 2


def test_an_array_keeps_its_length_whatever_another_argument_does(bench):
    array = np.arange(8.0)

    class Index:
        def __index__(self):
            array.shape = (2, 4)
            self.others = [np.empty(10**6) for _ in range(4)]
            return 7

    assert bench.nth(array, Index()) == 7.0
    assert bench.nth(array.reshape(8), 8) is None


def test_numbers_that_are_read_only_are_not_lent_to_be_written(bench):
    fixed = bytes(16)

    def grid(n, m):
        return np.frombuffer(fixed, dtype=np.int32).reshape(n, m)

    with ops.override("bench.grid", grid):
        given = bench.grid(2, 2)
    if given.flags.writeable:
        given[:] = 7
    else:
        with pytest.raises((BufferError, TypeError)):
            io.BytesIO(b"z" * 16).readinto(given.base.obj)
    assert fixed == bytes(16)


def test_a_lease_is_not_mapped_over_documents(bench, nlp):
    doc, docs = nlp("a b c"), [nlp("d")] * 4
    with doc.c.writable() as tokens, pytest.raises(TypeError, match="Doc or records.TokenC. first"):
        ops.map("bench.start_all", docs, tokens)


def test_a_lease_that_a_call_still_writes_is_not_put_back(bench, nlp):
    doc = nlp("a b c")
    lease = doc.c.writable()
    tokens = lease.__enter__()
    thread = threading.Thread(target=bench.linger, args=(tokens, 300))
    thread.start()
    time.sleep(0.1)
    with pytest.raises(BusyError, match="another call"):
        bench.start_all(tokens)
    with pytest.raises(BusyError, match="is writing the records of this lease"):
        tokens.set_children_from_heads()
    with pytest.raises(BusyError, match="nothing was put back"):
        lease.__exit__(None, None, None)
    thread.join()
    assert not any(token.is_sent_start for token in doc[1:])
    with doc.c.writable() as tokens:
        bench.linger(tokens, 0)
    assert all(token.is_sent_start for token in doc)


def test_a_busy_document_says_so_wherever_it_is_given(bench, nlp):
    doc = nlp("a b")
    with doc.c.writable():
        for given in (doc, [doc], {"doc": doc}):
            with pytest.raises(BusyError):
                bench.describe(given)


def test_scalars_of_numpy_are_numbers(bench):
    assert bench.apply(lambda x: np.int64(4), 4) == 4
    given = [np.int8(-3), np.float32(0.5), np.bool_(True), np.float64(2.0)]
    assert bench.describe(given) == "[-3, 0.5, true, 2.0]"
    assert bench.add(np.int32(1), np.uint8(2)) == 3


def test_arrays_of_any_type_and_of_no_items_are_taken(bench):
    for dtype in ("u1", "?", "i2", "f4"):
        with ops.override("bench.describe", lambda value: str(value.dtype)):
            assert np.dtype(bench.describe(np.zeros(3, dtype))) == np.dtype(dtype)
    assert bench.total(np.zeros((2, 0, 3), dtype=np.float32)) == 0


def test_a_list_of_numbers_is_copied_to_an_array(bench):
    for given in ([0.5, 2, -1.25], (0.5, 2, -1.25)):
        assert [bench.nth(given, n) for n in range(4)] == [0.5, 2.0, -1.25, None]
    for empty in ([], (), array.array("d")):
        assert bench.nth(empty, 0) is None
    with pytest.raises(TypeError, match=r"array.*an item that is no such number .*str"):
        bench.nth([0.5, "one"], 0)
    with pytest.raises(TypeError, match="array"):
        bench.nth([[0.5], [1.0]], 0)

    class Interrupted:
        def __float__(self):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        bench.nth([Interrupted()], 0)


def test_what_an_override_gives_is_judged(bench):
    with ops.override("bench.strlen", lambda s: "long"), pytest.raises(TypeError, match="int"):
        bench.strlen("abc")


def test_a_note_is_made_once(bench):
    raised = LookupError("one")

    def fails(x):
        raise raised

    for _ in range(3):
        with pytest.raises(LookupError):
            bench.apply(fails, 1)
    assert raised.__notes__ == ["raised in a call of bench.apply()"]


def test_an_op_may_be_overridden_and_removed_while_it_runs(bench):
    held = []

    def meddles(x):
        held.append(ops.override("bench.apply", lambda f, x: -1))
        held.append(ops.remove("bench.apply"))
        return x

    assert bench.apply(meddles, 5) == 5
    with pytest.raises(RuntimeError, match="op-removed"):
        bench.apply(meddles, 5)
    held.pop().restore()
    assert bench.apply(abs, 5) == -1
    held.pop().restore()
    assert bench.apply(abs, -5) == 5


def test_what_a_signals_handler_raises_ends_a_map(nlp):
    class Enough(Exception):
        pass

    def handler(number, frame):
        raise Enough

    docs = [nlp("word " * 2000)] * 20000
    # Within a callback of the collector, as Hypothesis has one, an exception would be lost.
    gc.disable()
    before = signal.signal(signal.SIGTERM, handler)
    timer = threading.Timer(0.1, signal.raise_signal, [signal.SIGTERM])
    try:
        timer.start()
        with pytest.raises(Enough):
            for _ in range(1000):
                ops.map("doc.count_by", docs, ORTH, n_threads=2)
    finally:
        timer.join()
        signal.signal(signal.SIGTERM, before)
        gc.enable()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_child_calls_ops_while_its_parent_was_in_one(bench, nlp):
    docs = [nlp("a b c")] * 200
    assert ops.map("bench.alphas", docs, n_threads=2) == [3] * 200
    with nlp("a b").c.writable() as tokens:
        thread = threading.Thread(target=bench.linger, args=(tokens, 300))
        thread.start()
        time.sleep(0.05)
        child = os.fork()
        if child == 0:
            signal.alarm(20)
            done = bench.add(1, 2) == 3 and bench.busy(1) is None
            done = done and ops.map("bench.alphas", docs, n_threads=2) == [3] * 200
            with nlp("d e").c.writable() as others:
                bench.linger(others, 0)
            with ops.override("bench.add", lambda a, b: 7):
                done = done and bench.add(1, 2) == 7
            os._exit(0 if done else 1)
        _, status = os.waitpid(child, 0)
        thread.join()
    assert os.waitstatus_to_exitcode(status) == 0


def test_no_plugin_hides_what_ops_has(bench):
    assert callable(ops.map) and callable(lexpool.ops.names)
