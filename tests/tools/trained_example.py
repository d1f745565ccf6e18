"""Writes docs/src/trained.json, a sentence in a trained pipeline: `trained_example.py FOLDER`.

The drawings of the site's page on trained pipelines show it: the ids and hash rows of each token,
what each token's vector depends on, and the states of parser and entity recognizer with the scores
of their transitions. FOLDER is a pipeline with the components `tok2vec`, `tagger`, `parser` and
`ner`, and without word vectors; it is not part of the repository. Scores come from `plain_network`;
the results that follow from them must be those of lexpool.
"""

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
from plain_network import StateNetwork, TokenNetwork

import lexpool
from lexpool import Doc, Language

TEXT = "Mary Jones says that Google won't leave New York this year."
# A word in the place of another one, to see which vectors change.
OTHER_WORD = "meanwhile"
BEST = 3
OUT = Path(__file__).parents[2] / "docs/src/trained.json"


def data(nlp: Language, text: str = TEXT) -> dict[str, Any]:
    """The sentence with everything that the drawings show."""
    shared = TokenNetwork(nlp.get_pipe("tok2vec").model.walk())
    doc = nlp(text)
    (vectors,) = nlp.get_pipe("tok2vec").predict([doc])
    if not np.allclose(vectors, shared.run(doc), atol=1e-4):
        raise ValueError("the vectors differ from lexpool's")
    return {
        "network": network(nlp, shared),
        "text": text,
        "tokens": tokens(nlp, shared, doc),
        "changes": changes(nlp, doc),
        "parser": parser(nlp, doc),
        "ner": ner(nlp, doc),
    }


def network(nlp: Language, shared: TokenNetwork) -> dict[str, Any]:
    """The sizes of the networks."""
    maxout = shared.layers[-1][0].get_param("W")
    weights = sum(
        array.size
        for name in ("tok2vec", "tagger", "parser", "ner")
        for node in nlp.get_pipe(name).model.walk()
        for array in node.params.values()
        if array is not None
    )
    return {
        "weights": weights,
        "width": maxout.shape[0],
        "pieces": maxout.shape[1],
        "windows": shared.windows,
        "tables": [
            {
                "attr": attr,
                "rows": embed.get_param("E").shape[0],
                "seed": embed.attrs["seed"],
            }
            for attr, embed in zip(shared.columns, shared.embeds, strict=True)
        ],
        "tags": len(nlp.get_pipe("tagger").labels),
    }


def tokens(nlp: Language, shared: TokenNetwork, doc: Doc) -> list[dict[str, Any]]:
    """Each token with its ids, their rows, and its best tags."""
    tagger = nlp.get_pipe("tagger")
    (scores,) = tagger.model.predict([doc])
    ids = doc.to_array(shared.columns).astype(np.uint64).reshape(len(doc), -1)
    shown = []
    for token, row, own in zip(doc, ids, scores, strict=True):
        best = np.argsort(-own, kind="stable")[:BEST]
        if tagger.labels[best[0]] != token.tag_:
            raise ValueError(f"{token} has the tag {token.tag_}")
        shown.append(
            {
                "text": token.text,
                "space": bool(token.whitespace_),
                "ids": [
                    {
                        "value": value(doc, attr, int(number)),
                        "id": str(number),
                        "rows": shared.rows_of(int(number), at),
                    }
                    for at, (attr, number) in enumerate(zip(shared.columns, row, strict=True))
                ],
                "tags": [[tagger.labels[i], round(float(own[i]), 2)] for i in best],
            }
        )
    return shown


def value(doc: Doc, attr: str, number: int) -> str:
    """The string of an id; a flag is a number."""
    return str(number) if attr in ("SPACY", "IS_SPACE") else doc.vocab.strings[number]


def changes(nlp: Language, doc: Doc) -> list[list[float]]:
    """Distances by which each token's vector moves (row) if another word stands for a token
    (column).
    """
    tok2vec = nlp.get_pipe("tok2vec")
    words = [token.text for token in doc]
    spaces = [bool(token.whitespace_) for token in doc]
    (before,) = tok2vec.predict([Doc(doc.vocab, words=words, spaces=spaces)])
    columns = []
    for at in range(len(doc)):
        other = [*words[:at], OTHER_WORD, *words[at + 1 :]]
        (after,) = tok2vec.predict([Doc(doc.vocab, words=other, spaces=spaces)])
        columns.append(np.linalg.norm(after - before, axis=1))
    return [[float(f"{number:.3g}") for number in row] for row in np.transpose(columns)]


