"""Corpora: documents in mapped files, which every Arrow tool opens."""

import datetime
import decimal
import gc
import multiprocessing
import os
import random
import threading

import numpy as np
import pytest
from annotated import by_chance, contents

import lexpool
from lexpool.attrs import DEP
from lexpool.corpus import Corpus
from lexpool.errors import StaleError
from lexpool.tokens import Doc

pa = pytest.importorskip("pyarrow")
pl = pytest.importorskip("polars")

TEXTS = ["Let's go to N.Y., caf\u00e9!", "", "I can't. \U0001f600 x", "so it goes", "So"]


@pytest.fixture
def nlp():
    return lexpool.blank("en")


@pytest.fixture
def path(tmp_path, nlp):
    path = tmp_path / "a.corpus"
    assert Corpus.write(path, nlp.pipe(TEXTS), columns={"n": range(5)}) == 5
    return path


def kept(doc):
    """Returns the parts of a document that a corpus keeps: all but the tensor and the sentiment;
    lists of user data become tuples.
    """
    kept = contents(doc)
    del kept["tensor"], kept["sentiment"]
    kept["user_data"] = {**kept["user_data"], "key": tuple(kept["user_data"]["key"])}
    return kept


@pytest.mark.parametrize("compressed", [False, True])
def test_documents_come_back_with_all_that_they_carry(tmp_path, nlp, compressed):
    rng = random.Random(5)
    docs = [by_chance(rng, Doc, nlp.vocab) for _ in range(50)]
    path = tmp_path / "a.corpus"
    Corpus.write(path, docs, compressed=compressed)
    for options in [{}, {"verify": "full"}, {"mmap": False}]:
        corpus = Corpus.open(path, **options)
        assert [kept(doc) for doc in corpus] == [kept(doc) for doc in docs]


def test_positions_slices_and_selections_are_those_of_a_list(path):
    corpus = Corpus.open(path)
    assert len(corpus) == 5
    for index in [0, 4, -1, -5]:
        assert corpus[index].text == TEXTS[index]
    for part in [slice(1, 4), slice(None, None, -2), slice(3, 1), slice(-2, None), slice(0, 99, 2)]:
        assert [doc.text for doc in corpus[part]] == TEXTS[part]
        assert [doc.text for doc in corpus[part][::-1]] == TEXTS[part][::-1]
    assert [doc.text for doc in corpus.select([4, 0, 4])] == [TEXTS[4], TEXTS[0], TEXTS[4]]
    assert [doc.text for doc in corpus.filter(lambda doc: len(doc) > 3)] == [TEXTS[0], TEXTS[2]]
    for index in [5, -6, 10**30]:
        with pytest.raises(IndexError):
            corpus[index]
    with pytest.raises(IndexError, match="corpus-index"):
        corpus.select([5])
    with pytest.raises(TypeError, match="positions and slices"):
        corpus["a"]


def test_a_document_is_a_view_until_it_is_written(path):
    corpus = Corpus.open(path)
    doc, other = corpus[3], corpus[3]
    assert doc.c.address == other.c.address
    doc[1].tag_ = "PRP"
    doc[1].is_sent_start = True
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[0:2])
    assert [token.text for token in doc] == ["so it", "goes"]
    assert [token.text for token in other] == ["so", "it", "goes"]
    assert (other[1].tag_, other[1].is_sent_start, Corpus.open(path)[3][1].tag_) == ("", None, "")


def test_a_handle_says_that_the_records_of_a_document_were_copied(path):
    doc = Corpus.open(path)[0]
    before, empty = doc.c, doc.c[2:2]
    idx = np.asarray(before)["idx"].copy()
    assert before.tags is None
    # A facet lies elsewhere than the tokens, which stay where they are.
    doc[1].tag_ = "PRP"
    assert before.tags[1].tag == doc[1].tag
    doc[1].is_sent_start = True
    assert doc.c.address != before.address
    for stale in (before, before[1:], before[2:4]):
        for use in (lambda: stale.tags, lambda: stale.syntax, stale.writable, stale.as_spacy):
            with pytest.raises(StaleError, match="corpus file; take doc.c again"):
                use()
    # Columns taken before stay readable and unchanged.
    assert np.asarray(before)["idx"].tolist() == idx.tolist()
    assert len(empty.tags) == 0
    assert doc.c[1:].tags[0].tag == doc[1].tag
    count = len(doc)
    with doc.c.writable() as tokens:
        assert len(tokens) == count


