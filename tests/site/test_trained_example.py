"""Numbers of the drawings of a trained pipeline agree with each other, thinc and lexpool."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

import lexpool
from lexpool.parser import ArcEager, BiluoPushDown
from lexpool.strings import hash_string
from lexpool.tokens import Doc

ROOT = Path(__file__).parents[2]
ATTRS = ["NORM", "PREFIX", "SUFFIX", "SHAPE", "SPACY", "IS_SPACE"]


@pytest.fixture(scope="module")
def told():
    return json.loads((ROOT / "docs/src/trained.json").read_text())


@pytest.fixture
def tools(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "tests/tools"))
    import plain_network
    import trained_example

    yield plain_network, trained_example
    for name in ("plain_network", "trained_example"):
        sys.modules.pop(name, None)


@pytest.fixture
def pipeline(tmp_path):
    """A pipeline of small networks with random weights, saved by spaCy."""
    spacy = pytest.importorskip("spacy")
    from spacy.training import Example

    spacy.util.fix_random_seed(0)
    nlp = spacy.blank("en")
    sizes = {"width": 16, "depth": 2, "window_size": 1, "maxout_pieces": 2}
    tok2vec = {
        "@architectures": "spacy.Tok2Vec.v2",
        "embed": {
            "@architectures": "spacy.MultiHashEmbed.v2",
            "width": 16,
            "attrs": ATTRS,
            "rows": [50] * len(ATTRS),
            "include_static_vectors": False,
        },
        "encode": {"@architectures": "spacy.MaxoutWindowEncoder.v2", **sizes},
    }
    listener = {"@architectures": "spacy.Tok2VecListener.v1", "width": 16}
    nlp.add_pipe("tok2vec", config={"model": tok2vec})
    nlp.add_pipe("tagger", config={"model": {"tok2vec": listener}})
    nlp.add_pipe("parser", config={"model": {"tok2vec": listener}})
    nlp.add_pipe("ner", config={"model": {"tok2vec": tok2vec}})
    given = {
        "tags": ["A", "B", "C", "A"],
        "heads": [1, 1, 1, 1],
        "deps": ["x", "ROOT", "y", "z"],
        "entities": ["U-X", "O", "B-Y", "L-Y"],
    }
    examples = [Example.from_dict(nlp.make_doc("Ada saw London today"), given)] * 30
    nlp.initialize(lambda: examples)
    nlp.update(examples)
    nlp.to_disk(tmp_path / "small")
    return lexpool.load(tmp_path / "small")


def test_the_script_takes_any_pipeline_of_its_components(tools, pipeline, told):
    _, trained_example = tools
    made = trained_example.data(pipeline, "Ada didn't see London.")
    assert made.keys() == told.keys()
    assert json.loads(trained_example.written(made)) == made
    assert len(made["tokens"]) == 6
    assert made["network"]["windows"] == [1, 1]


def test_scores_that_lead_to_another_parse_are_an_error(tools, pipeline, monkeypatch):
    plain_network, trained_example = tools
    score = plain_network.StateNetwork.__call__
    monkeypatch.setattr(
        plain_network.StateNetwork, "__call__", lambda self, features: -score(self, features)
    )
    with pytest.raises(ValueError, match="differ"):
        trained_example.data(pipeline, "Ada saw London today, and Paris too.")


def test_rows_are_those_of_thinc(tools, told):
    ops = pytest.importorskip("thinc.api").NumpyOps()
    plain_network, _ = tools
    for token in told["tokens"]:
        for own, table in zip(token["ids"], told["network"]["tables"], strict=True):
            keys = np.array([int(own["id"])], dtype="uint64")
            rows = (ops.hash(keys, table["seed"])[0] % table["rows"]).tolist()
            assert own["rows"] == rows
            assert rows == plain_network.hash_rows(int(own["id"]), table["seed"], table["rows"])


def test_ids_are_those_of_the_attributes(told):
    assert "".join(token["text"] + " " * token["space"] for token in told["tokens"]) == told["text"]
    for token in told["tokens"]:
        for own, table in zip(token["ids"], told["network"]["tables"], strict=True):
            is_flag = table["attr"] in ("SPACY", "IS_SPACE")
            expected = int(own["value"]) if is_flag else hash_string(own["value"])
            assert int(own["id"]) == expected


def test_a_vector_changes_with_the_tokens_in_reach_and_no_other(told):
    reach = sum(told["network"]["windows"])
    for i, row in enumerate(told["changes"]):
        for j, change in enumerate(row):
            assert (change > 0) == (abs(i - j) <= reach), (i, j)


def replay(moves, told, name):
    """Makes the transitions of the steps, each from the state that it shows."""
    doc = Doc(lexpool.Vocab(), words=[token["text"] for token in told["tokens"]])
    (state,) = moves.init_batch([doc])
    for step in told[name]["steps"]:
        assert (list(state.stack), list(state.queue)) == (step["stack"], step["queue"])
        scores = [score for _, score in step["best"]]
        assert scores == sorted(scores, reverse=True)
        assert len(scores) == min(step["valid"], 3)
        moves.apply_transition(state, step["best"][0][0])
    assert state.is_final()
    return doc, state


def labels(told, name, *kinds):
    names = (step["best"][0][0].partition("-") for step in told[name]["steps"])
    return sorted({label for kind, _, label in names if kind in kinds})


def test_the_steps_of_the_parser_lead_to_its_tree(told):
    actions = ArcEager.get_actions(
        left_labels=labels(told, "parser", "L"), right_labels=labels(told, "parser", "R")
    )
    moves = ArcEager(lexpool.Vocab().strings, actions)
    doc, state = replay(moves, told, "parser")
    heads = {arc["child"]: arc["head"] for arc in state.arcs}
    assert [heads.get(i, i) for i in range(len(doc))] == [
        head for head, _ in told["parser"]["tree"]
    ]
    made = [arc for step in told["parser"]["steps"] for arc in step["made"]]
    assert {(head, child) for head, child, _ in made} == {(h, c) for c, h in heads.items()}


def test_the_steps_of_the_recognizer_lead_to_its_entities(told):
    types = labels(told, "ner", "B", "U")
    moves = BiluoPushDown(lexpool.Vocab().strings, BiluoPushDown.get_actions(entity_types=types))
    _, state = replay(moves, told, "ner")
    ents = [(start, end) for start, end, _ in state.ents]
    assert ents == [(start, end) for start, end, _ in told["ner"]["ents"]]


def test_the_file_is_small():
    assert (ROOT / "docs/src/trained.json").stat().st_size < 60_000
