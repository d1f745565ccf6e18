"""Every command that writes, with two states of its input, for tests of what it leaves behind.

A command writes into the folder `out`, from inputs beside it. `train` is killed in
`test_train_stops.py`, since what it has written depends on when it ends.
"""

import json
import random
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

PIPELINES = Path(__file__).parents[1] / "files/pipelines"


@dataclass(frozen=True)
class Command:
    """A command, and what its output consists of."""

    args: str
    """The command line, with `{state}` in it where the states differ there."""
    prepare: Callable[[Path, int], None]
    """Writes the inputs of a state, 0 or 1, into a folder."""
    is_one: bool = False
    """`True` if all files of the output appear and change together."""
    is_slow: bool = False
    """`True` if a run takes a second or more."""


COMMANDS: dict[str, Command] = {}


def command(name: str, args: str, **options: bool):
    """Enters a command by what writes its inputs."""

    def enter(prepare: Callable[[Path, int], None]) -> Callable[[Path, int], None]:
        assert name not in COMMANDS
        COMMANDS[name] = Command(args, prepare, **options)
        return prepare

    return enter


def words(state: int, count: int) -> list[str]:
    """Words that compression makes little of, other ones for each state."""
    rng = random.Random(state)
    return [f"w{rng.getrandbits(48):x}" for _ in range(count)]


@command("tokenize, a corpus", "tokenize in.txt -o out/made.corpus")
@command("tokenize, Arrow", "tokenize in.txt -o out/made.arrow")
@command("tokenize, Parquet", "tokenize in.txt -o out/made.parquet")
@command("tokenize, JSON", "tokenize in.txt -o out/made.jsonl")
@command("tokenize, CoNLL-U", "tokenize in.txt -o out/made.conllu")
@command("tokenize, DocBin", "tokenize in.txt -o out/made.spacy")
@command("vocab build", "vocab build in.txt -o out/made.vocab")
def _texts(folder: Path, state: int) -> None:
    lines = zip(*[iter(words(state, 6000))] * 12, strict=True)
    (folder / "in.txt").write_text("\n".join(map(" ".join, lines)))


@command("match", "match --patterns patterns.jsonl in.txt -o out/made.jsonl --format jsonl")
def _patterns(folder: Path, state: int) -> None:
    _texts(folder, state)
    rows = ({"label": "A", "pattern": word} for word in words(state, 2000))
    (folder / "patterns.jsonl").write_text("\n".join(map(json.dumps, rows)))


@command("annotate", "annotate -p model in.txt -o out/made.jsonl")
def _annotated(folder: Path, state: int) -> None:
    _link(folder, "networks")
    (folder / "in.txt").write_text("\n".join(words(state, 1500)))


@command("model pack", "model pack model -o out/made.pipeline")
def _packed(folder: Path, state: int) -> None:
    _link(folder, "networks" if state else "layers")


@command("corpus convert", "corpus convert in.spacy -o out/made.corpus")
@command("corpus convert, compressed", "corpus convert in.spacy -o out/made.corpus --compress")
def _documents(folder: Path, state: int) -> None:
    from lexpool.tokens import DocBin

    docs = [_doc(words(own, 30)) for own in range(100 * state, 100 * state + 100)]
    DocBin(docs=docs).to_disk(folder / "in.spacy")


@command("corpus merge", "corpus merge one.corpus two.corpus -o out/made.corpus")
def _corpora(folder: Path, state: int) -> None:
    from lexpool.corpus import Corpus

    for name, count in (("one", 80 + state), ("two", 50)):
        docs = [_doc(words(own + state, 30)) for own in range(count)]
        Corpus.write(folder / f"{name}.corpus", docs)


@command("run", "run in -o out --to jsonl")
def _shards(folder: Path, state: int) -> None:
    (folder / "in").mkdir(exist_ok=True)
    for number in range(5):
        (folder / f"in/{number}.txt").write_text("\n".join(words(10 * state + number, 3000)))


@command("convert", "convert in out")
def _annotation(folder: Path, state: int) -> None:
    (folder / "in").mkdir(exist_ok=True)
    for number in range(4):
        rows = (f"{word} NN B-GPE\n" for word in words(10 * state + number, 1000))
        (folder / f"in/{number}.conll").write_text("".join(rows))


@command("evaluate", "evaluate model gold.spacy -o out/made.json", is_slow=True)
def _gold(folder: Path, state: int) -> None:
    import lexpool
    from lexpool.tokens import DocBin

    nlp = lexpool.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.to_disk(folder / "model")
    docs = [nlp.make_doc("So it goes . " * 3) for _ in range(20)]
    for doc in docs:
        for token in doc:
            token.is_sent_start = token.i % (4 - state) == 0
    DocBin(docs=docs).to_disk(folder / "gold.spacy")


