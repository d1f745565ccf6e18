"""Vocabs in files: saved, opened, shared and frozen."""

import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy
import pytest

import lexpool
from lexpool import Doc, Tokenizer, Vocab
from lexpool.vectors import BaseVectors, Vectors

TEXT = "Coffee isn't tea, said Mr. O'Neill in 1999; don't ask the PERSON why."


@pytest.fixture
def nlp():
    nlp = lexpool.blank("en")
    nlp(TEXT)
    return nlp


@pytest.fixture
def path(nlp, tmp_path):
    path = tmp_path / "en.vocab"
    nlp.vocab.save(path)
    return path


def annotations(doc):
    return [(t.text, t.lower_, t.norm_, t.shape_, t.is_stop, t.like_num, t.orth) for t in doc]


@pytest.mark.parametrize("options", [{}, {"mmap": False}, {"verify": "full"}])
def test_an_opened_vocab_has_the_words_and_makes_the_same_tokens(nlp, path, options):
    vocab = Vocab.open(path, **options)
    assert [lexeme.text for lexeme in vocab] == [lexeme.text for lexeme in nlp.vocab]
    assert sorted(vocab.strings) == sorted(nlp.vocab.strings)
    assert len(vocab) == len(nlp.vocab) == vocab.length
    assert "Coffee" in vocab and "cocoa" not in vocab and vocab.lang == "en"
    opened = lexpool.blank("en", vocab=vocab)
    assert opened.vocab is vocab
    text = TEXT + " The Cocoa, however, costs twelve dollars. He's gonna pay"
    assert annotations(opened(text)) == annotations(nlp(text))
    assert annotations(Tokenizer.blank("en", vocab=vocab)(text)) == annotations(nlp(text))


def test_new_words_and_set_attributes_stay_in_the_process(path):
    before = path.read_bytes()
    one, other = Vocab.open(path), Vocab.open(path)
    one["Coffee"].is_stop = True
    one["Coffee"].norm_ = "kaffee"
    assert one["brandnew"].shape_ == "xxxx"
    assert (one["Coffee"].is_stop, one["Coffee"].norm_) == (True, "kaffee")
    assert (other["Coffee"].is_stop, other["Coffee"].norm_) == (False, "coffee")
    assert "brandnew" not in other
    assert path.read_bytes() == before


def test_what_was_added_is_saved_over_the_file_that_is_open(path):
    vocab = Vocab.open(path)
    vocab["Coffee"].is_stop = True
    vocab["brandnew"]
    vocab.strings.add("A-LABEL")
    vocab.save(path)
    again = Vocab.open(str(path), verify="full")
    assert "brandnew" in again and "A-LABEL" in again.strings and again["Coffee"].is_stop
    assert vocab["Coffee"].text == "Coffee"
    assert list(path.parent.iterdir()) == [path]


def test_settings_come_back(tmp_path):
    vocab = Vocab(oov_prob=-7.0, writing_system={"direction": "rtl"})
    vocab.save(tmp_path / "v")
    copy = Vocab.open(tmp_path / "v")
    assert copy.cfg == {"oov_prob": -7.0}
    assert copy.writing_system == {"direction": "rtl"}
    vocab.cfg = {"oov_prob": object()}
    with pytest.raises(TypeError):
        vocab.save(tmp_path / "v")
    assert Vocab.open(tmp_path / "v").cfg == {"oov_prob": -7.0}


def test_morphology_and_documents_work_over_a_file(nlp, tmp_path):
    doc = nlp("apples grow")
    doc[0].set_morph("Number=Plur")
    nlp.vocab.save(tmp_path / "v")
    vocab = Vocab.open(tmp_path / "v")
    assert list(vocab.morphology) == list(nlp.vocab.morphology)
    copy = Doc(vocab).from_bytes(doc.to_bytes())
    assert str(copy[0].morph) == "Number=Plur"
    assert pickle.loads(pickle.dumps(copy)).to_bytes() == copy.to_bytes()


def test_a_vocab_over_a_file_pickles_and_goes_to_disk_as_any_other(path, tmp_path):
    vocab = Vocab.open(path)
    vocab["brandnew"]
    copy = pickle.loads(pickle.dumps(vocab))
    assert sorted(copy.strings) == sorted(vocab.strings)
    assert copy["Cocoa"].lower_ == "cocoa"
    assert sorted(Vocab().from_bytes(vocab.to_bytes()).strings) == sorted(vocab.strings)
    vocab.to_disk(tmp_path / "folder")
    other = Vocab.open(path).from_disk(tmp_path / "folder")
    assert sorted(other.strings) == sorted(vocab.strings)
    assert other["Coffee"].lower_ == "coffee"


