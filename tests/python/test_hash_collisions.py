"""Two words with one id: texts stay as they were, and the store counts or refuses."""

import pytest

from lexpool import Doc, StringStore, Tokenizer
from lexpool.errors import HashCollisionError
from lexpool.strings import hash_string

FIRST, SECOND = "nwhmcsvgydilzqao", "jpimytqaE87myorS"
TEXT = f"{FIRST} and {SECOND}, {SECOND}! {FIRST}"


def test_the_words_do_collide():
    assert hash_string(FIRST) == hash_string(SECOND)


def test_texts_are_intact(tokenizer):
    doc = tokenizer(TEXT)
    assert doc.text == TEXT
    words = [FIRST, "and", SECOND, ",", SECOND, "!", FIRST]
    assert [token.text for token in doc] == [token.orth_ for token in doc] == words
    assert [str(token) for token in doc] == words
    assert doc[2:4].text == f"{SECOND},"
    assert [token.idx for token in doc] == [0, 17, 21, 37, 39, 55, 57]


@pytest.mark.parametrize("n_threads", [1, 2])
def test_texts_of_a_pipe_are_intact(tokenizer, n_threads):
    texts = [FIRST, SECOND] * 200
    docs = tokenizer.pipe(texts, batch_size=50, n_threads=n_threads)
    assert [doc[0].text for doc in docs] == texts


def test_a_document_from_words_is_intact(vocab):
    doc = Doc(vocab, words=[FIRST, SECOND], spaces=[True, False])
    assert doc.text == f"{FIRST} {SECOND}"
    assert doc[1].text == SECOND


def test_collisions_are_counted_and_the_first_string_keeps_the_id():
    store = StringStore([FIRST])
    assert store.collisions == 0
    assert store.add(SECOND) == store.add(FIRST)
    assert store.collisions == 1
    assert store[store[SECOND]] == FIRST
    assert len(store) == 1


def test_a_tokenizers_collisions_are_counted(tokenizer):
    tokenizer(FIRST)
    assert tokenizer.vocab.strings.collisions == 0
    tokenizer(SECOND)
    assert tokenizer.vocab.strings.collisions >= 1


def test_a_strict_store_refuses_the_second_string():
    store = StringStore([FIRST])
    store.set_strict(True)
    with pytest.raises(HashCollisionError, match=f"{SECOND}.*{FIRST}") as caught:
        store.add(SECOND)
    assert isinstance(caught.value, ValueError)
    assert store[store[FIRST]] == FIRST
    store.set_strict(False)
    store.add(SECOND)


@pytest.mark.parametrize("n_threads", [1, 2])
def test_a_strict_vocab_refuses_the_text_and_goes_on(n_threads):
    tokenizer = Tokenizer.blank("en")
    tokenizer.vocab.strings.set_strict(True)
    assert tokenizer(FIRST).text == FIRST
    with pytest.raises(HashCollisionError):
        tokenizer(SECOND)
    pipe = tokenizer.pipe(["before", f"a {SECOND}", "after"], n_threads=n_threads)
    assert next(pipe).text == "before"
    with pytest.raises(HashCollisionError):
        next(pipe)
    assert [doc.text for doc in pipe] == ["after"]


def test_a_collision_across_a_zone_leaves_texts_intact(tokenizer):
    tokenizer(FIRST)
    with tokenizer.vocab.memory_zone():
        inside = tokenizer(SECOND)
        assert inside[0].text == SECOND
    assert inside[0].text == inside.text == SECOND
    assert tokenizer(SECOND)[0].text == SECOND
