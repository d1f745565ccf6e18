"""Arguments of calls: valid values by the names of parameters, and hostile ones for any place."""

import contextlib
import itertools
import os
import random
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from hostile_objects import Collecting, Liar, LyingSequence, RefusedCall, Strange, meddle

import lexpool
import lexpool.arrow
from lexpool import Doc, Span, Vocab, _core, attrs
from lexpool.corpus import Corpus
from lexpool.matcher import Matcher, PhraseMatcher
from lexpool.parser import ArcEager, BiluoPushDown, StateClass
from lexpool.pipeline import EditTrees
from lexpool.tokens import DocBin
from lexpool.training import Example

ROOT = Path(__file__).resolve().parents[2]
MODELS = Path(os.environ.get("LEXPOOL_MODELS") or ROOT.parent / "shared" / "models")
PIPELINES = [
    ROOT / "tests/files/pipelines/networks",
    ROOT / "tests/files/pipelines/rules",
    *sorted(MODELS.glob("tiny_*")),
]
NUMBERS = [
    0,
    1,
    -1,
    2,
    3,
    5,
    7,
    63,
    64,
    255,
    2**15,
    2**31 - 1,
    2**31,
    -(2**31),
    2**32,
    2**53,
    2**63 - 1,
    2**63,
    2**64 - 1,
    2**64,
    -(2**63) - 1,
    10**30,
]
TEXTS = [
    "",
    " ",
    "a",
    "word",
    "Hello, world!",
    "\n",
    "\u00e9",
    "\U0001f600",
    "nul\0",
    "\ud800",
    "x" * 5000,
    "B-ORG",
    "I-ORG",
    "O",
    "B-",
    "-",
    "nsubj",
    "Case=Nom|Number=Sing",
    "strict",
    "expand",
    "outside",
    "ORTH",
    "HEAD",
    "no_such",
    "../x",
    "<b>&",
    "(",
    "[a-",
    "(?P<a>",
    "NOUN",
    "\t \t",
    "text",
]
WORDS = [
    "The",
    "whale",
    "is",
    "n't",
    "white",
    ".",
    " ",
    "\n",
    "\u00e9t\u00e9",
    "42",
    "\U0001f600",
    "Ishmael",
]
ATTRIBUTES = [name for name in attrs.IDS if name]


