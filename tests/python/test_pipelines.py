"""`nlp.pipe` with components: native ones on threads, Python's once a batch, all in order."""

import gc
import itertools
import signal
import threading
import time
import weakref

import pytest
from hypothesis import given, settings, strategies as st
from processes import python, read_by_threads
from scripts import texts

import lexpool
from lexpool.lookups import Lookups
from lexpool.pipeline import Pipe
from lexpool.tokens import Doc

THREADS = pytest.mark.parametrize("n_threads", [0, 1, 2, 5])


class Counting:
    """Counts how often Python is entered, and how many documents it is given each time."""

    def __init__(self):
        self.calls = []

    def __call__(self, doc):
        raise AssertionError("the stream goes through pipe")

    def pipe(self, stream, *, batch_size):
        docs = list(stream)
        self.calls.append((len(docs), batch_size))
        yield from docs


def with_words(*components):
    """A pipeline with a native run in front, between and behind components of Python's."""
    nlp = lexpool.blank("en")
    nlp.add_pipe(lexpool.ops.doc.words, name="words0")
    for i, component in enumerate(components):
        nlp.add_pipe(component, name=f"python{i}")
        nlp.add_pipe("op", name=f"words{i + 1}", config={"op": "doc.words"})
    return nlp


def words_of(doc):
    return [token.text for token in doc]


@THREADS
@pytest.mark.parametrize("batch_size", [1, 7, 1000])
def test_documents_come_in_the_order_of_their_texts(n_threads, batch_size):
    some = [f"{i} " + "word, " * (i * 7919 % 200) for i in range(400)]
    nlp = with_words(lambda doc: doc, Counting())
    docs = list(nlp.pipe(some, batch_size=batch_size, n_threads=n_threads))
    assert [doc.text for doc in docs] == some
    for doc in docs[::40]:
        assert [doc.user_data[f"words{i}"] for i in range(3)] == [words_of(doc)] * 3


@settings(max_examples=40, deadline=None)
@given(st.lists(texts(max_size=15), max_size=30), st.integers(1, 40), st.sampled_from([0, 1, 2]))
def test_a_stream_gives_what_single_calls_give(some, batch_size, n_threads):
    nlp = with_words(Counting())
    nlp.get_pipe("python0").__class__.__call__ = lambda self, doc: doc
    docs = list(nlp.pipe(some, batch_size=batch_size, n_threads=n_threads))
    assert [doc.text for doc in docs] == some
    for doc, text in zip(docs, some):
        assert doc.user_data == nlp(text).user_data
        assert set(doc.user_data) == {"words0", "words1"}


@THREADS
def test_python_is_entered_once_a_batch_for_each_of_its_components(n_threads):
    first, second = Counting(), Counting()
    nlp = with_words(first, second)
    list(nlp.pipe((f"text {i}" for i in range(95)), batch_size=10, n_threads=n_threads))
    assert first.calls == second.calls == [(10, 10)] * 9 + [(5, 10)]


@THREADS
def test_no_more_than_two_batches_are_taken_ahead(n_threads):
    taken = []

    def stream():
        for i in range(200):
            taken.append(i)
            yield f"text {i}"

    docs = with_words(Counting()).pipe(stream(), batch_size=10, n_threads=n_threads)
    for given_out, _ in enumerate(docs, start=1):
        assert len(taken) <= given_out + 20


def test_the_next_batch_is_at_work_while_python_has_one():
    at_work = threading.Event()

    def wait(doc):
        # Reached only if the second batch was taken while this one is here.
        assert at_work.wait(10) or doc.text != "text 0"
        return doc

    def stream():
        for i in range(4):
            if i == 2:
                at_work.set()
            yield f"text {i}"

    assert len(list(with_words(wait).pipe(stream(), batch_size=2, n_threads=2))) == 4


