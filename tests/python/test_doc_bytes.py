"""Documents as bytes, dicts, files and pickles; spaCy reads what lexpool writes, and the other
way.
"""

import copy
import pickle
import random
import subprocess
import sys
import textwrap
import warnings

import pytest
from annotated import annotation, by_chance, contents

import lexpool
from lexpool.tokens import Doc, Span

spacy = pytest.importorskip("spacy")


@pytest.fixture
def rng():
    return random.Random(5)


@pytest.fixture
def vocab():
    return lexpool.blank("en").vocab


def test_a_doc_comes_back_from_bytes_dict_and_file(rng, vocab, tmp_path):
    for _ in range(30):
        doc = by_chance(rng, Doc, vocab)
        doc.to_disk(tmp_path / "doc")
        for again in (
            Doc(lexpool.blank("en").vocab).from_bytes(doc.to_bytes()),
            Doc(lexpool.blank("en").vocab).from_dict(doc.to_dict()),
            Doc(lexpool.blank("en").vocab).from_disk(str(tmp_path / "doc")),
            pickle.loads(pickle.dumps(doc)),
            copy.deepcopy(doc),
            copy.copy(doc),
        ):
            assert contents(again) == contents(doc)


def test_spacy_reads_the_bytes(rng, vocab):
    for _ in range(30):
        doc = by_chance(rng, Doc, vocab)
        theirs = spacy.tokens.Doc(spacy.blank("en").vocab).from_bytes(doc.to_bytes())
        assert contents(theirs) == contents(doc)


def test_bytes_of_spacys_are_read(rng, vocab):
    for _ in range(30):
        theirs = by_chance(rng, spacy.tokens.Doc, spacy.blank("en").vocab)
        assert contents(Doc(vocab).from_bytes(theirs.to_bytes())) == contents(theirs)
        assert contents(Doc(vocab).from_dict(theirs.to_dict())) == contents(theirs)


def test_the_bytes_are_spacys_but_for_checksum_and_order_of_strings(rng):
    for _ in range(20):
        seed = rng.random()
        own = by_chance(random.Random(seed), Doc, lexpool.blank("en").vocab)
        theirs = by_chance(random.Random(seed), spacy.tokens.Doc, spacy.blank("en").vocab)
        mine, other = own.to_dict(), theirs.to_dict()
        assert list(mine) == list(other)
        for parts in (mine, other):
            # The empty analysis has a string in lexpool.
            parts["strings"] = set(parts["strings"]) - {"", "_"}
            parts["array_body"] = parts["array_body"].tolist()
            parts["tensor"] = parts["tensor"].tolist()
        assert mine == other


def test_parts_can_be_left_out(vocab):
    doc = Doc(vocab, words=["a"])
    doc.user_data["k"] = "v"
    doc.cats["A"] = 1.0
    kept = Doc(vocab).from_bytes(doc.to_bytes(exclude=["user_data", "cats"]))
    assert (kept.user_data, kept.cats) == ({}, {})
    kept = Doc(vocab).from_bytes(
        doc.to_bytes(), exclude=["user_data", "cats", "has_unknown_spaces"]
    )
    assert (kept.user_data, kept.cats, kept.has_unknown_spaces) == ({}, {}, False)
    assert "text" not in doc.to_dict(exclude=["text"])


def test_loading_into_a_doc_with_words_is_refused(vocab, tmp_path):
    doc = Doc(vocab, words=["a"])
    doc.to_disk(tmp_path / "doc")
    for load in (
        lambda: doc.from_bytes(doc.to_bytes()),
        lambda: doc.from_dict(doc.to_dict()),
        lambda: doc.from_disk(tmp_path / "doc"),
        lambda: doc.from_json(doc.to_json()),
    ):
        with pytest.raises(ValueError, match="E033"):
            load()
    assert doc.text == "a "


