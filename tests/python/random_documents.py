"""Documents by chance: a description, and the document it gives in spaCy and in lexpool.

A description is plain data, so that both libraries are given the same and a failure can be printed.
It may be wrong: heads that point in circles, entities that overlap, parts of speech that do not
exist. Then both libraries have to refuse the same step with the same exception, and go on alike.
"""

import random
from dataclasses import dataclass, field
from typing import Any

import numpy as np

TAGS = ["NN", "NNS", "VBZ", "-LRB-", "_SP", ""]
POS = ["NOUN", "VERB", "ADJ", "PROPN", "PUNCT", "SPACE", "CONJ", "X", ""]
MORPHS = ["Number=Sing", "Case=Acc,Dat|Number=Plur", "Number=Plur|Case=Dat,Acc", "_", "", "A=B"]
LEMMAS = ["be", "go", "\u00e9t\u00e9", "a lemma", "X" * 40, ""]
DEPS = ["nsubj", "dobj", "ROOT", "conj", "cc", "amod", "punct", "own label", "appos", "dep"]
LABELS = ["PERSON", "ORG", "", "Thing-1", "\u00c9", "nsubj"]
IDS = ["Q42", "Q1", ""]
NORMS = ["is", "not", "", "norm"]
KEYS = ["sc", "other", "", "\u00e9"]

COMMON = """the a of and to in He she It was's n't house ships New York Mr. Smith 42 3.14 ten
    http://example.com me@example.org U.S.A. Ishmael whale ocean go going Went -- ... ( ) [ ] " ' , . ! ?
    $ EUR 1,000 e.g. half-way""".split()
ODD = [
    " ",
    "  ",
    "\n",
    "\n\n",
    "\t",
    "\u00a0",
    "\u2003",
    "\u200b",
    "\u00e9",
    "e\u0301",
    "\U0001f600",
    "\U0001f469\u200d\U0001f680",
    "\u4e2d\u6587",
    "\u0627\u0644\u0643\u0644\u0628",
    "\u00df",
    "\u0130",
    "\u01c5",
    "nul\0nul",
    "\ufeff",
    "\u00b2",
    "\u0663",
    "x" * 120,
    "aAaAaA",
    "12:30",
    "\u20ac",
    "\u00ab",
    "\u201d",
    "ORTH",
    "nsubj",
    "\ufffd",
    "\u2028",
]


@dataclass
class Description:
    """A document as plain data."""

    words: list[str]
    spaces: list[bool] | None
    annotation: dict[str, list[Any]] = field(default_factory=dict)
    """Keyword arguments of `Doc`."""
    steps: list[tuple[Any, ...]] = field(default_factory=list)
    """Steps that change the document afterwards, each a name and its arguments."""
    seed: int = 0


def describe(seed: int, texts: list[list[str]] | None = None) -> Description:
    """The description of a number; `texts` are real ones, as words, to be taken now and then."""
    rng = random.Random(seed)
    words = _words(rng, texts)
    n = len(words)
    spaces = None if rng.random() < 0.15 else [rng.random() < 0.7 for _ in words]
    made = Description(words, spaces, seed=seed)
    for name, choose in ANNOTATION.items():
        if n and rng.random() < 0.55:
            made.annotation[name] = choose(rng, n)
    if "heads" in made.annotation and rng.random() < 0.95:
        made.annotation.setdefault("deps", _deps(rng, n))
    if rng.random() < 0.03:
        _spoil(rng, made.annotation)
    for _ in range(rng.choice([0, 0, 1, 2, 3, 6])):
        step = rng.choice(STEPS)
        made.steps.append((step.__name__, step(rng, n)))
    # Groups of spans and tensors come last: spaCy's do not follow when tokens are merged or split.
    made.steps.sort(key=lambda step: step[0] in ("set_group", "set_facts"))
    if not any(made.annotation.get("deps", ())):
        # Without DEP spaCy's merged tokens keep edges from before, and a new head relabels the
        # sentences between those.
        names = [step[0] for step in made.steps]
        first = next(
            (at for at, name in enumerate(names) if name in ("merge", "split")), len(names)
        )
        made.steps = [
            step for at, step in enumerate(made.steps) if at < first or step[0] != "set_head"
        ]
    return made