def test_documents_and_arrays_outlive_the_corpus(path):
    corpus = Corpus.open(path)
    doc, table = corpus[0], pa.table(corpus.columns(["text"]))
    array = np.asarray(doc.c)
    del corpus
    gc.collect()
    assert doc.text == TEXTS[0] and doc[2].lower_ == "go"
    assert array["idx"].tolist() == [token.idx for token in doc]
    del doc
    gc.collect()
    assert table["text"].to_pylist() == TEXTS and array["idx"][1] == 3


def test_counts_are_those_of_the_documents(path):
    corpus = Corpus.open(path)
    for attr in ["ORTH", "LOWER", "IS_ALPHA", "NORM", "LENGTH", "TAG", "SPACY"]:
        for part in [corpus, corpus[1:4], corpus.select([3, 0])]:
            expected = {}
            for doc in part:
                for value, count in doc.count_by(attr).items():
                    expected[value] = expected.get(value, 0) + count
            assert part.count_by(attr) == expected
            assert part.count_by(attr, n_threads=1) == expected
    with pytest.raises(KeyError):
        corpus.count_by("NOPE")


def test_ops_are_called_for_all_documents(path):
    corpus = Corpus.open(path)
    assert corpus.map("doc.words") == [[token.text for token in doc] for doc in corpus]
    assert corpus[3:].map("doc.has_annotation", DEP, n_threads=1) == [False, False]


def test_arrow_tools_open_the_file(path):
    for frame in [pl.read_ipc(path), pl.from_arrow(pa.ipc.open_file(path).read_all())]:
        assert frame["text"].to_list() == TEXTS and frame["n"].to_list() == [0, 1, 2, 3, 4]
    with open(path, "rb") as file:
        # As a stream: behind the magic bytes and their padding.
        file.seek(64)
        assert pa.ipc.open_stream(file).read_all().num_rows == 5
    corpus = Corpus.open(path)
    tokens = corpus.column_names.index("tokens")
    batch = pa.ipc.open_file(path).get_batch(0)
    dtype = np.asarray(corpus[0].c).dtype
    records = np.frombuffer(batch.column(tokens).values.buffers()[1], dtype)
    assert records["idx"].tolist() == [token.idx for doc in corpus for token in doc]
    assert pa.table(corpus).column_names == corpus.column_names


def test_columns_lie_in_the_file_and_tokens_are_decoded(path):
    corpus = Corpus.open(path)
    first, second = (pa.table(corpus.columns(["text"]))["text"].chunk(0) for _ in range(2))
    assert first.buffers()[2].address == second.buffers()[2].address
    tokens = pl.DataFrame(corpus[2:].tokens(["LOWER_", "LENGTH"]))
    expected = [
        (
            i,
            token.idx,
            token.idx + len(token),
            token.orth,
            bool(token.whitespace_),
            token.lower_,
            len(token),
        )
        for i, doc in enumerate(corpus[2:])
        for token in doc
    ]
    assert tokens.rows() == expected
    with pytest.raises(ValueError, match="corpus-column.*'nope'|corpus-column.*\"nope\""):
        corpus.columns(["nope"])
    with pytest.raises(ValueError, match="corpus-column"):
        corpus.tokens(["NOPE"])


def test_a_compressed_corpus_of_nearly_equal_words_is_opened(tmp_path):
    nlp = lexpool.blank("en")
    docs = [nlp.make_doc("a" * 50_000 + str(i)) for i in range(2000)]
    Corpus.write(tmp_path / "like.corpus", docs, compressed=True)
    assert (tmp_path / "like.corpus").stat().st_size < 4 << 20
    assert [doc.text for doc in Corpus.open(tmp_path / "like.corpus")] == [doc.text for doc in docs]


