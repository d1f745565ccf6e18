"""A lease of a document's records is opened by one thread, once, and loses no other thread's
writes.
"""

import contextlib
import threading
import time

import pytest

import lexpool
from lexpool.errors import BusyError, StaleError
from lexpool.matcher import Matcher
from lexpool.tokens import Doc, Token

ROUNDS = 60


class Reading:
    """A reader inside of a document, from whose callback other threads are started.

    While a matcher asks a getter of Python's, it reads the document, and a writer has to wait for
    it, with the GIL let go.
    """

    def __init__(self) -> None:
        self.doc = Doc(lexpool.Vocab(), words=[f"w{i % 50}" for i in range(2000)])
        self._matcher = Matcher(self.doc.vocab)
        self._threads: list[threading.Thread] = []
        Token.set_extension("starts_threads", getter=self._start, force=True)
        self._matcher.add("any", [[{"_": {"starts_threads": True}}]])

    def _start(self, _token: Token) -> bool:
        threads, self._threads = self._threads, []
        for thread in threads:
            thread.start()
        if threads:
            # So long that all of them come to wait for this reader.
            time.sleep(0.004)
        return False

    def run_beside(self, *works) -> None:
        threads = [threading.Thread(target=work) for work in works]
        self._threads = list(threads)
        self._matcher(self.doc[0:2])
        for thread in threads:
            thread.join()


@pytest.fixture
def reading():
    yield Reading()
    Token.remove_extension("starts_threads")


@pytest.fixture(params=["own", "spacy"])
def lease_of(request):
    if request.param == "own":
        return lambda doc: doc.c.writable()
    return lambda doc: doc.c.as_spacy(writable=True)


def test_of_two_threads_that_enter_a_lease_one_gets_it(reading, lease_of):
    opened = 0
    for _ in range(ROUNDS):
        lease = lease_of(reading.doc)
        outcomes = []

        def enter(lease=lease, outcomes=outcomes):
            try:
                handle = lease.__enter__()
            except (RuntimeError, BusyError) as error:
                outcomes.append(error)
            else:
                outcomes.append(handle)
                lease.__exit__(None, None, None)

        reading.run_beside(enter, enter)
        handles = [outcome for outcome in outcomes if not isinstance(outcome, Exception)]
        assert len(handles) <= 1, "one lease was opened twice"
        opened += len(handles)
    assert opened, "no lease was opened at all"


def test_a_lease_that_writes_nothing_keeps_what_another_thread_has_written(reading, lease_of):
    written = 0
    for i in range(ROUNDS):
        want, refused = bool(i % 2), []

        def lease():
            # If the writer was in, this round shows nothing.
            with contextlib.suppress(BusyError), lease_of(reading.doc):
                pass

        def write(want=want, refused=refused):
            try:
                reading.doc[1000].is_sent_start = want
            except BusyError as error:
                refused.append(error)

        reading.run_beside(*((lease, write) if i % 3 else (write, lease)))
        if not refused:
            assert reading.doc[1000].is_sent_start is want
            written += 1
    assert written, "no thread got to write"


def test_a_lease_is_not_entered_again_from_inside(lease_of):
    doc = Doc(lexpool.Vocab(), words=["a", "b"])
    lease = lease_of(doc)
    with lease, pytest.raises(RuntimeError, match="opened only once"):
        lease.__enter__()
    with pytest.raises(RuntimeError, match="opened only once"):
        lease.__enter__()


def test_a_lease_that_could_not_be_opened_can_be_tried_again(lease_of):
    doc = Doc(lexpool.Vocab(), words=["a", "b"])
    first, second = lease_of(doc), lease_of(doc)
    with first, pytest.raises(BusyError):
        second.__enter__()
    with second:
        pass


def test_a_lease_does_not_open_on_tokens_that_were_merged_since():
    doc = Doc(lexpool.Vocab(), words=["a", "b", "c"])
    lease = doc.c.writable()
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[0:2])
    for _ in range(2):
        with pytest.raises(StaleError, match="merged or split"):
            lease.__enter__()
    # It has not kept the document.
    doc[0].tag_ = "X"
