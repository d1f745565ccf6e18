"""Counts the words of texts with Dask, in two processes: `python count_words.py [book.txt ...]`.

Without files it takes a few lines of its own. Needs `pip install lexpool[dask]`.
"""

import re
import sys
from importlib.metadata import version

import dask.dataframe
import pandas as pd
from distributed import Client, LocalCluster

import lexpool
import lexpool.dask
from lexpool.engines import Annotator

OWN = "It's a truth, isn't it?\n\nThe rest isn't. It's 5 o'clock in New York.\n\nLet's go, then!"


def paragraphs(files: list[str]) -> pd.DataFrame:
    texts = [open(file, encoding="utf8").read() for file in files] or [OWN]
    return pd.DataFrame({"text": [part for text in texts for part in re.split(r"\n\s*\n", text)]})


def main() -> None:
    names = ("dask", "distributed", "pandas", "pyarrow")
    print(f"lexpool {lexpool.__version__}", *(f"{name} {version(name)}" for name in names), sep=", ")
    local = {"host": "127.0.0.1", "dashboard_address": None}
    with LocalCluster(n_workers=2, threads_per_worker=1, **local) as cluster, Client(cluster):
        texts = dask.dataframe.from_pandas(paragraphs(sys.argv[1:]), npartitions=4)
        annotator = Annotator("en", text="text", columns=["n_tokens", "lower_", "strings"])
        annotated = lexpool.dask.annotate(texts, annotator).persist()

        tokens = int(annotated["n_tokens"].sum().compute())
        print(f"{len(annotated)} texts, {tokens} tokens, {annotated.npartitions} partitions")
        # No vocab came along; the strings of the partitions are one.
        store = lexpool.StringStore(annotated["strings"].explode().dropna().compute())
        print(f"{len(store)} different words")
        words = annotated["lower_"].explode().dropna().compute().value_counts()
        for word, count in sorted(words.items(), key=lambda pair: (-pair[1], pair[0]))[:5]:
            print(f"{count:>8} {word!r}")


if __name__ == "__main__":
    main()