def test_corpora_are_merged_saved_and_appended_to(path, tmp_path):
    corpus = Corpus.open(path)
    other = lexpool.blank("xx")
    Corpus.write(tmp_path / "b.corpus", other.pipe(["Es geht.", "so it"]), compressed=True)
    done = []
    both = tmp_path / "both.corpus"
    assert Corpus.merge([corpus[::2], tmp_path / "b.corpus"], both, progress=done.append) == 5
    merged = Corpus.open(both, verify="full")
    assert [doc.text for doc in merged] == TEXTS[::2] + ["Es geht.", "so it"]
    assert done[-1] == 5 and pl.DataFrame(merged.columns(["n"]))["n"].to_list() == [
        0,
        2,
        4,
        None,
        None,
    ]
    assert merged[4][0].orth == corpus[3][0].orth == other.vocab.strings["so"]
    assert merged.save(tmp_path / "c.corpus", compressed=True) == 5
    assert [doc.text for doc in Corpus.open(tmp_path / "c.corpus")] == [doc.text for doc in merged]
    assert Corpus.append(both, other.pipe(["Neu."]), columns={"n": [7]}) == 6
    assert [doc.text for doc in Corpus.open(both)][-2:] == ["so it", "Neu."]
    assert len(merged) == 5 and merged[4].text == "so it"
    assert Corpus.append(tmp_path / "new.corpus", corpus) == 5
    assert sorted(file.suffix for file in tmp_path.iterdir()) == [".corpus"] * 5
    with pytest.raises(ValueError, match="corpus-merge"):
        Corpus.merge([], both)
    with pytest.raises(ZeroDivisionError):
        Corpus.merge([corpus], both, progress=lambda done: 1 / 0)
    assert len(Corpus.open(both)) == 6


def test_wrong_columns_and_documents_are_named_and_leave_no_file(nlp, tmp_path):
    docs = list(nlp.pipe(["a", "b"]))
    path = tmp_path / "a.corpus"
    for columns, error in [
        ({"n": [1]}, ValueError),
        ({"n": [1, 2, 3]}, ValueError),
        ({"n": [1, "a"]}, ValueError),
        ({"n": [1, b"a"]}, TypeError),
        ({"text": [1, 2]}, ValueError),
    ]:
        with pytest.raises(error, match="n\\b|text"):
            Corpus.write(path, docs, columns=columns)
    with pytest.raises(TypeError, match="documents, not str"):
        Corpus.write(path, ["a"])
    with pytest.raises(ZeroDivisionError):
        Corpus.write(path, (1 / 0 for _ in docs))
    with pytest.raises(FileNotFoundError):
        Corpus.write(tmp_path / "none" / "a.corpus", docs)
    with pytest.raises(FileNotFoundError):
        Corpus.open(path)
    with pytest.raises(ValueError, match="verify"):
        Corpus.open(path, verify="much")
    assert list(tmp_path.iterdir()) == []


def test_extension_attributes_come_back(tmp_path, nlp):
    Doc.set_extension("corpus_score", default=0)
    try:
        doc = nlp("a b")
        doc._.corpus_score = 7
        Corpus.write(tmp_path / "a.corpus", [doc])
        Corpus.write(tmp_path / "b.corpus", [doc], store_user_data=False)
        assert Corpus.open(tmp_path / "a.corpus")[0]._.corpus_score == 7
        assert Corpus.open(tmp_path / "b.corpus")[0]._.corpus_score == 0
    finally:
        Doc.remove_extension("corpus_score")


def test_new_words_stay_in_the_process(path):
    before = path.read_bytes()
    corpus = Corpus.open(path)
    assert corpus.vocab["unheard"].shape_ == "xxxx"
    corpus.vocab["so"].is_stop = False
    nlp = lexpool.blank("en", vocab=corpus.vocab)
    assert [token.orth for token in nlp("so it goes")] == [token.orth for token in corpus[3]]
    assert path.read_bytes() == before and Corpus.open(path).vocab["so"].is_stop


def test_threads_read_one_corpus(path):
    corpus, wrong = Corpus.open(path), []

    def read():
        for i in range(200):
            doc = corpus[i % 5]
            if doc.text != TEXTS[i % 5] or corpus.count_by("ORTH") != expected:
                wrong.append(i)

    expected = corpus.count_by("ORTH")
    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_process_reads_the_same_corpus(path):
    corpus = Corpus.open(path)
    expected = corpus.count_by("LOWER")
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map(corpus.count_by, ["LOWER"] * 4) == [expected] * 4


def test_a_corpus_pickles_as_its_place(path):
    import pickle

    corpus = Corpus.open(path)[1:4]
    data = pickle.dumps(corpus)
    assert len(data) < 1000
    assert [doc.text for doc in pickle.loads(data)] == TEXTS[1:4]


