"""Objects that hold objects that hold objects: however many, dropping the first is a loop.

LEXPOOL_FULL=1 makes every chain a million long. A vocab takes some twenty kilobytes, so where each
link would have one, every five-hundredth does, and between them are spans: two thousand vocabs at a
time, forty megabytes.
"""

import sys
import threading
import weakref

import held
import pytest

from lexpool import Doc, Pool, Span, _core
from lexpool._core import Retokenization
from lexpool.errors import StaleError
from lexpool.msgpack import packb
from lexpool.tokens import SpanGroups

# An end that lies within another takes some hundred bytes of stack at the least.
SMALL_STACK = 256 << 10


KINDS = held.HOLDERS | held.OF_PYTHON


def length(kind: str, full: bool) -> int:
    if full:
        return 1_000_000
    return 30_000 if kind in held.LIGHT else 2000 if kind in held.HEAVIEST else 6000


def link(kind: str, full: bool, turn: int):
    """Gives the function that makes the next object of a chain."""
    if full and kind in held.HEAVIEST and turn % 500:
        return held.LIGHT["Span"]
    return KINDS[kind]


def on_a_small_stack(run):
    failed = []

    def guarded():
        try:
            run()
        except BaseException as error:
            failed.append(error)

    before = threading.stack_size(SMALL_STACK)
    try:
        thread = threading.Thread(target=guarded)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(before)
    if failed:
        raise failed[0]


class Marked:
    """An object that says when it goes."""

    def __init__(self):
        self.gone = []
        weakref.finalize(self, self.gone.append, True)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("thread", ["main", "small"])
def test_a_chain_of_any_class_is_dropped_without_recursion(kind, thread, full):
    if (
        thread == "small"
        and kind in ("TokenMatcher", "DependencyMatcher")
        and sys.version_info >= (3, 12)
    ):
        pytest.skip(
            "their classes are Python's, whose ends CPython counts without regard to the stack"
        )
    last = Marked()
    gone = last.gone
    made = KINDS[kind](last)
    assert kind in [cls.__name__ for cls in type(made).__mro__]
    for turn in range(length(kind, full)):
        made = link(kind, full, turn)(made)
    chain = [made]
    del made, last
    assert not gone
    if thread == "main":
        chain.clear()
    else:
        on_a_small_stack(chain.clear)
    assert gone == [True]


def test_a_chain_of_many_classes_is_dropped_without_recursion(full):
    holders, last = [*held.LIGHT.values(), *held.HEAVY.values()], Marked()
    made, gone = last, last.gone
    for turn in range(length("Doc", full)):
        made = [{"held": (holders[turn % len(holders)](made),)}]
    chain = [made]
    del made, last
    on_a_small_stack(chain.clear)
    assert gone == [True]


def test_every_class_of_the_module_is_known_to_these_tests():
    names = sorted(cls.__name__ for cls in _core._classes)
    assert names == sorted([*held.HOLDERS, *held.BARE])


def test_every_class_of_the_sources_is_one_of_the_module(checkout):
    sources = [path.read_text("utf8") for path in (checkout / "py" / "src").rglob("*.rs")]
    found = [line for text in sources for line in text.split("\n") if line.startswith("#[pyclass")]
    assert len(found) == len(_core._classes)


def test_an_object_that_ends_later_is_not_found_by_a_weak_reference():
    seen = []

    class Asking:
        def __init__(self, of):
            self.of = of

        def __del__(self):
            seen.append(self.of())

    made = Pool()
    for _ in range(200):
        deeper = Pool()
        deeper.own(made)
        deeper.own(Asking(weakref.ref(made)))
        made = deeper
    del made, deeper
    assert seen == [None] * 200


def test_a_finalizer_that_drops_another_chain_meets_no_limit():
    ends = []

    class Dropping:
        def __init__(self, turn):
            self.chain = Span(held.DOC, 0, 1)
            for _ in range(2000):
                self.chain = Span(held.DOC, 0, 1, vector=self.chain)
            self.turn = turn

        def __del__(self):
            self.chain = None
            ends.append(self.turn)

    made = None
    for turn in range(20):
        made = Span(held.DOC, 0, 1, vector=[Dropping(turn), made])
    chain = [made]
    del made
    on_a_small_stack(chain.clear)
    assert sorted(ends) == list(range(20))


