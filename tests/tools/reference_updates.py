"""Writes tests/files/updates.json, which the tests of core/training/src read: updates of small
parsers and entity recognizers by spaCy, with the gradients of all parameters.

    python tests/tools/reference_updates.py

It needs spaCy, as `make test-conformance`, and a processor of AMD since Zen 3. Each case has the
settings and the file of a network of random weights, the moves of its transition system, examples,
a seed for the generators of NumPy and Python, and what an update from that point gives: the loss,
and the gradients by node and parameter. Arrays are written as their bits, eight digits of base 16 a
number.
"""

import json
import random
from pathlib import Path
from typing import Any

import numpy
import spacy
from blis_numerics import require_generic
from spacy.tokens import Doc, Span
from spacy.training import Example

FILES = Path(__file__).parents[1] / "files"
RANDOM = numpy.random.default_rng(11)
DROPOUT = 0.2

TREES: list[dict[str, Any]] = [
    {
        "words": ["Ada", "Lovelace", "wrote", "3", "programs", "today", "."],
        "heads": [2, 0, 2, 4, 2, 2, 2],
        "deps": ["nsubj", "flat", "ROOT", "nummod", "obj", "advmod", "punct"],
        "ents": ["B-PER", "L-PER", "O", "O", "O", "O", "O"],
    },
    {
        # Arcs that cross, and two sentences.
        "words": ["A", "talk", "is", "held", "on", "trees", "now", "Stay", "here", "!"],
        "heads": [1, 3, 3, 3, 5, 1, 3, 7, 7, 7],
        "deps": [
            "det",
            "nsubj",
            "aux",
            "ROOT",
            "case",
            "nmod",
            "advmod",
            "ROOT",
            "advmod",
            "punct",
        ],
        "ents": ["O", "O", "O", "O", "O", "U-ORG", "-", "-", "O", "O"],
    },
    {
        "words": ["In", "New", "York", "City", "it", "rains"],
        "heads": [3, 3, 3, 5, 5, 5],
        "deps": ["case", "compound", "compound", "obl", "nsubj", "ROOT"],
        "ents": ["O", "B-LOC", "I-LOC", "L-LOC", "O", "O"],
        # The predicted tokens: one of two words, and two of one.
        "predicted": ["In", "New York", "Ci", "ty", "it", "rains"],
    },
    {
        # A document without gold annotation.
        "words": ["Yes"],
        "heads": [0],
        "deps": [""],
        "ents": ["-"],
    },
    {
        "words": ["Paris", "saw", "Marie", "Curie", "leave", "Paris", "for", "Rome", "at", "noon"],
        "heads": [1, 1, 1, 2, 1, 4, 7, 4, 9, 4],
        "deps": ["nsubj", "ROOT", "obj", "flat", "xcomp", "obj", "case", "obl", "case", "obl"],
        "ents": ["U-LOC", "O", "B-PER", "L-PER", "O", "U-LOC", "O", "U-LOC", "O", "O"],
        "wrong": [[1, 3, "PER"], [9, 10, "LOC"], [7, 9, "ORG"]],
    },
]


def settings(state_type: str, **own: Any) -> dict[str, Any]:
    return {
        "@architectures": "spacy.TransitionBasedParser.v2",
        "state_type": state_type,
        "extra_state_tokens": False,
        "hidden_width": 5,
        "maxout_pieces": 2,
        "use_upper": True,
        "nO": None,
        "tok2vec": {
            "@architectures": "spacy.Tok2Vec.v2",
            "embed": {
                "@architectures": "spacy.MultiHashEmbed.v2",
                "width": 4,
                "attrs": ["ORTH", "SHAPE"],
                "rows": [20, 10],
                "include_static_vectors": False,
            },
            "encode": {
                "@architectures": "spacy.MaxoutWindowEncoder.v2",
                "width": 4,
                "depth": 1,
                "window_size": 1,
                "maxout_pieces": 2,
            },
        },
    } | own