def table_of_all_kinds():
    dates = [datetime.date(1851, 10, n + 1) for n in range(5)]
    moments = [datetime.datetime(2024, 2, 29, 12, n, tzinfo=datetime.UTC) for n in range(5)]
    people = [{"name": f"N{n}", "born": None if n else 1800} for n in range(5)]
    return pa.table(
        {
            "small": pa.array([1, None, -3, 4, 5], pa.int8()),
            "half": pa.array([0.5, 1.5, None, 2.0, 3.0], pa.float32()),
            "name": pa.array(["a", None, "caf\u00e9", "", "e"], pa.string()),
            "raw": pa.array([b"\x00", None, b"ab", b"", b"c"], pa.binary()),
            "fixed": pa.array([b"ab", None, b"cd", b"ef", b"gh"], pa.binary(2)),
            "is": pa.array([True, False, None, True, False]),
            "day": pa.array(dates, pa.date32()),
            "at": pa.array(moments, pa.timestamp("us", "UTC")),
            "labels": pa.array([["x", "y"], [], None, ["z"], [None]], pa.list_(pa.string())),
            "people": pa.array(people, pa.struct([("name", pa.string()), ("born", pa.int32())])),
        }
    )


@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize("size", [1, 2, 5])
def test_columns_of_an_arrow_table_are_kept_with_their_types(nlp, tmp_path, size, compressed):
    table = table_of_all_kinds()
    parts = [table.slice(i, size).combine_chunks() for i in range(0, 5, size)]
    path = tmp_path / "a.corpus"
    given = pa.concat_tables(parts)
    assert Corpus.write(path, nlp.pipe(TEXTS), columns=given, compressed=compressed) == 5
    corpus = Corpus.open(path, verify="full")
    assert pa.table(corpus.columns(table.column_names)).equals(table)
    merged = tmp_path / "merged.corpus"
    Corpus.merge([corpus[:2], corpus[2:]], merged)
    Corpus.append(merged, nlp.pipe(TEXTS), columns=table)
    both = pa.table(Corpus.open(merged, verify="full").columns(table.column_names))
    assert both.equals(pa.concat_tables([table, table]))


def test_views_and_dictionaries_become_what_they_are_of(nlp, tmp_path):
    names = ["a", None, "one that no view holds", "a", "b"]
    table = pa.table(
        {
            "view": pa.array(names, pa.string_view()),
            "coded": pa.array(names).dictionary_encode(),
            "nothing": pa.nulls(5),
            "lists": pa.array([[name] for name in names], pa.list_(pa.string_view())),
        }
    )
    path = tmp_path / "a.corpus"
    # For a column of nulls, Polars exports more than the interface specifies.
    for given in (table, table.to_batches()[0], pl.DataFrame(table.drop(["nothing"]))):
        Corpus.write(path, nlp.pipe(TEXTS), columns=given)
        kept = [name for name in table.column_names if name in Corpus.open(path).column_names]
        read = pa.table(Corpus.open(path, verify="full").columns(kept))
        assert read["view"].type == pa.large_string()
        assert read.to_pydict() == table.select(kept).to_pydict()
    assert kept == ["view", "coded", "lists"] and pl.read_ipc(path)["coded"].to_list() == names


def test_columns_that_do_not_fit_are_refused_by_name(nlp, tmp_path):
    path = tmp_path / "a.corpus"
    price = pa.array([decimal.Decimal(1)] * 5)
    for wrong in (price, pa.array([[value] for value in price], pa.list_(price.type))):
        with pytest.raises(ValueError, match=r'corpus-column.*"price" has the type .*Decimal'):
            Corpus.write(path, nlp.pipe(TEXTS), columns=pa.table({"price": wrong}))
    for count in (4, 6):
        with pytest.raises(ValueError, match=f'corpus-column.*"n" has {count} values'):
            Corpus.write(path, nlp.pipe(TEXTS), columns=pa.table({"n": range(count)}))
    with pytest.raises(ValueError, match='the column name "text" is taken'):
        Corpus.write(path, nlp.pipe(TEXTS), columns=pa.table({"text": TEXTS}))
    for wrong in ([1], "n", 7):
        with pytest.raises(TypeError, match="a dict of lists or an Arrow table, not"):
            Corpus.write(path, nlp.pipe(TEXTS), columns=wrong)
    invalid = pa.Array.from_buffers(
        pa.string(), 5, [None, pa.py_buffer(bytes(20) + b"\1\0\0\0"), pa.py_buffer(b"\xff")]
    )
    with pytest.raises(ValueError, match='corpus-column.*"name" is invalid'):
        Corpus.write(path, nlp.pipe(TEXTS), columns=pa.table({"name": invalid}))

    def failing():
        yield table_of_all_kinds().to_batches()[0]
        raise RuntimeError("the source is gone")

    source = pa.RecordBatchReader.from_batches(table_of_all_kinds().schema, failing())
    with pytest.raises(ValueError, match="the source is gone"):
        Corpus.write(path, nlp.pipe(TEXTS), columns=source)
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def extensions():
    values = {"year": 1851, "tags": ["a"], "note": None, "mixed": 1, "price": None}
    for name, value in values.items():
        Doc.set_extension(name, default=value, force=True)
    Doc.set_extension("length", getter=len, force=True)
    yield
    for name in [*values, "length"]:
        Doc.remove_extension(name)