def test_streams_that_take_from_streams_work_up_to_a_depth_and_raise_beyond():
    def nested(depth):
        stream = iter(["a b", "c"])
        for _ in range(depth):
            stream = held.NLP.pipe(stream, n_threads=1)
        return stream

    assert [doc.text for doc in nested(20)] == ["a b", "c"]
    stream = nested(100_000)
    with pytest.raises(RecursionError, match="nested on this thread"):
        next(stream)
    on_a_small_stack(lambda: pytest.raises(RecursionError, next, nested(100_000)))  # noqa: RUF061
    # The count is right again afterwards.
    assert [doc.text for doc in nested(20)] == ["a b", "c"]


def retokenized_often(doc: Doc, times: int, look) -> None:
    for _ in range(times):
        look(doc)
        plan = Retokenization(doc)
        plan.merge(doc[0:2], [])
        plan.apply()
        look(doc)
        plan = Retokenization(doc)
        plan.split(doc[0], [("ab", (doc[0], 0), []), ("c", (doc[0], 1), [])])
        plan.apply()


def abc() -> Doc:
    return Doc(held.VOCAB, words=["ab", "c"], spaces=[False, False])


def test_a_document_that_was_edited_any_number_of_times_is_dropped_without_recursion(full):
    doc = abc()
    kept = doc.c
    number = kept.address
    retokenized_often(doc, 500_000 if full else 20_000, lambda doc: doc.c.address)
    assert kept.address == number and kept[0].idx == 0 and kept[1].idx == 2
    chain = [doc]
    del doc, kept
    on_a_small_stack(chain.clear)


def test_handles_see_the_tokens_of_their_time_through_all_edits():
    doc, seen = abc(), []

    def look(doc):
        seen.append((memoryview(doc.c), bytes(memoryview(doc.c)), doc.c[1:]))

    retokenized_often(doc, 40, look)
    retokenized_often(doc, 40, lambda doc: doc.c)
    assert [len(view) for view, *_ in seen] == [2, 1] * 40
    assert all(bytes(view) == before for view, before, _ in seen)
    assert all(rest[0].idx == 2 for _, _, rest in seen[::2])


def test_failed_loads_leave_no_chain(full):
    source = held.NLP("one two")
    source.spans["a"] = [source[0:1]]
    message = source.to_dict()
    message["spans"] = packb({b"x": 1})
    broken, doc = packb(message), Doc(held.VOCAB)
    handle = doc.c
    for _ in range(500_000 if full else 5000):
        with pytest.raises(ValueError, match="msgpack-type"):
            doc.from_bytes(broken)
        assert doc.c.address >= 0 and len(doc) == len(handle) == 0
    chain = [doc, handle]
    del doc, handle
    on_a_small_stack(chain.clear)


def test_a_token_taken_while_a_load_fails_is_stale_afterwards(monkeypatch):
    source, taken = held.NLP("one two"), []
    source.spans["a"] = [source[0:1]]
    doc = Doc(held.VOCAB)

    def failing(groups, data):
        taken.extend([doc[1], doc[0:2], iter(doc), doc.c])
        raise ValueError("no groups today")

    monkeypatch.setattr(SpanGroups, "from_bytes", failing)
    with pytest.raises(ValueError, match="no groups today"):
        doc.from_bytes(source.to_bytes())
    token, span, tokens, handle = taken
    for use in (lambda: token.text, lambda: token.i, lambda: span.text, lambda: handle.tags):
        with pytest.raises(StaleError):
            use()
    # One that was begun has tokens to give, and says why it gives none.
    with pytest.raises(StaleError):
        next(tokens)
    assert [record.idx for record in (handle[0], handle[1])] == [0, 4]
    monkeypatch.undo()
    doc.from_bytes(source.to_bytes())
    assert (token.text, span.text) == ("two", "one two")
    with pytest.raises(StaleError):
        next(tokens)