BEAM = {"beam_width": 4, "beam_update_prob": 1.0}
CASES: list[dict[str, Any]] = [
    {
        "factory": "parser",
        "model": settings("parser", maxout_pieces=3),
        "cfg": {"update_with_oracle_cut_size": 5},
    },
    {
        "factory": "parser",
        "model": settings("parser", extra_state_tokens=True, use_upper=False),
        "cfg": {},
    },
    {
        "factory": "parser",
        "model": settings("parser", maxout_pieces=1),
        "cfg": {"update_with_oracle_cut_size": 0},
    },
    {
        "factory": "ner",
        "model": settings("ner"),
        "cfg": {"incorrect_spans_key": "wrong", "update_with_oracle_cut_size": 4},
    },
    {
        "factory": "ner",
        "model": settings("ner", extra_state_tokens=True, maxout_pieces=1, use_upper=False),
        "cfg": {},
    },
    # One class has a gold move, and is seen from then on; the other has none.
    {"factory": "ner", "model": settings("ner"), "cfg": {}, "labels": ["ORG", "NONE"]},
    {"factory": "beam_ner", "model": settings("ner"), "cfg": BEAM | {"beam_density": 0.001}},
    {
        "factory": "beam_parser",
        "model": settings("parser", maxout_pieces=3),
        "cfg": BEAM | {"beam_density": 0.0},
    },
    {
        "factory": "beam_ner",
        "model": settings("ner", maxout_pieces=1, use_upper=False),
        "cfg": BEAM | {"beam_density": 0.0, "incorrect_spans_key": "wrong"},
        "labels": ["ORG"],
    },
]


def examples(nlp: Any, tree: dict[str, Any]) -> Example:
    words, ents = tree["words"], tree["ents"]
    has_tree = any(tree["deps"])
    reference = Doc(
        nlp.vocab,
        words=words,
        heads=tree["heads"] if has_tree else None,
        deps=tree["deps"] if has_tree else None,
        ents=None if set(ents) == {"-"} else biluo(ents),
    )
    wrong = [Span(reference, start, end, label) for start, end, label in tree.get("wrong", [])]
    reference.spans["wrong"] = wrong
    return Example(Doc(nlp.vocab, words=tree.get("predicted", words)), reference)


def biluo(tags: list[str]) -> list[str]:
    """Returns tags that `Doc` takes: IOB, and empty for what is not known."""
    known = {"B": "B", "I": "I", "L": "I", "U": "B"}
    return ["" if tag == "-" else known.get(tag[0], tag[0]) + tag[1:] for tag in tags]


def bits(array: numpy.ndarray) -> str:
    return "".join(f"{number:08x}" for number in numpy.ascontiguousarray(array).view("u4").ravel())


def case(number: int, given: dict[str, Any]) -> dict[str, Any]:
    nlp = spacy.blank("en")
    config = {"model": given["model"], **given["cfg"]}
    if "parser" in given["factory"]:
        config["min_action_freq"] = 1
    pipe = nlp.add_pipe(given["factory"], config=config)
    all_examples = [examples(nlp, tree) for tree in TREES]
    added = given.get("labels", [])
    known = [
        example
        for example, tree in zip(all_examples, TREES, strict=True)
        if not any(tag[2:] in added for tag in tree["ents"])
    ]
    nlp.initialize(lambda: known)
    for node in pipe.model.walk():
        for name in node.param_names:
            shape = node.get_param(name).shape
            node.set_param(name, RANDOM.standard_normal(shape).astype("f") * numpy.float32(0.7))
    for label in added:
        pipe.add_label(label)
    unseen = sorted(pipe.model.attrs["unseen_classes"])
    made = {
        "factory": given["factory"],
        "model": given["model"],
        "cfg": {
            key: pipe.cfg[key] for key in sorted(pipe.cfg) if key not in ("moves", "multitasks")
        },
        "file": pipe.model.to_bytes().hex(),
        "moves": json.dumps(pipe.moves.labels),
        "unseen": unseen,
        "seed": number + 3,
    }
    numpy.random.seed(number + 3)
    random.seed(number + 3)
    losses: dict[str, float] = {}
    pipe.update(all_examples, drop=DROPOUT, sgd=None, losses=losses)
    made["loss"] = float(losses[pipe.name])
    made["unseen_after"] = sorted(pipe.model.attrs["unseen_classes"])
    made["gradients"] = [
        [index, name, bits(node.get_grad(name))]
        for index, node in enumerate(pipe.model.walk())
        for name in node.param_names
        if node.has_grad(name)
    ]
    return made


def main() -> None:
    require_generic()
    cases = [case(number, given) for number, given in enumerate(CASES)]
    made = {"dropout": DROPOUT, "documents": TREES, "cases": cases}
    lines = json.dumps(made, separators=(",", ":")).replace('{"factory"', '\n{"factory"')
    (FILES / "updates.json").write_text(lines + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
