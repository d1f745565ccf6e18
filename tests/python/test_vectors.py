"""Vectors: spaCy's surface, numbers and files, on a table of lexpool's."""

from __future__ import annotations

import ctypes
import gc
import pickle
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy
import pytest
import spacy.vectors
import spacy.vocab
from hypothesis import given, strategies as st

from lexpool import StringStore, Vocab
from lexpool.attrs import LOWER
from lexpool.strings import get_string_id
from lexpool.vectors import BaseVectors, Mode, Vectors, create_mode_vectors

WORDS = ["cat", "dog", "mouse"]
FLORET: dict[str, Any] = {
    "mode": "floret",
    "minn": 2,
    "maxn": 3,
    "hash_count": 2,
    "hash_seed": 2166136261,
}


def numbers(rows: int, width: int, seed: int = 0) -> Any:
    return numpy.random.default_rng(seed).standard_normal((rows, width), dtype="float32")


@pytest.fixture
def vectors() -> Vectors:
    return Vectors(data=numbers(3, 4), keys=WORDS)


@pytest.fixture
def floret() -> Vectors:
    return Vectors(data=numbers(50, 4), **FLORET)


# The table and its memory


def test_data_is_a_live_float32_array(vectors: Vectors) -> None:
    data = vectors.data
    assert isinstance(data, numpy.ndarray) and data.dtype == numpy.float32
    assert data.shape == vectors.shape == (3, 4) and data.flags.writeable
    assert data is vectors.data
    data[0] = 7
    assert vectors["cat"].tolist() == [7, 7, 7, 7]
    vectors["dog"][:] = 8
    assert data[1].tolist() == [8, 8, 8, 8]
    vectors["mouse"] = [1, 2, 3, 4]
    assert data[2].tolist() == [1, 2, 3, 4]


def test_the_memory_of_vectors_is_no_buffer_column_by_column(vectors: Vectors) -> None:
    get, view = ctypes.pythonapi.PyObject_GetBuffer, (ctypes.c_char * 256)()
    get.argtypes = ctypes.py_object, ctypes.c_void_p, ctypes.c_int
    strides, by_rows, by_columns, any_order = 0x18, 0x20, 0x40, 0x80
    whole, row = (one.data.base.obj for one in (vectors, Vectors(data=numbers(1, 4), keys=["a"])))
    with pytest.raises(BufferError, match="row by row"):
        get(whole, view, by_columns | strides)
    for memory, order in ((whole, by_rows), (whole, any_order), (whole, 0), (row, by_columns)):
        assert get(memory, view, order | strides) == 0
        ctypes.pythonapi.PyBuffer_Release(view)


def test_an_array_keeps_the_old_numbers_when_the_table_is_resized(vectors: Vectors) -> None:
    data, row = vectors.data, vectors["cat"]
    old = data.copy()
    vectors.resize((100, 4))
    vectors["cat"] = 0.5
    del vectors
    gc.collect()
    assert data.tolist() == old.tolist() and row.tolist() == old[0].tolist()


def test_data_can_be_assigned_in_any_number_type(vectors: Vectors) -> None:
    given = numpy.arange(12, dtype="int64").reshape(4, 3)
    vectors.data = given
    assert vectors.shape == (4, 3) and vectors.data.dtype == numpy.float32
    assert vectors.data.tolist() == given.tolist()
    vectors.data = numpy.asfortranarray(given.T)
    assert vectors.data.tolist() == given.T.tolist()
    vectors.data = [[1, 2], [3, 4]]
    assert vectors["dog"].tolist() == [3, 4]
    for wrong in [numpy.zeros(3), "text", None, [[1], [2, 3]]]:
        with pytest.raises((ValueError, TypeError)):
            vectors.data = wrong
    assert vectors.data.tolist() == [[1, 2], [3, 4]]


@pytest.mark.parametrize("shape", [(0, 0), (0, 300), (5, 0), (5, 1)])
def test_tables_without_numbers_have_arrays_too(shape: tuple[int, int]) -> None:
    vectors = Vectors(shape=shape)
    assert vectors.data.shape == shape and vectors.size == shape[0] * shape[1]
    assert vectors.get_batch([]).shape == (0, shape[1])


