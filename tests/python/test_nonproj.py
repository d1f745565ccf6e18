"""`lexpool.parser.nonproj`: trees made projective and back, beside spaCy's."""

import random

import pytest

from lexpool.parser import nonproj
from lexpool.tokens import Doc
from lexpool.training import Example
from lexpool.vocab import Vocab

LABELS = ["a", "b", "c", "d"]


@pytest.fixture(scope="module")
def theirs(spacy):
    from spacy.pipeline._parser_internals import nonproj

    return nonproj


def random_tree(rng, n):
    """The heads of a tree of any shape, one or two of them roots."""
    order = rng.sample(range(n), n)
    heads = [0] * n
    for i, token in enumerate(order):
        heads[token] = token if i == 0 or rng.random() < 0.05 else rng.choice(order[:i])
    return heads


def outcome(call, *arguments):
    """Returns the result of a call, or the relevant words of its error."""
    try:
        return call(*arguments)
    except ValueError as error:
        _, found, rest = str(error).partition("Found cycle")
        return found + rest


def test_trees_are_made_projective_as_spacy_makes_them(theirs):
    rng = random.Random(1)
    lifted = 0
    for _ in range(3000):
        heads = random_tree(rng, rng.randrange(1, 14))
        labels = [rng.choice(LABELS) for _ in heads]
        expected = theirs.projectivize(heads, labels)
        assert nonproj.projectivize(heads, labels) == tuple(expected)
        lifted += expected[0] != heads
        smallest = theirs.get_smallest_nonproj_arc_slow(heads)
        assert nonproj.get_smallest_nonproj_arc_slow(heads) == smallest
        assert nonproj.is_nonproj_tree(heads) == theirs.is_nonproj_tree(heads) == (smallest >= 0)
    assert lifted > 1000


def test_what_is_said_of_partial_and_cyclic_heads_is_what_spacy_says(theirs):
    rng = random.Random(2)
    cycles = 0
    for _ in range(3000):
        n = rng.randrange(1, 10)
        heads = [rng.choice([None, *range(n), *range(n)]) for _ in range(n)]
        for token in range(n):
            assert list(nonproj.ancestors(token, heads)) == list(theirs.ancestors(token, heads))
            assert outcome(nonproj.is_nonproj_arc, token, heads) == outcome(
                theirs.is_nonproj_arc, token, heads
            )
        assert nonproj.contains_cycle(heads) == theirs.contains_cycle(heads)
        assert outcome(nonproj.is_nonproj_tree, heads) == outcome(theirs.is_nonproj_tree, heads)
        cycles += nonproj.contains_cycle(heads) is not None
    assert cycles > 500


def test_documents_are_put_back_as_spacy_puts_them_back(theirs, spacy):
    vocabs = Vocab(), spacy.vocab.Vocab()
    rng = random.Random(3)
    moved = 0
    for _ in range(1500):
        n = rng.randrange(1, 12)
        heads, _ = nonproj.projectivize(random_tree(rng, n), ["x"] * n)
        deps = [
            rng.choice(LABELS) + rng.choice(["", "", *("||" + label for label in LABELS)])
            for _ in heads
        ]
        words = [rng.choice(["word", "\n", "two"]) for _ in heads]
        docs = [
            cls(vocab, words=words, heads=heads, deps=deps)
            for cls, vocab in zip((Doc, spacy.tokens.Doc), vocabs, strict=True)
        ]
        assert nonproj.deprojectivize(docs[0]) is docs[0]
        theirs.deprojectivize(docs[1])
        own, their = (
            [
                (t.head.i, t.dep_, t.left_edge.i, t.right_edge.i, t.n_lefts, t.is_sent_start)
                for t in doc
            ]
            for doc in docs
        )
        assert own == their, (heads, deps, words)
        moved += [head for head, *_ in own] != heads
    assert moved > 300


def test_labels_fall_apart_and_decorated_ones_are_counted(theirs):
    for label in ("a||b", "a", "", "||", "a|b"):
        assert nonproj.decompose(label) == tuple(theirs.decompose(label))
        assert nonproj.is_decorated(label) == theirs.is_decorated(label)
    vocab = Vocab()
    words = ["w"] * 9
    example = Example(
        Doc(vocab, words=words),
        Doc(vocab, words=words, heads=[1, 2, 2, 4, 5, 2, 7, 4, 2], deps=list("abcdefghi")),
    )
    assert nonproj.count_decorated_labels([example, example]) == {"h||e": 2}
    assert nonproj.count_decorated_labels([]) == {}


def test_heads_outside_and_tokens_that_there_are_not_are_named():
    for call in (
        nonproj.is_nonproj_tree,
        nonproj.contains_cycle,
        nonproj.get_smallest_nonproj_arc_slow,
    ):
        with pytest.raises(ValueError, match="E190"):
            call([0, 5])
    with pytest.raises(ValueError, match="E190"):
        nonproj.projectivize([0, 5], ["a", "b"])
    with pytest.raises(ValueError, match="E082"):
        nonproj.projectivize([0, 0], ["a"])
    with pytest.raises(
        ValueError, match=r"Found cycle in dependency graph: \[1, 2, 2, 4, 5, 3, 2\]"
    ):
        nonproj.projectivize([1, 2, 2, 4, 5, 3, 2], list("abcdefg"))
    for token in (2, -1, 2**40):
        with pytest.raises(IndexError, match="E040"):
            nonproj.is_nonproj_arc(token, [0, 0])
        with pytest.raises(IndexError, match="E040"):
            nonproj.ancestors(token, [0, 0])
    doc = Doc(Vocab(), words=["a", "b"], heads=[1, 1], deps=["a||b||c", "ROOT"])
    with pytest.raises(ValueError, match="projective-label"):
        nonproj.deprojectivize(doc)
    assert doc[0].dep_ == "a||b||c"
    assert len(nonproj.deprojectivize(Doc(Vocab(), words=[]))) == 0
