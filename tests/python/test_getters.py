"""Attribute getters written in Python."""

import gc
import threading
import weakref

import pytest

from lexpool import Tokenizer, Vocab, attrs


class RefusedError(Exception):
    """An error of the getter's own."""


class Counting:
    """Records the words it is asked about, and refuses one of them."""

    def __init__(self, give=str.upper, refused: str | None = None) -> None:
        self.words: list[str] = []
        self.give = give
        self.refused = refused

    def __call__(self, word: str):
        self.words.append(word)
        if word == self.refused:
            raise RefusedError(word)
        return self.give(word)


def test_a_getter_is_called_once_for_each_new_word():
    getter = Counting()
    tokenizer = Tokenizer(Vocab({"LOWER": getter}))
    doc = tokenizer("a b a c b a")
    tokenizer("c b a")
    _ = tokenizer.vocab["a"]
    assert [token.lower_ for token in doc] == ["A", "B", "A", "C", "B", "A"]
    assert getter.words == ["a", "b", "c"]


def test_each_attribute_may_have_its_getter():
    getters = {
        attrs.LOWER: str.lower,
        "norm": lambda word: word[::-1],
        "SHAPE": lambda word: str(len(word)),
        "PREFIX": lambda word: None,
        "IS_STOP": lambda word: word == "the",
        "FLAG20": lambda word: len(word) > 3,
        attrs.LANG: lambda word: 429,
    }
    the, other = Vocab(getters, strings=["the", "Other"])
    assert (the.is_stop, other.is_stop) == (True, False)
    assert (the.check_flag("FLAG20"), other.check_flag(20)) == (False, True)
    assert (other.lower_, other.norm_, other.shape_, other.lang_) == (
        "other",
        "rehtO",
        "5",
        "nsubj",
    )
    assert (other.prefix, other.prefix_, other.suffix) == (0, "", 0)


@pytest.mark.parametrize(("given", "stored"), [(True, 1), (False, 0), (1, 1), (0, 0), (None, 0)])
def test_a_flag_is_true_or_not(given, stored):
    word = Vocab({"IS_STOP": lambda _: given})["x"]
    assert (word.is_stop, word.flags) == (bool(stored), stored << attrs.IS_STOP)


@pytest.mark.parametrize("given", [[], object(), -1, 2**64])
def test_what_a_getter_may_not_give_is_refused(given):
    vocab = Vocab({"LOWER": lambda _: given})
    with pytest.raises((TypeError, OverflowError)):
        _ = vocab["x"]
    assert "x" not in vocab


def test_a_getters_exception_comes_through_with_its_own_type():
    getter = Counting(refused="bad")
    tokenizer = Tokenizer(Vocab({"LOWER": getter}))
    with pytest.raises(RefusedError, match="bad") as caught:
        tokenizer("good bad good")
    assert any("__call__" in str(entry) for entry in caught.traceback)
    with pytest.raises(RefusedError):
        _ = tokenizer.vocab["bad"]
    assert "bad" not in tokenizer.vocab
    getter.refused = None
    assert [token.lower_ for token in tokenizer("good bad")] == ["GOOD", "BAD"]


@pytest.mark.parametrize("n_threads", [1, 2, 5])
def test_an_exception_comes_through_a_pipe_in_its_texts_turn(n_threads):
    tokenizer = Tokenizer(Vocab({"LOWER": Counting(refused="bad")}))
    texts = [f"word{i}" for i in range(500)]
    texts[300] = "a bad one"
    pipe, docs = tokenizer.pipe(texts, batch_size=64, n_threads=n_threads), []
    with pytest.raises(RefusedError, match="bad"):
        docs += pipe
    assert [doc.text for doc in docs] == texts[: len(docs)]
    rest = [doc.text for doc in pipe]
    assert rest == texts[301:]


def test_an_exception_leaves_the_documents_before_it():
    tokenizer = Tokenizer(Vocab({"LOWER": Counting(refused="bad")}))
    docs = []
    with pytest.raises(RefusedError):
        for doc in tokenizer.pipe(["one", "two", "bad", "three"], n_threads=2):
            docs.append(doc.text)
    assert docs == ["one", "two"]


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit, MemoryError, KeyError])
def test_exceptions_of_any_kind_come_through(kind):
    def getter(word: str):
        raise kind("from the getter")

    tokenizer = Tokenizer(Vocab({"LOWER": getter}))
    with pytest.raises(kind):
        tokenizer("x")
    with pytest.raises(kind):
        next(tokenizer.pipe(["x", "y"], n_threads=2))