class Pool:
    """Objects to call and to call with. All is chosen by one random source."""

    def __init__(self, rng: random.Random, folder: Path) -> None:
        self.rng, self.folder = rng, folder
        self.kept: dict[str, list[Any]] = {}
        self._seed()

    def _seed(self) -> None:
        for lang in ("en", "xx"):
            self.keep(lexpool.Tokenizer.blank(lang))
            self.keep(lexpool.blank(lang))
        vocab = self.some("Tokenizer").vocab
        for each in (vocab, Vocab(), vocab.strings, vocab["whale"], vocab.morphology):
            self.keep(each)
        for _ in range(6):
            self.keep(self.doc())
        with vocab.memory_zone():
            self.keep(self.some("Tokenizer")("a text of a zone"))
        self._keep_pipeline()
        self._keep_natives()

    def _keep_pipeline(self) -> None:
        """Take in a trained pipeline, its components, and what they are trained and parse with."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            trained = lexpool.load(self.rng.choice(PIPELINES))
        self.keep(trained)
        for _, component in trained.pipeline:
            self.keep(component)
            for name in ("model", "moves", "kb", "trees", "matcher"):
                part = getattr(component, name, None)
                if part is not None:
                    self.keep(part)
        doc = trained.make_doc("They went to New York .")
        example = Example.from_dict(doc, {"heads": [1, 1, 1, 4, 2, 1], "deps": ["nsubj"] * 6})
        self.keep(example)
        strings = trained.vocab.strings
        self.keep(
            ArcEager(
                strings, {0: {"": 1}, 1: {"": 1}, 2: {"nsubj": 1}, 3: {"nsubj": 1}, 4: {"ROOT": 1}}
            )
        )
        self.keep(BiluoPushDown(strings, {move: {"A": 1} for move in range(1, 5)}))
        self.keep(StateClass(doc))

    def _keep_natives(self) -> None:
        """Take in objects of native classes that few calls return."""
        vocab, docs = self.some("Vocab"), [self.doc() for _ in range(3)]
        corpus = self.folder / "fuzz.corpus"
        Corpus.write(corpus, docs)
        phrases = PhraseMatcher(vocab)
        phrases.add("A", docs[:1])
        trees = EditTrees(lexpool.StringStore())
        trees.add("went", "go")
        arcs, doc = (
            self.some("ArcEager"),
            Doc(vocab, WORDS[:2], heads=[1, 1], deps=["nsubj", "ROOT"]),
        )
        scorer = lambda rows: np.zeros((len(rows), arcs.n_moves), "f")
        for value in [
            *(phrases, phrases.match_texts(TEXTS[:5]), trees, Corpus.open(corpus)),
            *(DocBin(docs=docs), _core.BloomFilter(), _core.SentenceMarks([".", "!"], True)),
            _core.TrainingSteps(object(), {"seed": 3}, [("tag_acc", 1.0)], 2),
            _core.Augmenter({"@augmenters": "spacy.lower_case.v1", "level": 0.5}, "augmenter"),
            _core.ScheduleSeries([1, 2.5, 3]),
            _core.EvaluationTable(["tagger"], ["tag_acc"]),
            lexpool.arrow.Annotator(self.some("Tokenizer"), text="text"),
            _core.MappedLookups(ROOT / "tests/files/xx.lookups"),
            *(arcs.init_gold(StateClass(doc), Example(doc, doc)), Matcher(vocab)),
            *arcs.beam_parse([doc], scorer, 2),
        ]:
            self.keep(value)

    def keep(self, value: Any) -> None:
        """Take an object in; of each class only some are kept, so that the old ones go."""
        kept = self.kept.setdefault(type(value).__name__, [])
        if len(kept) < 12:
            kept.append(value)
        else:
            kept[self.rng.randrange(len(kept))] = value

    def some(self, kind: str) -> Any:
        """An object of a class, by its name, or None."""
        return self.rng.choice(self.kept.get(kind) or [None])

    def anything(self) -> Any:
        """An object of any class."""
        return self.some(self.rng.choice(sorted(self.kept)))

    def doc(self) -> Doc:
        """A new document with some annotation."""
        rng, vocab = self.rng, self.some("Vocab")
        n = rng.randint(0, 12)
        heads = [rng.randrange(n) for _ in range(n)] if rng.random() < 0.5 else None
        deps = [rng.choice(["nsubj", "ROOT", None]) for _ in range(n)] if heads else None
        words = [rng.choice(WORDS) for _ in range(n)]
        doc = Doc(vocab, words, [rng.random() < 0.8 for _ in words], heads=heads, deps=deps)
        if n > 2:
            doc.ents = [Span(doc, 1, 2, "ORG")]
            doc.spans["sc"] = [Span(doc, 0, 2, "X")]
        return doc

    def argument(self, name: str) -> Any:
        """A value for a parameter; in one of four cases any value at all."""
        if self.rng.random() < 0.25:
            return self.hostile()
        for part, make in FITTING.items():
            if part in name:
                return make(self)
        return self.hostile() if self.rng.random() < 0.5 else self.anything()

    def hostile(self) -> Any:
        """A value that few expect."""
        return self.rng.choice(HOSTILE)(self)

    def number(self) -> int:
        """Mostly a small number."""
        return self.rng.choice([self.rng.randint(-3, 13), self.rng.choice(NUMBERS)])

    def text(self) -> str:
        """Some text."""
        return self.rng.choice(TEXTS)

    def several(self, make: Callable[["Pool"], Any]) -> Any:
        """Several values: as a list, tuple, generator, or an iterable that does not behave."""
        made = [make(self) for _ in range(self.rng.choice([0, 1, 2, 3, 6]))]
        ways = [
            list,
            list,
            list,
            tuple,
            iter,
            self._breaks,
            self._meddles,
            self._lies,
            self._endless,
        ]
        return self.rng.choice(ways)(made)

    def _lies(self, values: list[Any]) -> "Liar":
        return Liar(values, self.rng.choice([0, -1, 2**31, 2**40, 2**62, None]))

    def _endless(self, values: list[Any]) -> Iterator[Any]:
        """Values again and again, many more than a caller could mean."""
        yield from itertools.islice(itertools.cycle(values), 20_000)
        raise RefusedCall("by an iterator that does not end")

    def _breaks(self, values: list[Any]) -> Iterator[Any]:
        yield from values
        raise RefusedCall("by a generator")

    def _meddles(self, values: list[Any]) -> Iterator[Any]:
        for value in values:
            meddle(self)
            yield value

    def array(self) -> Any:
        """An array of any kind and shape."""
        rng = self.rng
        shape = rng.choice([(), (0,), (3,), (0, 0), (5, 2), (2, 3, 2), (12, 1), (1, 300)])
        dtype = rng.choice(
            """uint64 uint64 int64 float32 float32 float64 bool O U3 uint8 uint32 int32 float16 >f4
            >u8 complex64 i4,f4""".split()
        )
        values = np.random.default_rng(rng.randrange(10**6)).integers(-3, 10, shape)
        with np.errstate(all="ignore"):
            array = values.astype(dtype)
        if array.ndim == 2 and rng.random() < 0.3:
            array = rng.choice([array.T, array[::-1], array[:, ::2], array[::-1, ::-1]])
        if rng.random() < 0.1:
            array.flags.writeable = False
        return array

    def kernel_array(self) -> Any:
        """An array that kernels of networks take: small, so that many fit each other."""
        shape = [
            self.rng.choice([0, 1, 2, 2, 3, 3, 4]) for _ in range(self.rng.choice([1, 2, 2, 3]))
        ]
        dtype = self.rng.choice(["float32", "float32", "float32", "uint32", "int32", "uint64"])
        return np.random.default_rng(self.rng.randrange(10**6)).integers(0, 4, shape).astype(dtype)

    def fitting_array(self) -> Any:
        """An array with as many rows as some document has tokens."""
        rows, columns = len(self.some("Doc") or ""), self.rng.choice([1, 2, 3])
        values = np.random.default_rng(self.rng.randrange(10**6)).integers(-2, 4, (rows, columns))
        return values.astype(self.rng.choice(["uint64", "uint64", "int64", "float32"]))

    def packed(self) -> bytes:
        """Bytes of some object's, mostly changed."""
        source = self.anything()
        data = b"\x82\xa4text\xa1a"
        with contextlib.suppress(Exception):
            data = source.to_bytes()
        if not isinstance(data, bytes) or len(data) > 200_000:
            data = b""
        broken, way = bytearray(data), self.rng.random()
        if way < 0.3 and broken:
            broken[self.rng.randrange(len(broken))] ^= 1 << self.rng.randrange(8)
        elif way < 0.5:
            del broken[self.rng.randint(0, len(broken)) :]
        elif way < 0.6:
            broken += b"\x00\xff"
        return bytes(broken)

    def path(self) -> Any:
        """A path in the folder of this run, that may hold something or nothing."""
        path = self.folder / self.rng.choice(["a", "b", "new", "missing/x", ""])
        return self.rng.choice([path, str(path)])

    def callback(self) -> Callable[..., Any]:
        """A function that meddles, refuses, or returns something."""
        result = self.rng.choice(
            [self.hostile, self.number, self.text, self.anything, lambda: None]
        )

        def call(*_args: Any, **_kwargs: Any) -> Any:
            meddle(self)
            if self.rng.random() < 0.2:
                raise RefusedCall("by a callback")
            return result()

        return call


