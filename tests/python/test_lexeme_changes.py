"""Attributes of words that are set, and what spaCy keeps of words outside of their records."""

import pickle

import pytest

from lexpool import Lexeme, Vocab, attrs, blank

TEXTS = ("lower", "norm", "shape", "prefix", "suffix", "lang")
FLAGS = (
    "is_stop", "is_alpha", "is_ascii", "is_digit", "is_lower", "is_upper", "is_title", "is_punct",
    "is_space", "is_bracket", "is_quote", "is_left_punct", "is_right_punct", "is_currency",
    "like_url", "like_num", "like_email",
)  # fmt: skip


@pytest.fixture
def vocab():
    return blank("en").vocab


@pytest.mark.parametrize("name", TEXTS)
def test_an_attribute_is_set_by_text_or_by_id(vocab, name):
    word = vocab["Apple"]
    setattr(word, f"{name}_", "something")
    assert getattr(word, name) == vocab.strings["something"]
    assert getattr(vocab["Apple"], f"{name}_") == "something"
    setattr(word, name, 429)
    assert getattr(word, f"{name}_") == "nsubj"
    with pytest.raises(TypeError):
        setattr(word, f"{name}_", 3)
    with pytest.raises(TypeError):
        setattr(word, name, None)
    with pytest.raises(OverflowError):
        setattr(word, name, -1)
    assert getattr(word, name) == 429


@pytest.mark.parametrize("name", FLAGS)
def test_flags_are_set_and_cleared_one_by_one(vocab, name):
    word = vocab["Apple"]
    before = word.flags
    for value in (True, False, 1, 0):
        setattr(word, name, value)
        assert getattr(word, name) is bool(value)
        assert word.check_flag(name.upper()) is bool(value)
    word.flags = before
    assert vocab["Apple"].flags == before


def test_tokens_see_what_their_words_were_set_to(vocab):
    doc = blank("en")("apple pie")
    doc.vocab["apple"].is_stop = True
    doc.vocab["apple"].rank = 7
    assert doc[0].is_stop and doc[0].rank == 7 and not doc[1].is_stop
    with pytest.raises(AttributeError):
        doc[0].is_stop = False


def test_attributes_are_set_by_name_in_any_case(vocab):
    word = vocab["apple"]
    word.set_attrs(lower="pear", NORM=429, is_stop=1, PROB=-3.0, id=2.5, no_such=1)
    assert (word.lower_, word.norm_, word.is_stop) == ("pear", "nsubj", True)
    assert word.rank == 2**64 - 1
    with pytest.raises((TypeError, OverflowError)):
        word.set_attrs(lower="plum", shape=-1)
    assert word.lower_ == "pear"


def test_flags_are_numbered_from_1_to_63(vocab):
    word = vocab["apple"]
    word.set_flag(40, True)
    assert word.check_flag(40) is True and word.check_flag("FLAG41") is False
    for wrong in (0, 66, "LOWER"):
        with pytest.raises(ValueError, match="E063"):
            word.set_flag(wrong, True)
    with pytest.raises(KeyError):
        word.set_flag(10**6, True)


def test_a_lexeme_is_made_of_a_vocab_and_an_id(vocab):
    assert Lexeme(vocab, vocab.strings.add("pear")) == vocab["pear"]
    assert Lexeme(vocab, 0).text == ""
    with pytest.raises(KeyError, match="E018"):
        Lexeme(vocab, 12345678)
    for wrong in (None, "apple", object()):
        with pytest.raises(TypeError):
            Lexeme(wrong, 0)
        with pytest.raises(TypeError):
            Lexeme(vocab, wrong)


def test_lexemes_compare_as_spacys_do(spacy):
    ours, theirs = Vocab(), spacy.vocab.Vocab()
    numbers = [0, -1, 2**64, 429, theirs["a"].orth]
    others = [lambda v: v["a"], lambda v: v["b"], lambda v: None, lambda v: object()]
    others += [lambda v, n=n: n for n in numbers] + [lambda v, t=t: t for t in ("a", "", "b")]
    operators = ("__lt__", "__le__", "__eq__", "__ne__", "__gt__", "__ge__")
    for other in others:
        for operator in operators:
            given = [getattr(v["a"], operator)(other(v)) for v in (ours, theirs)]
            assert given[0] == given[1], (operator, other(ours))
    assert hash(ours["a"]) == hash(theirs["a"])


