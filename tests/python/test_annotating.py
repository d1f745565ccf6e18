"""Tables of texts get columns of tokens, by Arrow's interface alone."""

import ctypes
import gc
import pickle
import sys
import threading
from itertools import pairwise

import pytest
from processes import python

import lexpool
import lexpool.arrow
import lexpool.engines
from lexpool.engines import Annotator, altered
from lexpool.errors import HashCollisionError

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")

TEXTS = [
    "Let's go to N.Y.!",
    None,
    "",
    "  two  spaces ",
    "caf\u00e9 \u6771\u4eac \U0001f600 don't",
    "nsubj",
]


@pytest.fixture(scope="module")
def nlp():
    return lexpool.blank("en")


@pytest.fixture(scope="module")
def table():
    return pa.table({"id": range(len(TEXTS)), "text": TEXTS})


def rows(data):
    return pa.table(data).to_pylist()


def test_rows_have_what_documents_do(nlp, table):
    columns = ["tokens", "n_tokens", "strings", "lower", "lower_", "shape_", "is_alpha", "length"]
    for row in rows(lexpool.arrow.annotate(table, nlp, columns=columns)):
        if row["text"] is None:
            assert {row[name] for name in columns} == {None}
            continue
        doc = nlp(row["text"])
        assert row["n_tokens"] == len(doc)
        assert row["tokens"] == [
            {"start": t.idx, "end": t.idx + len(t), "orth": t.orth, "space": bool(t.whitespace_)}
            for t in doc
        ]
        assert row["lower"] == [token.lower for token in doc]
        assert row["lower_"] == [token.lower_ for token in doc]
        assert row["shape_"] == [token.shape_ for token in doc]
        assert row["is_alpha"] == [token.is_alpha for token in doc]
        assert row["length"] == [len(token) for token in doc]
        ids = dict.fromkeys(id for token in doc for id in (token.orth, token.lower))
        assert [nlp.vocab.strings[string] for string in row["strings"]] == list(ids)


@pytest.mark.parametrize(
    "kind",
    [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int8(), pa.string())],
)
def test_texts_may_be_of_any_type_of_strings(nlp, table, kind):
    plain = pa.chunked_array([pa.array(TEXTS)])
    given = pa.table(
        {"text": plain.cast(kind) if kind != pa.string_view() else pa.array(TEXTS, kind)}
    )
    done = pa.table(lexpool.arrow.annotate(given, nlp))
    assert done["tokens"].to_pylist() == [
        row["tokens"] for row in rows(lexpool.arrow.annotate(table, nlp))
    ]
    assert done["text"].type == kind


def test_columns_pass_through_where_they_lie(nlp, table):
    batch = table.to_batches()[0].slice(1, 3)
    done = pa.record_batch(lexpool.arrow.annotate(batch, nlp))
    # Eight bytes a value, of which the slice has left out the first.
    assert done["id"].buffers()[1].address == batch["id"].buffers()[1].address + 8
    assert done["text"].buffers()[2].address == batch["text"].buffers()[2].address
    assert done.schema.names == ["id", "text", "tokens", "strings"]


def test_metadata_passes_through(nlp):
    field = pa.field("text", pa.string(), metadata={"lang": "en"})
    given = pa.table([pa.array(["a b"])], pa.schema([field], metadata={"source": "here"}))
    schema = pa.table(lexpool.arrow.annotate(given, nlp)).schema
    assert schema.metadata == {b"source": b"here"}
    assert schema.field("text").metadata == {b"lang": b"en"}


