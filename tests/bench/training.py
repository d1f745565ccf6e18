"""Measures `lexpool train` beside `spacy train`, with the same configurations, in one run.

`make bench-training TRAIN=train.spacy DEV=dev.spacy` builds what is needed and calls this (NER= and
CATS=, corpora with entities and with categories; JSON=out.json). The corpora have trees and tags;
`lexpool corpus convert` makes them of a treebank.

Each side is its own command in a process of its own, with the configuration of spaCy's quickstart
for processors. spaCy runs with the matrix products of its own BLIS, as its wheels come, and with
those of NumPy's OpenBLAS. The speed of steps is that of the steps between two runs of different
lengths, so that loading, initializing and evaluating do not count. Times are those of the
processor, of all threads, but for the row of two threads. Each figure is the best of a few turns,
all sides by turns, so that a busy machine slows all of them.
"""

import argparse
import tempfile
from collections.abc import Iterator
from pathlib import Path

import figures
import numpy
import spacy
from figures import Table
from rounding import short
from spacy.tokens import DocBin
from trained import row, slug
from training_sides import Run, Trainer, config_of, with_constant_batches

TURNS = 2
# The steps of the shorter run, and those that the longer one makes beyond them.
FIRST = 5
STEPS = 40
# The same for components whose steps take a moment.
MANY_STEPS = 400
COLUMNS = {"blis": "spaCy, BLIS", "openblas": "spaCy, OpenBLAS", "lexpool": "lexpool"}


def with_vectors(folder: Path, corpus: Path) -> Path:
    """Writes a pipeline with a random vector for each word of a corpus."""
    nlp = spacy.blank("en")
    docs = DocBin().from_disk(corpus).get_docs(nlp.vocab)
    words = sorted({token.text for doc in docs for token in doc})
    chance = numpy.random.default_rng(0)
    nlp.vocab.vectors = spacy.vectors.Vectors(
        data=chance.standard_normal((len(words), 300), dtype="float32"), keys=words
    )
    path = folder / "vectors"
    nlp.to_disk(path)
    return path


def configurations(folder: Path, args: argparse.Namespace) -> Iterator[tuple[str, Path, int]]:
    """Yields titles, configurations and numbers of steps."""
    trees = {"train": args.train, "dev": args.dev}
    usual = config_of(folder, "usual", ["tagger", "parser"], "efficiency", **trees)
    yield "tagger and parser, batches of 900 words", with_constant_batches(usual), STEPS
    yield "tagger and parser, growing batches", usual, STEPS
    if args.ner:
        paths = {"train": args.ner, "dev": args.dev}
        made = config_of(folder, "ner", ["ner"], "efficiency", **paths)
        yield "ner, batches of 900 words", with_constant_batches(made), MANY_STEPS // 4
    if args.cats:
        paths = {"train": args.cats, "dev": args.dev}
        made = config_of(folder, "cats", ["textcat_multilabel"], "efficiency", **paths)
        yield (
            "textcat_multilabel, bag of words",
            with_constant_batches(made),
            MANY_STEPS,
        )
    wide = config_of(
        folder,
        "wide",
        ["tagger", "parser"],
        "accuracy",
        **trees,
        vectors=with_vectors(folder, args.train),
    )
    yield (
        "tagger and parser, for accuracy",
        with_constant_batches(wide),
        STEPS,
    )


def best(runs: list[Run]) -> Run:
    return min(runs, key=lambda run: run.processor)


def run(trainer: Trainer, side: str, config: Path, steps: int, threads: int = 1) -> Run:
    """Trains for some steps; evaluates before the first and after the last of them."""
    options = [f"--training.max_steps={steps}", f"--training.eval_frequency={steps}"]
    return trainer.run(side, config, options, threads)


def measure(
    trainer: Trainer, title: str, config: Path, steps: int, tables: dict[str, Table]
) -> None:
    lengths = (FIRST, FIRST + steps)
    runs = {(side, length): [] for side in COLUMNS for length in lengths}
    parallel = []
    for _ in range(TURNS):
        for side in COLUMNS:
            for length in lengths:
                runs[side, length].append(run(trainer, side, config, length))
        parallel.append([run(trainer, "lexpool", config, length, 2).clock for length in lengths])
    found = {key: best(some) for key, some in runs.items()}
    words = (
        found["lexpool", lengths[1]].result["words"] - found["lexpool", lengths[0]].result["words"]
    )
    speeds = {
        side: words / (found[side, lengths[1]].processor - found[side, lengths[0]].processor)
        for side in COLUMNS
    }
    key = slug(title)
    tables["speed"].rows[key] = row(title, speeds)
    one = min(run.clock for run in runs["lexpool", lengths[1]]) - min(
        run.clock for run in runs["lexpool", lengths[0]]
    )
    two = min(turn[1] for turn in parallel) - min(turn[0] for turn in parallel)
    tables["threads"].rows[key] = figures.Row(title, {"lexpool": one / two})
    print(f"| two threads beside one | {short(one / two)}x |")
    start = {side: found[side, lengths[0]].processor for side in COLUMNS}
    tables["start"].rows[key] = row(title, start, inverse=True)
    memory = {side: found[side, lengths[1]].memory for side in COLUMNS}
    tables["memory"].rows[key] = row(title, memory, inverse=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("train", type=Path, help="a corpus (.spacy) with tags and trees")
    parser.add_argument("dev", type=Path, help="another one, to evaluate all on")
    parser.add_argument("--ner", type=Path, help="a corpus with entities")
    parser.add_argument("--cats", type=Path, help="a corpus with categories")
    parser.add_argument("--json", type=Path, help="write the figures there")
    args = parser.parse_args()
    tables = {
        "speed": Table("Words a second, one core", "words/s", "more", COLUMNS, baseline="blis"),
        "threads": Table("Two threads beside one", "x", "more", {"lexpool": "lexpool"}),
        "start": Table(
            f"Import, load, initialize, {FIRST} steps, two evaluations",
            "s",
            "less",
            COLUMNS,
            baseline="blis",
        ),
        "memory": Table("The most memory", "MB", "less", COLUMNS, baseline="blis"),
    }
    print("| |", " | ".join(COLUMNS.values()), "|")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for title, config, steps in configurations(folder, args):
            measure(Trainer(folder), title, config, steps, tables)
    if args.json:
        texts = [path for path in (args.train, args.dev, args.ner, args.cats) if path]
        figures.write(args.json, tables, texts, taken={"steps": STEPS})


if __name__ == "__main__":
    main()
