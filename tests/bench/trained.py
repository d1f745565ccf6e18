"""Measures trained pipelines beside spaCy's, on the same texts, in one run.

`make bench-trained` builds what is needed and calls this (MODEL="folder ..." TEXT="a.txt b.txt"
JSON=out.json). Without a model it measures pipelines with random weights, which take the same time
as trained ones, but for the lengths of parses: one of the sizes of spaCy's small English pipelines,
and one of spaCy's template for accuracy (width 256, depth 8, word vectors).

spaCy runs with the matrix products of its own BLIS, as its wheels come, and with those of NumPy's
OpenBLAS; lexpool in its default order of additions, and in that of the BLIS kernel `generic`.
Times are those of the processor, of all threads, but for rows of several threads. Each figure
is the best of a few turns, all sides by turns, so that a busy machine slows all of them. Loading
and memory are those of processes of their own. A token differs if its tag, head, label, sentence or
entity is not that of spaCy with BLIS; whole texts are annotated to count them.
"""

import argparse
import gc
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter, process_time

# OpenBLAS reads it when NumPy is imported; the time of its other threads would count twice.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import figures
import numpy
import spacy
from bench import paragraphs
from figures import Row, Table
from rounding import short
from spacy.training import Example
from thinc.api import NumpyOps

import lexpool
from lexpool import ops

TURNS = 5
MEGABYTES = 0.3
# The texts of web pages: a short line each, and a text of a few sentences for the latency.
LINE = range(20, 400)
SHORT_TOKENS = 19
EXACT = "blis-generic"
# The attributes whose values are decisions of networks.
DECISIONS = ["TAG", "HEAD", "DEP", "SENT_START", "ENT_IOB", "ENT_TYPE"]
PLACES = {
    "blis": "spaCy",
    "lexpool": "lexpool",
    "packed": "lexpool, packed",
}
COLUMNS = {
    "blis": "spaCy, BLIS",
    "openblas": "spaCy, OpenBLAS",
    "exact": f"lexpool, {EXACT}",
    "lexpool": "lexpool",
}


def random_pipeline(folder: Path, name: str, width: int, depth: int, n_vectors: int) -> Path:
    """Saves a pipeline with the components of an English one, and random weights."""
    nlp = spacy.blank("en")
    if n_vectors:
        chance = numpy.random.default_rng(0)
        data = chance.standard_normal((n_vectors, 300)).astype("float32")
        nlp.vocab.vectors = spacy.vectors.Vectors(
            data=data, keys=[f"word{n}" for n in range(n_vectors)]
        )
    encode = {
        "@architectures": "spacy.MaxoutWindowEncoder.v2",
        "width": width,
        "depth": depth,
        "window_size": 1,
        "maxout_pieces": 3,
    }

    def embed(attrs: list[str], rows: list[int]) -> dict:
        name = "spacy.MultiHashEmbed.v2"
        sizes = {"width": width, "attrs": attrs, "rows": rows}
        sizes["include_static_vectors"] = n_vectors > 0
        return {"@architectures": name, **sizes}

    attrs = ["NORM", "PREFIX", "SUFFIX", "SHAPE", "SPACY", "IS_SPACE"]
    shared = embed(attrs, [5000, 1000, 2500, 2500, 50, 50])
    own = embed(attrs[:4], [5000, 1000, 2500, 2500])
    tok2vec = "spacy.Tok2Vec.v2"
    listener = {"@architectures": "spacy.Tok2VecListener.v1", "width": width, "upstream": "tok2vec"}

    def states(kind: str, network: dict) -> dict:
        return {
            "@architectures": "spacy.TransitionBasedParser.v2",
            "state_type": kind,
            "extra_state_tokens": False,
            "hidden_width": 64,
            "maxout_pieces": 2,
            "use_upper": True,
            "tok2vec": network,
        }

    network = {"@architectures": tok2vec, "embed": shared, "encode": encode}
    nlp.add_pipe("tok2vec", config={"model": network})
    tagger = {"@architectures": "spacy.Tagger.v2", "tok2vec": listener}
    nlp.add_pipe("tagger", config={"model": tagger})
    nlp.add_pipe("parser", config={"model": states("parser", listener)})
    network = {"@architectures": tok2vec, "embed": own, "encode": encode}
    nlp.add_pipe("ner", config={"model": states("ner", network)})
    nlp.initialize(lambda: list(examples(nlp)), sgd=None)
    path = folder / name
    nlp.to_disk(path)
    return path


