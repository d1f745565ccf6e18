"""Counts the words of texts with Polars, streaming: `python count_words.py [book.txt ...]`.

Without files it takes a few lines of its own. Needs `pip install lexpool[polars]`.
"""

import re
import sys
from importlib.metadata import version

import polars as pl

import lexpool
import lexpool.polars

OWN = "It's a truth, isn't it?\n\nThe rest isn't. It's 5 o'clock in New York.\n\nLet's go, then!"


def paragraphs(files: list[str]) -> pl.LazyFrame:
    texts = [open(file, encoding="utf8").read() for file in files] or [OWN]
    return pl.LazyFrame({"text": [part for text in texts for part in re.split(r"\n\s*\n", text)]})


def main() -> None:
    print(f"lexpool {lexpool.__version__}", *(f"{name} {version(name)}" for name in ["polars"]), sep=", ")
    texts = pl.col("text").lexpool
    annotated = paragraphs(sys.argv[1:]).select(
        n=texts.n_tokens(), orth=texts.tokenize(), lower=texts.attribute("lower_")
    )
    frame = annotated.collect(engine="streaming")
    print(f"{len(frame)} texts, {frame['n'].sum()} tokens, {pl.thread_pool_size()} threads")
    print(f"{frame['orth'].explode().drop_nulls().n_unique()} different words")
    words = frame.select(word=pl.col("lower").explode()).drop_nulls().group_by("word").len()
    for word, count in words.sort("len", "word", descending=[True, False]).head(5).iter_rows():
        print(f"{count:>8} {word!r}")


if __name__ == "__main__":
    main()
