"""`pipe`: a stream of texts in, documents out in order, in bounded memory."""

import gc
import itertools
import threading
import weakref

import pytest
from comparing import ATTRS
from hypothesis import given, settings, strategies as st
from processes import python, read_by_threads
from scripts import texts

from lexpool import blank

THREADS = pytest.mark.parametrize("n_threads", [0, 1, 2, 5])


@settings(max_examples=50)
@given(st.lists(texts(max_size=15), max_size=50), st.integers(1, 60), st.sampled_from([0, 1, 2, 5]))
def test_a_pipe_gives_what_single_calls_give(english, some, batch_size, n_threads):
    docs = list(english.pipe(some, batch_size=batch_size, n_threads=n_threads))
    assert [doc.text for doc in docs] == some
    for doc, text in zip(docs, some):
        assert (doc.to_array(ATTRS) == english(text).to_array(ATTRS)).all()


@THREADS
@pytest.mark.parametrize("batch_size", [1, 7, 1000])
def test_documents_come_in_the_order_of_their_texts(tokenizer, n_threads, batch_size):
    # The lengths differ much, so that workers finish out of order.
    some = [f"{i} " + "word, " * (i * 7919 % 500) for i in range(1500)]
    docs = tokenizer.pipe(some, batch_size=batch_size, n_threads=n_threads)
    assert [doc.text for doc in docs] == some


@THREADS
def test_an_endless_stream_gives_its_first_documents(tokenizer, n_threads):
    stream = (f"text number {i}" for i in itertools.count())
    pipe = tokenizer.pipe(stream, batch_size=100, n_threads=n_threads)
    assert [doc.text for doc in itertools.islice(pipe, 5)] == [f"text number {i}" for i in range(5)]


@THREADS
@pytest.mark.parametrize("batch_size", [1, 10])
def test_no_more_than_two_batches_are_taken_ahead(tokenizer, n_threads, batch_size):
    taken = []

    def stream():
        for i in range(1000):
            taken.append(i)
            yield f"text {i}"

    for given_out, _ in enumerate(tokenizer.pipe(stream(), batch_size, n_threads), start=1):
        assert len(taken) <= given_out + 2 * batch_size


def test_large_texts_are_taken_few_at_a_time(tokenizer):
    taken = []

    def stream():
        for i in range(50):
            taken.append(i)
            yield "some words of a large text " * 40_000

    next(tokenizer.pipe(stream(), batch_size=1000, n_threads=2))
    assert len(taken) < 20


def test_memory_stays_bounded_over_a_long_stream():
    python(
        """
        import os, sys
        import lexpool

        def resident():
            with open("/proc/self/statm") as statm:
                return int(statm.read().split()[1]) * os.sysconf("SC_PAGESIZE")

        if not os.path.exists("/proc/self/statm"):
            sys.exit()
        tokenizer = lexpool.Tokenizer.blank("en")
        text = "The same few words again and again, in a text of some length. " * 20
        stream = (f"{text}{i % 1000}" for i in range(60_000))
        seen = []
        for i, doc in enumerate(tokenizer.pipe(stream, n_threads=2)):
            if i % 5_000 == 4_999:
                seen.append(resident())
        assert len(seen) == 12
        # A batch is about 6 MB of documents, and where one is when it is looked at is chance.
        assert max(seen[4:]) <= max(seen[:4]) + 8_000_000, seen
        """
    )


def test_a_batch_has_at_least_one_text(tokenizer):
    for batch_size in (0, -1):
        with pytest.raises(ValueError, match="batch_size"):
            tokenizer.pipe([], batch_size=batch_size)


@pytest.mark.parametrize("n_threads", [-1, -5])
def test_a_negative_number_of_threads_is_refused(tokenizer, n_threads):
    with pytest.raises(ValueError, match="n_threads"):
        tokenizer.pipe([], n_threads=n_threads)


@pytest.mark.parametrize("name", ["batch_size", "n_threads"])
@pytest.mark.parametrize("value", ["2", None, 1.5])
def test_numbers_of_a_wrong_type_are_refused(tokenizer, name, value):
    with pytest.raises(TypeError):
        tokenizer.pipe([], **{name: value})


@pytest.mark.parametrize("given", ["one text", "", None, 3])
def test_what_is_no_stream_of_texts_is_refused_at_once(tokenizer, given):
    with pytest.raises(TypeError):
        tokenizer.pipe(given)


def test_an_empty_stream_gives_nothing(tokenizer):
    pipe = tokenizer.pipe([])
    assert iter(pipe) is pipe
    assert list(pipe) == list(pipe) == []


def failing(position: int, error: Exception):
    for i in range(position):
        yield f"text {i}"
    raise error


@THREADS
@pytest.mark.parametrize("position", [0, 3, 250])
def test_what_the_stream_raises_comes_after_the_documents_before_it(tokenizer, n_threads, position):
    error = LookupError("of the stream")
    pipe = tokenizer.pipe(failing(position, error), 100, n_threads)
    assert [next(pipe).text for _ in range(position)] == [f"text {i}" for i in range(position)]
    with pytest.raises(LookupError) as caught:
        next(pipe)
    assert caught.value is error
    assert next(pipe, None) is None


@THREADS
@pytest.mark.parametrize("item", [3, None, b"bytes", ["a"]])
def test_an_item_that_is_no_text_is_refused_with_its_position(tokenizer, n_threads, item):
    some = [f"text {i}" for i in range(137)]
    pipe = tokenizer.pipe([*some, item, "after"], batch_size=50, n_threads=n_threads)
    assert [next(pipe).text for _ in some] == some
    with pytest.raises(TypeError, match="137"):
        next(pipe)


