"""The sentences of the treebanks as plain data, that both libraries make documents of."""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

# The relations of Universal Dependencies that have other names where spaCy's English rules ask for
# them.
RELATIONS = {
    "obj": "dobj",
    "nsubj:pass": "nsubjpass",
    "iobj": "dative",
    "root": "ROOT",
    "obl": "pobj",
    "nmod": "pobj",
    "xcomp": "attr",
    "ccomp": "pcomp",
    "obl:npmod": "oprd",
}
PARTS = ["NOUN", "PROPN", "PRON", "VERB", "ADJ", "DET", "PUNCT", "X", "SPACE"]
DEPS = [*RELATIONS.values(), "nsubj", "appos", "conj", "conj", "cc", "amod", "subtok", "punct"]

Sentence = dict[str, list[Any]]


def sentences(folder: Path) -> Iterator[Sentence]:
    """The sentences of every treebank, as arguments of `Doc`; entities are made of proper nouns."""
    for path in sorted(folder.glob("*.conllu")):
        for block in path.read_text("utf8").split("\n\n"):
            rows = [line.split("\t") for line in block.split("\n") if line and line[0] != "#"]
            # Neither words that were written as one nor those that were left out.
            rows = [row for row in rows if row[0].isdigit()]
            if rows:
                yield _sentence(rows)


def _sentence(rows: list[list[str]]) -> Sentence:
    heads = [int(row[6]) - 1 if row[6] != "0" else i for i, row in enumerate(rows)]
    ents = ["O"] * len(rows)
    for i, row in enumerate(rows):
        if row[3] == "PROPN":
            ents[i] = "I-NAME" if i and rows[i - 1][3] == "PROPN" else "B-NAME"
    return {
        "words": [row[1] for row in rows],
        "spaces": ["SpaceAfter=No" not in row[9] for row in rows],
        "tags": [row[4] for row in rows],
        "pos": [row[3] for row in rows],
        "morphs": [row[5] for row in rows],
        "lemmas": [row[2] for row in rows],
        "heads": heads,
        "deps": [RELATIONS.get(row[7], row[7]) for row in rows],
        "ents": ents,
    }


def joined(parts: list[Sentence]) -> Sentence:
    """Sentences one behind the other, as one document."""
    whole: Sentence = {name: [] for name in parts[0]}
    for part in parts:
        first = len(whole["words"])
        for name, values in part.items():
            whole[name] += [first + head for head in values] if name == "heads" else values
    return whole


def random_sentence(rng: random.Random) -> Sentence:
    """A sentence by chance: its tree may have crossing arcs, and several roots."""
    n = rng.randint(1, 24)
    heads = list(range(n))
    if rng.random() < 0.5:
        order = rng.sample(range(n), n)
        for place, i in enumerate(order):
            heads[i] = rng.choice(order[:place]) if place and rng.random() < 0.9 else i
    else:
        _project(rng, heads, 0, n, None)
    return {
        "words": [
            rng.choice(
                ["cat", "Cats", "went", "going", "is", "N.Y.", "\u00c9t\u00e9s", " ", "buses", "I"]
            )
            for _ in range(n)
        ],
        "spaces": [rng.random() < 0.8 for _ in range(n)],
        "tags": [rng.choice(["NN", "NNS", "VB", "VBZ", "JJ", "_SP"]) for _ in range(n)],
        "pos": [rng.choice(PARTS) for _ in range(n)],
        "morphs": [
            rng.choice(
                [
                    "Number=Sing",
                    "Number=Plur",
                    "VerbForm=Inf",
                    "Degree=Pos",
                    "",
                    "Tense=Pres|VerbForm=Fin",
                ]
            )
            for _ in range(n)
        ],
        "lemmas": [rng.choice(["", "", "own"]) for _ in range(n)],
        "heads": heads,
        "deps": [
            "ROOT" if head == i and rng.random() < 0.8 else rng.choice(DEPS)
            for i, head in enumerate(heads)
        ],
        "ents": _ents(rng, n),
    }


def _ents(rng: random.Random, n: int) -> list[str]:
    ents: list[str] = []
    for _ in range(n):
        goes_on = ents and ents[-1] != "O" and rng.random() < 0.5
        ents.append("I" + ents[-1][1:] if goes_on else rng.choice(["O", "O", "B-A", "B-B"]))
    return ents


def _project(rng: random.Random, heads: list[int], start: int, end: int, over: int | None) -> None:
    while start < end:
        stop = rng.randint(start + 1, end)
        root = rng.randrange(start, stop)
        heads[root] = root if over is None else over
        _project(rng, heads, start, root, root)
        _project(rng, heads, root + 1, stop, root)
        start = stop


def without(sentence: Sentence, *names: str) -> Sentence:
    """A sentence of which less is known."""
    return {name: values for name, values in sentence.items() if name not in names}
