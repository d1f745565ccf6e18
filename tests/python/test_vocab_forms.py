"""Strings and vocabs as bytes, on disk and pickled, both ways with spaCy."""

import functools
import gc
import pickle
import weakref

import pytest

import lexpool
from lexpool import StringStore, Vocab, attrs
from lexpool.vocab import create_vocab

STRINGS = ["b", "caf\u00e9", 'a/b"\\', "\0\x1f\x7f\n", "\U0001f600", "z" * 600, "\u2028", "a"]


def last(word: str) -> str:
    return word[-1:]


def test_a_stores_bytes_are_spacys(spacy):
    theirs = spacy.strings.StringStore(STRINGS)
    ours = StringStore(STRINGS)
    assert ours.to_bytes().decode() == theirs.to_bytes()  # theirs are text
    assert StringStore().to_bytes().decode() == spacy.strings.StringStore().to_bytes()
    assert list(StringStore().from_bytes(theirs.to_bytes())) == list(
        spacy.strings.StringStore().from_bytes(ours.to_bytes())
    )


def test_a_stores_file_is_spacys(spacy, tmp_path):
    spacy.strings.StringStore(STRINGS).to_disk(tmp_path / "theirs.json")
    StringStore(STRINGS).to_disk(tmp_path / "ours.json")
    assert (tmp_path / "ours.json").read_bytes() == (tmp_path / "theirs.json").read_bytes()
    assert sorted(StringStore().from_disk(str(tmp_path / "theirs.json"))) == sorted(STRINGS)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["ours.json", "theirs.json"]


def test_loading_keeps_what_was_stored():
    store = StringStore(["own"])
    with store.memory_zone():
        store.add("zone")
        assert store.from_bytes(b'["new", "own"]') is store
    assert sorted(store) == ["new", "own", "zone"]


@pytest.mark.parametrize("data", [b"", b"{}", b"[1]", b'["a"', b"\xff"])
def test_what_is_no_list_of_strings_is_refused(data, tmp_path):
    store = StringStore(["own"])
    with pytest.raises(ValueError):
        store.from_bytes(data)
    (tmp_path / "strings.json").write_bytes(data)
    with pytest.raises(ValueError):
        store.from_disk(tmp_path / "strings.json")
    assert list(store) == ["own"]


def test_files_that_are_not_there_are_named(tmp_path):
    with pytest.raises(OSError):
        StringStore().from_disk(tmp_path / "absent.json")
    with pytest.raises(OSError):
        StringStore().to_disk(tmp_path / "absent" / "strings.json")


def test_a_store_is_pickled_in_its_order():
    store = pickle.loads(pickle.dumps(StringStore(STRINGS)))
    assert store.keys() == STRINGS == list(store)
    assert store.values() == [store[string] for string in STRINGS]
    assert store.items() == list(zip(store.keys(), store.values(), strict=True))


def test_a_zone_of_a_store_takes_its_strings_along():
    store = StringStore(["before"])
    with store.memory_zone() as zone:
        assert zone is not None
        store.add("inside")
        store.add("kept", allow_transient=False)
        assert list(store) == ["before", "kept", "inside"]
        with pytest.raises(RuntimeError), store.memory_zone():
            pass
    assert list(store) == ["before", "kept"]
    with store.memory_zone("mine") as given:
        assert given == "mine"


def filled(vocab):
    numpy = pytest.importorskip("numpy")
    vocab.strings.add("only a string")
    vocab.set_vector("apple", numpy.asarray([1, 2], dtype="f"))
    vocab.set_vector("pear", numpy.asarray([3, 4], dtype="f"))
    vocab.lookups.add_table("lexeme_prob", {"apple": -3.0})
    vocab["apple"].norm_ = "fruit"
    return vocab


def check(vocab):
    assert "only a string" in vocab.strings
    assert vocab.get_vector("pear").tolist() == [3, 4]
    assert (vocab["apple"].prob, vocab["apple"].norm_) == (-3.0, "fruit")
    assert (vocab["apple"].rank, vocab["pear"].rank) == (0, 1)
    assert vocab["Other"].norm_ == "other"