@command("lookups build", "lookups build in -o out")
def _tables(folder: Path, state: int) -> None:
    (folder / "in").mkdir(exist_ok=True)
    for code in ("de", "fr", "nl"):
        table = dict.fromkeys(words(state, 4000), "lemma")
        (folder / f"in/{code}_lemma_lookup.json").write_text(json.dumps(table))


@command("init config", "init config out/made.cfg --force --training.dropout 0.{state}")
def _nothing(folder: Path, state: int) -> None:
    """All that it reads are its arguments."""


@command("init fill-config", "init fill-config base.cfg out/made.cfg")
def _base(folder: Path, state: int) -> None:
    text = '[nlp]\nlang = "en"\npipeline = ["s"]\n\n[components]\n\n[components.s]\n'
    text += f'factory = "sentencizer"\n\n[training]\ndropout = 0.{state}\n'
    (folder / "base.cfg").write_text(text)


def _settings(folder: Path, args: str) -> None:
    """Writes a configuration by the command itself."""
    shown = [sys.executable, "-m", "lexpool", "init", "config", "c.cfg", "--force", *args.split()]
    subprocess.run(shown, cwd=folder, check=True, capture_output=True)


@command("init labels", "init labels c.cfg out --quiet", is_slow=True)
def _labels(folder: Path, state: int) -> None:
    from lexpool.tokens import DocBin, Span

    docs = []
    for name in words(state, 20):
        doc = _doc(["We", "saw", name])
        doc.cats = {"A" + name: 1.0, "B": 0.0}
        doc.ents = [Span(doc, 2, 3, label="L" + name)]
        for token in doc:
            token.tag_ = "T" + name
        docs.append(doc)
    DocBin(docs=docs, store_user_data=True).to_disk(folder / "train.spacy")
    _settings(
        folder,
        "-p tagger,ner,textcat_multilabel --paths.train train.spacy --paths.dev train.spacy",
    )


@command(
    "pretrain", "pretrain c.cfg out --paths.raw_text in.jsonl --threads 1 --quiet", is_slow=True
)
def _raw_texts(folder: Path, state: int) -> None:
    rows = ({"text": " ".join(words(state + number, 8))} for number in range(200))
    (folder / "in.jsonl").write_text("\n".join(map(json.dumps, rows)))
    _settings(
        folder,
        "-p tagger --pretraining --components.tok2vec.model.encode.width 16"
        " --components.tok2vec.model.encode.depth 1 --pretraining.max_epochs 6"
        " --components.tok2vec.model.embed.rows [100,100,100,100]"
        " --pretraining.objective.hidden_size 16",
    )


@command("assemble", "assemble c.cfg out/made --quiet", is_one=True, is_slow=True)
def _assembled(folder: Path, state: int) -> None:
    import lexpool

    nlp = lexpool.blank("en")
    nlp.add_pipe("entity_ruler").add_patterns(
        [{"label": "A", "pattern": word} for word in words(state, 500)]
    )
    nlp.to_disk(folder / "model")
    (folder / "c.cfg").write_text(
        '[nlp]\nlang = "en"\npipeline = ["entity_ruler","s"]\n\n[components]\n\n'
        '[components.entity_ruler]\nsource = "model"\n\n[components.s]\nfactory = "sentencizer"\n'
    )


@command("package", "package model out -b wheel,sdist --force --quiet", is_one=True, is_slow=True)
def _pipeline(folder: Path, state: int) -> None:
    _assembled(folder, state)
    (folder / "model/LICENSE").write_text(f"MIT {state}")


def _to_train(folder: Path, state: int) -> None:
    _labels(folder, 0)
    _settings(
        folder,
        "-p tagger --paths.train train.spacy --paths.dev train.spacy"
        " --components.tok2vec.model.encode.width 16 --components.tok2vec.model.encode.depth 1"
        " --components.tok2vec.model.embed.rows [100,100,100,100]"
        " --training.max_steps 4 --training.eval_frequency 4",
    )


TRAIN = Command(
    "train c.cfg -o out --threads 1 --quiet --system.seed {state}", _to_train, is_slow=True
)
EVERY_COMMAND = COMMANDS | {"train": TRAIN}


def _link(folder: Path, name: str) -> None:
    (folder / "model").unlink(missing_ok=True)
    (folder / "model").symlink_to(PIPELINES / name)


def _doc(own: list[str]):
    import lexpool
    from lexpool.tokens import Doc

    return Doc(lexpool.Vocab(), words=own)