def test_a_lexeme_is_not_pickled(vocab):
    with pytest.raises(TypeError):
        pickle.dumps(vocab["apple"])


def test_an_attribute_set_in_a_zone_outlives_it(vocab):
    _ = vocab["apple"]
    with vocab.memory_zone():
        kept, gone = vocab["kept"], vocab["gone"]
        gone.lower_ = "lower"
        with_string = vocab["apple"]
        with_string.shape_ = "new shape"
    assert (kept.text, gone.lower_) == ("kept", "lower")
    assert vocab["apple"].shape_ == "new shape"


def test_what_is_kept_in_tables_has_spacys_defaults(vocab):
    word = vocab["apple"]
    assert (word.prob, word.cluster, word.sentiment) == (-20.0, 0, 0.0)
    word.prob, word.cluster = -3.5, 4
    assert (word.prob, word.cluster) == (-20.0, 0)
    for table in ("lexeme_prob", "lexeme_cluster"):
        vocab.lookups.add_table(table)
    vocab.lookups.add_table("lexeme_settings", {"oov_prob": -15.0})
    assert word.prob == -15.0
    word.prob, word.cluster, word.sentiment = -3.5, 4, 0.5
    assert (word.prob, word.cluster, word.sentiment) == (-3.5, 4, 0.5)
    assert vocab["pear"].prob == -15.0


def test_a_norm_is_remembered_for_when_the_words_are_loaded_anew(vocab):
    word = vocab["apple"]
    word.norm_ = "fruit"
    assert vocab.lookups.get_table("lexeme_norm")["apple"] == "fruit"
    other = Vocab().from_bytes(vocab.to_bytes())
    assert (other["apple"].norm_, other["Pear"].norm_) == ("fruit", "pear")
    with pytest.raises(KeyError, match="E018"):
        word.norm = 12345678
    assert word.norm_ == "fruit"


def test_vectors_of_words(vocab):
    numpy = pytest.importorskip("numpy")
    apple, pear, plum = vocab["apple"], vocab["pear"], vocab["plum"]
    assert apple.is_oov and not apple.has_vector
    with pytest.raises(ValueError, match="E010"):
        _ = apple.vector
    vocab.set_vector("apple", numpy.asarray([3, 4], dtype="f"))
    vocab.set_vector(pear.orth, numpy.asarray([4, 3], dtype="f"))
    assert vocab.vectors_length == 2
    assert (apple.is_oov, apple.has_vector, float(apple.vector_norm)) == (False, True, 5.0)
    assert apple.similarity(pear) == pytest.approx(24 / 25)
    assert apple.similarity(apple) == 1.0 == apple.similarity([apple])
    assert (plum.vector == numpy.zeros(2)).all() and not plum.has_vector
    with pytest.warns(UserWarning, match="W008"):
        assert apple.similarity(plum) == 0.0
    plum.vector = numpy.asarray([1, 0], dtype="f")
    assert plum.has_vector and plum.rank == 2
    with pytest.raises(ValueError, match="E073"):
        plum.vector = numpy.zeros(3, dtype="f")


def test_a_word_met_after_its_vector_has_its_row_for_a_rank(vocab):
    numpy = pytest.importorskip("numpy")
    vocab.set_vector("apple", numpy.ones(2, dtype="f"))
    vocab.vectors.add("later", row=0)
    assert vocab["later"].rank == 0 and vocab["other"].rank == 2**64 - 1


def test_flags_of_the_users_own_are_set_at_once_and_later(vocab):
    before = vocab["four"]
    flag = vocab.add_flag(lambda word: len(word) == 4)
    assert flag == attrs.IDS["IS_OOV_DEPRECATED"]  # the first that has no getter
    assert before.check_flag(flag) and vocab["five"].check_flag(flag)
    assert not vocab["three"].check_flag(flag)
    assert vocab.add_flag(str.isdigit, flag_id=attrs.IS_STOP) == attrs.IS_STOP
    assert vocab["12"].is_stop and not vocab["the"].is_stop
    for wrong in (0, 64, -2):
        with pytest.raises(ValueError, match="E063"):
            vocab.add_flag(str.isdigit, flag_id=wrong)
    while flag < 63:
        flag = vocab.add_flag(str.isdigit)
    with pytest.raises(ValueError, match="E062"):
        vocab.add_flag(str.isdigit)
