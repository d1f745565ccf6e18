"""The vocab and its lexemes."""

import weakref

import numpy as np
import pytest

from lexpool import Lexeme, Vocab, attrs


def test_a_word_is_entered_when_it_is_asked_for(vocab):
    before = len(vocab)
    assert "zeppelin" not in vocab
    assert vocab["zeppelin"].text == "zeppelin"
    assert "zeppelin" in vocab
    assert b"zeppelin" in vocab
    assert vocab.strings["zeppelin"] in vocab
    assert len(vocab) == before + 1
    assert vocab["zeppelin"].orth == vocab.strings["zeppelin"]


def test_asking_whether_a_word_is_there_enters_nothing(vocab):
    before = len(vocab), len(vocab.strings)
    assert "zeppelin" not in vocab
    assert vocab.strings["zeppelin"] not in vocab
    assert (len(vocab), len(vocab.strings)) == before


def test_an_id_gives_the_lexeme_of_a_known_string(vocab):
    key = vocab.strings.add("zeppelin")
    assert key not in vocab
    assert vocab[key].text == "zeppelin"
    assert vocab[np.uint64(key)] == vocab["zeppelin"]
    with pytest.raises(KeyError, match="E018"):
        _ = vocab[vocab.strings["never seen"]]


def test_the_empty_word_has_an_empty_lexeme(vocab):
    before = len(vocab)
    assert vocab[""].text == vocab[0].text == ""
    assert vocab[""].orth == len(vocab[0]) == 0
    assert len(vocab) == before


def test_iterating_gives_each_lexeme_once():
    vocab = Vocab(strings=["a", "b", "a", "c"])
    assert [lexeme.text for lexeme in vocab] == ["a", "b", "c"]
    assert len(vocab) == len(list(vocab)) == 3
    assert all(isinstance(lexeme, Lexeme) for lexeme in vocab)


@pytest.mark.parametrize("key", [None, [], object()])
def test_keys_of_a_wrong_type_are_refused(vocab, key):
    with pytest.raises(TypeError):
        _ = vocab[key]
    with pytest.raises(TypeError):
        _ = key in vocab


@pytest.mark.parametrize("key", [-1, 2**64])
def test_numbers_beyond_64_bits_are_refused(vocab, key):
    with pytest.raises(OverflowError):
        _ = vocab[key]
    with pytest.raises(OverflowError):
        _ = key in vocab


def test_without_getters_a_lexeme_has_its_text_and_length_only():
    word = Vocab()["Coffee"]
    assert (word.text, len(word), word.orth_) == ("Coffee", 6, "Coffee")
    assert (word.lower, word.lower_, word.flags, word.is_alpha) == (0, "", 0, False)


def test_lexemes_are_equal_by_word(vocab):
    word = vocab["apple"]
    assert word == vocab["apple"] == vocab[word.orth]
    assert word == "apple"
    assert word == word.orth
    assert word != vocab["Apple"]
    assert word != "Apple"
    assert word != None  # noqa: E711
    assert word != 3.5
    assert hash(word) == hash(vocab["apple"])
    assert {word: 1}[vocab["apple"]] == 1
    assert repr(word) == '<Lexeme "apple">'
    assert str(word) == "apple"


def test_a_lexemes_attributes_are_spacys(pair, sample):
    theirs, ours = pair("en")
    words = sorted({word for line in sample[:300] for word in line.split()})
    names = [name for name in dir(ours.vocab["x"]) if name.startswith(("is_", "like_"))]
    names += ["orth", "lower", "norm", "shape", "prefix", "suffix", "lang", "rank", "flags"]
    names += ["text", "orth_", "lower_", "norm_", "shape_", "prefix_", "suffix_", "lang_"]
    assert len(names) > 30
    for word in words:
        a, b = theirs.vocab[word], ours.vocab[word]
        assert {n: getattr(a, n) for n in names} == {n: getattr(b, n) for n in names}
        assert len(a.text) == len(b)


def test_flags_are_checked_by_name_or_number(vocab):
    word = vocab["42"]
    assert word.check_flag("IS_DIGIT")
    assert word.check_flag("is_digit")
    assert word.check_flag(attrs.LIKE_NUM)
    assert not word.check_flag(attrs.IS_ALPHA)
    assert not word.check_flag("LOWER")
    assert bool(word.flags >> attrs.IS_DIGIT & 1)
    with pytest.raises(KeyError, match="E983"):
        word.check_flag("NO_SUCH")


def test_what_a_word_is_cannot_be_changed(vocab):
    for name in ("orth", "orth_", "text", "vocab", "is_oov", "has_vector", "vector_norm"):
        with pytest.raises(AttributeError):
            setattr(vocab["apple"], name, 3)
    with pytest.raises(AttributeError):
        del vocab["apple"].lower


def test_a_lexeme_keeps_its_vocab():
    word = Vocab({"LOWER": str.lower})["Kept"]
    assert word.lower_ == "kept"
    assert "Kept" in word.vocab


def test_a_vocab_goes_with_its_last_user():
    vocab = Vocab(strings=["a"])
    reference = weakref.ref(vocab)
    word = vocab["a"]
    del vocab
    assert reference() is word.vocab
    del word
    assert reference() is None


def test_a_lexemes_record_is_its_attributes(vocab):
    word = vocab["Apple"]
    record = np.asarray(word.c)
    assert len(word.c) == len(record) == 1
    for field in ("flags", "orth", "lower", "norm", "shape", "prefix", "suffix", "lang"):
        assert record[field][0] == getattr(word, field)
    assert record["length"][0] == 5
    assert not record.flags.writeable
    del word, vocab
    assert record["length"][0] == 5


def test_memory_is_accounted_for(vocab):
    before = vocab.stats()
    assert set(before) == {"used_bytes", "reserved_bytes", "chunks", "high_water_bytes"}
    for i in range(20_000):
        _ = vocab[f"new word {i}"]
    after = vocab.stats()
    assert after["used_bytes"] - before["used_bytes"] > 20_000 * 80
    assert after["reserved_bytes"] >= after["used_bytes"]


def test_a_vocab_says_what_it_holds():
    assert repr(Vocab(strings=["a", "b"])) == '<Vocab "" of 2 words>'


@pytest.mark.parametrize("getters", [3, "LOWER", [("LOWER", str.lower)]])
def test_getters_of_a_wrong_type_are_refused(getters):
    with pytest.raises(TypeError):
        Vocab(getters)


def test_a_getter_that_cannot_be_called_is_refused():
    with pytest.raises((TypeError, ValueError), match="LOWER"):
        Vocab({"LOWER": "lower"})
    with pytest.raises(KeyError, match="E983"):
        Vocab({"NO_SUCH": str.lower})


@pytest.mark.parametrize("strings", [3, [3], [None]])
def test_words_of_a_wrong_type_are_refused(strings):
    with pytest.raises(TypeError):
        Vocab(strings=strings)