def test_a_stop_iteration_of_a_getter_does_not_end_a_pipe_in_silence():
    def getter(word: str):
        raise StopIteration

    tokenizer = Tokenizer(Vocab({"LOWER": getter}))
    with pytest.raises(RuntimeError):
        list(tokenizer.pipe(["x", "y"], n_threads=1))


def test_getters_are_called_from_worker_threads_too():
    threads = set()

    def getter(word: str) -> str:
        threads.add(threading.get_ident())
        return word.upper()

    tokenizer = Tokenizer(Vocab({"LOWER": getter}))
    texts = [f"word{i} and{i}" for i in range(5000)]
    docs = list(tokenizer.pipe(texts, batch_size=500, n_threads=2))
    assert [doc[0].lower_ for doc in docs] == [f"WORD{i}" for i in range(5000)]
    assert threads - {threading.get_ident()}


def test_a_word_met_by_many_threads_at_once_gets_one_value():
    tokenizer = Tokenizer(Vocab({"LOWER": str.lower}))
    texts = [" ".join(f"Word{j}" for j in range(200))] * 400
    docs = list(tokenizer.pipe(texts, batch_size=50, n_threads=4))
    assert len(tokenizer.vocab) == 200
    assert {token.lower_ for doc in docs for token in doc} == {f"word{j}" for j in range(200)}


def test_a_getter_may_use_the_vocab_that_asks_it():
    box = []

    def getter(word: str) -> str:
        vocab = box[0]
        if len(word) > 1:
            return vocab[word[1:]].text
        return vocab.strings[vocab.strings.add("end")]

    box.append(Vocab({"NORM": getter}))
    tokenizer = Tokenizer(box[0])
    assert [token.norm_ for token in tokenizer("abcd d")] == ["bcd", "end"]
    texts = [f"{i}abc" for i in range(1000)]
    assert [d[0].norm_ for d in tokenizer.pipe(texts, n_threads=2)] == [text[1:] for text in texts]
    box.clear()


def test_spacys_vocab_brings_its_own_getters(spacy):
    nlp = spacy.blank("en")
    getter = Counting(give=lambda word: word.startswith("q"))
    flag = nlp.vocab.add_flag(getter)
    nlp.vocab.lex_attr_getters[spacy.attrs.SHAPE] = lambda word: "shape of " + word
    tokenizer = Tokenizer.from_spacy(nlp.tokenizer)
    getter.words.clear()
    doc = tokenizer("quite a question, quite")
    assert [token.check_flag(flag) for token in doc] == [True, False, True, False, True]
    assert doc[0].shape_ == "shape of quite"
    assert doc[0].lower_ == "quite"
    assert set(doc.to_array(flag).tolist()) == {0, 1}
    assert len(getter.words) == len(set(getter.words))
    assert {"quite", "a", "question", ","} <= {
        *getter.words,
        *(lex.text for lex in tokenizer.vocab),
    }


def test_stop_words_changed_in_spacy_are_taken_over(spacy):
    nlp = spacy.blank("en")
    nlp.vocab.lex_attr_getters[spacy.attrs.IS_STOP] = lambda word: word == "zebra"
    doc = Tokenizer.from_spacy(nlp.tokenizer)("the zebra")
    assert [token.is_stop for token in doc] == [False, True]


def test_a_getter_goes_with_its_vocab():
    getter = Counting()
    reference = weakref.ref(getter)
    vocab = Vocab({"LOWER": getter})
    del getter
    gc.collect()
    assert reference() is not None
    del vocab
    gc.collect()
    assert reference() is None


def test_a_getter_that_refers_to_its_vocab_keeps_neither_alive():
    def cycle() -> weakref.ref:
        box = []
        vocab = Vocab({"LOWER": lambda word: word if box else ""})
        box.append(vocab)
        return weakref.ref(vocab)

    reference = cycle()
    gc.collect()
    assert reference() is None
