"""Corpora that workers write, a file a batch."""

import pickle

import pytest
from changed_rules import outdated

import lexpool
from lexpool.corpus import Corpus
from lexpool.engines import Annotator
from lexpool.shards import CorpusWriter, merge

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")

TEXTS = [f"It's text {n}, isn't it?  Word{n * n} caf\u00e9." if n % 7 else None for n in range(60)]


@pytest.fixture
def table():
    return pa.table(
        {"id": range(len(TEXTS)), "body": TEXTS, "even": [n % 2 == 0 for n in range(60)]}
    )


def written(table, folder, size):
    write = pickle.loads(pickle.dumps(CorpusWriter(folder, columns=["id", "even"])))
    parts = [write(table.slice(i, size)) for i in range(0, table.num_rows, size)]
    return pa.concat_tables(parts)


def test_files_of_batches_become_one_corpus_in_order(table, tmp_path):
    nlp = lexpool.blank("en")
    given = [(n, text) for n, text in enumerate(TEXTS) if text is not None]
    files = set()
    for size in (60, 7, 1):
        done = written(table, tmp_path / str(size), size)
        assert sum(done["docs"].to_pylist()) == len(given)
        mixed = done.take(pa.array(range(len(done)))[::-1])
        path = tmp_path / f"{size}.corpus"
        assert merge(mixed, path, order="id") == len(given)
        corpus = Corpus.open(path, verify="full")
        assert [doc.text for doc in corpus] == [text for _, text in given]
        assert [len(doc) for doc in corpus] == [len(nlp(text)) for _, text in given]
        columns = pa.table(corpus.columns(["id", "even"]))
        assert columns["id"].to_pylist() == [n for n, _ in given]
        assert columns["even"].to_pylist() == [n % 2 == 0 for n, _ in given]
        cafe = corpus.vocab.strings["caf\u00e9"]
        assert corpus.count_by("LOWER")[cafe] == len(given)
        assert {found.name for found in tmp_path.iterdir()} <= {
            name for n in (60, 7, 1) for name in (str(n), f"{n}.corpus")
        }
        files.add(path.read_bytes())
    assert len(files) == 1


def test_files_that_no_table_names_are_left_out(table, tmp_path):
    done = written(table, tmp_path / "shards", 20)
    written(table, tmp_path / "shards", 20)
    assert len(list((tmp_path / "shards").iterdir())) == 6
    assert merge(done, tmp_path / "all.corpus") == sum(done["docs"].to_pylist())


def test_a_batch_without_a_text_writes_nothing(table, tmp_path):
    write = CorpusWriter(tmp_path / "shards", Annotator("en", text="body"))
    assert write(table.slice(0, 1)).num_rows == 0
    assert write(table.slice(0, 0)).num_rows == 0
    assert not (tmp_path / "shards").exists()


def test_the_texts_are_found_among_other_columns(tmp_path):
    codes = pa.array([1, 2, 1]).dictionary_encode()
    table = pa.table({"tokens": codes, "body": pa.array(["a", "b", "a"]).dictionary_encode()})
    done = CorpusWriter(tmp_path)(table)
    assert [doc.text for doc in Corpus.open(done["path"][0].as_py())] == ["a", "b", "a"]


def test_wrong_columns_are_named(table, tmp_path):
    with pytest.raises(ValueError, match='no column is named "text"'):
        CorpusWriter(tmp_path, Annotator("en", text="text"))(table)
    with pytest.raises(KeyError, match="title"):
        CorpusWriter(tmp_path, columns=["title"])(table)
    assert list(tmp_path.iterdir()) == []
    done = CorpusWriter(tmp_path / "shards")(table.select(["body"]))
    with pytest.raises(ValueError, match="title"):
        merge(done, tmp_path / "all.corpus", order="title")
    assert [path.name for path in tmp_path.iterdir()] == ["shards"]


def test_no_file_beside_the_merged_one_is_touched(table, tmp_path):
    done = written(table, tmp_path / "shards", 20)
    mine = tmp_path / "all.corpus.mixed"
    mine.write_text("mine")
    merge(done, tmp_path / "all.corpus", order="id")
    assert mine.read_text() == "mine"
    assert sorted(found.name for found in tmp_path.iterdir()) == ["all.corpus", mine.name, "shards"]


@pytest.mark.parametrize(
    ("values", "missing"),
    [([2, None, 1], "None"), ([2.0, float("nan"), 1.0], "nan"), (["b", None, "a"], "None")],
)
def test_an_order_with_gaps_is_refused(tmp_path, values, missing):
    table = pa.table({"key": values, "body": pa.array(["one", "two", "three"])})
    done = CorpusWriter(tmp_path / "shards", Annotator(text="body"), columns=["key"])(table)
    (tmp_path / "all.corpus").write_text("before")
    with pytest.raises(
        ValueError, match=f"'key' gives no order: document 1 of 3, 'two', has {missing}"
    ):
        merge(done, tmp_path / "all.corpus", order="key")
    assert (tmp_path / "all.corpus").read_text() == "before"
    assert sorted(found.name for found in tmp_path.iterdir()) == ["all.corpus", "shards"]
    # Without an order, gaps are kept.
    assert merge(done, tmp_path / "all.corpus") == 3


@pytest.mark.parametrize("order", [None, "id"])
def test_nothing_that_was_written_makes_no_corpus(tmp_path, order):
    done = CorpusWriter(tmp_path / "shards")(pa.table({"body": pa.array([], pa.string())}))
    for nothing in (done, pa.table({})):
        with pytest.raises(ValueError, match="no corpus to merge"):
            merge(nothing, tmp_path / "all.corpus", order=order)
    assert list(tmp_path.iterdir()) == []


def test_the_columns_to_keep_are_a_list(tmp_path):
    with pytest.raises(TypeError, match="list of names, not the string 'id'"):
        CorpusWriter(tmp_path, columns="id")


def test_rules_that_have_changed_since_are_refused(tmp_path, monkeypatch):
    annotator = outdated(tmp_path, monkeypatch)
    with pytest.raises(ValueError, match="are not those"):
        CorpusWriter(tmp_path / "shards", annotator)
    assert [path.name for path in tmp_path.iterdir()] == ["rules"]


def test_columns_are_kept_with_their_types(table, tmp_path):
    day = pa.array(range(len(TEXTS)), pa.date32())
    labels = pa.array([["a", None][: n % 3] for n in range(len(TEXTS))], pa.list_(pa.string()))
    table = table.append_column("day", day).append_column("labels", labels)
    write = CorpusWriter(
        tmp_path / "shards", Annotator(text="body"), columns=["day", "labels", "id"]
    )
    done = pa.concat_tables([write(table.slice(i, 25)) for i in range(0, 60, 25)])
    kept = table.filter(table["body"].is_valid()).select(["day", "labels", "id"])
    for order in (None, "day"):
        merge(done, tmp_path / "all.corpus", order=order)
        corpus = Corpus.open(tmp_path / "all.corpus", verify="full")
        read = pa.table(corpus.columns(["day", "labels", "id"])).sort_by("id")
        assert read.schema == kept.schema and read.equals(kept)
