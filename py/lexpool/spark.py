"""Pipelines in Spark: adds columns of tokens and annotation to data frames, on all executors.

    import lexpool.spark
    from lexpool.engines import Annotator

    tokens = lexpool.spark.annotate(spark.read.parquet("books"), Annotator("en", text="body"))

A trained pipeline annotates them: `Annotator(pipeline="/models/en", columns=["lemma_", "head"])`.
Each Python worker loads it once, from the same path on its machine.

Batches are sent to Python workers and back once, as Arrow, and rows do not become Python objects.
Spark has no unsigned types: ids are longs with the same 64 bits (`id & (2**64 - 1)` in Python is
lexpool's id), offsets and heads are integers. Executors require lexpool and pyarrow; the driver
requires `pip install lexpool[spark]`.
"""

from collections.abc import Callable, Iterator
from typing import Any

from ._extras import needed
from .engines import Annotator, altered

__all__ = ["annotate", "function", "schema"]


def annotate(frame: Any, annotator: Annotator | None = None) -> Any:
    """Returns a data frame with the added columns; lazy, like Spark.

    frame: a `pyspark.sql.DataFrame`.

    Raises ValueError if the frame already has a column of an added name.
    """
    annotator = Annotator() if annotator is None else annotator
    return frame.mapInArrow(function(annotator), schema(frame.schema, annotator))


def function(annotator: Annotator) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """Returns a function for `DataFrame.mapInArrow`, which adds columns to batches."""
    annotator = altered(annotator, signed=True)

    def annotated(batches: Iterator[Any]) -> Iterator[Any]:
        record_batch = needed("pyarrow", "spark").record_batch
        for batch in batches:
            yield record_batch(annotator(batch))

    return annotated


def schema(frame_schema: Any, annotator: Annotator) -> Any:
    """Returns the schema of a data frame with the added columns, for `mapInArrow`.

    given: the `StructType` of the frame.
    """
    types = needed("pyspark.sql.types", "spark")
    fields = list(frame_schema.fields)
    names = [field.name for field in fields]
    for new in altered(annotator, signed=True).fields():
        if new.name in names:
            raise ValueError(
                f"there is a column {new.name!r} already; the columns are {', '.join(names)}; "
                "give the new ones a prefix"
            )
        fields.append(types.StructField(new.name, _spark_type(types, new.type), new.nullable))
    return types.StructType(fields)


def _spark_type(types: Any, kind: Any) -> Any:
    """Returns Spark's type for an Arrow type of an added column."""
    arrow = needed("pyarrow.types", "spark")
    if arrow.is_list(kind):
        item = kind.value_field
        return types.ArrayType(_spark_type(types, item.type), containsNull=item.nullable)
    if arrow.is_struct(kind):
        fields = (kind.field(i) for i in range(kind.num_fields))
        return types.StructType(
            [types.StructField(f.name, _spark_type(types, f.type), f.nullable) for f in fields]
        )
    by_name = {
        "bool": types.BooleanType,
        "double": types.DoubleType,
        "int8": types.ByteType,
        "int32": types.IntegerType,
        "int64": types.LongType,
        "large_string": types.StringType,
        "string": types.StringType,
    }
    return by_name[str(kind)]()
