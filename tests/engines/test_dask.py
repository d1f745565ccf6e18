"""Dask on a cluster of two processes."""

import os
import pickle

import pyarrow as pa
import pytest
from changed_rules import outdated

import lexpool.dask
from lexpool.engines import Annotator

pytest.importorskip("dask.dataframe", reason="Dask is not installed")
distributed = pytest.importorskip("distributed", reason="distributed is not installed")

import dask.dataframe
import pandas as pd


@pytest.fixture(scope="module", autouse=True)
def client():
    with (
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            dashboard_address=None,
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def frame(texts):
    return texts.to_pandas()


def as_table(done):
    return pa.Table.from_pandas(done, preserve_index=False)


@pytest.mark.parametrize("partitions", [1, 2, 9])
def test_a_frame_gets_what_one_process_makes(frame, annotator, same, partitions):
    parts = dask.dataframe.from_pandas(frame, npartitions=partitions)
    assert parts.npartitions == partitions
    same(as_table(lexpool.dask.annotate(parts, annotator).compute()))


@pytest.mark.parametrize("partitions", [2, 5])
def test_a_trained_pipeline_annotates_as_in_one_process(
    fewer, trained, same_annotation, partitions
):
    parts = dask.dataframe.from_pandas(fewer.to_pandas(), npartitions=partitions)
    same_annotation(as_table(lexpool.dask.annotate(parts, trained).compute()))


def test_several_processes_are_at_work(frame, annotator):
    parts = lexpool.dask.annotate(dask.dataframe.from_pandas(frame, npartitions=16), annotator)
    pids = parts.map_partitions(
        lambda part: pd.DataFrame({"pid": [os.getpid()]}), meta={"pid": "int64"}
    ).compute()["pid"]
    assert len(set(pids)) == 2 and os.getpid() not in set(pids)


def test_types_are_told_before_anything_runs_and_the_index_stays(frame, annotator):
    moved = frame.set_index(frame["id"] * 10)
    parts = lexpool.dask.annotate(dask.dataframe.from_pandas(moved, npartitions=3), annotator)
    done = parts.compute()
    assert list(parts.dtypes.items()) == list(done.dtypes.items())
    assert done.index.equals(moved.index)
    assert str(done["n_tokens"].dtype) == "uint32[pyarrow]"


def test_the_column_of_the_texts_is_found_where_there_is_one(frame):
    parts = dask.dataframe.from_pandas(frame, npartitions=2)
    done = lexpool.dask.annotate(parts, Annotator("en", columns=["n_tokens"])).compute()
    assert "n_tokens" in done
    with pytest.raises(ValueError, match="2 columns may hold strings.*title"):
        lexpool.dask.annotate(parts.assign(title="A"), Annotator("en"))
    with pytest.raises(ValueError, match="no column is named 'text'; the columns are id, body"):
        lexpool.dask.annotate(parts, Annotator("en", text="text"))
    with pytest.raises(ValueError, match="'id' already"):
        lexpool.dask.annotate(parts, Annotator("en", columns=["id"]))


def test_partitions_without_any_text_have_the_columns_too():
    nothing = pd.DataFrame({"body": pd.Series([None, None], dtype=object)})
    done = lexpool.dask.annotate_partition(nothing, Annotator("en", text="body"))
    assert done["tokens"].isna().all() and list(done) == ["body", "tokens", "strings"]


def test_what_goes_to_a_worker_is_small(annotator):
    assert len(pickle.dumps((lexpool.dask.annotate_partition, annotator))) < 50_000


def test_rules_that_have_changed_since_are_refused(tmp_path, monkeypatch):
    annotator = outdated(tmp_path, monkeypatch)
    with pytest.raises(ValueError, match="are not those"):
        lexpool.dask.annotate_partition(pd.DataFrame({"body": ["a word"]}), annotator)