@THREADS
def test_documents_may_be_given_beside_texts(n_threads):
    nlp = with_words(Counting())
    given_docs = [nlp.make_doc(f"text {i}") for i in range(20)]
    mixed = [doc if i % 3 else doc.text for i, doc in enumerate(given_docs)]
    docs = list(nlp.pipe(mixed, batch_size=7, n_threads=n_threads))
    assert [doc.text for doc in docs] == [f"text {i}" for i in range(20)]
    for i, doc in enumerate(docs):
        assert (doc is given_docs[i]) is bool(i % 3)
        assert doc.user_data["words1"] == words_of(doc)
    assert [doc.text for doc in nlp.pipe([docs[0].to_bytes()])] == ["text 0"]


@THREADS
def test_a_document_may_come_twice_in_a_batch(n_threads):
    nlp = with_words(Counting())
    doc = nlp.make_doc("one doc")
    docs = list(nlp.pipe([doc, "other", doc, doc], as_tuples=False, n_threads=n_threads))
    assert [given is doc for given in docs] == [True, False, True, True]
    pairs = nlp.pipe([(doc, 1), (doc, 2), (doc, 3)], as_tuples=True, n_threads=n_threads)
    assert [context for _, context in pairs] == [1, 2, 3]


@THREADS
def test_contexts_stay_with_their_documents(n_threads):
    def swap(doc):
        # Another document than the one that was given.
        return lexpool.Doc(doc.vocab, words=words_of(doc))

    nlp = with_words(swap, Counting())
    pairs = [(f"text {i}", {"number": i}) for i in range(100)]
    docs = nlp.pipe(iter(pairs), as_tuples=True, batch_size=8, n_threads=n_threads)
    assert [(doc.text.strip(), context) for doc, context in docs] == pairs


def test_a_component_sees_its_documents_context_as_in_spacy():
    seen = []

    def look(doc):
        seen.append(doc._context)
        return doc

    nlp = with_words(look)
    docs = list(nlp.pipe([("a", 1), ["b", 2]], as_tuples=True))
    assert seen == [1, 2]
    assert [(doc._context, context) for doc, context in docs] == [(None, 1), (None, 2)]
    for item, error in (("text", ValueError), (3, TypeError), (("a", 1, 2), ValueError)):
        with pytest.raises(error, match="item 0"):
            next(nlp.pipe([item], as_tuples=True))


def test_components_may_be_left_out_or_given_arguments():
    seen = []

    class Taking:
        def __call__(self, doc, *, mark="none"):
            seen.append(mark)
            return doc

    nlp = with_words(Taking())
    cfg = {"python0": {"mark": "some", "batch_size": 3}}
    assert len(list(nlp.pipe(["a", "b"], component_cfg=cfg))) == 2
    nlp("c", component_cfg={"python0": {"mark": "more"}})
    list(nlp.pipe(["d"], disable=["python0"]))
    nlp("e", disable=["python0"])
    assert seen == ["some", "some", "more"]
    with pytest.raises(TypeError):
        list(nlp.pipe(["a"], component_cfg={"python0": {"other": 1}}))
    counting = Counting()
    nlp = with_words(counting)
    list(nlp.pipe(["a"] * 5, batch_size=5, component_cfg={"python0": {"batch_size": 2}}))
    assert counting.calls == [(5, 2)]


def test_a_component_that_changes_a_native_one_is_called():
    class OwnOp(type(lexpool.blank("en").create_pipe("op", config={"op": "doc.words"}))):
        def __call__(self, doc):
            doc.user_data["own"] = True
            return super().__call__(doc)

    nlp = lexpool.blank("en")
    nlp.add_pipe(OwnOp("words", "doc.words"), name="words")
    (doc,) = nlp.pipe(["a b"])
    assert doc.user_data == {"own": True, "words": ["a", "b"]}


def test_a_pipe_without_native_or_call_says_so():
    class Nothing(Pipe):
        pass

    nlp = lexpool.blank("en")
    nlp.add_pipe(Nothing(), name="nothing")
    with pytest.raises(NotImplementedError, match="E931"):
        nlp("a")