def test_changed_bytes_leave_the_doc_as_it_was(vocab, rng):
    doc = by_chance(rng, Doc, vocab)
    data = doc.to_bytes()
    empty = Doc(vocab)
    for _ in range(300):
        bit = rng.randrange(len(data) * 8)
        changed = bytearray(data)
        changed[bit // 8] ^= 1 << bit % 8
        try:
            loaded = Doc(vocab).from_bytes(bytes(changed))
        except ValueError:
            with pytest.raises(ValueError):
                empty.from_bytes(bytes(changed))
            assert (len(empty), empty.cats, empty.user_data) == (0, {}, {})
        else:
            assert contents(loaded) == contents(doc)


def test_annotation_without_a_string_is_an_error(vocab):
    doc = Doc(vocab, words=["a"])
    doc[0].tag = 12345
    with pytest.raises(KeyError, match="E018"):
        doc.to_bytes()


def test_hooks_are_warned_of(vocab):
    doc = Doc(vocab, words=["a"])
    doc.user_hooks["vector"] = lambda doc: None
    with pytest.warns(UserWarning, match="W109"):
        doc.to_bytes()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        doc.to_bytes(exclude=["user_hooks"])


def test_a_pickle_holds_one_doc_and_not_its_vocab(rng):
    nlp = lexpool.blank("en")
    for i in range(20_000):
        nlp.vocab.strings.add(f"word{i}")
    words = [f"w{rng.randrange(300)}" for _ in range(500)]
    doc = Doc(nlp.vocab, words=words, **annotation(rng, 500))
    assert len(pickle.dumps(doc, -1)) < 40_000


def test_docs_of_one_vocab_share_one_afterwards(vocab):
    docs = [Doc(vocab, words=[word]) for word in ("a", "b", "c")]
    again = pickle.loads(pickle.dumps(docs))
    assert [doc.text for doc in again] == ["a ", "b ", "c "]
    # The vocab lives here.
    assert all(doc.vocab is vocab for doc in again)


def test_another_process_reads_a_pickle(tmp_path):
    nlp = lexpool.blank("en")
    Doc.set_extension("note", default=None, force=True)
    docs = [nlp("Don't stop."), nlp("Now stop!")]
    docs[0][0].tag_ = "VB"
    docs[0]._.note = "kept"
    docs[0].user_hooks["vector"] = lambda doc: "hooked"
    Doc.remove_extension("note")
    (tmp_path / "docs").write_bytes(pickle.dumps(docs))
    code = """
        import pickle, sys
        from lexpool.tokens import Doc
        first, second = pickle.loads(open(sys.argv[1], "rb").read())
        assert [first.text, second.text] == ["Don't stop.", "Now stop!"]
        assert first[0].tag_ == "VB" and first[1].norm_ == "not" and first[2].shape_ == "xxxx"
        assert first.vocab is second.vocab
        Doc.set_extension("note", default=None)
        assert first._.note == "kept"
        assert first.vector == "hooked"
        again = pickle.loads(pickle.dumps(first))
        assert again.vocab is first.vocab
    """
    run = [sys.executable, "-c", textwrap.dedent(code), str(tmp_path / "docs")]
    subprocess.run(run, check=True, timeout=60)


def test_a_doc_comes_back_from_json(rng, vocab):
    for _ in range(20):
        doc = by_chance(rng, Doc, vocab)
        again = Doc(vocab).from_json(doc.to_json(), validate=True)
        assert again.text == doc.text
        attrs = ["TAG", "HEAD", "DEP", "LEMMA", "MORPH", "POS", "SENT_START", "ENT_TYPE"]
        assert again.to_array(attrs).tolist() == doc.to_array(attrs).tolist()
        assert again.cats == doc.cats
        assert [s.text for s in again.spans["group"]] == [s.text for s in doc.spans["group"]]


def test_json_is_spacys(rng):
    for _ in range(20):
        seed = rng.random()
        own = by_chance(random.Random(seed), Doc, lexpool.blank("en").vocab)
        theirs = by_chance(random.Random(seed), spacy.tokens.Doc, spacy.blank("en").vocab)
        assert own.to_json() == theirs.to_json()


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda data: data.pop("tokens"), "E1038"),
        (lambda data: data["tokens"][0].update(start="x"), "E1038"),
        (lambda data: data["tokens"][0].update(head="x"), "E1038"),
        (lambda data: data.update(spans={"s": [{"start": 0, "end": 2}]}), "E1038"),
        (lambda data: data["tokens"][1].pop("tag"), "E1040"),
        (lambda data: data["tokens"][1].update(start=1), "E1039"),
        (lambda data: data.update(ents=[{"start": 1, "end": 2, "label": "X"}]), "E1039"),
        (lambda data: data.update(spans={"s": [{"start": 0, "end": 3, "label": "X"}]}), "E1039"),
        (lambda data: [token.pop("dep") for token in data["tokens"]], "E1017"),
        (lambda data: data["tokens"][0].update(pos="NOPE"), "E1021"),
    ],
)
@pytest.mark.parametrize("validate", [True, False])
def test_json_that_does_not_fit_changes_nothing(vocab, change, code, validate):
    doc = Doc(
        vocab, words=["ab", "cd"], tags=["X", "Y"], pos=["X", "X"], deps=["a", "ROOT"], heads=[1, 1]
    )
    data = doc.to_json()
    change(data)
    empty = Doc(vocab)
    with pytest.raises(ValueError, match=code):
        empty.from_json(data, validate=validate)
    assert (len(empty), dict(empty.spans)) == (0, {})


def test_extensions_in_json(vocab):
    Doc.set_extension("about", default=None, force=True)
    Span.set_extension("why", default=None, force=True)
    doc = Doc(vocab, words=["a", "b"])
    doc._.about = "x"
    doc[0:2]._.why = [1]
    data = doc.to_json(underscore=["about", "why"])
    Span.remove_extension("why")
    again = Doc(vocab).from_json(data)
    assert (again._.about, again[0:2]._.why) == ("x", [1])
    with pytest.raises(ValueError, match="E106"):
        doc.to_json(underscore=["nothing"])
    doc._.about = object()
    with pytest.raises(ValueError, match="E107"):
        doc.to_json(underscore=["about"])
    Span.remove_extension("why")
    Doc.remove_extension("about")