def test_the_records_of_a_file_and_of_new_words_are_one_array(path):
    vocab = Vocab.open(path)
    doc = lexpool.blank("en", vocab=vocab)("Coffee and brandnew words")
    runs = [numpy.asarray(handle) for handle in vocab.c.segments]
    assert len(runs) < 8 and sum(map(len, runs)) == len(vocab.c)
    records, lexes = numpy.concatenate(runs), numpy.asarray(doc.c)["lex"]
    assert records[lexes]["orth"].tolist() == [token.orth for token in doc]
    assert numpy.asarray(vocab.c[int(lexes[3])])["orth"].tolist() == [doc[3].orth]
    assert numpy.asarray(vocab.c[-len(vocab.c)])["orth"].tolist() == [0]


def test_memory_zones_work_over_a_file(path):
    vocab = Vocab.open(path)
    count = len(vocab)
    with vocab.memory_zone():
        assert vocab["transient"].text == "transient"
        assert len(vocab) == count + 1
    assert "transient" not in vocab and len(vocab) == count


def test_functions_are_missed_by_name_until_they_are_given(tmp_path):
    def upper(word):
        return word.upper()

    nlp = lexpool.blank("en")
    nlp.vocab.lex_attr_getters["NORM"] = upper
    assert nlp.vocab["known"].norm_ == "KNOWN"
    nlp.vocab.save(tmp_path / "v")
    for _ in range(2):
        vocab = Vocab.open(tmp_path / "v")
        assert vocab["known"].norm_ == "KNOWN"
        with pytest.raises(RuntimeError, match=r"getters-missing.*.new..*NORM.*Vocab\.open"):
            vocab["new"]
        # Looking at the getters leaves the gap, and so does writing the file anew.
        assert "NORM" in repr(vocab.lex_attr_getters[67])
        vocab.lex_attr_getters["SHAPE"] = str.swapcase
        with pytest.raises(RuntimeError, match="getters-missing.*.new..*NORM"):
            vocab["new"]
        del vocab.lex_attr_getters["SHAPE"]
        vocab.save(tmp_path / "v")
    vocab.lex_attr_getters["NORM"] = upper
    assert vocab["new"].norm_ == "NEW"
    vocab = Vocab.open(tmp_path / "v", lex_attr_getters={"NORM": upper})
    assert (vocab["new"].norm_, vocab["New"].lower_) == ("NEW", "new")
    vocab = Vocab.open(tmp_path / "v")
    del vocab.lex_attr_getters["NORM"]
    assert (vocab["new"].norm, vocab["New"].lower_) == (0, "new")


def test_a_frozen_vocab_refuses_new_words_by_name(path):
    vocab = Vocab.open(path)
    nlp = lexpool.blank("en", vocab=vocab)
    assert not vocab.is_frozen
    vocab.freeze()
    vocab.freeze()
    assert vocab.is_frozen
    assert [token.text for token in nlp("Coffee isn't tea")] == ["Coffee", "is", "n't", "tea"]
    for enter in (
        lambda: nlp("Coffee and Unheardof"),
        lambda: vocab["Unheardof"],
        lambda: vocab.strings.add("Unheardof"),
        lambda: list(nlp.pipe(["Coffee", "Unheardof"])),
    ):
        with pytest.raises(RuntimeError, match="vocab-frozen.*'?and|Unheardof"):
            enter()
    assert "Unheardof" not in vocab.strings
    vocab["Coffee"].is_stop = True
    with nlp.memory_zone():
        assert [token.text for token in nlp("Coffee and Unheardof")] == [
            "Coffee",
            "and",
            "Unheardof",
        ]


def test_vectors_are_those_of_the_file(nlp, tmp_path):
    words = ["Coffee", "tea", "cocoa"]
    data = numpy.arange(12, dtype="float32").reshape(4, 3)
    nlp.vocab.vectors = Vectors(data=data, keys=words, name="some", strings=nlp.vocab.strings)
    path = tmp_path / "v"
    nlp.vocab.save(path)
    before = path.read_bytes()
    vocab = Vocab.open(path)
    assert vocab.vectors == nlp.vocab.vectors
    assert vocab.vectors.name == "some"
    assert list(vocab.vectors.keys()) == list(nlp.vocab.vectors.keys())
    assert vocab["tea"].has_vector and not vocab["Mr."].has_vector
    assert vocab["cocoa"].rank == 2
    assert vocab["tea"].vector.tolist() == [3.0, 4.0, 5.0]
    doc = lexpool.blank("en", vocab=vocab)("Coffee tea")
    assert doc.vector.tolist() == [1.5, 2.5, 3.5]
    vocab.vectors.data[0] = 7.0
    vocab.set_vector("mocha", [1.0, 2.0, 3.0])
    assert vocab["Coffee"].vector.tolist() == [7.0] * 3
    assert vocab["mocha"].vector.tolist() == [1.0, 2.0, 3.0]
    assert path.read_bytes() == before
    vocab.save(path)
    again = Vocab.open(path, verify="full", mmap=False)
    assert again.vectors == vocab.vectors
    assert again["mocha"].rank == vocab["mocha"].rank


