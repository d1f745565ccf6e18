"""Arguments of calls: valid values by the names of parameters, and hostile ones for any place."""

import contextlib
import random
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import lexpool
from lexpool import Doc, Span, Vocab, attrs

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


class RefusedCall(Exception):
    """The exception that hostile callbacks raise."""


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
        return self.rng.choice([list, list, list, tuple, iter, self._breaks, self._meddles])(made)

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
            ["uint64", "uint64", "int64", "float32", "float64", "bool", "O", "U3", "uint8"]
        )
        values = np.random.default_rng(rng.randrange(10**6)).integers(-3, 10, shape)
        with np.errstate(all="ignore"):
            array = values.astype(dtype)
        if array.ndim == 2 and rng.random() < 0.3:
            array = array.T if rng.random() < 0.5 else array[::-1]
        return array

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


class Strange:
    """An object whose every answer meddles or refuses."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool

    def _answer(self) -> int:
        meddle(self.pool)
        if self.pool.rng.random() < 0.3:
            raise RefusedCall("by an object")
        return self.pool.rng.randint(-3, 13)

    def __index__(self) -> int:
        return self._answer()

    def __len__(self) -> int:
        return abs(self._answer())

    def __getitem__(self, key: object) -> Any:
        return self.pool.rng.choice([self._answer, self.pool.text])()

    def __eq__(self, other: object) -> bool:
        return self._answer() > 0

    def __hash__(self) -> int:
        return self._answer()

    def __str__(self) -> str:
        return str(self._answer())

    def __float__(self) -> float:
        return float(self._answer())

    def __bool__(self) -> bool:
        return self._answer() > 0


def meddle(pool: Pool) -> None:
    """Edit some document, while somebody is perhaps reading it."""
    doc, rng = pool.some("Doc"), pool.rng
    if doc is None or rng.random() < 0.5:
        return
    with contextlib.suppress(Exception):
        way = rng.randrange(5)
        if way == 0:
            with doc.retokenize() as retokenizer:
                retokenizer.merge(doc[0:2])
        elif way == 1:
            doc.ents = []
        elif way == 2:
            doc[0].head = doc[len(doc) - 1]
        elif way == 3:
            doc.spans.clear()
        else:
            doc.from_array(["TAG"], np.zeros((len(doc), 1), dtype="uint64"))


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
]


def temporary_folder() -> Path:
    """A folder for the files of a run."""
    return Path(tempfile.mkdtemp(prefix="lexpool-fuzz-"))
