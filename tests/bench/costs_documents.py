"""Costs of documents, tokens and phrases, which `costs.py` measures."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import spacy
from matching import Terms
from turns import Costs, Sides, Task, drop_each

import lexpool

MODULES = {"spacy": spacy, "lexpool": lexpool}
# Few tokens, many times: the cost of the call, not of the processor's caches.
TOKENS, ROUNDS = 5_000, 40
PHRASES = {1_000: "1k", 10_000: "10k", 100_000: "100k"}
COLUMNS = ["ORTH", "LOWER", "SHAPE", "IS_ALPHA"]


@dataclass
class Documents:
    """The same documents of both, tokenized by the same rules."""

    texts: list[str]
    their_nlp: Any
    our_nlp: Any
    theirs: list[Any]
    ours: list[Any]

    @classmethod
    def of(cls, texts: list[str]) -> "Documents":
        their_nlp, our_nlp = spacy.blank("en"), lexpool.blank("en")
        our_nlp.tokenizer = lexpool.Tokenizer.from_spacy(their_nlp.tokenizer)
        theirs = [their_nlp.tokenizer(text) for text in texts]
        ours = [our_nlp.tokenizer(text) for text in texts]
        assert [len(doc) for doc in theirs] == [len(doc) for doc in ours]
        return cls(texts, their_nlp, our_nlp, theirs, ours)

    @property
    def tokens(self) -> int:
        return sum(map(len, self.ours))

    @property
    def sides(self) -> dict[str, tuple[Any, list[Any]]]:
        """The pipeline and documents of each."""
        return {"spacy": (self.their_nlp, self.theirs), "lexpool": (self.our_nlp, self.ours)}


def document_costs(costs: Costs, docs: Documents) -> None:
    """Methods of documents that are as short as paragraphs."""
    costs.table("documents", "Methods of short documents, a token", "ns")
    array_costs(costs, docs)
    count_costs(costs, docs)
    words_costs(costs, docs)
    slice_costs(costs, docs)


def array_costs(costs: Costs, docs: Documents) -> None:
    """The bound copies the resulting arrays."""
    for attrs, goal in ((COLUMNS, 20), ("LOWER", 12)):
        arrays = [doc.to_array(attrs) for doc in docs.ours]
        sides = {
            side: Task(
                lambda _, own=own, attrs=attrs: drop_each(doc.to_array(attrs) for doc in own)
            )
            for side, (_, own) in docs.sides.items()
        }
        sides["bound"] = Task(lambda _, arrays=arrays: drop_each(array.copy() for array in arrays))
        count = 1 if attrs == "LOWER" else len(attrs)
        title = f"to_array, {count} {'attribute' if count == 1 else 'attributes'}; bound: copy"
        costs.time("documents", f"to-array-{count}", title, sides, docs.tokens, goal=goal)


def count_costs(costs: Costs, docs: Documents) -> None:
    """The bound makes the resulting dicts of ready numbers."""
    attr = spacy.attrs.LOWER
    counts = [doc.count_by(attr) for doc in docs.ours]
    assert counts == [doc.count_by(attr) for doc in docs.theirs]
    items = [(list(count), list(count.values())) for count in counts]
    sides = {
        side: Task(lambda _, own=own: drop_each(doc.count_by(attr) for doc in own))
        for side, (_, own) in docs.sides.items()
    }
    sides["bound"] = Task(lambda _: drop_each(dict(zip(keys, values)) for keys, values in items))
    costs.time("documents", "count-by", "count_by; bound: its dict", sides, docs.tokens, goal=6)


def words_costs(costs: Costs, docs: Documents) -> None:
    """The bound reads the given lists, and looks each word up in a dict."""
    source = [([t.text for t in doc], [bool(t.whitespace_) for t in doc]) for doc in docs.theirs]
    sides = {
        side: Task(
            lambda _, make=MODULES[side].tokens.Doc, nlp=nlp: from_words(make, nlp.vocab, source)
        )
        for side, (nlp, _) in docs.sides.items()
    }
    known = dict.fromkeys(word for words, _ in source for word in words)
    sides["bound"] = Task(lambda _: looked_up(known, source))
    title = "Doc(vocab, words, spaces); bound: dict"
    costs.time("documents", "from-words", title, sides, docs.tokens, goal=6)


def slice_costs(costs: Costs, docs: Documents) -> None:
    """The bound takes as long parts of tuples."""
    sides = {side: Task(lambda _, own=own: sliced(own)) for side, (_, own) in docs.sides.items()}
    tuples = [tuple(range(len(doc))) for doc in docs.ours]
    sides["bound"] = Task(lambda _: sliced(tuples))
    costs.time("documents", "slice", "doc[i:i+5]; bound: tuple[i:i+5]", sides, docs.tokens, goal=10)


def from_words(make, vocab, source) -> None:
    for words, spaces in source:
        make(vocab, words=words, spaces=spaces)


def looked_up(known, source) -> None:
    """Looks up each word in a dict, and reads the list of spaces, in loops of C."""
    for words, spaces in source:
        drop_each(map(known.get, words))
        spaces.count(True)


def sliced(sequences) -> None:
    for sequence in sequences:
        for i in range(len(sequence)):
            sequence[i : i + 5]


def token_costs(costs: Costs, docs: Documents) -> None:
    """Attributes, in a loop of which nothing is deducted.

    The bound is the same loop over objects of CPython's whose attribute is a member in C: for a
    string one that exists, `slice.start`; for a number one that is made as `code.co_firstlineno`,
    with the same value or, of ids, the part of it that this type has room for.
    """
    costs.table("tokens", "Attributes of a token", "ns")
    tokens = {
        side: [token for doc in own for token in doc][:TOKENS]
        for side, (_, own) in docs.sides.items()
    }
    code = compile("", "", "exec")
    for name, goal in (
        ("text", 4),
        ("lower_", 4),
        ("shape_", 4),
        ("whitespace_", 1.2),
        ("lower", 1.2),
        ("i", 1.2),
        ("idx", 1.2),
    ):
        values = [getattr(token, name) for token in tokens["lexpool"]]
        assert values == [getattr(token, name) for token in tokens["spacy"]]
        read = reading(name)
        sides = {
            side: Task(lambda _, own=own, read=read: read(own)) for side, own in tokens.items()
        }
        if isinstance(values[0], str):
            member, objects = "start", [slice(value, None) for value in values]
            bound = "slice.start"
        else:
            member, bound = "co_firstlineno", "code.co_firstlineno"
            objects = [code.replace(co_firstlineno=value & 0x7FFF_FFFF) for value in values]
        read = reading(member)
        sides["bound"] = Task(lambda _, objects=objects, read=read: read(objects))
        title = f"token.{name}; bound: {bound}"
        costs.time("tokens", name, title, sides, ROUNDS * len(values), goal=goal)


def reading(name: str):
    """A loop that reads an attribute, in source: `getattr` has another cost."""
    scope: dict[str, Any] = {"ROUNDS": ROUNDS}
    source = f"def read(objects):\n for _ in range(ROUNDS):\n  for one in objects:\n   one.{name}"
    exec(source, scope)
    return scope["read"]


def phrase_costs(costs: Costs, docs: Documents) -> None:
    """Phrases in documents. The bound is a table look-up of the word of each token in one pass, and
    the list of what is found, for all documents at once.
    """
    costs.table("phrases", "PhraseMatcher on documents, a token", "ns")
    ids = np.concatenate([doc.to_array("ORTH") for doc in docs.ours])
    _, words = np.unique(ids, return_inverse=True)
    begins = np.zeros(words.max() + 1, dtype=np.uint8)
    terms = Terms(docs.ours)
    for count, short_count in PHRASES.items():
        phrases = terms.phrases(count)
        matchers = {}
        for side, (nlp, _) in docs.sides.items():
            matchers[side] = MODULES[side].matcher.PhraseMatcher(nlp.vocab)
            matchers[side].add("P", [nlp.tokenizer(phrase) for phrase in phrases])
        sides: Sides = {
            side: Task(lambda _, m=matchers[side], own=own: drop_each(m(doc) for doc in own))
            for side, (_, own) in docs.sides.items()
        }
        found = [match for doc in docs.ours for match in matchers["lexpool"](doc)]
        assert len(found) == sum(len(matchers["spacy"](doc)) for doc in docs.theirs)
        columns = [list(column) for column in zip(*found)]
        bound = Task(lambda _, columns=columns: (begins.take(words), list(zip(*columns))))
        title = f"{short_count} phrases; bound: one look-up"
        costs.time("phrases", str(count), title, sides | {"bound": bound}, docs.tokens, goal=8)
