"""The string store: strings and ids, as spaCy has them."""

import weakref

import numpy as np
import pytest
from hypothesis import given, strategies as st

from lexpool import StringStore
from lexpool.strings import get_string_id, hash_string
from lexpool.symbols import IDS

unicode = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)


@given(unicode)
def test_ids_are_spacys(spacy, text):
    assert hash_string(text) == spacy.strings.hash_string(text)
    assert get_string_id(text) == spacy.strings.get_string_id(text)
    assert StringStore()[text] == spacy.strings.StringStore()[text]
    assert StringStore()[text.encode()] == spacy.strings.StringStore()[text.encode()]


def test_symbols_are_spacys(spacy):
    assert IDS == spacy.symbols.IDS
    store = StringStore()
    for name, number in IDS.items():
        assert store[name] == store.add(name) == get_string_id(name) == number
        assert store[number] == name
    assert len(store) == 0


def test_attributes_are_spacys(spacy):
    from lexpool import attrs

    assert attrs.IDS == {name: int(number) for name, number in spacy.attrs.IDS.items()}
    assert attrs.IOB_STRINGS == spacy.attrs.IOB_STRINGS
    assert attrs.LOWER == attrs.IDS["LOWER"] == 66
    with pytest.raises(AttributeError, match="NO_SUCH"):
        _ = attrs.NO_SUCH


@given(st.lists(unicode))
def test_a_store_gives_back_what_was_added(strings):
    store = StringStore(strings)
    assert all(store[store[string]] == string for string in strings)
    assert all(string in store and store[string] in store for string in strings)
    stored = list(dict.fromkeys(s for s in strings if s and s not in IDS))
    assert list(store) == stored
    assert len(store) == len(stored)


@pytest.mark.parametrize(
    "string", ["a\0b", "\0", "\U0001f600", "x" * 100_000, "\u2665" * 600, "e\u0301", "\ufeff", " "]
)
def test_strings_of_any_kind_survive(string):
    store = StringStore()
    key = store.add(string)
    assert store[key] == store.as_string(key) == string
    assert store.add(string) == key
    assert list(store) == [string]


def test_looking_up_stores_nothing():
    store = StringStore()
    key = store["coffee"]
    assert key == 3197928453018144401
    assert "coffee" not in store
    assert key not in store
    with pytest.raises(KeyError, match="E018"):
        _ = store[key]
    assert len(store) == 0


def test_the_empty_string_is_0_in_every_store():
    store = StringStore()
    assert store[""] == store.add("") == get_string_id("") == 0
    assert store[0] == ""
    assert "" in store
    assert 0 in store
    assert hash_string("") == 14313749767032693980


def test_bytes_are_strings_in_utf_8():
    store = StringStore([b"caf\xc3\xa9"])
    assert list(store) == ["caf\u00e9"]
    assert store.add("caf\u00e9".encode()) == store["caf\u00e9"]


@pytest.mark.parametrize("kind", [int, float, np.uint64, np.int64, np.int32])
def test_numbers_of_any_kind_are_ids(kind):
    assert StringStore()[kind(429)] == "nsubj"
    assert StringStore().as_string(kind(429)) == "nsubj"


def test_floats_are_truncated():
    assert StringStore()[429.9] == "nsubj"


def test_what_is_of_the_kind_already_stays_as_it_is():
    store = StringStore()
    assert store.as_int(12345) == 12345
    assert store.as_string("never stored") == "never stored"
    assert store.as_int("coffee") == store["coffee"]
    assert get_string_id(12345) == 12345
    assert get_string_id(None) is None


@pytest.mark.parametrize("key", [None, [], {}, object()])
def test_keys_of_a_wrong_type_are_refused(key):
    store = StringStore()
    with pytest.raises(TypeError):
        _ = store[key]
    with pytest.raises(TypeError):
        _ = key in store
    with pytest.raises(TypeError, match="E017"):
        store.add(key)
    assert store.as_int(key) is key
    with pytest.raises(TypeError):
        store.as_string(key)


@pytest.mark.parametrize("key", [-1, 2**64])
def test_numbers_beyond_64_bits_are_refused(key):
    with pytest.raises(OverflowError):
        _ = StringStore()[key]
    with pytest.raises(OverflowError):
        _ = key in StringStore()


def test_what_cannot_be_encoded_is_refused_with_its_position():
    store = StringStore()
    for use in (store.add, store.as_int, store.__getitem__, store.__contains__, hash_string):
        with pytest.raises(UnicodeEncodeError) as caught:
            use("ab\ud800")
        assert caught.value.start == 2
    with pytest.raises(UnicodeDecodeError):
        store.add(b"\xff")
    assert len(store) == 0


def test_a_store_says_what_it_holds():
    assert repr(StringStore(["a", "b"])) == "<StringStore of 2 strings>"
    assert StringStore(freeze=True).collisions == 0


def test_a_store_can_be_referred_to_weakly():
    store = StringStore()
    reference = weakref.ref(store)
    assert reference() is store
    del store
    assert reference() is None


def test_a_vocabs_store_is_one_object_and_keeps_the_vocab(vocab):
    strings = vocab.strings
    assert strings is vocab.strings
    key = strings.add("kept by the store")
    del vocab
    assert strings[key] == "kept by the store"
