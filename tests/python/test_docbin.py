"""DocBin: files that spaCy reads, and files of spaCy's."""

import pickle
import random
import zlib
from pydoc_data.topics import topics

import pytest
from annotated import ARRAY_ATTRS, by_chance, contents

import lexpool
from lexpool.tokens import Doc, DocBin
from lexpool.tokens._serialize import merge_bins

spacy = pytest.importorskip("spacy")


@pytest.fixture
def rng():
    return random.Random(5)


@pytest.fixture
def vocab():
    return lexpool.blank("en").vocab


def binned(doc):
    """Returns the parts of a document that a DocBin keeps: all but the tensor and the sentiment;
    lists of user data become tuples.
    """
    kept = contents(doc)
    del kept["tensor"], kept["sentiment"]
    kept["user_data"] = {**kept["user_data"], "key": tuple(kept["user_data"]["key"])}
    return kept


@pytest.mark.parametrize("attrs", [None, ["ORTH"], ["ORTH", "LEMMA", "TAG", "HEAD", "DEP"]])
def test_files_are_as_large_as_spacys_within_a_hundredth(attrs):
    # Prose that comes with every CPython.
    texts = [" ".join(part.split()) for text in topics.values() for part in text.split("\n\n")]
    options = {} if attrs is None else {"attrs": attrs}
    own = DocBin(docs=map(lexpool.blank("en"), texts), **options).to_bytes()
    theirs = spacy.tokens.DocBin(docs=map(spacy.blank("en"), texts), **options).to_bytes()
    assert len(own) <= 1.01 * len(theirs)


def test_spacy_reads_the_files(rng, vocab, tmp_path):
    docs = [by_chance(rng, Doc, vocab) for _ in range(20)]
    DocBin(docs=docs, store_user_data=True).to_disk(tmp_path / "a.spacy")
    theirs = spacy.tokens.DocBin().from_disk(tmp_path / "a.spacy")
    again = theirs.get_docs(spacy.blank("en").vocab)
    assert [binned(doc) for doc in again] == [binned(doc) for doc in docs]


def test_files_of_spacys_are_read(rng, vocab, tmp_path):
    theirs = [by_chance(rng, spacy.tokens.Doc, spacy.blank("en").vocab) for _ in range(20)]
    spacy.tokens.DocBin(docs=theirs, store_user_data=True).to_disk(tmp_path / "a.spacy")
    docs = DocBin().from_disk(str(tmp_path / "a.spacy")).get_docs(vocab)
    assert [binned(doc) for doc in docs] == [binned(doc) for doc in theirs]


def test_attributes_are_those_asked_for_orth_first(vocab):
    own = DocBin(attrs=["TAG", "lemma", "SPACY", "ORTH", "NORM"])
    assert own.attrs == spacy.tokens.DocBin(attrs=["TAG", "LEMMA", "SPACY", "ORTH", "NORM"]).attrs
    assert DocBin().attrs == spacy.tokens.DocBin().attrs
    with pytest.raises(KeyError, match="E983"):
        DocBin(attrs=["NOPE"])
    doc = Doc(vocab, words=["a"], tags=["X"], lemmas=["L"], pos=["NOUN"])
    own.add(doc)
    (again,) = DocBin().from_bytes(own.to_bytes()).get_docs(vocab)
    assert (again[0].tag_, again[0].lemma_, again[0].pos_) == ("X", "L", "")


def test_what_a_bin_holds_can_be_looked_at(vocab):
    doc = Doc(vocab, words=["a", "b"], spaces=[True, False])
    doc.cats = {"A": 1.0}
    bin = DocBin(attrs=["NORM"], docs=[doc, Doc(vocab, words=["c"])])
    assert len(bin) == 2
    assert bin.version == "0.1"
    assert [tokens.shape for tokens in bin.tokens] == [(2, 2), (1, 2)]
    assert bin.tokens[0][:, 0].tolist() == [token.orth for token in doc]
    assert [spaces.ravel().tolist() for spaces in bin.spaces] == [[1, 0], [1]]
    assert bin.cats == [{"A": 1.0}, {}]
    assert bin.flags == [{"has_unknown_spaces": False}, {"has_unknown_spaces": True}]
    assert bin.span_groups == [b"\x90", b"\x90"]
    assert bin.user_data == [None, None]
    assert {"a", "b", "c"} <= bin.strings