def test_extensions_become_columns_of_one_type(nlp, tmp_path, extensions):
    def docs():
        for n, doc in enumerate(nlp.pipe(TEXTS)):
            doc._.year = 1900 + n if n != 2 else None
            doc._.tags = ["x"] * n
            # The values are None except the last, a string.
            doc._.note = "last" if n == 4 else None
            yield doc

    path = tmp_path / "a.corpus"
    names = ["year", "tags", "note", "length"]
    assert Corpus.write(path, docs(), columns={"n": range(5)}, extensions=names) == 5
    corpus = Corpus.open(path, verify="full")
    assert corpus.column_names[-5:] == ["n", *(f"_.{name}" for name in names)]
    table = pa.table(corpus.columns(corpus.column_names[-5:]))
    assert [field.type for field in table.schema] == [
        pa.int64(), pa.int64(), pa.list_(pa.string()), pa.string(), pa.int64(),
    ]  # fmt: skip
    assert table.to_pydict() == {
        "n": list(range(5)),
        "_.year": [1900, 1901, None, 1903, 1904],
        "_.tags": [["x"] * n for n in range(5)],
        "_.note": [None] * 4 + ["last"],
        "_.length": [len(nlp(text)) for text in TEXTS],
    }
    # They are where they were, too.
    assert [doc._.year for doc in corpus] == table["_.year"].to_pylist()
    assert pl.read_ipc(path)["_.length"].to_list() == table["_.length"].to_pylist()
    # The file beside is gone, and who reads many files finds the column in each.
    assert [found.name for found in tmp_path.iterdir()] == ["a.corpus"]
    assert Corpus.append(path, docs(), extensions=["year"]) == 10
    years = pa.table(Corpus.open(path).columns(["_.year", "_.note"]))
    assert years["_.year"].to_pylist() == table["_.year"].to_pylist() * 2
    assert years["_.note"].null_count == 9
    empty = tmp_path / "empty.corpus"
    assert Corpus.write(empty, [], extensions=["year"]) == 0
    assert Corpus.open(empty).column_names[-1] == "_.year"


def test_extensions_that_make_no_column_are_named(nlp, tmp_path, extensions):
    def docs():
        for n, doc in enumerate(nlp.pipe(TEXTS)):
            doc._.mixed = n if n < 4 else "four"
            doc._.price = decimal.Decimal(n)
            yield doc

    path = tmp_path / "a.corpus"
    with pytest.raises(ValueError, match="corpus-column.*'mixed' differ in type"):
        Corpus.write(path, docs(), extensions=["mixed"], store_user_data=False)
    with pytest.raises(ValueError, match=r'corpus-column.*"_\.price" has the type Decimal'):
        Corpus.write(path, docs(), extensions=["price"], store_user_data=False)
    with pytest.raises(AttributeError, match="E046"):
        Corpus.write(path, docs(), extensions=["unknown"], store_user_data=False)
    with pytest.raises(ValueError, match=r'the column name "_\.year" is taken'):
        Corpus.write(
            path, docs(), columns={"_.year": range(5)}, extensions=["year"], store_user_data=False
        )
    with pytest.raises(TypeError):
        Corpus.write(path, docs(), extensions="year")
    assert list(tmp_path.iterdir()) == []