def random_pipelines(folder: Path) -> list[Path]:
    """Saves a pipeline of each size."""
    return [
        random_pipeline(folder, "random small", 96, 4, 0),
        random_pipeline(folder, "random accuracy", 256, 8, 20_000),
    ]


def examples(nlp) -> Iterator[Example]:
    """Sentences with 50 tags, 45 dependency labels and 18 types of entities."""
    words = [f"word{number}" for number in range(50)]
    for turn in range(40):
        heads = [0] * len(words)
        gold = {
            "words": words,
            "tags": [f"T{at}" for at in range(50)],
            "heads": heads,
            "deps": ["ROOT", *(f"d{(at + turn) % 44}" for at in range(1, 50))],
            "entities": ["O", *(f"U-E{at % 18}" for at in range(1, 50))],
        }
        yield Example.from_dict(nlp.make_doc(" ".join(words)), gold)


def run(nlp, texts: list[str], **arguments) -> int:
    return sum(len(doc) for doc in nlp.pipe(texts, **arguments))


def by_turns(tasks: dict[str, Callable[[], object]], clock=process_time) -> dict[str, float]:
    """The best of the times of each task, which take turns."""
    times: dict[str, list[float]] = {name: [] for name in tasks}
    for _ in range(TURNS):
        for name, task in tasks.items():
            start = clock()
            task()
            times[name].append(clock() - start)
    return {name: min(taken) for name, taken in times.items()}


class Sides:
    """One pipeline, loaded by spaCy for each of its libraries, and by lexpool in three orders."""

    def __init__(self, path: Path) -> None:
        self.spacy = {name: load_spacy(path, name == "openblas") for name in ("blis", "openblas")}
        self.lexpool = {
            "exact": lexpool.load(path, numerics=EXACT),
            "lexpool": lexpool.load(path),
        }

    def tasks(self, work: Callable[[object, dict], object]) -> dict[str, Callable[[], object]]:
        tasks: dict[str, Callable[[], object]] = {}
        for name, nlp in self.spacy.items():
            tasks[name] = lambda nlp=nlp: work(nlp, {})
        for name, nlp in self.lexpool.items():
            tasks[name] = lambda nlp=nlp: work(nlp, {"n_threads": 1})
        return tasks


def load_spacy(path: Path, openblas: bool):
    nlp = spacy.load(path)
    for _, component in nlp.components:
        model = getattr(component, "model", None)
        for node in model.walk() if hasattr(model, "walk") else ():
            node.ops = NumpyOps(use_blis=not openblas)
    return nlp


def row(
    title: str,
    values: dict[str, float],
    unit: str | None = None,
    *,
    inverse=False,
    baseline: str = "blis",
) -> Row:
    ratios = {
        name: values[baseline] / value if inverse else value / values[baseline]
        for name, value in values.items()
    }
    print(
        f"| {title} | "
        + " | ".join(f"{short(value)} ({ratios[name]:.1f}x)" for name, value in values.items())
        + " |",
        flush=True,
    )
    return Row(title, values, ratios, unit)


def measure(name: str, path: Path, texts: dict[str, list[str]], tables: dict[str, Table]) -> None:
    sides = Sides(path)
    ours = sides.lexpool["lexpool"]
    for kind, some in texts.items():
        for nlp in (*sides.spacy.values(), *sides.lexpool.values()):
            run(nlp, some)
        n_tokens = run(ours, some)
        taken = by_turns(sides.tasks(lambda nlp, options, some=some: run(nlp, some, **options)))
        speeds = {side: n_tokens / seconds for side, seconds in taken.items()}
        tables["speed"].rows[f"{slug(name)}-{slug(kind)}"] = row(f"{name}, {kind}", speeds)
        tasks = {n: lambda n=n, some=some: run(ours, some, n_threads=n) for n in (1, 2)}
        taken = by_turns(tasks, perf_counter)
        tables["threads"].rows[f"{slug(name)}-{slug(kind)}"] = Row(
            f"{name}, {kind}", {"lexpool": taken[1] / taken[2]}
        )
    one = short_text(ours, texts)
    repeat = 20
    taken = by_turns(sides.tasks(lambda nlp, _: [nlp(one) for _ in range(repeat)]))
    milliseconds = {side: seconds / repeat * 1e3 for side, seconds in taken.items()}
    tables["latency"].rows[slug(name)] = row(f"{name}, one text", milliseconds, inverse=True)


