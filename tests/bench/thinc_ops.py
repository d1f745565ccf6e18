"""Measures spaCy's own pipelines on the backend `lexpool.thinc`, beside thinc's own, in one run.

`make bench-thinc` builds what is needed and calls this (MODEL="folder ..." TEXT="a.txt b.txt"
JSON=out.json). Without a model it measures pipelines with random weights, as `trained.py` makes
them.

spaCy runs with the matrix products of its own BLIS, as its wheels come, with those of NumPy's
OpenBLAS, and on lexpool's kernels. Times are those of the processor, on one thread. Each figure is
the best of a few turns, all sides by turns, so that a busy machine slows all of them.
"""

import gc
import os
import tempfile
from pathlib import Path

# OpenBLAS reads it when NumPy is imported; the time of its other threads would count twice.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import figures
import spacy
from figures import Table
from spacy.training import Example
from thinc.api import NumpyOps
from trained import arguments, by_turns, random_pipelines, row, run, slug, texts_of

from lexpool.thinc import LexpoolOps

MEGABYTES = 0.1
# Documents of one update, and of all updates of a turn.
BATCH, UPDATED = 100, 300
COLUMNS = {
    "blis": "spaCy, BLIS",
    "openblas": "spaCy, OpenBLAS",
    "lexpool": "spaCy, lexpool.thinc",
}


def backends() -> dict[str, NumpyOps]:
    return {
        "blis": NumpyOps(),
        "openblas": NumpyOps(use_blis=False),
        "lexpool": LexpoolOps(),
    }


def load(path: Path, ops: NumpyOps):
    nlp = spacy.load(path)
    for _, component in nlp.components:
        model = getattr(component, "model", None)
        for node in model.walk() if hasattr(model, "walk") else ():
            node.ops = ops
    return nlp


def update(nlp, examples: list[Example], optimizer) -> None:
    for start in range(0, len(examples), BATCH):
        nlp.update(examples[start : start + BATCH], sgd=optimizer)


def measure(path: Path, texts: dict[str, list[str]], tables: dict[str, Table]) -> None:
    name = path.name
    sides = {side: load(path, ops) for side, ops in backends().items()}
    for kind, some in texts.items():
        for nlp in sides.values():
            run(nlp, some[:100])
        n_tokens = run(sides["blis"], some)
        taken = by_turns({side: lambda nlp=nlp: run(nlp, some) for side, nlp in sides.items()})
        speeds = {side: n_tokens / seconds for side, seconds in taken.items()}
        tables["pipe"].rows[f"{slug(name)}-{slug(kind)}"] = row(f"{name}, {kind}", speeds)
    # The gold annotation is what the pipeline predicts: it takes as long as any other.
    docs = list(sides["blis"].pipe(texts["short texts"][:UPDATED]))
    n_tokens = sum(len(doc) for doc in docs)
    tasks = {}
    for side, nlp in sides.items():
        examples = [Example(nlp.make_doc(doc.text), doc) for doc in docs]
        optimizer = nlp.resume_training()
        update(nlp, examples[:BATCH], optimizer)
        tasks[side] = lambda nlp=nlp, some=examples, sgd=optimizer: update(nlp, some, sgd)
    speeds = {side: n_tokens / seconds for side, seconds in by_turns(tasks).items()}
    tables["update"].rows[slug(name)] = row(f"{name}, nlp.update", speeds)


def main() -> None:
    args = arguments(__doc__, MEGABYTES).parse_args()
    texts = texts_of(args)
    tables = {
        "pipe": Table("Tokens a second, nlp.pipe", "tokens/s", "more", COLUMNS, baseline="blis"),
        "update": Table(
            "Tokens a second, nlp.update", "tokens/s", "more", COLUMNS, baseline="blis"
        ),
    }
    gc.collect()
    gc.disable()
    print("| |", " | ".join(COLUMNS.values()), "|")
    with tempfile.TemporaryDirectory() as folder:
        for path in args.model or random_pipelines(Path(folder)):
            measure(path, texts, tables)
    if args.json:
        counts = {kind: len(some) for kind, some in texts.items()}
        figures.write(args.json, tables, args.texts, taken=counts)


if __name__ == "__main__":
    main()