def test_documents_come_one_by_one_and_may_be_added_meanwhile(vocab):
    bin = DocBin(docs=[Doc(vocab, words=["a"])])
    docs = bin.get_docs(vocab)
    assert next(docs).text == "a "
    bin.add(Doc(vocab, words=["b"]))
    assert list(docs) == []
    assert [doc.text for doc in bin.get_docs(vocab)] == ["a ", "b "]


def test_bins_merge(vocab):
    first, second = (DocBin(docs=[Doc(vocab, words=[word])]) for word in "ab")
    first.merge(second)
    assert [doc.text for doc in first.get_docs(vocab)] == ["a ", "b "]
    first.merge(first)
    assert len(first) == 4
    for other in (DocBin(attrs=["TAG"]), DocBin(store_user_data=True)):
        with pytest.raises(ValueError, match="E166"):
            first.merge(other)
    assert merge_bins([]) == b""
    merged = DocBin().from_bytes(merge_bins([second.to_bytes(), None, first.to_bytes()]))
    assert len(merged) == 5


def test_a_bin_pickles(vocab):
    doc = Doc(vocab, words=["a"])
    doc.user_data["k"] = 1
    bin = pickle.loads(pickle.dumps(DocBin(docs=[doc], store_user_data=True)))
    assert bin.store_user_data
    assert next(iter(bin.get_docs(vocab))).user_data == {"k": 1}


def test_what_is_no_docbin_is_refused_and_changes_nothing(vocab):
    bin = DocBin(docs=[Doc(vocab, words=["a"])])
    for data in (
        b"",
        b"nothing",
        bin.to_bytes()[:-3],
        zlib.compress(b"\x80"),
        zlib.compress(b"\xc0"),
    ):
        with pytest.raises(ValueError, match=r"^\["):
            bin.from_bytes(data)
    with pytest.raises(FileNotFoundError):
        bin.from_disk("/nowhere/at/all")
    assert len(bin) == 1


def test_a_bin_of_equal_bytes_is_written_so_that_it_is_read_without_a_limit_of_its_own(vocab):
    doc = Doc(vocab, words=["a"] * 100_000)
    doc.user_data["key"] = bytes(100 << 20)
    data = DocBin(docs=[doc], store_user_data=True).to_bytes()
    assert len(data) < 1 << 20
    (again,) = DocBin(store_user_data=True).from_bytes(data).get_docs(vocab)
    assert (len(again), again.user_data) == (len(doc), doc.user_data)
    # Padding is part of the format: any reader passes over it.
    assert len(zlib.decompress(data)) > 100 << 20


def test_bytes_that_inflate_out_of_all_proportion_are_refused_unless_they_are_trusted(
    vocab, tmp_path
):
    doc = Doc(vocab, words=["one"])
    same = DocBin(docs=[doc])
    # A message that is right, but for what one value holds: a document's user data.
    large = DocBin(store_user_data=True)
    doc.user_data["key"] = bytes(100 << 20)
    large.add(doc)
    bomb = zlib.compress(zlib.decompress(large.to_bytes()))
    assert len(bomb) < 1 << 18
    (tmp_path / "bomb").write_bytes(bomb)
    for load, given in [("from_bytes", bomb), ("from_disk", tmp_path / "bomb")]:
        load = getattr(same, load)
        with pytest.raises(ValueError, match=rf"zlib-limit.* {len(bomb)} bytes .*max_bytes"):
            load(given)
        with pytest.raises(ValueError, match="zlib-limit"):
            load(given, max_bytes=1000)
        assert len(same) == 1 and same.user_data == [None]
    trusted = DocBin(store_user_data=True).from_bytes(bomb, max_bytes=1 << 30)
    (again,) = trusted.get_docs(vocab)
    assert again.user_data == doc.user_data
    # A pickle runs code of its own: a limit would keep nobody from anything.
    assert len(pickle.loads(pickle.dumps(large))) == 1


def test_files_of_spacys_that_were_changed_never_crash(rng, vocab):
    theirs = [by_chance(rng, spacy.tokens.Doc, spacy.blank("en").vocab) for _ in range(3)]
    message = zlib.decompress(spacy.tokens.DocBin(docs=theirs).to_bytes())
    for _ in range(300):
        changed = bytearray(message)
        changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
        try:
            docs = list(DocBin().from_bytes(zlib.compress(bytes(changed))).get_docs(vocab))
        except ValueError:
            continue
        for doc in docs:
            assert doc.to_array(ARRAY_ATTRS).shape == (len(doc), len(ARRAY_ATTRS))