def _words(rng: random.Random, texts: list[list[str]] | None) -> list[str]:
    n = rng.choice([0, 1, 2, 3, *range(4, 25), 40, 80])
    if texts and rng.random() < 0.5:
        return rng.choice(texts)[:n]
    odd = rng.choice([0, 0.1, 0.6])
    return [rng.choice(ODD if rng.random() < odd else COMMON) for _ in range(n)]


def _some(values: list[str], gaps: float = 0.0) -> Any:
    def choose(rng: random.Random, n: int) -> list[Any]:
        full = rng.random() < 0.5
        given = [rng.choice(values) for _ in range(n)]
        return given if full else [None if rng.random() < gaps else value for value in given]

    return choose


_deps = _some(DEPS, 0.3)


def _heads(rng: random.Random, n: int) -> list[int | None]:
    kind = rng.choice(["projective", "tree", "any", "near"])
    if kind == "projective":
        heads: list[int | None] = [0] * n
        _project(rng, heads, 0, n, None)
    elif kind == "tree":
        order = rng.sample(range(n), n)
        heads = [0] * n
        for place, i in enumerate(order):
            heads[i] = rng.choice(order[:place]) if place else i
    elif kind == "near":
        heads = [min(max(i + rng.randint(-3, 3), 0), n - 1) for i in range(n)]
    else:
        heads = [rng.randrange(n) for _ in range(n)]
    return [None if rng.random() < 0.05 else head for head in heads]


def _project(
    rng: random.Random, heads: list[int | None], start: int, end: int, over: int | None
) -> None:
    """Fill a range with subtrees that hang on one token and cross nothing."""
    while start < end:
        stop = end if over is None and rng.random() < 0.6 else rng.randint(start + 1, end)
        root = rng.randrange(start, stop)
        heads[root] = root if over is None else over
        _project(rng, heads, start, root, root)
        _project(rng, heads, root + 1, stop, root)
        start = stop


def _ents(rng: random.Random, n: int) -> list[str | None]:
    tags: list[str | None] = []
    for i in range(n):
        kind = rng.random()
        label = rng.choice(["PERSON", "ORG", "own-label"])
        if kind < 0.2:
            tags.append(f"B-{label}")
        elif kind < 0.4 and i:
            tags.append(f"I-{label}")
        else:
            tags.append(rng.choice(["O", "O", None, ""]))
    return tags


def _sent_starts(rng: random.Random, n: int) -> list[Any]:
    return [rng.choice([True, False, False, None, 1, -1, 0]) for _ in range(n)]


ANNOTATION = {
    "tags": _some(TAGS),
    "pos": _some(POS),
    "morphs": _some(MORPHS),
    "lemmas": _some(LEMMAS),
    "heads": _heads,
    "deps": _deps,
    "sent_starts": _sent_starts,
    "ents": _ents,
}


def _spoil(rng: random.Random, annotation: dict[str, list[Any]]) -> None:
    """Put something wrong into an annotation."""
    wrong = {
        "tags": [3, 1.5],
        "pos": ["NO_SUCH", "noun"],
        "morphs": [3.5, object(), "Odd"],
        "lemmas": [3, object()],
        "heads": [-1, 10**6, 2**31, 2**70, -(2**40), 1.5, "0"],
        "deps": [3, 1.5],
        "ents": ["X", "B", "I-", "-", "B-", "L-ORG", 3],
    }
    names = [name for name in annotation if name in wrong]
    if names:
        name = rng.choice(names)
        values = annotation[name]
        if rng.random() < 0.3:
            values.append(values[0])
        else:
            values[rng.randrange(len(values))] = rng.choice(wrong[name])


# Steps: functions of a random source and the number of words, giving what the step needs.


def _index(rng: random.Random, n: int) -> int:
    return rng.randrange(n) if n and rng.random() < 0.97 else rng.choice([-1, n, n + 7, -n - 1])


def _range(rng: random.Random, n: int) -> tuple[int, int]:
    start = rng.randint(0, n)
    return start, min(n, start + rng.choice([0, 1, 1, 2, 3, 5]))


def _spans(rng: random.Random, n: int) -> list[tuple[Any, ...]]:
    most = rng.choice([0, 1, 2, 4])
    return [
        (*_range(rng, n), rng.choice(LABELS), rng.choice(IDS), rng.choice(IDS)) for _ in range(most)
    ]


