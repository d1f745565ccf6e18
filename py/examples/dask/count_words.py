"""Counts the words of texts with Dask, in two processes: `python count_words.py [book.txt ...]`.

Without files it takes a few lines of its own. Needs `pip install lexpool[dask]`.
"""

import sys
from importlib.metadata import version

import dask.dataframe
import pandas as pd
from distributed import Client, LocalCluster

import lexpool
import lexpool.dask
from lexpool.engines import Annotator

OWN = "It's a truth, isn't it?\nThe rest isn't. It's 5 o'clock in New York.\nLet's go, then!"


def lines(files: list[str]) -> pd.DataFrame:
    texts = [open(file, encoding="utf8").read() for file in files] or [OWN]
    return pd.DataFrame({"text": [line for text in texts for line in text.splitlines()]})


def main() -> None:
    names = ("dask", "distributed", "pandas", "pyarrow")
    print(
        f"lexpool {lexpool.__version__}", *(f"{name} {version(name)}" for name in names), sep=", "
    )
    local = {"host": "127.0.0.1", "dashboard_address": None}
    with LocalCluster(n_workers=2, threads_per_worker=1, **local) as cluster, Client(cluster):
        texts = dask.dataframe.from_pandas(lines(sys.argv[1:]), npartitions=4)
        annotator = Annotator("en", text="text", columns=["n_tokens", "lower", "lower_", "strings"])
        annotated = lexpool.dask.annotate(texts, annotator).persist()

        tokens = int(annotated["n_tokens"].sum().compute())
        print(f"{len(annotated)} texts, {tokens} tokens, {annotated.npartitions} partitions")
        different = annotated["strings"].explode().dropna().compute().nunique()
        print(f"{different} different strings")
        words = annotated["lower_"].explode().dropna().compute().value_counts()
        for word, count in sorted(words.items(), key=lambda pair: (-pair[1], pair[0]))[:5]:
            print(f"{count:>8} {word!r}")


if __name__ == "__main__":
    main()