def _deep(pool: Pool) -> Any:
    value: Any = pool.text()
    for _ in range(pool.rng.choice([5, 500, 5000])):
        value = [value] if pool.rng.random() < 0.8 else {"a": value}
    return value


FITTING: dict[str, Callable[[Pool], Any]] = {
    "vocab": lambda pool: pool.some("Vocab"),
    "docs": lambda pool: pool.several(lambda pool: pool.some("Doc")),
    "doc_json": lambda pool: {
        "text": pool.text(),
        "tokens": [{"id": 0, "start": 0, "end": pool.number()}],
    },
    "doc": lambda pool: pool.some("Doc"),
    "predicted": lambda pool: pool.some("Doc"),
    "reference": lambda pool: pool.some("Doc"),
    "examples": lambda pool: pool.several(lambda pool: pool.some("Example")),
    "token": lambda pool: pool.some("Token"),
    "descendant": lambda pool: pool.some("Token"),
    "head": lambda pool: pool.rng.choice([pool.number, lambda: pool.some("Token")])(),
    "span": lambda pool: pool.rng.choice(
        [pool.some("Span"), pool.several(lambda pool: pool.some("Span"))]
    ),
    "ents": lambda pool: pool.several(
        lambda pool: pool.rng.choice([pool.some("Span"), ("ORG", 0, 1)])
    ),
    "entities": lambda pool: pool.several(lambda pool: pool.some("Span")),
    "other": lambda pool: pool.anything(),
    "words": lambda pool: pool.several(Pool.text),
    "spaces": lambda pool: pool.several(lambda pool: pool.rng.random() < 0.5),
    "tags": lambda pool: pool.several(Pool.text),
    "orths": lambda pool: pool.several(Pool.text),
    "strings": lambda pool: pool.rng.choice([pool.several(Pool.text), pool.some("StringStore")]),
    "texts": lambda pool: pool.several(Pool.text),
    "attr": lambda pool: pool.rng.choice(
        [pool.rng.choice(ATTRIBUTES), pool.rng.sample(ATTRIBUTES, 3), pool.number(), {"LEMMA": "x"}]
    ),
    "array": lambda pool: pool.rng.choice([pool.array, pool.fitting_array])(),
    "table": lambda pool: pool.kernel_array(),
    "indices": lambda pool: pool.kernel_array(),
    "out": lambda pool: pool.kernel_array(),
    "pieces": lambda pool: pool.kernel_array(),
    "best": lambda pool: pool.kernel_array(),
    "which": lambda pool: pool.kernel_array(),
    "trans": lambda pool: pool.rng.random() < 0.5,
    "state": lambda pool: pool.rng.choice([pool.some("StateClass"), pool.some("Beam")]),
    "batch": lambda pool: pool.some("TrainingBatch"),
    "gold": lambda pool: pool.some("Gold"),
    "sgd": lambda pool: pool.some("Optimizer"),
    "drop": lambda pool: pool.rng.choice([0.0, 0.5, 1.0, -1.0, float("nan")]),
    "vector": lambda pool: pool.array(),
    "tensor": lambda pool: pool.array(),
    "data": lambda pool: pool.rng.choice(
        [pool.packed, pool.array, lambda: {pool.text(): pool.number()}]
    )(),
    "bytes": lambda pool: pool.packed(),
    "path": lambda pool: pool.path(),
    "exclude": lambda pool: pool.several(Pool.text),
    "getter": lambda pool: pool.callback(),
    "setter": lambda pool: pool.callback(),
    "method": lambda pool: pool.callback(),
    "search": lambda pool: pool.callback(),
    "flag": lambda pool: pool.number(),
    "shape": lambda pool: (pool.rng.randint(0, 20), pool.rng.randint(0, 8)),
    "name": lambda pool: pool.text(),
    "lang": lambda pool: pool.rng.choice(["en", "xx", "qq"]),
    "label": lambda pool: pool.rng.choice([pool.text, pool.number])(),
    "id": lambda pool: pool.rng.choice([pool.text, pool.number])(),
    "mode": lambda pool: pool.text(),
    "text": lambda pool: pool.text(),
    "string": lambda pool: pool.text(),
    "key": lambda pool: pool.rng.choice([pool.text, pool.number])(),
    "start": lambda pool: pool.number(),
    "end": lambda pool: pool.number(),
    "size": lambda pool: pool.number(),
    "row": lambda pool: pool.number(),
    "n_": lambda pool: pool.rng.randint(-1, 3),
    "i": lambda pool: pool.number(),
    "value": lambda pool: pool.rng.choice([pool.text, pool.number, pool.anything])(),
}
"""Parts of parameters' names, the first that fits counting, with what makes a value."""