@THREADS
def test_a_lone_surrogate_is_refused_with_its_position(tokenizer, n_threads):
    pipe = tokenizer.pipe(["one", "two", "ab\ud800c", "after"], n_threads=n_threads)
    assert [next(pipe).text for _ in range(2)] == ["one", "two"]
    with pytest.raises(UnicodeEncodeError) as caught:
        next(pipe)
    assert (caught.value.start, caught.value.end) == (2, 3)


@THREADS
def test_a_stream_that_reads_its_own_pipe_is_told_so(tokenizer, n_threads):
    def stream():
        yield "first"
        yield next(pipe).text

    pipe = tokenizer.pipe(stream(), batch_size=1, n_threads=n_threads)
    with pytest.raises(RuntimeError, match="read"):
        list(pipe)


def test_pipes_may_be_chained(tokenizer):
    first = tokenizer.pipe((f"some text {i}" for i in range(300)), batch_size=20, n_threads=2)
    second = tokenizer.pipe((doc[-1].text for doc in first), batch_size=30, n_threads=2)
    assert [doc.text for doc in second] == [str(i) for i in range(300)]


def test_two_pipes_at_once_keep_apart(tokenizer):
    some = [[f"pipe{p} text{i}" for i in range(500)] for p in range(3)]
    pipes = [
        tokenizer.pipe(texts, batch_size=20 + 13 * p, n_threads=2) for p, texts in enumerate(some)
    ]
    docs = [[doc.text for doc in row] for row in zip(*pipes, strict=True)]
    assert [list(column) for column in zip(*docs)] == some


def test_an_abandoned_pipe_lets_go_of_its_stream(tokenizer):
    for taken in (0, 1, 20):
        stream = (f"text {i}" for i in itertools.count())
        reference = weakref.ref(stream)
        pipe = tokenizer.pipe(stream, batch_size=50, n_threads=2)
        docs = list(itertools.islice(pipe, taken))
        del stream, pipe
        gc.collect()
        assert reference() is None
        assert len(docs) == taken


def test_a_stream_that_refers_to_its_pipe_keeps_neither_alive(tokenizer):
    def cycle() -> weakref.ref:
        box = []
        stream = (f"text {i} {len(box)}" for i in itertools.count())
        box.append(tokenizer.pipe(stream))
        next(box[0])
        return weakref.ref(stream)

    reference = cycle()
    gc.collect()
    assert reference() is None


def test_abandoned_pipes_neither_pile_up_nor_hang():
    python(
        """
        import itertools, os
        import lexpool

        tokenizer = lexpool.Tokenizer.blank("en")
        def abandon():
            stream = (f"text {i} " * 50 for i in itertools.count())
            next(tokenizer.pipe(stream, batch_size=200, n_threads=2))
        def threads():
            return len(os.listdir("/proc/self/task")) if os.path.exists("/proc/self/task") else 0
        abandon()
        before = threads()
        for _ in range(300):
            abandon()
        assert threads() == before
        assert len(list(tokenizer.pipe(["a"] * 1000, n_threads=2))) == 1000
        """
    )


def test_a_pipe_at_work_when_the_interpreter_ends_does_not_hang():
    python(
        """
        import itertools
        import lexpool

        stream = (f"text {i} " * 2000 for i in itertools.count())
        pipe = lexpool.blank("en").pipe(stream, n_threads=2)
        next(pipe)
        """
    )


def test_many_threads_may_use_one_tokenizer(english, sample):
    tokenizer = blank("en").tokenizer
    expected = [english(text).to_array(ATTRS).tolist() for text in sample[:400]]
    failures = []

    def work(offset: int) -> None:
        order = range(offset, offset + len(expected))
        for i in (position % len(expected) for position in order):
            if tokenizer(sample[i]).to_array(ATTRS).tolist() != expected[i]:
                failures.append(sample[i])
        docs = tokenizer.pipe(sample[: len(expected)], batch_size=40, n_threads=2)
        if [doc.to_array(ATTRS).tolist() for doc in docs] != expected:
            failures.append(f"the pipe of thread {offset}")

    threads = [threading.Thread(target=work, args=(97 * n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_a_pipe_read_by_many_threads_gives_each_document_once(tokenizer):
    pipe = tokenizer.pipe((f"text {i}" for i in range(2000)), batch_size=20, n_threads=2)
    assert sorted(doc.text for doc in read_by_threads(pipe)) == sorted(
        f"text {i}" for i in range(2000)
    )


def test_contexts_stay_with_their_texts():
    nlp = blank("en")
    pairs = [(f"text {i}", {"number": i}) for i in range(500)]
    for arguments in ({}, {"n_threads": 2, "batch_size": 30}, {"n_process": 2}, {"n_process": -1}):
        docs = nlp.pipe(iter(pairs), as_tuples=True, **arguments)
        assert [(doc.text, context) for doc, context in docs] == pairs


def test_a_pipeline_pipes_as_its_tokenizer_does():
    nlp = blank("en")
    assert [doc.text for doc in nlp.pipe(["a b", "c"])] == ["a b", "c"]
    assert nlp.make_doc("a b").text == nlp("a b").text
    assert nlp.lang == "en"
    assert nlp.vocab is nlp.tokenizer.vocab