def measure_kernels(name: str, path: Path, texts: list[str], table: Table) -> None:
    """Measures lexpool with each kind of instructions that the processor has for networks."""
    nlp = Sides(path).lexpool["lexpool"]
    for key in ops.kernels():
        if key not in ("avx512", "avx2", "neon"):
            continue
        with ops.cpu(key):
            tasks = {"lexpool": lambda: run(nlp, texts, n_threads=1)}
            n_tokens = tasks["lexpool"]()
            seconds = by_turns(tasks)["lexpool"]
        values = {"lexpool": n_tokens / seconds}
        table.rows[f"{slug(name)}-{key}"] = Row(f"{name}, {key}", values)


def count_differing(name: str, path: Path, texts: dict[str, list[str]], table: Table) -> None:
    """Counts the tokens, of a million, for which a side decides otherwise than spaCy with BLIS."""
    sides = Sides(path)
    for kind, some in texts.items():
        expected = [decisions(doc) for doc in sides.spacy["blis"].pipe(some)]
        n_tokens = sum(len(rows) for rows in expected)
        values = {}
        for side, nlp in {"openblas": sides.spacy["openblas"], **sides.lexpool}.items():
            found = map(decisions, nlp.pipe(some))
            differing = sum(
                int((theirs != ours).any(axis=1).sum())
                for theirs, ours in zip(expected, found, strict=True)
            )
            values[side] = differing / n_tokens * 1e6
        title = f"{name}, {kind}"
        print(f"| {title}, {n_tokens} tokens, differing of a million |", values, flush=True)
        table.rows[f"{slug(name)}-{slug(kind)}"] = Row(title, values)


def decisions(doc) -> numpy.ndarray:
    """Returns the decisions of networks, a row for each token."""
    return doc.to_array(DECISIONS)


def measure_parts(name: str, path: Path, texts: list[str], table: Table) -> None:
    """Measures each trained component alone, with the tok2vec that it listens to."""
    sides = Sides(path)
    pipelines = [*sides.spacy.values(), *sides.lexpool.values()]
    networks = {part: layers_of(component) for part, component in sides.spacy["blis"].components}
    for part in sides.spacy["blis"].pipe_names:
        if not networks[part]:
            continue
        shared = ["tok2vec"] if "tok2vec-listener" in networks[part] else []
        kept = [*shared, part]
        chosen = [nlp.select_pipes(enable=kept) for nlp in pipelines]
        for nlp in pipelines:
            run(nlp, texts)
        n_tokens = run(pipelines[-1], texts)
        taken = by_turns(sides.tasks(lambda nlp, options: run(nlp, texts, **options)))
        micros = {side: seconds / n_tokens * 1e6 for side, seconds in taken.items()}
        title = f"{name}, {' and '.join(kept)}"
        table.rows[f"{slug(name)}-{slug(part)}"] = row(title, micros, inverse=True)
        for pipes in chosen:
            pipes.restore()


def layers_of(component: object) -> set[str]:
    """Returns the names of the layers of a component's network; none for one made of rules."""
    model = getattr(component, "model", None)
    return {node.name for node in model.walk()} if hasattr(model, "walk") else set()


# Loads a pipeline and annotates texts; prints the seconds of importing and loading, the memory of
# the process, and the part that is in no file: each further process takes as much.
CHILD = """
import json, sys, time
start = time.perf_counter()
library, path, texts = sys.argv[1], sys.argv[2], json.load(sys.stdin)
nlp = __import__(library).load(path, **json.loads(sys.argv[3]))
loaded = time.perf_counter() - start
for doc in nlp.pipe(texts):
    pass
rows = dict(line.split(":") for line in open("/proc/self/smaps_rollup").read().splitlines()[1:])
megabytes = {key: int(value.split()[0]) / 1e3 for key, value in rows.items()}
print(json.dumps([loaded, megabytes["Rss"], megabytes["Private_Dirty"]]))
"""