HOSTILE: list[Callable[[Pool], Any]] = [
    lambda pool: None,
    lambda pool: b"bytes",
    lambda pool: pool.rng.choice(NUMBERS),
    lambda pool: pool.rng.choice([float("nan"), float("inf"), -0.0, 1e300, 1.5, 1j]),
    lambda pool: pool.rng.choice([True, False]),
    Pool.text,
    Pool.array,
    Pool.packed,
    Pool.anything,
    Pool.callback,
    Strange,
    _deep,
    lambda pool: pool.several(Pool.hostile) if pool.rng.random() < 0.5 else [],
    lambda pool: {pool.text(): pool.number()},
    lambda pool: slice(pool.number(), pool.number(), pool.rng.choice([None, 1, 2, -1])),
    lambda pool: pool.rng.choice(
        [np.uint64(3), np.int32(-1), np.float32(1.5), np.str_("x"), np.bool_(True)]
    ),
    lambda pool: memoryview(pool.packed()),
    lambda pool: object(),
    lambda pool: Doc,
    lambda pool: bytearray(b"abc"),
    lambda pool: {1, "x"},
    lambda pool: range(pool.rng.choice([0, 3, 10**6])),
    lambda pool: ValueError("x"),
    lambda pool: '{"@batchers":"spacy.batch_by_words.v1","size":1}',
    Collecting,
    Pool.kernel_array,
    lambda pool: LyingSequence(pool._lies([pool.hostile()])),
]


def temporary_folder() -> Path:
    """A folder for the files of a run."""
    return Path(tempfile.mkdtemp(prefix="lexpool-fuzz-"))
