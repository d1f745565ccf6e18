"""Counts the words of texts with Spark, on all cores: `python count_words.py [book.txt ...]`.

Without files it takes a few lines of its own. Needs `pip install lexpool[spark]`, and Java 17.
"""

import os
import sys
from importlib.metadata import version

os.environ |= {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}

import pyarrow as pa
from pyspark.sql import SparkSession, functions as f

import lexpool
import lexpool.spark
from lexpool.engines import Annotator

OWN = "It's a truth, isn't it?\nThe rest isn't. It's 5 o'clock in New York.\nLet's go, then!"


def lines(files: list[str]) -> pa.Table:
    texts = [open(file, encoding="utf8").read() for file in files] or [OWN]
    return pa.table({"text": [line for text in texts for line in text.splitlines()]})


def main() -> None:
    print(
        f"lexpool {lexpool.__version__}",
        *(f"{name} {version(name)}" for name in ("pyspark", "pyarrow")),
        sep=", ",
    )
    spark = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.log.level", "ERROR")
        .config("spark.sql.shuffle.partitions", "4")
        .getOrCreate()
    )
    texts = spark.createDataFrame(lines(sys.argv[1:])).repartition(4)
    annotator = Annotator("en", columns=["n_tokens", "lower", "lower_", "strings"])
    annotated = lexpool.spark.annotate(texts, annotator).cache()

    rows, tokens = annotated.agg(f.count("*"), f.sum("n_tokens")).first()
    print(f"{rows} texts, {tokens} tokens, {annotated.rdd.getNumPartitions()} partitions")
    different = annotated.select(f.explode("strings")).distinct().count()
    print(f"{different} different strings")
    words = annotated.select(f.explode("lower_").alias("word")).groupBy("word").count()
    for word, count in words.orderBy(f.desc("count"), "word").take(5):
        print(f"{count:>8} {word!r}")
    spark.stop()


if __name__ == "__main__":
    main()