def measure_processes(name: str, path: Path, texts: list[str], tables: dict[str, Table]) -> None:
    """Measures loading and memory in processes of their own."""
    with tempfile.TemporaryDirectory() as folder:
        packed = Path(folder) / "packed.pipeline"
        command = [sys.executable, "-m", "lexpool", "model", "pack", str(path), "-o", str(packed)]
        subprocess.run(command, check=True, capture_output=True)
        places = {
            "blis": ("spacy", path, {}),
            "lexpool": ("lexpool", path, {}),
            "packed": ("lexpool", packed, {}),
        }
        # An installed package has its bytecode.
        own = {
            name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"
        }
        found: dict[str, list[list[float]]] = {side: [] for side in places}
        for _ in range(TURNS):
            for side, (library, place, options) in places.items():
                command = [sys.executable, "-c", CHILD, library, str(place), json.dumps(options)]
                done = subprocess.run(
                    command,
                    input=json.dumps(texts),
                    capture_output=True,
                    text=True,
                    check=True,
                    env=own,
                )
                found[side].append(json.loads(done.stdout))
    best = {side: [min(column) for column in zip(*rows)] for side, rows in found.items()}
    for at, (table, title) in enumerate(
        [("load", "import and load"), ("memory", "after 300 texts"), ("memory", "its own part")]
    ):
        values = {side: rows[at] for side, rows in best.items()}
        made = row(f"{name}, {title}", values, inverse=True)
        tables[table].rows[f"{slug(name)}-{slug(title)}"] = made


def slug(name: str) -> str:
    """Returns a name as a key of figures."""
    return re.sub(r"[^a-z0-9_]+", "-", name.lower()).strip("-")


def short_text(nlp, texts: dict[str, list[str]]) -> str:
    """The line whose number of tokens is nearest to that of a usual sentence."""
    lines = [line for some in texts.values() for line in some][:2000]
    return min(lines, key=lambda line: abs(len(nlp.make_doc(line)) - SHORT_TOKENS))


def arguments(description: str, megabytes: float) -> argparse.ArgumentParser:
    """Returns the parser of the arguments that benchmarks of trained pipelines share."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("texts", nargs="*", type=Path)
    parser.add_argument("--model", nargs="*", type=Path, default=[], help="folders of pipelines")
    parser.add_argument("--json", type=Path, help="write the figures there")
    parser.add_argument("--mb", type=float, default=megabytes, help="how much text to take")
    return parser


def texts_of(args: argparse.Namespace) -> dict[str, list[str]]:
    """Returns the texts to measure by kind."""
    long = paragraphs(args.texts, args.mb)
    sentences = [part.strip() for text in long for part in text.replace("\n", " ").split(". ")]
    return {
        "paragraphs": long,
        "short texts": [text for text in sentences if len(text) in LINE][: 4 * len(long)],
    }


def by_file(paths: list[Path]) -> dict[str, list[str]]:
    """Returns all paragraphs of each file, by its name."""
    return {path.stem: paragraphs([path], path.stat().st_size / 1e6) for path in paths}


def main() -> None:
    parser = arguments(__doc__, MEGABYTES)
    parser.add_argument(
        "--parts", nargs="*", type=Path, default=[], help="folders whose components are measured"
    )
    args = parser.parse_args()
    texts = texts_of(args)
    tables = {
        "speed": Table("Tokens a second", "tokens/s", "more", COLUMNS, baseline="blis"),
        "threads": Table("Two threads beside one", "x", "more", {"lexpool": "lexpool"}),
        "latency": Table("One short text", "ms", "less", COLUMNS, baseline="blis"),
        "decisions": Table("Differing tokens of a million", "tokens", "less", COLUMNS),
        "kernels": Table(
            "Tokens a second, by instructions", "tokens/s", "more", {"lexpool": "lexpool"}
        ),
        "parts": Table("Time of a token, by component", "us", "less", COLUMNS, baseline="blis"),
        "load": Table("Import and load", "s", "less", PLACES, baseline="blis"),
        "memory": Table("Memory of a process", "MB", "less", PLACES, baseline="blis"),
    }
    gc.collect()
    gc.disable()
    print("| |", " | ".join(COLUMNS.values()), "|")
    with tempfile.TemporaryDirectory() as folder:
        for path in args.model or random_pipelines(Path(folder)):
            measure(path.name, path, texts, tables)
            measure_processes(path.name, path, texts["paragraphs"][:300], tables)
            measure_kernels(path.name, path, texts["short texts"], tables["kernels"])
        for path in args.model:
            # Pipelines with random weights decide at random.
            count_differing(path.name, path, by_file(args.texts), tables["decisions"])
        for path in args.model + args.parts or random_pipelines(Path(folder)):
            measure_parts(path.name, path, texts["short texts"][:1000], tables["parts"])
    if not tables["decisions"].rows:
        del tables["decisions"]
    if args.json:
        counts = {kind: len(some) for kind, some in texts.items()}
        figures.write(args.json, tables, args.texts, taken=counts)


if __name__ == "__main__":
    main()