@pytest.mark.parametrize("ours_first", [True, False])
def test_a_vocab_goes_both_ways_as_bytes(spacy, ours_first):
    kinds = [Vocab, spacy.vocab.Vocab] if ours_first else [spacy.vocab.Vocab, Vocab]
    data = filled(kinds[0]()).to_bytes()
    loaded = kinds[1]().from_bytes(data)
    assert loaded.to_bytes() == data
    check(loaded)
    check(kinds[0]().from_bytes(loaded.to_bytes()))


@pytest.mark.parametrize("ours_first", [True, False])
def test_a_vocab_goes_both_ways_as_a_folder(spacy, ours_first, tmp_path):
    kinds = [Vocab, spacy.vocab.Vocab] if ours_first else [spacy.vocab.Vocab, Vocab]
    filled(kinds[0]()).to_disk(tmp_path / "vocab")
    check(kinds[1]().from_disk(tmp_path / "vocab"))
    check(kinds[1]().from_disk(str(tmp_path / "vocab")))
    names = {path.name for path in (tmp_path / "vocab").iterdir()}
    assert names == {"strings.json", "vectors", "key2row", "vectors.cfg", "lookups.bin"}


def test_parts_are_left_out(tmp_path):
    vocab = filled(Vocab())
    data = vocab.to_bytes(exclude=["vectors", "lookups"])
    small = Vocab().from_bytes(data)
    assert "only a string" in small.strings and len(small.vectors) == 0
    assert Vocab().from_bytes(vocab.to_bytes(), exclude=["strings"]).strings.keys() == []
    vocab.to_disk(tmp_path / "vocab", exclude=("vectors", "strings"))
    assert [path.name for path in (tmp_path / "vocab").iterdir()] == ["lookups.bin"]
    loaded = Vocab().from_disk(tmp_path / "vocab", exclude=("vectors", "strings"))
    assert loaded["apple"].prob == -3.0


@pytest.mark.parametrize("data", [b"", b"\x90", b"\x81\xa7strings", b"\x81\xa7strings\xc4\x01{"])
def test_what_is_no_vocab_is_refused(data):
    vocab = Vocab(strings=["own"])
    with pytest.raises(ValueError):
        vocab.from_bytes(data)
    assert vocab.strings.keys() == ["own"] and "own" in vocab


def test_loading_forgets_lexemes_and_leaves_documents_their_own():
    nlp = lexpool.blank("en")
    doc = nlp("don't eat Apples")
    lexeme = doc[3].lex
    lexeme.shape_ = "mine"
    nlp.vocab.from_bytes(nlp.vocab.to_bytes())
    assert len(nlp.vocab) == 0 and "Apples" not in nlp.vocab
    assert (lexeme.shape_, doc[3].shape_, doc[3].lower_) == ("mine", "mine", "apples")
    again = nlp("don't eat Apples")
    assert [token.text for token in again] == ["do", "n't", "eat", "Apples"]
    assert again[3].shape_ == "Xxxxx" == nlp.vocab["Apples"].shape_
    nlp.vocab["do"].rank = 5
    assert again[0].rank == 5 != doc[0].rank


def test_a_pickled_vocab_has_its_getters_by_value():
    vocab = filled(Vocab({"LOWER": lambda word: word.upper(), "SUFFIX": last}))
    vocab.morphology.add("Case=Nom")
    vocab.cfg = {"oov_prob": -5}
    again = pickle.loads(pickle.dumps(vocab))
    check(again)
    assert (again["word"].lower_, again["word"].suffix_) == ("WORD", "d")
    assert again.morphology.get(again.strings["Case=Nom"]) == "Case=Nom"
    assert again.cfg == {"oov_prob": -5}
    # Its norms come from its own table, and from no copy of it.
    again.lookups.get_table("lexeme_norm")["later"] = "set later"
    assert again["later"].norm_ == "set later"
    assert len(pickle.dumps(pickle.loads(pickle.dumps(again)))) <= len(pickle.dumps(again)) + 64


def test_native_getters_are_pickled_too():
    vocab = lexpool.blank("en").vocab
    again = pickle.loads(pickle.dumps(vocab))
    for word in ("The", "seventh", "'s", "Coffee"):
        ours, theirs = again[word], vocab[word]
        assert (ours.flags, ours.norm_, ours.shape_, ours.lang_) == (
            theirs.flags, theirs.norm_, theirs.shape_, theirs.lang_,
        )  # fmt: skip


