"""Counts the words of texts with Ray Data, on all cores: `python count_words.py [book.txt ...]`.

Without files it takes a few lines of its own. Needs `pip install lexpool[ray]`.
"""

import os
import sys
from importlib.metadata import version

# Ray would tell its makers that it is used, listen beyond this machine, and keep a token for that.
os.environ |= {"RAY_USAGE_STATS_ENABLED": "0", "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}
os.environ |= {"RAY_AUTH_MODE": "disabled"}

import pyarrow as pa
import pyarrow.compute as pc
import ray
import ray.data

import lexpool
import lexpool.arrow
import lexpool.ray
from lexpool.engines import Annotator

OWN = "It's a truth, isn't it?\nThe rest isn't. It's 5 o'clock in New York.\nLet's go, then!"


def lines(files: list[str]) -> pa.Table:
    texts = [open(file, encoding="utf8").read() for file in files] or [OWN]
    return pa.table({"text": [line for text in texts for line in text.splitlines()]})


class Annotate(lexpool.ray.Annotate):
    """Also says which process was at work."""

    def __call__(self, batch: pa.Table) -> pa.Table:
        table = super().__call__(batch)
        return table.append_column("process", pa.array([os.getpid()] * table.num_rows))


def main() -> None:
    print(
        f"lexpool {lexpool.__version__}",
        *(f"{name} {version(name)}" for name in ("ray", "pyarrow")),
        sep=", ",
    )
    ray.init(address="local", num_cpus=4, include_dashboard=False, log_to_driver=False)
    ray.data.DataContext.get_current().enable_progress_bars = False

    annotator = Annotator("en", columns=["n_tokens", "lower", "strings"])
    texts = ray.data.from_arrow(lines(sys.argv[1:])).repartition(8)
    # `lexpool.ray.annotate(texts, annotator, actors=2)` but for the class.
    annotated = texts.map_batches(
        Annotate,
        fn_constructor_args=[annotator],
        batch_format="pyarrow",
        compute=ray.data.ActorPoolStrategy(size=2),
    )
    # A block without rows may have no columns either.
    blocks = ray.get(annotated.to_arrow_refs())
    table = pa.concat_tables([block for block in blocks if block.num_rows])
    ray.shutdown()

    processes = len(pc.unique(table["process"]))
    print(f"{table.num_rows} texts, {pc.sum(table['n_tokens'])} tokens, {processes} processes")
    print(f"{pc.count_distinct(pc.list_flatten(table['strings']))} different strings")
    # Ids are counted, which are the same in every process. No vocab came along to say what they
    # stand for; the strings of all batches are one.
    store = lexpool.StringStore()
    lexpool.arrow.add_strings(store, table)
    counts = pc.value_counts(pc.list_flatten(table["lower"])).to_pylist()
    words = [(row["counts"], store[row["values"]]) for row in counts]
    for count, word in sorted(words, key=lambda pair: (-pair[0], pair[1]))[:5]:
        print(f"{count:>8} {word!r}")


if __name__ == "__main__":
    main()
