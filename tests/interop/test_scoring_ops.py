"""Ops that score the states of parses, called without Python."""

import pytest

import lexpool
from lexpool.parser import ArcEager, BiluoPushDown
from lexpool.tokens import Doc


@pytest.fixture
def docs():
    vocab = lexpool.blank("en").vocab
    return [Doc(vocab, words=["a"] * n) for n in (1, 4, 0, 2)]


@pytest.mark.parametrize("n_threads", [1, 2])
def test_an_op_scores_a_parse(bench, docs, n_threads):
    strings = docs[0].vocab.strings
    moves = BiluoPushDown(strings, {4: {"X": 3, "Y": 2}, 5: {"": 1}})
    assert [moves.get_class_name(i) for i in range(3)] == ["U-X", "U-Y", "O"]
    states = moves.parse(docs, bench.scores, n_features=3, n_threads=n_threads)
    label = strings["Y"]
    assert [state.ents for state in states] == [
        [(i, i + 1, label) for i in range(len(d))] for d in docs
    ]
    beams = moves.beam_parse(docs, bench.scores, 2, n_features=3)
    assert [moves.get_beam_parses(beam)[0][1] for beam in beams] == [
        [(i, i + 1, "Y") for i in range(len(doc))] for doc in docs
    ]


def test_an_op_that_does_not_score_is_named_with_state_and_step(bench, docs):
    strings = docs[0].vocab.strings
    moves = ArcEager(strings, ArcEager.get_actions())
    with pytest.raises(
        ValueError, match=r"\[transition-scores\] state 0, step 0: .* shape \[3, 3\] for 3"
    ):
        moves.parse(docs, bench.scores)
    for op in (bench.invert, lexpool.ops.text.edit_distance):
        with pytest.raises(TypeError) as raised:
            moves.parse(docs, op)
        assert "state 0, step 0" in raised.value.__notes__[0]
    with pytest.raises(ValueError, match="state-features"):
        moves.parse(docs, bench.scores, n_features=5)