def test_a_table_may_be_cut_anyhow(nlp, table):
    whole = pa.concat_tables([table] * 400).combine_chunks()
    columns = ["tokens", "strings", "norm_"]
    expected = pa.table(lexpool.arrow.annotate(whole, nlp, columns=columns, threads=1))
    for size, threads in [(1, 1), (7, 2), (1000, 0), (2400, 3)]:
        cut = pa.Table.from_batches(whole.to_batches(max_chunksize=size))
        assert cut["text"].num_chunks == -(-2400 // size)
        done = pa.table(lexpool.arrow.annotate(cut, nlp, columns=columns, threads=threads))
        assert done.combine_chunks().equals(expected)
    nothing = pa.table(lexpool.arrow.annotate(whole.slice(0, 0), nlp))
    assert (nothing.num_rows, nothing.num_columns) == (0, 4)


def test_a_stream_is_read_as_it_is_pulled(nlp, table):
    batch = table.to_batches()[0]
    given = []

    def batches():
        for n in range(5):
            given.append(n)
            yield batch

    reader = pa.RecordBatchReader.from_batches(batch.schema, batches())
    annotated = pa.RecordBatchReader.from_stream(lexpool.arrow.annotate(reader, nlp))
    assert given == []
    first = annotated.read_next_batch()
    assert given == [0] and first.num_rows == len(TEXTS)
    assert len(list(annotated)) == 4


def test_what_a_stream_raises_is_handed_on(nlp, table):
    def batches():
        yield table.to_batches()[0]
        raise OSError("the disk is on fire")

    reader = pa.RecordBatchReader.from_batches(table.schema, batches())
    with pytest.raises((OSError, pa.ArrowException), match="the disk is on fire"):
        pa.table(lexpool.arrow.annotate(reader, nlp))


def test_rules_may_be_functions_of_python(table):
    seen = []

    def token_match(text):
        seen.append(text)
        return text == "N.Y.!"

    nlp = lexpool.blank("en")
    nlp.tokenizer.token_match = token_match
    many = pa.concat_tables([table] * 2000).combine_chunks()
    done = pa.table(lexpool.arrow.annotate(many, nlp, columns=["orth_"], threads=2))
    assert done["orth_"][0].as_py()[-1] == "N.Y.!" and seen


def test_texts_are_cut_by_the_rules_that_the_tokenizer_has_when_a_reader_asks(table):
    tokenizer = lexpool.blank("en").tokenizer
    annotated = lexpool.arrow.Annotator(tokenizer, columns=["orth_"])(table)
    assert pa.table(annotated)["orth_"][0].as_py()[-1] != "N.Y.!"
    tokenizer.token_match = lambda text: text == "N.Y.!"
    assert pa.table(annotated)["orth_"][0].as_py()[-1] == "N.Y.!"


def test_wrong_columns_are_named_with_those_there_are(nlp, table):
    def error(data=table, **options):
        with pytest.raises(ValueError) as raised:
            pa.table(lexpool.arrow.annotate(data, nlp, **options))
        return str(raised.value)

    unknown = error(text="body")
    assert 'no column is named "body"' in unknown and '"id" (Int64)' in unknown
    assert "Int64, not strings" in error(text="id")
    assert "no column has strings" in error(table.select(["id"]))
    assert "more than one" in error(table.append_column("title", table["text"]))
    assert '"id" already' in error(columns=["id"])
    assert "lemmas_" in error(columns=["lemmas_"]) and "lower_" in error(columns=["lemmas_"])
    assert "twice" in error(columns=["lower", "lower"])
    assert "threads" in error(threads=-1)
    with pytest.raises(TypeError, match="not list"):
        lexpool.arrow.annotate(TEXTS, nlp)
    with pytest.raises(TypeError):
        lexpool.arrow.annotate(table, nlp, columns="tokens")
    assert not hasattr(lexpool.arrow.annotate(table, nlp), "__arrow_c_array__")


def test_arrays_that_break_their_promises_are_refused(nlp):
    broken = pa.StringArray.from_buffers(
        2, pa.py_buffer(b"\0\0\0\0\2\0\0\0\3\0\0\0"), pa.py_buffer(b"a\xffb")
    )
    with pytest.raises(ValueError, match="row 0 is not UTF-8"):
        pa.record_batch(lexpool.arrow.annotate(pa.record_batch({"text": broken}), nlp))
    with pytest.raises((ValueError, pa.ArrowException), match="row 0 is not UTF-8"):
        pa.table(lexpool.arrow.annotate(pa.table({"text": broken}), nlp))
    with pytest.raises(ValueError, match="null"):
        rows_of_null = pa.array([{"text": "a"}, None])
        pa.record_batch(lexpool.arrow.annotate(rows_of_null, nlp))
    with pytest.raises(ValueError, match="cannot import"):
        pa.record_batch(lexpool.arrow.annotate(pa.array(["a"]), nlp))


def at_odd_addresses(array):
    """The array with each buffer a byte from where it should be, as a message may bring it."""
    moved = [buffer and pa.py_buffer(b"\0" + bytes(buffer)).slice(1) for buffer in array.buffers()]
    assert all(buffer is None or buffer.address % 2 for buffer in moved)
    own = 2 if pa.types.is_nested(array.type) else len(moved)
    children = [at_odd_addresses(array.values)] if pa.types.is_nested(array.type) else []
    return pa.Array.from_buffers(array.type, len(array), moved[:own], children=children)


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.string_view()])
def test_buffers_may_lie_at_odd_addresses(nlp, kind):
    texts = pa.array([*TEXTS, "a text too long for a view of it"], kind)
    lists = pa.array([[text, text] for text in texts.to_pylist()], pa.large_list(pa.large_binary()))
    plain = pa.record_batch({"text": texts, "lists": lists, "n": pa.array(range(len(texts)))})
    odd = pa.record_batch(
        [at_odd_addresses(column) for column in plain.columns], plain.schema.names
    )
    expected = pa.record_batch(lexpool.arrow.annotate(plain, nlp))
    for _ in range(3):
        assert pa.record_batch(lexpool.arrow.annotate(odd, nlp)).equals(expected)
        table = pa.Table.from_batches([odd, odd.slice(2, 3)])
        done = pa.table(lexpool.arrow.annotate(table, nlp))
        assert done.to_batches()[1].equals(expected.slice(2, 3))
    store = lexpool.StringStore()
    assert lexpool.arrow.add_strings(store, odd, "text") == 4
    assert set(store) == {text for text in texts.to_pylist() if text and text != "nsubj"}


