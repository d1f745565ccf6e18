"""Spark on this machine, with workers of its own."""

import shutil

import pyarrow as pa
import pytest

import lexpool.spark
from lexpool.engines import Annotator

pyspark = pytest.importorskip("pyspark", reason="Spark is not installed")
if shutil.which("java") is None:
    pytest.skip("Spark needs Java, which is not installed", allow_module_level=True)

from pyspark import SparkContext
from pyspark.sql import SparkSession


@pytest.fixture(scope="module")
def spark():
    session = (
        SparkSession.builder.master("local[2]")
        .appName("lexpool")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", "200")
        .config("spark.sql.execution.arrow.pyspark.enabled", "true")
        .config("spark.sql.shuffle.partitions", "4")
        .config("spark.sql.session.timeZone", "UTC")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()
    # The Java process would stay for as long as this one.
    gateway = SparkContext._gateway
    gateway.shutdown()
    gateway.proc.stdin.close()
    gateway.proc.wait(30)
    SparkContext._gateway = SparkContext._jvm = None


@pytest.fixture(scope="module")
def frame(spark, texts):
    return spark.createDataFrame(texts)


def without_sign(table, schema):
    """The table with its numbers as lexpool has them elsewhere: the same bits, without a sign."""
    return pa.Table.from_batches(
        [
            pa.RecordBatch.from_arrays(
                [
                    plain(column, field.type)
                    for column, field in zip(batch.columns, schema, strict=True)
                ],
                schema=schema,
            )
            for batch in table.to_batches()
        ],
        schema,
    )


def plain(array, kind):
    if pa.types.is_list(kind):
        array = pa.ListArray.from_arrays(
            array.offsets, plain(array.values, kind.value_type), kind, mask=array.is_null()
        )
        return array
    if pa.types.is_struct(kind):
        fields = list(kind)
        parts = [plain(array.field(i), field.type) for i, field in enumerate(fields)]
        return pa.StructArray.from_arrays(parts, fields=fields)
    return array.view(kind) if pa.types.is_unsigned_integer(kind) else array.cast(kind)


@pytest.mark.parametrize("partitions", [1, 2, 9])
def test_a_frame_gets_what_one_process_makes(frame, annotator, alone, same, partitions):
    done = lexpool.spark.annotate(frame.repartition(partitions), annotator)
    same(without_sign(done.toArrow(), alone.schema.remove_metadata()))


@pytest.mark.parametrize("partitions", [2, 5])
def test_a_trained_pipeline_annotates_as_in_one_process(
    spark, fewer, trained, trained_alone, same_annotation, partitions
):
    frame = spark.createDataFrame(fewer).repartition(partitions)
    done = lexpool.spark.annotate(frame, trained)
    same_annotation(without_sign(done.toArrow(), trained_alone.schema.remove_metadata()))
    kinds = {
        name: done.schema[name].dataType.simpleString() for name in ("head", "ent_iob", "cats")
    }
    assert kinds == {
        "head": "array<int>",
        "ent_iob": "array<tinyint>",
        "cats": "array<struct<label:string,score:double>>",
    }


def test_the_schema_is_told_before_anything_runs(frame, annotator):
    schema = lexpool.spark.annotate(frame, annotator).schema
    assert schema == lexpool.spark.schema(frame.schema, annotator)
    assert schema["tokens"].dataType.simpleString() == (
        "array<struct<start:int,end:int,orth:bigint,space:boolean>>"
    )
    assert schema["n_tokens"].nullable and schema["id"] == frame.schema["id"]


def test_a_column_of_a_name_that_is_taken_is_refused_at_once(frame):
    with pytest.raises(ValueError, match=r"'id' already; the columns are id, body; give.*prefix"):
        lexpool.spark.annotate(frame, Annotator("en", text="body", columns=["id"]))


def test_columns_can_be_asked_for_in_sql(spark, frame, alone):
    done = lexpool.spark.annotate(frame, Annotator("en", text="body", columns=["orth_"]))
    done.createOrReplaceTempView("words")
    counted = spark.sql("select count(*) as n from (select explode(orth_) from words)").first()["n"]
    assert counted == sum(n or 0 for n in alone["n_tokens"].to_pylist())