def parser(nlp: Language, doc: Doc) -> dict[str, Any]:
    pipe = nlp.get_pipe("parser")
    (vectors,) = nlp.get_pipe("tok2vec").predict([doc])
    state, found = steps(pipe, doc, vectors)
    known: set[tuple[int, int]] = set()
    for step in found:
        arcs = {(arc[0], arc[1]): arc for arc in step.pop("arcs")}
        if not known <= arcs.keys():
            raise ValueError("an arc was removed, which the drawing does not show")
        step["made"] = [arcs[key] for key in sorted(arcs.keys() - known)]
        known |= arcs.keys()
        step.pop("ents")
    other = fresh(doc)
    pipe.moves.set_annotations(state, other)
    tree = [[token.head.i, token.dep_] for token in doc]
    if tree != [[token.head.i, token.dep_] for token in other]:
        raise ValueError("the tree differs from lexpool's")
    return {"n_moves": pipe.moves.n_moves, "steps": found, "tree": tree}


def ner(nlp: Language, doc: Doc) -> dict[str, Any]:
    pipe = nlp.get_pipe("ner")
    other = fresh(doc)
    # Entities do not cross the starts of sentences that the parser has set.
    for token, copied in zip(doc, other, strict=True):
        copied.is_sent_start = bool(token.is_sent_start)
    # Its network for tokens lies below that for states.
    vectors = TokenNetwork(pipe.model.walk()).run(other)
    state, found = steps(pipe, other, vectors)
    pipe.moves.set_annotations(state, other)
    for step in found:
        step.pop("arcs")
    ents = [[ent.start, ent.end, ent.label_] for ent in doc.ents]
    if ents != [[ent.start, ent.end, ent.label_] for ent in other.ents]:
        raise ValueError("the entities differ from lexpool's")
    return {"n_moves": pipe.moves.n_moves, "steps": found, "ents": ents}


def fresh(doc: Doc) -> Doc:
    """The tokens of a document without annotation."""
    words = [token.text for token in doc]
    return Doc(doc.vocab, words=words, spaces=[bool(token.whitespace_) for token in doc])


def steps(pipe: Any, doc: Doc, vectors: Any) -> tuple[Any, list[dict[str, Any]]]:
    """The states of a greedy parse: each with its features and the best valid transitions, of which
    the first is made, and the arcs and entities after it.
    """
    scorer = StateNetwork(list(pipe.model.walk()), vectors)
    asked: list[Any] = []

    def score(features: Any) -> Any:
        scores = scorer(np.array(features))
        asked.append((np.array(features)[0].tolist(), scores[0]))
        return scores

    (final,) = pipe.moves.parse([doc], score, n_features=scorer.n_features)
    (state,) = pipe.moves.init_batch([doc])
    found = []
    strings = doc.vocab.strings
    for features, scores in asked:
        names = [pipe.moves.get_class_name(i) for i in range(pipe.moves.n_moves)]
        valid = [i for i in range(len(names)) if pipe.moves.is_valid(state, names[i])]
        best = sorted(valid, key=lambda i: -scores[i])[:BEST]
        step = {
            "stack": list(state.stack),
            "queue": list(state.queue),
            "features": features,
            "valid": len(valid),
            "best": [[names[i], round(float(scores[i]), 2)] for i in best],
        }
        pipe.moves.apply_transition(state, names[best[0]])
        step["arcs"] = [
            [arc["head"], arc["child"], strings[arc["label"]] if arc["label"] else ""]
            for arc in state.arcs
        ]
        step["ents"] = [[start, end, strings[label]] for start, end, label in state.ents]
        found.append(step)
    if not state.is_final() or state.arcs != final.arcs or state.ents != final.ents:
        raise ValueError("the transitions differ from those of the parse")
    return final, found


def written(content: dict[str, Any]) -> str:
    """As JSON with a line for each token, step and row."""
    parts = []
    for key, part in content.items():
        if isinstance(part, list):
            parts.append(f' "{key}": [\n{lines(part)}\n ]')
        elif isinstance(part, dict) and "steps" in part:
            rest = json.dumps({name: own for name, own in part.items() if name != "steps"})
            parts.append(f' "{key}": {rest[:-1]}, "steps": [\n{lines(part["steps"])}\n ]}}')
        else:
            parts.append(f' "{key}": {json.dumps(part)}')
    return "{\n" + ",\n".join(parts) + "\n}\n"


def lines(items: list[Any]) -> str:
    return ",\n".join(f"  {json.dumps(item)}" for item in items)


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("folder", type=Path, help="a pipeline that spaCy has written")
    OUT.write_text(written(data(lexpool.load(arguments.parse_args().folder))))
    print(f"{OUT}: {OUT.stat().st_size} bytes")