def test_a_tokenizer_may_be_any_function():
    nlp = with_words(Counting())
    vocab = nlp.vocab
    nlp.tokenizer = lambda text: lexpool.Doc(vocab, words=text.split("-"))
    assert nlp.vocab is vocab
    docs = list(nlp.pipe(["a-b", "c"]))
    assert [doc.user_data["words1"] for doc in docs] == [["a", "b"], ["c"]]
    nlp.tokenizer = lambda text: text
    with pytest.raises(TypeError, match="tokenizer"):
        list(nlp.pipe(["a"]))


def test_an_endless_stream_gives_its_first_documents():
    stream = (f"text {i}" for i in itertools.count())
    docs = with_words(Counting()).pipe(stream, batch_size=10)
    assert [doc.text for doc in itertools.islice(docs, 5)] == [f"text {i}" for i in range(5)]


@THREADS
def test_what_the_stream_raises_comes_after_the_documents_before_it(n_threads):
    def stream():
        yield from ("one", "two")
        raise LookupError("of the stream")

    docs = with_words(Counting()).pipe(stream(), n_threads=n_threads)
    assert [next(docs).text for _ in range(2)] == ["one", "two"]
    with pytest.raises(LookupError, match="of the stream"):
        next(docs)
    assert next(docs, None) is None


def test_a_stream_that_refers_to_itself_keeps_nothing_alive():
    class Component:
        def __call__(self, doc):
            return doc

    def cycle():
        component = Component()
        nlp = with_words(component)
        stream = (f"text {i}" for i in itertools.count())
        component.stream = nlp.pipe([*itertools.islice(stream, 5)], batch_size=2, n_threads=2)
        next(component.stream)
        return weakref.ref(component)

    reference = cycle()
    gc.collect()
    assert reference() is None


def test_many_threads_may_read_a_stream_in_turn():
    docs = with_words(Counting()).pipe((f"text {i}" for i in range(500)), batch_size=9)
    assert sorted(doc.text for doc in read_by_threads(docs)) == sorted(
        f"text {i}" for i in range(500)
    )


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no such timers")
@THREADS
def test_a_signal_ends_native_work_within_a_moment(n_threads):
    class Stopped(BaseException):
        pass

    def stop(_number, _frame):
        raise Stopped

    nlp = lexpool.blank("en")
    nlp.add_pipe(lambda doc: doc, name="python")
    # Some milliseconds of native work for each document, behind Python.
    for i in range(30):
        nlp.add_pipe(lexpool.ops.doc.words, name=f"words{i}")
    some = ["word, " * 3_000] * 400
    before = signal.signal(signal.SIGALRM, stop)
    try:
        stream = nlp.pipe(some, batch_size=400, n_threads=n_threads)
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        begin = time.perf_counter()
        with pytest.raises(Stopped):
            list(stream)
        assert time.perf_counter() - begin < 8
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_a_zone_gives_back_what_a_stream_has_made():
    nlp = with_words(Counting())
    permanent = len(nlp.vocab)
    for round_ in range(3):
        with nlp.memory_zone():
            made = sum(len(doc) for doc in nlp.pipe(f"new{round_}x{i}" for i in range(300)))
            assert made == 300
    assert len(nlp.vocab) == permanent


def test_a_child_works_while_its_parents_stream_is_at_work():
    python(
        """
        import os, signal, warnings
        import lexpool

        if hasattr(os, "fork"):
            warnings.simplefilter("ignore", DeprecationWarning)
            nlp = lexpool.blank("en")
            nlp.add_pipe(lexpool.ops.doc.words, name="words")
            nlp.add_pipe(lambda doc: doc, name="python")
            stream = nlp.pipe((f"text {i} " * 50 for i in range(3000)), batch_size=100, n_threads=2)
            next(stream)
            for i in range(10):
                pid = os.fork()
                if pid == 0:
                    signal.alarm(12)
                    assert len(list(nlp.pipe(["a b"] * 300, n_threads=2))) == 300
                    os._exit(0)
                assert os.waitpid(pid, 0)[1] == 0
                for _ in range(150):
                    next(stream)
        """
    )


