"""Defects that were seen in spaCy's core and must not be seen here, a test for each.

Where a defect fills a file of its own, that is where its tests are: words with one id in
test_hash_collisions.py, documents after their zone in test_memory_zones.py, changed bytes in
test_doc_bytes.py and test_docbin.py.
"""

import pickle
import time
import weakref

import numpy as np
import pytest
from test_hash_collisions import FIRST, SECOND

import lexpool
from lexpool import Doc, StringStore
from lexpool.lookups import Lookups
from lexpool.tokens import DocBin
from lexpool.vectors import Vectors

M = 0xC6A4A7935BD1E995


def test_a_filter_by_text_is_not_bypassed_by_a_word_with_the_same_id(tokenizer):
    tokenizer(FIRST)
    doc = tokenizer(f"{FIRST} and {SECOND}")
    assert [token.text for token in doc] == [FIRST, "and", SECOND]
    again = Doc(lexpool.Vocab()).from_bytes(doc.to_bytes())
    assert again.text == doc.text


def test_words_made_to_flood_a_hash_table_take_no_longer_than_others():
    # The ids of these differ in their upper half only: a table that took the lower bits of an id
    # for the place would look at all before it for each of them.
    flood = crafted(20_000)
    ids = [lexpool.strings.hash_string(word) for word in flood]
    assert len(set(ids)) == len(flood)
    assert len({id % 2**16 for id in ids}) == 1
    others = [f"{i:08x}" for i in range(len(flood))]
    assert seconds(flood) < 5 * seconds(others) + 0.05


def crafted(count: int) -> list[str]:
    """Words of eight ASCII characters whose ids end in the same sixteen bits."""
    ids = np.arange(600 * count, dtype="uint64") << np.uint64(16) | np.uint64(7)
    words = blocks_of(ids).view("uint8").reshape(-1, 8)
    ascii = words[((words > 0) & (words < 128)).all(axis=1)][:count]
    return [word.tobytes().decode() for word in ascii]


def blocks_of(ids: np.ndarray) -> np.ndarray:
    """The eight bytes, as a number, whose MurmurHash64A of seed 1 is an id: the hash run
    backwards.
    """
    back, shift = np.uint64(pow(M, -1, 2**64)), np.uint64(47)
    state = ids ^ ids >> shift
    state = state * back
    state = (state ^ state >> shift) * back
    block = (state ^ np.uint64(1 ^ 8 * M % 2**64)) * back
    return (block ^ block >> shift) * back


def seconds(words: list[str]) -> float:
    """The shortest of some times that a new store takes to take words in and to find them."""
    best = float("inf")
    for _ in range(3):
        start = time.perf_counter()
        store = StringStore(words)
        assert all(word in store for word in words)
        best = min(best, time.perf_counter() - start)
    return best


def test_a_permanent_string_added_in_a_zone_after_it_was_seen_there_stays(vocab):
    with vocab.memory_zone():
        vocab.strings.add("seen first")
        number = vocab.strings.add("seen first", allow_transient=False)
    assert vocab.strings[number] == "seen first"


def test_every_way_to_list_a_store_works():
    store = StringStore(["one", "two"])
    assert list(store.values()) == [store["one"], store["two"]]
    assert list(store.keys()) == list(store) == ["one", "two"]
    assert list(store.items()) == [("one", store["one"]), ("two", store["two"])]


@pytest.mark.parametrize("number", [0, 1, 2, 456, 2**64 - 1])
def test_no_key_is_reserved(number):
    lookups = Lookups()
    table = lookups.add_table("table", {number: "value"})
    assert table[number] == "value"
    vectors = Vectors(shape=(2, 3))
    vectors.add(number, vector=np.ones(3, dtype="float32"))
    assert vectors[number].tolist() == [1, 1, 1]


@pytest.mark.parametrize("shape", [(2**62, 8), (2**40, 2**40), (0, 2**60)])
def test_sizes_that_overflow_are_refused(shape):
    with pytest.raises((ValueError, MemoryError, OverflowError)):
        Vectors(shape=shape)


def test_a_matrix_wider_than_memory_is_refused(vocab):
    with pytest.raises((MemoryError, OverflowError)):
        Doc(vocab, ["word"]).to_utf8_array(2**62)


def test_deleting_from_a_group_of_spans_deletes_that_span(vocab):
    doc = Doc(vocab, ["a", "b", "c"])
    doc.spans["sc"] = [doc[0:1], doc[1:2], doc[2:3]]
    group = doc.spans["sc"]
    del group[0]
    assert [span.text for span in group] == ["b", "c"]
    del group[1]
    assert [span.text for span in group] == ["b"]


def test_no_vocab_is_an_exception_and_not_a_crash():
    for make in (Doc, lexpool.Tokenizer):
        with pytest.raises(TypeError):
            make(None)


def test_spans_tokens_and_groups_of_a_dead_document_do_not_crash(vocab):
    doc = Doc(vocab, ["a", "b"])
    doc.spans["sc"] = [doc[0:1]]
    token, span, group = doc[1], doc[0:2], doc.spans["sc"]
    alive = weakref.ref(doc)
    del doc
    assert (token.text, span.text) == ("b", "a b")
    del token, span
    if alive() is None:
        with pytest.raises(RuntimeError, match="E865"):
            _ = group.doc


def test_an_inside_tag_at_the_start_is_made_valid_or_refused_with_a_code(vocab):
    doc = Doc(vocab, ["a", "b"], ents=["I-ORG", "O"])
    try:
        assert [ent.text for ent in doc.ents] == ["a"]
    except ValueError as error:
        assert "E093" in str(error)


def test_no_changed_bit_of_saved_documents_makes_another_document(vocab):
    words = ["a", "few", "words"]
    doc = Doc(vocab, words, tags=["X", "Y", "Z"], heads=[1, 1, 1], deps=["a", "b", "c"])
    right = doc.text, doc.to_array(doc._get_array_attrs()).tolist()
    for data, load in (
        (doc.to_bytes(), lambda data: Doc(lexpool.Vocab()).from_bytes(data)),
        (DocBin(docs=[doc]).to_bytes(), one_of_a_bin),
    ):
        for at in range(len(data)):
            for bit in range(8):
                changed = bytearray(data)
                changed[at] ^= 1 << bit
                try:
                    again = load(bytes(changed))
                except ValueError:
                    continue
                # A bit that tells nothing, such as the level of compression.
                assert (again.text, again.to_array(doc._get_array_attrs()).tolist()) == right, (
                    at,
                    bit,
                )


def one_of_a_bin(data):
    (doc,) = DocBin().from_bytes(data).get_docs(lexpool.Vocab())
    return doc


def test_a_pickle_does_not_hold_the_vocab(vocab):
    doc = Doc(vocab, ["a"])
    for i in range(10_000):
        vocab.strings.add(f"word{i}")
    assert len(pickle.dumps(doc)) < 10_000