def set_attribute(rng: random.Random, n: int) -> tuple[Any, ...]:
    values = {
        "tag_": TAGS,
        "pos_": POS,
        "lemma_": LEMMAS,
        "dep_": DEPS,
        "norm_": NORMS,
        "ent_type_": LABELS,
        "ent_id_": IDS,
        "ent_kb_id_": IDS,
        "is_sent_start": [True, False, None, 1, "yes"],
    }
    name = rng.choice(list(values))
    return _index(rng, n), name, rng.choice(values[name])


def set_morph(rng: random.Random, n: int) -> tuple[Any, ...]:
    return _index(rng, n), rng.choice([*MORPHS, None, {"Case": "Nom"}, {"Case": ["Nom", "Acc"]}])


def set_head(rng: random.Random, n: int) -> tuple[int, int]:
    return _index(rng, n), _index(rng, n)


def assign_ents(rng: random.Random, n: int) -> list[tuple[Any, ...]]:
    return _spans(rng, n)


def set_ents(rng: random.Random, n: int) -> tuple[Any, ...]:
    default = rng.choice(["outside", "missing", "blocked", "unmodified", "else"])
    return [_spans(rng, n) if rng.random() < 0.4 else None for _ in range(4)], default


def set_group(rng: random.Random, n: int) -> tuple[Any, ...]:
    spans = [span for span in _spans(rng, n) if span[0] < span[1]]
    return rng.choice(KEYS), spans, {"score": rng.random()} if rng.random() < 0.3 else {}


def set_facts(rng: random.Random, n: int) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "cats": {rng.choice(LABELS): rng.random()},
        "user_data": {rng.choice(KEYS): rng.choice([1, "text", 1.5, None, {"a": 1}])},
        "sentiment": rng.choice([0.0, 0.5, -1.0]),
        "has_unknown_spaces": rng.random() < 0.5,
        "tensor": np.random.default_rng(rng.randrange(1000)).random((n, 3), dtype="float32"),
    }
    return {name: facts[name] for name in rng.sample(list(facts), 2)}


def from_array(rng: random.Random, n: int) -> tuple[Any, ...]:
    small = {
        "HEAD": [0, 0, 1, 2**64 - 1, 2**64 - 2, 2],
        "SENT_START": [0, 1, 2**64 - 1],
        "ENT_IOB": [0, 1, 2, 3],
        "POS": [0, 92, 100],
        "DEP": [0, 429, 434],
        "TAG": [0, 92],
        "ENT_TYPE": [0, 380, 383],
        "LEMMA": [0, 429],
    }
    names = rng.sample(list(small), rng.randint(1, 4))
    if rng.random() < 0.1:
        small["ENT_IOB"].append(4)
    rows = [[rng.choice(small[name]) for name in names] for _ in range(n)]
    return names, rows


def merge(rng: random.Random, n: int) -> list[tuple[Any, ...]]:
    attrs = [
        {},
        {"LEMMA": "merged"},
        {"TAG": "NN", "ENT_TYPE": "ORG"},
        {"POS": "NOUN", "DEP": "dobj"},
    ]
    return [(*_range(rng, n), rng.choice(attrs)) for _ in range(rng.choice([1, 1, 2]))]


def split(rng: random.Random, n: int) -> tuple[Any, ...]:
    return _index(rng, n), rng.randint(2, 3), _index(rng, n), rng.random() < 0.5


STEPS = [
    set_attribute,
    set_attribute,
    set_morph,
    set_head,
    assign_ents,
    set_ents,
    set_group,
    set_facts,
    from_array,
    merge,
    split,
]


PART = {
    "TAG": "NN",
    "POS": "NOUN",
    "DEP": "dep",
    "LEMMA": "part",
    "MORPH": "Number=Sing",
    "ENT_TYPE": "ORG",
    "ENT_ID": "",
    "ENT_KB_ID": "",
    "SENT_START": 0,
}
"""The attributes of each part of a split token."""