def test_sizes_beyond_memory_are_refused() -> None:
    with pytest.raises(MemoryError):
        Vectors(shape=(2**31, 2**24))
    with pytest.raises(MemoryError):
        Vectors().resize((2**60, 2**10))
    with pytest.raises((OverflowError, TypeError, ValueError)):
        Vectors(shape=(-1, 3))


def test_the_table_moves_to_a_device_and_back(vectors: Vectors) -> None:
    class Ops:
        xp = SimpleNamespace(__name__="device")

        def asarray(self, array: Any) -> Any:
            return ["on the device", numpy.asarray(array).tolist()]

    host = vectors.data.tolist()
    vectors.to_ops(Ops())
    assert vectors.data == ["on the device", host]
    assert vectors.get_batch(["dog"]) == ["on the device", [host[1]]]
    vectors["dog"] = 1
    assert vectors.data[1][1] == [1, 1, 1, 1]
    vectors.to_ops(SimpleNamespace(xp=numpy))
    assert vectors.data.tolist()[1] == [1, 1, 1, 1]


# Keys and rows


def both(**given: Any) -> tuple[Vectors, Any]:
    return Vectors(**given), spacy.vectors.Vectors(**given)


@given(st.data())
def test_keys_and_rows_behave_as_in_spacy(data: Any) -> None:
    shape = (data.draw(st.integers(0, 6)), 2)
    if data.draw(st.booleans()):
        ours, theirs = both(shape=shape)
    else:
        ours, theirs = both(data=numbers(*shape), keys=list(range(shape[0] // 2)))
    keys = st.sampled_from(["a", "b", "c", 1, 2, 2**64 - 1])
    for _ in range(data.draw(st.integers(0, 12))):
        step = data.draw(st.sampled_from(["add", "row", "vector", "resize", "clear", "set"]))
        key, row = data.draw(keys), data.draw(st.integers(0, 7))
        results = []
        for vectors in (ours, theirs):
            try:
                if step == "add":
                    results.append(vectors.add(key))
                elif step == "row":
                    results.append(vectors.add(key, row=row))
                elif step == "vector":
                    results.append(vectors.add(key, vector=numpy.full(vectors.shape[1], row)))
                elif step == "resize":
                    results.append(vectors.resize((row, 2 + row % 2)))
                elif step == "clear":
                    results.append(vectors.clear())
                else:
                    vectors[key] = numpy.full(vectors.shape[1], row)
            except (ValueError, KeyError) as error:
                results.append(type(error))
        assert results[:1] == results[1:], step
        assert dict(ours.key2row) == theirs.key2row
        assert list(ours) == list(theirs) == list(ours.keys())
        assert (ours.shape, ours.is_full, ours.n_keys) == (
            theirs.shape,
            theirs.is_full,
            theirs.n_keys,
        )
        assert ours.data.tolist() == theirs.data.tolist()
    assert ours.to_bytes() == theirs.to_bytes()


def test_find_and_get_batch_agree_with_spacy() -> None:
    ours, theirs = both(data=numbers(4, 3), keys=["a", "b", "c", "d"])
    for vectors in (ours, theirs):
        vectors.add("e", row=1)
    keys = ["a", "e", get_string_id("d"), "missing", 5]
    for rows, expected in [
        (ours.find(keys=keys), theirs.find(keys=keys)),
        (ours.find(rows=[3, 1]), theirs.find(rows=[3, 1])),
        (ours.find(keys=[]), theirs.find(keys=[])),
    ]:
        assert rows.dtype == expected.dtype and rows.tolist() == expected.tolist()
    assert ours.find(key="e") == theirs.find(key="e") == 1
    assert ours.find(key="missing") == ours.find(key=-1) == -1
    assert ours.find(row=1) == theirs.find(row=1) == get_string_id("e")
    assert ours.find(row=numpy.int64(1)) == theirs.find(row=1)
    assert ours.get_batch(keys).tolist() == theirs.get_batch(keys).tolist()
    for arguments in [{}, {"key": 1, "row": 1}]:
        with pytest.raises(ValueError, match="E059"):
            ours.find(**arguments)
    for arguments in [{"row": 9}, {"rows": [0, 9]}, {"row": -1}]:
        with pytest.raises(KeyError):
            ours.find(**arguments)


def test_items_values_and_contains(vectors: Vectors) -> None:
    assert [(key, row.tolist()) for key, row in vectors.items()] == [
        (get_string_id(word), vectors.data[i].tolist()) for i, word in enumerate(WORDS)
    ]
    assert [row.tolist() for row in vectors.values()] == vectors.data.tolist()
    assert get_string_id("cat") in vectors and "cat" not in vectors
    assert (
        numpy.uint64(get_string_id("cat")) in vectors and None not in vectors and -1 not in vectors
    )
    assert len(vectors) == 3


def test_key2row_is_live_and_can_be_changed(vectors: Vectors) -> None:
    rows = vectors.key2row
    cat = get_string_id("cat")
    assert rows[cat] == 0 and rows.get(5) is None and rows == {**rows}
    vectors.add(5, row=2)
    assert rows[5] == 2 and len(rows) == 4
    rows[6] = 1
    del rows[5]
    assert vectors[6].tolist() == vectors.data[1].tolist() and 5 not in vectors
    vectors.key2row = {1: 2, 0: 1}
    assert list(rows.items()) == [(1, 2), (0, 1)] and repr(rows) == "{1: 2, 0: 1}"
    with pytest.raises(KeyError):
        rows[cat]


@pytest.mark.parametrize(
    ("call", "error", "code"),
    [
        (lambda v: v["unknown"], KeyError, "E058"),
        (lambda v: v[None], KeyError, "E058"),
        (lambda v: v.add("new"), ValueError, "E060"),
        (lambda v: v.add("new", row=3), ValueError, "E197"),
        (lambda v: v.add("new", row=-1), ValueError, "E197"),
        (lambda v: v.add("new", row=2**70), ValueError, "E197"),
        (lambda v: v.add("new", row=0, vector=[1, 2]), ValueError, "vectors-shape"),
        (lambda v: v.__setitem__("unknown", [1, 2, 3, 4]), KeyError, "E058"),
        (lambda v: v.__setitem__("cat", numpy.zeros((2, 2))), ValueError, "vectors-shape"),
        (lambda v: v.resize((3, 5), inplace=True), ValueError, "E193"),
        (lambda v: v.most_similar(v.data, n=4), ValueError, "E198"),
        (lambda v: v.most_similar(v.data, n=0), ValueError, "vectors-shape"),
        (lambda v: v.most_similar(v.data[:, :2]), ValueError, "vectors-shape"),
        (lambda v: v.most_similar(v.data[0]), ValueError, "vectors-shape"),
        (lambda v: v.from_bytes(b""), ValueError, "msgpack-truncated"),
        (lambda v: Vectors(mode="word2vec"), ValueError, "E202"),
        (lambda v: Vectors(data=v.data, keys=range(4)), ValueError, "E197"),
        (lambda v: BaseVectors(), TypeError, "E1046"),
        (lambda v: Vectors(shape=(2, 2), mode="floret"), ValueError, "E864"),
        (lambda v: Vectors(data=v.data, keys=[1], mode="floret"), ValueError, "E861"),
        (lambda v: Vectors(data=v.data, mode="floret", minn=3), ValueError, "E863"),
        (lambda v: Vectors(data=v.data, mode="floret", hash_count=5), ValueError, "E862"),
        (lambda v: Vectors(mode="floret", hash_count=0), ValueError, "E862"),
    ],
)
def test_what_is_refused_changes_nothing(
    call: Any, error: Any, code: str, vectors: Vectors
) -> None:
    before = vectors.to_bytes()
    with pytest.raises(error, match=code):
        call(vectors)
    assert vectors.to_bytes() == before


def test_equality_looks_at_all_but_names_and_strings(vectors: Vectors) -> None:
    other = Vectors(data=vectors.data, keys=WORDS, name="other")
    assert vectors == other and not vectors != other
    other.data[0, 0] += 1
    assert vectors != other
    assert Vectors(shape=(2, 2)) != Vectors(shape=(2, 3))
    assert vectors != "text"
    with pytest.raises(TypeError):
        hash(vectors)


# Floret


def test_floret_vectors_are_those_of_spacy() -> None:
    ours, theirs = both(data=numbers(50, 7), bow="<<", eow="\u00e9", **FLORET)
    words = ["der", "", "x", "\u00e9t\u00e9", "\U0001f600 smile", "Donaudampfschifffahrt", "der"]
    for vectors in (ours, theirs):
        vectors.strings.add("apple")
    keys: list[Any] = [*words, get_string_id("apple")]
    assert numpy.allclose(ours.get_batch(keys), theirs.get_batch(keys), atol=1e-6)
    for word in words:
        assert ours[word].tolist() == ours.get_batch([word])[0].tolist()
        assert ours._get_ngrams(word) == theirs._get_ngrams(word)
        assert ours._get_ngram_hashes(word) == theirs._get_ngram_hashes(word)
    assert ours._get_cfg() == theirs._get_cfg()
    assert ours.get_batch(["", ""]).tolist() == [[0.0] * 7] * 2
    with pytest.raises(KeyError):
        ours[12345]


def test_floret_vectors_cannot_be_changed(floret: Vectors) -> None:
    before = floret.to_bytes()
    for change in [
        lambda: floret.add("word", row=1),
        lambda: floret.resize((2, 2)),
        lambda: floret.__setitem__("word", numpy.zeros(4)),
    ]:
        with pytest.warns(UserWarning, match="W115"):
            assert change() in (-1, None)
    for code, call in [
        ("E858", lambda: floret.find(key="word")),
        ("E858", lambda: floret.most_similar(floret.data)),
        ("E859", floret.clear),
    ]:
        with pytest.raises(ValueError, match=code):
            call()
    assert floret.to_bytes() == before
    assert floret.is_full and floret.n_keys == -1 and "anything" in floret


# The most similar rows


@pytest.mark.parametrize("n", [1, 2, 10, 100])
def test_the_most_similar_rows_are_those_of_spacy(n: int) -> None:
    data = numbers(400, 30)
    ours, theirs = both(data=data, keys=range(1, 301))
    queries = data[::7] + numbers(len(data[::7]), 30, seed=1)
    kept = queries.copy()
    # spaCy's rows and scores may be in different orders, so the rows are found by sorting.
    table = data[:300].astype("d") / numpy.linalg.norm(data[:300], axis=1, keepdims=True)
    cosines = queries @ table.T / numpy.linalg.norm(queries, axis=1, keepdims=True)
    sorted_rows = numpy.argsort(-cosines, axis=1)[:, :n]
    expected = theirs.most_similar(kept.copy(), n=n)
    for threads in (1, 2):
        found = ours.most_similar(queries, n=n, threads=threads)
        for array, wanted in zip(found, expected):
            assert array.dtype == wanted.dtype and array.shape == wanted.shape
        keys, rows, scores = found
        assert numpy.allclose(scores, expected[2], atol=1.1e-4)
        assert (rows == sorted_rows).all() and (keys == rows + 1).all()
        assert (numpy.sort(rows) == numpy.sort(expected[1])).all()
    assert (queries == kept).all()


def test_scores_are_rounded_and_zero_rows_are_at_a_right_angle() -> None:
    data = numpy.asarray([[1, 2, 3], [1, 2, 3], [0, 0, 0], [-1, -2, -3]], dtype="f")
    vectors = Vectors(data=data, keys=WORDS + ["owl"])
    keys, rows, scores = vectors.most_similar(data[:1], n=4)
    assert scores.tolist() == [[1.0, 1.0, 0.0, -1.0]] and rows.tolist() == [[1, 0, 2, 3]]
    assert keys.tolist() == [[get_string_id(word) for word in ["dog", "cat", "mouse", "owl"]]]
    assert vectors.most_similar(numpy.zeros((1, 3), dtype="f"))[2].tolist() == [[0.0]]
    assert vectors.most_similar(numpy.zeros((0, 3), dtype="f"))[0].shape == (0, 1)


@pytest.mark.parametrize(
    "shrink", [lambda vocab: vocab.deduplicate_vectors(), lambda vocab: vocab.prune_vectors(3)]
)
def test_smaller_tables_are_those_of_spacy(shrink: Any) -> None:
    data = numpy.random.default_rng(0).standard_normal((6, 4)).astype("float32")
    data[4] = data[1]
    words = ["one", "two", "three", "four", "five", "six"]
    expected = spacy.vocab.Vocab(strings=words)
    vocab = Vocab(strings=words, lex_attr_getters={LOWER: str.lower})
    expected.vectors = spacy.vectors.Vectors(strings=expected.strings, data=data, keys=words)
    vocab.vectors = Vectors(strings=vocab.strings, data=data, keys=words, attr="LOWER")
    replaced, theirs = shrink(vocab) or {}, shrink(expected) or {}
    assert (vocab.vectors.data == expected.vectors.data).all()
    assert dict(vocab.vectors.key2row) == dict(expected.vectors.key2row)
    assert {word: by for word, (by, _) in replaced.items()} == {
        word: by for word, (by, _) in theirs.items()
    }
    for word, (_, score) in replaced.items():
        assert score == pytest.approx(float(theirs[word][1]), abs=1e-6)
    # spaCy's tables lose the attribute.
    assert vocab.vectors.attr == LOWER


def test_searching_and_changing_from_many_threads() -> None:
    vectors = Vectors(data=numbers(2000, 16), keys=range(2000))
    errors: list[BaseException] = []

    def run(seed: int) -> None:
        try:
            for i in range(20):
                vectors.most_similar(numbers(3, 16, seed), n=5)
                vectors.add(seed * 1000 + i, row=i)
                if seed == 0:
                    vectors.resize((2000 + i % 3, 16))
                vectors.data[i] = i
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert vectors.find(key=1019) == 19


# Bytes and files


def pairs() -> list[tuple[Vectors, Any]]:
    keyed, plain = both(data=numbers(3, 4), keys=[*WORDS[:2], 2**63]), both(shape=(4, 2))
    for vectors in (*keyed, *plain):
        vectors.strings.add("caf\u00e9")
        vectors.strings.add("cat")
    return [keyed, plain, both(data=numbers(5, 2), attr="LOWER", bow='\u00e9"/', **FLORET)]


def test_bytes_are_those_of_spacy_and_are_read_by_both() -> None:
    for ours, theirs in pairs():
        data = theirs.to_bytes()
        assert ours.to_bytes() == data
        for exclude in (["strings"], ["vectors", "key2row"], ("key2row",)):
            assert ours.to_bytes(exclude=exclude) == theirs.to_bytes(exclude=exclude)
        read = Vectors().from_bytes(data)
        assert read == ours and list(read.strings) == list(ours.strings)
        back = spacy.vectors.Vectors().from_bytes(ours.to_bytes())
        assert back.to_bytes() == data
        assert read.to_bytes() == back.to_bytes() and read.is_full == back.is_full


def test_folders_are_those_of_spacy_and_are_read_by_both(tmp_path: Path) -> None:
    for i, (ours, theirs) in enumerate(pairs()):
        folder, other = tmp_path / f"ours{i}", tmp_path / f"theirs{i}"
        ours.to_disk(folder)
        theirs.to_disk(other)
        names = sorted(file.name for file in other.iterdir())
        assert sorted(file.name for file in folder.iterdir()) == names
        for name in names:
            assert (folder / name).read_bytes() == (other / name).read_bytes(), name
        assert Vectors().from_disk(str(other)).to_bytes() == ours.to_bytes()
        assert spacy.vectors.Vectors().from_disk(folder).to_bytes() == theirs.to_bytes()


def test_other_arrays_and_old_keys_are_read(tmp_path: Path) -> None:
    data = numpy.asfortranarray(numbers(3, 4).astype(">f8"))
    numpy.save(tmp_path / "vectors.npy", data)
    (tmp_path / "vectors.npy").rename(tmp_path / "vectors")
    numpy.save(tmp_path / "keys.npy", numpy.asarray([7, 8, 9], dtype="uint64"))
    (tmp_path / "keys.npy").rename(tmp_path / "keys")
    vectors = Vectors().from_disk(tmp_path, exclude=["strings"])
    assert dict(vectors.key2row) == {7: 0, 8: 1, 9: 2}
    assert vectors.data.tolist() == data.astype("f").tolist()
    assert dict(Vectors().from_disk(tmp_path, exclude=["strings", "keys"]).key2row) == {}


def test_bytes_that_break_off_change_nothing(vectors: Vectors, tmp_path: Path) -> None:
    data, before = pairs()[2][0].to_bytes(), vectors.to_bytes()
    for end in range(len(data)):
        with pytest.raises(ValueError):
            vectors.from_bytes(data[:end])
    vectors.to_disk(tmp_path)
    for name in ["vectors", "key2row", "vectors.cfg"]:
        whole = (tmp_path / name).read_bytes()
        (tmp_path / name).write_bytes(whole[:-1])
        with pytest.raises(ValueError):
            vectors.from_disk(tmp_path)
        (tmp_path / name).write_bytes(whole)
    assert vectors.to_bytes() == before


def test_pickles_keep_what_counts(vectors: Vectors, floret: Vectors) -> None:
    vectors.name = "pets"
    lower = Vectors(data=numbers(2, 2), keys=["a", "b"], attr="LOWER")
    for original in (vectors, floret, lower):
        copy = pickle.loads(pickle.dumps(original))
        assert copy == original and list(copy.strings) == list(original.strings)
        assert (copy.name, copy.attr, copy.mode) == (original.name, original.attr, original.mode)


# The classes around


def test_settings_are_those_that_were_given(floret: Vectors) -> None:
    assert (floret.minn, floret.maxn, floret.hash_count, floret.hash_seed) == (2, 3, 2, 2166136261)
    assert (floret.bow, floret.eow, floret.mode) == ("<", ">", "floret")
    assert Vectors().mode == Mode.default == "default" and Mode.values() == ["default", "floret"]
    for attr, number in [("ORTH", 65), ("text", 65), ("lower", 66), (66, 66), ("unheard-of", 65)]:
        assert Vectors(attr=attr).attr == number
        assert spacy.vectors.Vectors(attr=attr).attr == number
    with pytest.raises(AttributeError):
        floret.minn = 3  # type: ignore[misc]


def test_a_vocab_takes_vectors_of_any_subclass() -> None:
    class Letters(BaseVectors):
        def __init__(self, *, strings: Any = None) -> None:
            super().__init__(strings=strings)
            self.strings = StringStore() if strings is None else strings

        def __getitem__(self, key: int) -> Any:
            return numpy.full(2, len(self.strings[key]), dtype="f")

        def __contains__(self, key: object) -> bool:
            return True

        @property
        def shape(self) -> tuple[int, int]:
            return (0, 2)

    vocab = Vocab()
    vocab.vectors = Letters()
    assert vocab["mouse"].vector.tolist() == [5, 5] and vocab["cat"].has_vector
    assert vocab.vectors.to_bytes() == b"" and vocab.vectors.from_bytes(b"") is vocab.vectors
    assert vocab.vectors.to_disk("nowhere") is None
    with pytest.raises(NotImplementedError):
        vocab.vectors.add(1)
    vectors = create_mode_vectors()(vocab)
    assert isinstance(vectors, Vectors) and vectors.strings is vocab.strings


def test_subclasses_can_extend_vectors() -> None:
    class Counting(Vectors):
        asked = 0

        def __getitem__(self, key: Any) -> Any:
            self.asked += 1
            return super().__getitem__(key)

    vocab = Vocab()
    vocab.vectors = Counting(data=numbers(1, 2), keys=["cat"])
    assert vocab["cat"].vector.tolist() == vocab.vectors.data[0].tolist()
    assert vocab.vectors.asked == 1


def test_without_numpy_arrays_are_memoryviews() -> None:
    code = """
import sys
sys.modules["numpy"] = None
from lexpool.vectors import Vectors
v = Vectors(data=[[1, 2], [3, 4]], keys=["a", "b"])
assert v.data.tolist() == [[1, 2], [3, 4]] and v.data.format == "f"
v["b"] = [5, 6]
v["a"][0] = 9
assert v.data.tolist() == [[9, 2], [5, 6]]
v.add("c", row=1)
assert v.get_batch(["a", "c"]).tolist() == [[9, 2], [5, 6]]
assert v.find(keys=["c", "x"]).tolist() == [1, -1]
keys, rows, scores = v.most_similar([[5, 6]], n=2)
assert rows.tolist() == [[1, 0]] and scores.tolist()[0][0] == 1.0
assert Vectors().from_bytes(v.to_bytes()) == v
assert Vectors(shape=(0, 3)).data.shape == (0, 3)
assert [row.tolist() for row in v.values()] == [[9, 2], [5, 6]]
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_rank_of_a_new_word_is_the_row_that_its_vectors_say():
    class Shifted(Vectors):
        @property
        def key2row(self):
            return {key: row + 10 for key, row in super().key2row.items()}

    for kind, rank in ((Vectors, 1), (Shifted, 11)):
        vocab = Vocab()
        vocab.vectors = kind(data=numpy.ones((2, 3), dtype="float32"), keys=["dog", "cat"])
        assert vocab["cat"].rank == rank
        assert vocab["bird"].rank == 2**64 - 1
        vocab.vectors.add("fish", row=0)
        assert vocab["fish"].rank == rank - 1