def test_vectors_outlive_the_vocab_that_mapped_them(nlp, tmp_path):
    nlp.vocab.vectors = Vectors(data=numpy.ones((2, 3)), keys=["a", "b"], strings=nlp.vocab.strings)
    nlp.vocab.save(tmp_path / "v")
    data = Vocab.open(tmp_path / "v").vectors.data
    assert data.tolist() == [[1.0] * 3] * 2


def test_vectors_of_another_class_are_refused(nlp, tmp_path):
    class OwnVectors(BaseVectors):
        pass

    nlp.vocab.vectors = OwnVectors()
    with pytest.raises(ValueError, match="E849.*OwnVectors"):
        nlp.vocab.save(tmp_path / "v")
    assert not (tmp_path / "v").exists()


@pytest.mark.parametrize("name", ["words", "vectors", "floret"])
def test_files_of_older_versions_open(name):
    files = Path(__file__).parents[1] / "files"
    vocab = Vocab.open(files / f"{name}.vocab", verify="full")
    assert (vocab["Coffee"].lower_, vocab["PERSON"].shape_) == ("coffee", "XXXX")
    assert vocab.writing_system == {"direction": "ltr"} and vocab.lang == "en"
    if name == "words":
        assert "A-LABEL" in vocab.strings and len(vocab.morphology) == 2
        assert vocab["gonna"].norm_ == "going to" and vocab["twelve"].like_num
    elif name == "vectors":
        assert vocab["mocha"].vector.tolist() == vocab["the"].vector.tolist() == [12, 13, 14, 15]
        assert vocab.vectors.name == "reference"
    else:
        assert vocab.vectors.mode == "floret" and vocab["tea"].has_vector
        with pytest.raises(RuntimeError, match="getters-missing.*SUFFIX"):
            vocab["more"]


def test_a_path_without_a_file_and_an_unknown_extent_are_refused(path, tmp_path):
    with pytest.raises(OSError):
        Vocab.open(tmp_path / "absent")
    with pytest.raises(OSError):
        Vocab.open(tmp_path)
    with pytest.raises(ValueError, match="'header' or 'full'"):
        Vocab.open(path, verify="all")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_processes_that_come_of_a_fork_have_words_of_their_own(path):
    vocab = Vocab.open(path)
    child = os.fork()
    if child == 0:
        vocab["Coffee"].is_stop = True
        vocab["brandnew"]
        os._exit(0 if vocab["Coffee"].is_stop else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert not vocab["Coffee"].is_stop and "brandnew" not in vocab


def test_words_far_behind_cost_python_little(tmp_path):
    """Columns of Python strings do not begin at the first word of a file."""
    program = """
import resource, sys
from lexpool import Vocab
vocab = Vocab.open(sys.argv[1])
vocab["w199990"].lower_
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for i in range(199000, 199900, 100):
    lexeme = vocab[f"w{i}"]
    assert [lexeme.text, lexeme.lower_, lexeme.shape_, lexeme.norm_][0] == f"w{i}"
lexeme = vocab["new"]
assert lexeme.lower_ + lexeme.shape_ + lexeme.prefix_ + lexeme.suffix_ == "newxxxnnew"
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""
    vocab = lexpool.blank("en").vocab
    for i in range(200_000):
        vocab[f"w{i}"]
    vocab.save(tmp_path / "v")
    run = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "v")], capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    # In kilobytes; a dense column alone has three megabytes.
    assert int(run.stdout) < 2500


def test_a_path_may_be_any_path(nlp, tmp_path):
    for path in (tmp_path / "wörter \N{HOT BEVERAGE}.vocab", str(tmp_path / "b")):
        nlp.vocab.save(path)
        assert len(Vocab.open(path)) == len(nlp.vocab)
    assert isinstance(tmp_path, Path)