class Library:
    """One of the two libraries: its classes and a vocab."""

    def __init__(self, tokens: Any, vocab: Any, remakes: bool) -> None:
        self.tokens, self.vocab, self.remakes = tokens, vocab, remakes
        self.miscounts = False
        """True if the last document that was built had wrong counts of children."""
        for value in PART.values():
            # The retokenizer of spaCy's forgets to.
            vocab.strings.add(str(value))

    def make(self, made: Description) -> Any:
        """The document without its steps."""
        return self.tokens.Doc(self.vocab, made.words, made.spaces, **made.annotation)

    def build(self, made: Description, outcome: Any) -> tuple[Any, list[Any]]:
        """The document after those steps that are not refused, and what came of all the steps.

        A refused step may leave a document of spaCy's half changed; so there it is made anew,
        without that step. outcome: a function that calls, and says what came of it.
        """
        found: list[Any] = []
        kept: list[tuple[Any, ...]] = []
        box: list[Any] = []
        self.miscounts = False
        found.append(outcome(lambda: box.append(self.make(made))))
        for step in made.steps if box else ():
            result = outcome(lambda step=step: self.take(box[0], step), box[0])
            found.append((step, result))
            if result[0] == "gives":
                kept.append(step)
            elif self.remakes:
                box = [self.make(made)]
                for good in kept:
                    outcome(lambda good=good: self.take(box[0], good))
        return (box[0] if box else None), found

    def take(self, doc: Any, step: tuple[Any, ...]) -> None:
        """Take one step."""
        name, given = step
        getattr(self, f"_{name}")(doc, given)

    def _span(self, doc: Any, given: tuple[Any, ...]) -> Any:
        start, end, label, kb_id, span_id = given
        return self.tokens.Span(doc, start, end, label=label, kb_id=kb_id, span_id=span_id)

    def _set_attribute(self, doc: Any, given: Any) -> None:
        i, name, value = given
        setattr(doc[i], name, value)

    def _set_morph(self, doc: Any, given: Any) -> None:
        i, morph = given
        doc[i].set_morph(morph)

    def _set_head(self, doc: Any, given: Any) -> None:
        i, head = given
        # spaCy takes a token without a relation for a root, and then clears the sentence starts of
        # a part of its tree.
        offset = int(doc.to_array("HEAD").astype("int64")[i])
        self.miscounts |= offset != 0 and doc[i].dep == 0
        doc[i].head = doc[head]
        # If the arcs of another tree cross, spaCy counts its children twice and loses the start
        # of its sentence.
        children = [0] * len(doc)
        for at, offset in enumerate(doc.to_array("HEAD").astype("int64").tolist()):
            children[at + offset] += offset != 0
        self.miscounts |= children != [token.n_lefts + token.n_rights for token in doc]

    def _assign_ents(self, doc: Any, given: Any) -> None:
        doc.ents = [self._span(doc, span) for span in given]

    def _set_ents(self, doc: Any, given: Any) -> None:
        lists, default = given
        ents, *others = [spans and [self._span(doc, span) for span in spans] for spans in lists]
        names = ("blocked", "missing", "outside")
        doc.set_ents(ents or [], **dict(zip(names, others, strict=True)), default=default)

    def _set_group(self, doc: Any, given: Any) -> None:
        key, spans, attrs = given
        doc.spans[key] = [self._span(doc, span) for span in spans]
        doc.spans[key].attrs.update(attrs)

    def _set_facts(self, doc: Any, given: Any) -> None:
        for name, value in given.items():
            # Steps before may have changed the number of tokens.
            setattr(doc, name, np.resize(value, (len(doc), 3)) if name == "tensor" else value)

    def _from_array(self, doc: Any, given: Any) -> None:
        names, rows = given
        doc.from_array(names, np.array(rows, dtype="uint64").reshape(len(rows), len(names)))

    def _merge(self, doc: Any, given: Any) -> None:
        with doc.retokenize() as retokenizer:
            for start, end, attrs in given:
                retokenizer.merge(doc[start:end], attrs=attrs)

    def _split(self, doc: Any, given: Any) -> None:
        i, parts, head, own = given
        token = doc[i]
        if len(token) < 2 or not parts:
            return
        cuts = [*range(min(parts, len(token))), len(token)]
        orths = [token.text[a:b] for a, b in zip(cuts, cuts[1:], strict=False)]
        heads = [(token, 0) if own else doc[head] for _ in orths]
        # Without attributes, spaCy's later parts get those of the following tokens.
        attrs = {name: [value] * len(orths) for name, value in PART.items()}
        with doc.retokenize() as retokenizer:
            retokenizer.split(token, orths, heads=heads, attrs=attrs)