class Wrong:
    """An object whose methods give what they should not."""

    def __init__(self, value):
        self.value = value

    def __arrow_c_stream__(self, requested_schema=None):
        return self.value


def test_capsules_of_something_else_are_refused(nlp, table):
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = (
        ctypes.py_object,
        [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p],
    )
    name = b"something else"
    used = table.__arrow_c_stream__()
    pa.RecordBatchReader._import_from_c_capsule(used)
    for value in (None, 7, new(1, name, None), used):
        with pytest.raises((TypeError, ValueError)):
            lexpool.arrow.annotate(Wrong(value), nlp).__arrow_c_stream__()


def test_many_threads_share_an_annotator(nlp, table):
    annotator = lexpool.arrow.Annotator(nlp.tokenizer, columns=["tokens", "strings"], threads=2)
    expected = pa.table(annotator(table))
    done = [None] * 8

    def work(i):
        done[i] = all(pa.table(annotator(table)).equals(expected) for _ in range(50))

    threads = [threading.Thread(target=work, args=(i,)) for i in range(len(done))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(done)


def test_strings_of_batches_become_one_store(nlp, table):
    store = lexpool.StringStore()
    parts = [table.slice(i, 2) for i in range(0, len(TEXTS), 2)]
    new = [lexpool.arrow.add_strings(store, lexpool.arrow.annotate(part, nlp)) for part in parts]
    assert sum(new) == len(store) and all(new)
    for row in rows(lexpool.arrow.annotate(table, nlp)):
        for token in row["tokens"] or ():
            assert store[token["orth"]] == row["text"][token["start"] : token["end"]]
    with pytest.raises(ValueError, match='no column is named "strings"; the columns are id, text'):
        lexpool.arrow.add_strings(store, table)
    with pytest.raises(ValueError, match="expected strings or lists of strings"):
        lexpool.arrow.add_strings(store, table, "id")


def test_two_strings_of_one_id_are_refused():
    batch = pa.table({"strings": [["nwhmcsvgydilzqao"], ["jpimytqaE87myorS"]]})
    with pytest.raises(HashCollisionError, match="nwhmcsvgydilzqao"):
        lexpool.arrow.add_strings(lexpool.StringStore(), batch)


def test_polars_takes_and_gives_without_pyarrow(nlp):
    pl = pytest.importorskip("polars", reason="Polars is not installed")
    given = pl.DataFrame({"text": TEXTS})
    done = pl.DataFrame(lexpool.arrow.annotate(given, nlp, columns=["orth_"]))
    assert done["orth_"].to_list()[0] == [token.text for token in nlp(TEXTS[0])]


def test_a_configuration_is_a_value(tmp_path):
    first = Annotator("en", text="text", columns=["tokens"])
    assert first == Annotator("en", text="text", columns=("tokens",)) != Annotator("en")
    assert len({first, pickle.loads(pickle.dumps(first))}) == 1
    assert len(pickle.dumps(first)) < 1000
    for wrong in ({"lang": "tlh"}, {"columns": ["lemma_"]}, {"threads": -1}):
        with pytest.raises(ValueError):
            Annotator(**wrong)
    with pytest.raises(TypeError, match="list of names"):
        Annotator(columns="tokens")
    with pytest.raises(FileNotFoundError):
        Annotator(rules=tmp_path / "none")


def test_rules_that_have_changed_since_are_refused(tmp_path, table):
    rules = tmp_path / "rules"
    tokenizer = lexpool.blank("en").tokenizer
    tokenizer.to_disk(rules)
    before = Annotator("en", rules=rules)
    tokenizer.add_special_case("caf\u00e9", [{"ORTH": "caf"}, {"ORTH": "\u00e9"}])
    tokenizer.to_disk(rules)
    after = Annotator("en", rules=rules)
    assert before != after
    words = [pa.table(a(table))["tokens"][4].as_py() for a in (before, after)]
    assert len(words[1]) == len(words[0]) + 1
    state = tmp_path / "state"
    state.write_bytes(pickle.dumps(before))
    python(
        f"""
import pickle, pyarrow
annotator = pickle.loads(open({str(state)!r}, "rb").read())
try:
    annotator(pyarrow.table({{"text": ["a"]}}))
except ValueError as error:
    assert "are not those" in str(error), error
else:
    raise AssertionError("nothing was raised")
"""
    )


def test_altering_an_annotator_keeps_its_rules(tmp_path, table, monkeypatch):
    tokenizer = lexpool.blank("en").tokenizer
    tokenizer.to_disk(tmp_path / "rules")
    before = Annotator("en", rules=tmp_path / "rules")
    tokenizer.add_special_case("caf\u00e9", [{"ORTH": "caf"}, {"ORTH": "\u00e9"}])
    tokenizer.to_disk(tmp_path / "rules")
    new = altered(before, columns=("n_tokens",), threads=2)
    assert (new.digest, new.columns, new.threads) == (before.digest, ("n_tokens",), 2)
    assert before.columns == ("tokens", "strings")
    # As on a worker, which has nothing but the file.
    monkeypatch.setattr("lexpool.engines._known", {})
    for refused in (lambda: new(table), lambda: altered(before, text="text")):
        with pytest.raises(ValueError, match="are not those"):
            refused()
    with pytest.raises(ValueError, match="lemma_"):
        altered(Annotator("xx"), columns=("lemma_",))
    for wrong in ({"rules": None}, {"colums": ()}):
        with pytest.raises(TypeError, match=next(iter(wrong))):
            altered(before, **wrong)


def test_a_vocab_that_has_grown_large_gives_way_and_rows_stay_the_same(table, monkeypatch):
    annotator = Annotator("xx", columns=["tokens", "strings"])
    before = pa.table(annotator(table))
    first = annotator._kernel()
    assert annotator._kernel() is first
    monkeypatch.setattr("lexpool.engines.MAX_WORDS", 5)
    assert annotator._kernel() is not first
    assert pa.table(annotator(table)).equals(before)


@pytest.mark.skipif(not hasattr(sys, "getrefcount"), reason="references are not counted")
def test_a_vocab_that_gives_way_is_held_by_no_other_annotator(table, monkeypatch):
    annotators = [Annotator("xx", prefix=f"gives_way_{n}_") for n in range(3)]
    for annotator in annotators:
        pa.table(annotator(table))
    large, kernel = annotators[1].tokenizer(), annotators[1]._kernel()
    assert all(annotator.tokenizer() is large for annotator in annotators)
    free = lexpool.Tokenizer.blank("xx")
    free_kernel = lexpool.arrow.Annotator(free)
    assert sys.getrefcount(large) > sys.getrefcount(free)
    assert sys.getrefcount(kernel) > sys.getrefcount(free_kernel)
    monkeypatch.setattr("lexpool.engines.MAX_WORDS", 5)
    pa.table(annotators[0](table))
    gc.collect()
    assert sys.getrefcount(large) == sys.getrefcount(free)
    assert sys.getrefcount(kernel) == sys.getrefcount(free_kernel)


def test_only_annotators_in_use_are_kept_and_few_of_them(table, monkeypatch):
    known = {}
    monkeypatch.setattr("lexpool.engines._known", known)
    annotators = [Annotator("xx", prefix=f"few_{n}_") for n in range(50)]
    [built] = known.values()
    assert len(built.kernels) == 0
    results = [pa.table(annotator(table)) for annotator in annotators]
    assert list(built.kernels) == annotators[-8:]
    assert annotators[49]._kernel() is annotators[49]._kernel()
    assert all(
        pa.table(a(table)).equals(result) for a, result in zip(annotators, results, strict=True)
    )


def test_a_process_keeps_the_tokenizers_of_few_rules(tmp_path, table, monkeypatch):
    monkeypatch.setattr("lexpool.engines._known", {})
    tokenizer = lexpool.blank("xx").tokenizer
    annotators = []
    for n in range(12):
        tokenizer.add_special_case(f"caf\u00e9{n}", [{"ORTH": "caf"}, {"ORTH": f"\u00e9{n}"}])
        tokenizer.to_disk(tmp_path / str(n))
        annotators.append(Annotator("xx", rules=tmp_path / str(n), columns=["orth_"]))
    assert len(lexpool.engines._known) == 8
    for n in (0, 11):
        words = pa.table(annotators[n](pa.table({"text": [f"caf\u00e9{n}"]})))["orth_"][0].as_py()
        assert words == ["caf", f"\u00e9{n}"]


@pytest.mark.skipif(sys.platform == "win32", reason="processes do not fork there")
def test_a_child_of_a_fork_annotates():
    python(
        """
import os, pyarrow
from lexpool.engines import Annotator, altered
annotator = Annotator("en", threads=2)
table = pyarrow.table({"text": ["It's a text of some words."] * 5000})
expected = pyarrow.table(annotator(table))
pid = os.fork()
if pid == 0:
    os._exit(0 if pyarrow.table(annotator(table)).equals(expected) else 1)
assert os.waitpid(pid, 0)[1] == 0
"""
    )


def test_crafted_words_of_one_id_are_an_error_in_any_order(nlp):
    pair = ["nwhmcsvgydilzqao", "jpimytqaE87myorS"]
    for words in (pair, pair[::-1]):
        fresh = Annotator("xx", prefix="_".join(words))
        with pytest.raises(ValueError, match="hash-collision"):
            pa.record_batch(fresh(pa.record_batch({"text": [" ".join(words)]})))
    ids = [nlp.vocab.strings[word] for word in pair]
    assert all(a == b for a, b in pairwise(ids))