def test_a_document_of_a_components_own_making_keeps_the_context_that_it_was_given():
    class Shouting:
        def __call__(self, doc):
            return doc

        def pipe(self, docs, batch_size):
            for doc in docs:
                loud = nlp.make_doc(doc.text.upper())
                loud._context = doc._context
                yield loud

    nlp = lexpool.blank("en")
    nlp.add_pipe(Shouting(), name="shouting")
    pairs = [(doc.text, context) for doc, context in nlp.pipe([("a", 1), ("b", 2)], as_tuples=True)]
    assert pairs == [("A", 1), ("B", 2)]


def test_a_batch_that_was_begun_in_a_zone_leaves_no_words_when_the_zone_has_ended():
    nlp = lexpool.blank("en")
    next(nlp.pipe(["warm up"]))
    before = len(nlp.vocab.strings)
    for turn in range(3):
        with nlp.memory_zone():
            texts = [f"w{turn}x{i} v{turn}x{i}" for i in range(4000)]
            stream = nlp.pipe(texts, batch_size=1000, n_threads=2)
            next(stream)
        # Texts read ahead are in work or done; their words belong to the zone.
        assert [token.text for token in next(stream)] == [f"w{turn}x1", f"v{turn}x1"]
        del stream
    gc.collect()
    assert len(nlp.vocab.strings) == before


@THREADS
def test_methods_that_are_set_on_an_instance_count_in_streams_too(n_threads):
    nlp = lexpool.blank("en")
    nlp.add_pipe("sentencizer").predict = lambda docs: [[True] * len(doc) for doc in docs]
    ruler = nlp.add_pipe("entity_ruler")
    ruler.add_patterns([{"label": "A", "pattern": "a"}])
    ruler.match = lambda doc: [(doc.vocab.strings.add("B"), 1, 2)]
    ruler.set_annotations = lambda doc, matches: doc.user_data.update(matches=matches)
    attributes = nlp.add_pipe("attribute_ruler")
    attributes.add([[{"LOWER": "a"}]], {"TAG": "X"})
    attributes.match = lambda doc: [(0, doc.vocab.strings.add("0"), 1, 2)]
    lemmatizer = nlp.add_pipe("lemmatizer", config={"mode": "rule"})
    lookups = Lookups()
    lookups.add_table("lemma_rules", {"noun": [["s", ""]]})
    lemmatizer.initialize(lookups=lookups)
    lemmatizer.is_base_form = lambda token: True
    words = {"words": ["A", "cats"], "pos": ["X", "NOUN"]}
    nlp.make_doc = lambda text: Doc(nlp.vocab, **words)

    def seen(doc):
        tokens = [(token.text, token.tag_, token.lemma_, token.is_sent_start) for token in doc]
        return tokens, doc.user_data["matches"][0][1:]

    expected = [("A", "", "a", True), ("cats", "X", "cats", True)], (1, 2)
    assert seen(nlp("a")) == expected
    assert [seen(doc) for doc in nlp.pipe(["a", "a"], n_threads=n_threads)] == [expected] * 2
    # And the stream of a component itself.
    nlp.get_pipe("sentencizer").pipe = lambda stream, batch_size: (
        doc for doc in stream if doc is None
    )
    assert list(nlp.pipe(["a"], n_threads=n_threads)) == []


def test_a_callback_that_calls_in_again_and_again_ends_as_in_python_on_every_thread():
    python(
        """
        import lexpool

        nlp = lexpool.blank("en")
        nlp.tokenizer.token_match = nlp.tokenizer
        for n_threads in (1, 2):
            try:
                list(nlp.pipe(["one two", "three four"] * 20, n_threads=n_threads))
            except RecursionError:
                continue
            raise AssertionError(n_threads)
        """
    )