def test_a_mapping_of_getters_is_alive():
    vocab = lexpool.blank("en").vocab
    getters = vocab.lex_attr_getters
    assert getters[attrs.SHAPE]("Coffee") == "Xxxxx" and getters[attrs.IS_STOP]("The") is True
    before = vocab["before"]
    getters[attrs.LOWER] = str.upper
    getters["SUFFIX"] = last
    del getters[attrs.PREFIX]
    assert (vocab["word"].lower_, vocab["word"].suffix_, vocab["word"].prefix_) == ("WORD", "d", "")
    assert vocab["before"] == before and before.lower_ == "before"
    with pytest.raises(ValueError, match="LOWER"):
        getters[attrs.LOWER] = 3
    with pytest.raises(KeyError):
        getters["NO_SUCH"] = last
    assert getters[attrs.LOWER] is str.upper and vocab["third"].lower_ == "THIRD"
    getters.update({attrs.LOWER: str.title})
    assert vocab["fourth"].lower_ == "Fourth"
    vocab.lex_attr_getters = {"NORM": str.upper}
    assert (vocab["fifth"].norm_, vocab["fifth"].lower_) == ("FIFTH", "")
    assert vocab.lex_attr_getters is getters and list(getters) == [attrs.NORM]


def test_a_vocab_and_a_getter_that_refers_to_it_are_collected():
    vocab = Vocab()
    vocab.lex_attr_getters[attrs.LOWER] = functools.partial(lambda v, w: w, vocab)
    vocab.get_noun_chunks = lambda doc, v=vocab: []
    alive = weakref.ref(vocab)
    del vocab
    gc.collect()
    assert alive() is None


def test_a_vocab_for_a_language_is_spacys(spacy):
    for lang in ("en", "de", "xx"):
        theirs = spacy.blank(lang).vocab
        ours = create_vocab(lang, type(spacy.blank(lang)).Defaults)
        assert ours.lang == lang and ours.writing_system == theirs.writing_system
        assert ours.get_noun_chunks is theirs.get_noun_chunks
        for word in (
            "The",
            "the",
            "seventh",
            "zwei",
            "und",
            "'s",
            "\u2018",
            "\u20ac",
            "N.Y.",
            "\u2026",
            "10.000",
        ):
            a, b = ours[word], theirs[word]
            names = ("flags", "lower_", "norm_", "shape_", "prefix_", "suffix_", "lang_", "rank")
            assert [getattr(a, name) for name in names] == [getattr(b, name) for name in names]


def test_what_spacy_keeps_beside_the_lexemes_is_kept():
    vocab = Vocab(
        strings=["a", "b"], vectors_name="mine", writing_system={"direction": "rtl"}, tag_map={}
    )
    assert (vocab.length, len(vocab), vocab.lang) == (2, 2, "")
    assert vocab.cfg == {"oov_prob": -20.0} and Vocab(oov_prob=-3).cfg == {"oov_prob": -3}
    assert vocab.writing_system == {"direction": "rtl"} and Vocab().writing_system == {}
    assert vocab.get_noun_chunks is None
    vocab.get_noun_chunks = last
    assert vocab.get_noun_chunks is last
    for lookups in (None, True, False):
        assert vocab.lookups.tables == Vocab(lookups=lookups).lookups.tables == []


def test_vectors_share_the_vocabs_strings():
    numpy = pytest.importorskip("numpy")
    from lexpool.vectors import Vectors

    vocab = Vocab(vectors_name="mine")
    assert vocab.vectors.name == "mine" and vocab.vectors.strings is vocab.strings
    vectors = Vectors(data=numpy.eye(3, dtype="f"), keys=["a", "b", "c"])
    vectors.strings.add("of the vectors")
    vocab.vectors = vectors
    assert vocab.vectors is vectors and vectors.strings is vocab.strings
    assert "of the vectors" in vocab.strings and vocab.vectors_length == 3
    assert vocab.has_vector("a") and not vocab.has_vector("z")
    vocab.reset_vectors(width=5)
    assert vocab.vectors.shape == (3, 5) and not vocab.has_vector("a")
    with pytest.raises(ValueError, match="E065"):
        vocab.reset_vectors(width=5, shape=(2, 2))
