"""Counts the words of texts with Polars, streaming: `python count_words.py [book.txt ...]`.

Without files it takes a few lines of its own. Needs `pip install lexpool[polars]`.
"""

import sys
from importlib.metadata import version

import polars as pl

import lexpool
import lexpool.polars
from lexpool.engines import Annotator

OWN = "It's a truth, isn't it?\nThe rest isn't. It's 5 o'clock in New York.\nLet's go, then!"


def lines(files: list[str]) -> pl.LazyFrame:
    texts = [open(file, encoding="utf8").read() for file in files] or [OWN]
    return pl.LazyFrame({"text": [line for text in texts for line in text.splitlines()]})


def main() -> None:
    print(
        f"lexpool {lexpool.__version__}",
        *(f"{name} {version(name)}" for name in ["polars"]),
        sep=", ",
    )
    annotator = Annotator("en", columns=["n_tokens", "lower", "lower_", "strings"], threads=0)
    annotated = lexpool.polars.annotate(lines(sys.argv[1:]), annotator)
    frame = annotated.collect(engine="streaming")
    print(f"{len(frame)} texts, {frame['n_tokens'].sum()} tokens, {pl.thread_pool_size()} threads")
    print(f"{frame['strings'].explode().drop_nulls().n_unique()} different strings")
    words = frame.select(word=pl.col("lower_").explode()).drop_nulls().group_by("word").len()
    for word, count in words.sort("len", "word", descending=[True, False]).head(5).iter_rows():
        print(f"{count:>8} {word!r}")


if __name__ == "__main__":
    main()
