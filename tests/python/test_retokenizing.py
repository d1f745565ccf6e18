"""Merging and splitting tokens, with spaCy as the oracle where it is right."""

import random

import numpy as np
import pytest
import spacy.tokens
import spacy.vocab

import lexpool
from lexpool.errors import StaleError
from lexpool.tokens import Doc, Span, SpanGroup, Token

WORDS = ["New", "York", "is", "notfar", "from", "here", ",", "Ada", "said", "."]
ATTRS = [
    "ORTH",
    "SPACY",
    "LENGTH",
    "IDX",
    "NORM",
    "LEMMA",
    "TAG",
    "POS",
    "DEP",
    "HEAD",
    "SENT_START",
]
ENTS = ["ENT_IOB", "ENT_TYPE"]


@pytest.fixture
def doc():
    return Doc(lexpool.Vocab(), words=WORDS)


def texts(doc):
    return [token.text for token in doc]


def edges(doc):
    return [(t.n_lefts, t.n_rights, t.left_edge.i, t.right_edge.i) for t in doc]


def tree(chance, n):
    """Heads without a cycle."""
    order = list(range(n))
    chance.shuffle(order)
    heads = [0] * n
    for at, i in enumerate(order):
        heads[i] = chance.choice(order[:at]) if at and chance.random() < 0.9 else i
    return heads


def annotation(chance, n):
    kwargs = {}
    if chance.random() < 0.7:
        kwargs["heads"] = tree(chance, n)
        kwargs["deps"] = [chance.choice(["nsubj", "obj", "dep"]) for _ in range(n)]
    else:
        kwargs["sent_starts"] = [chance.choice([True, False, None]) for _ in range(n)]
    if chance.random() < 0.8:
        kwargs["tags"] = [f"T{i}" for i in range(n)]
        kwargs["pos"] = [chance.choice(["NOUN", "VERB", "X"]) for _ in range(n)]
        kwargs["lemmas"] = [f"l{i}" for i in range(n)]
    if chance.random() < 0.7:
        tags = ["O", "B-A", "I-A", "B-B", "I-B"]
        kwargs["ents"] = ["O", *(chance.choice(tags) for _ in range(n - 1))]
    return kwargs


def a_plan(chance, words):
    """Ranges to merge, and positions to split with the places where."""
    merges, splits, i = [], [], 0
    while i < len(words):
        step = chance.choice([1, 1, 1, 2, 3])
        if step > 1 and i + step <= len(words):
            merges.append((i, i + step))
        elif step == 1 and len(words[i]) > 1 and chance.random() < 0.4:
            splits.append((i, chance.randrange(1, len(words[i]))))
        i += step
    chance.shuffle(merges)
    chance.shuffle(splits)
    return merges, splits


def first_of(merges, i):
    return next((start for start, end in merges if start <= i < end), i)


@pytest.mark.parametrize("seed", range(150))
def test_random_merges_are_spacys(seed):
    chance = random.Random(seed)
    n = chance.randrange(1, 10)
    words = [chance.choice(WORDS) for _ in range(n)]
    spaces = [chance.random() < 0.7 for _ in words]
    kwargs = annotation(chance, n)
    merges, _ = a_plan(chance, words)
    attrs = [
        chance.choice(
            [{}, {"LEMMA": "x y"}, {"tag": "Q", "NORM": "z"}, {"ENT_TYPE": "C", "pos": "ADV"}]
        )
        for _ in merges
    ]
    found = []
    for module, vocab in ((spacy.tokens, spacy.vocab.Vocab()), (lexpool.tokens, lexpool.Vocab())):
        doc = module.Doc(vocab, words=words, spaces=spaces, **kwargs)
        with doc.retokenize() as retokenizer:
            for (start, end), given in zip(merges, attrs, strict=True):
                retokenizer.merge(doc[start:end], attrs=given)
        found.append((texts(doc), doc.to_array(ATTRS + ENTS).tolist()))
        if doc.has_annotation("DEP"):
            found[-1] += (edges(doc),)
    assert found[0] == found[1]


@pytest.mark.parametrize("seed", range(150))
def test_random_splits_are_spacys_in_text_and_tree(seed):
    # Not in what parts inherit: spaCy gives all but the first what the tokens behind them had.
    chance = random.Random(seed)
    n = chance.randrange(1, 10)
    words = [chance.choice(WORDS) for _ in range(n)]
    kwargs = annotation(chance, n)
    merges, splits = a_plan(chance, words)
    split_at = dict(splits)
    heads = {i: first_of(merges, chance.randrange(n)) for i in split_at}
    # A part other than the first, of a token further on, is a token too far to spaCy.
    parts = {
        i: int(head in split_at and head <= i and chance.random() < 0.5)
        for i, head in heads.items()
    }
    found = []
    for module, vocab in ((spacy.tokens, spacy.vocab.Vocab()), (lexpool.tokens, lexpool.Vocab())):
        doc = module.Doc(vocab, words=words, **kwargs)
        with doc.retokenize() as retokenizer:
            for start, end in merges:
                retokenizer.merge(doc[start:end])
            for i, at in splits:
                word, head = words[i], (doc[heads[i]], parts[i])
                attrs = {
                    "dep": ["a", "b"],
                    "tag": ["c", "d"],
                    "lemma": ["e", "f"],
                    "pos": ["X", "X"],
                }
                retokenizer.split(doc[i], [word[:at], word[at:]], [(doc[i], 1), head], attrs)
        columns = [attr for attr in ATTRS if attr != "SENT_START" or doc.has_annotation("DEP")]
        found.append((doc.text, texts(doc), doc.to_array(columns).tolist()))
        if doc.has_annotation("DEP"):
            found[-1] += (edges(doc),)
    assert found[0] == found[1]


def test_parts_are_like_the_token_that_was_split():
    tags = ["A", "B", "C"]
    doc = Doc(lexpool.Vocab(), words=["ab", "c", "d"], tags=tags, ents=["B-X", "I-X", "O"])
    with doc.retokenize() as retokenizer:
        retokenizer.split(doc[0], ["a", "b"], [doc[0], doc[1]])
    assert [(t.tag_, t.ent_iob_, t.ent_type_) for t in doc] == [
        ("A", "B", "X"), ("A", "I", "X"), ("B", "I", "X"), ("C", "O", ""),
    ]  # fmt: skip


def test_the_document_stays_as_it_was_if_the_block_raises(doc):
    with pytest.raises(KeyError), doc.retokenize() as retokenizer:
        retokenizer.merge(doc[0:2])
        raise KeyError("the user's own")
    assert texts(doc) == WORDS


@pytest.mark.parametrize(
    ("wrong", "error", "code"),
    [
        (lambda r, doc: r.merge(doc[1:1]), ValueError, "E199"),
        (lambda r, doc: r.merge(doc[1:3]), ValueError, "E102"),
        (lambda r, doc: r.merge(Doc(doc.vocab, words=["a"])[:1]), ValueError, "E191"),
        (lambda r, doc: r.merge(doc[4:6], {"POS": "no such"}), ValueError, "E1021"),
        (lambda r, doc: r.merge(doc[4:6], {"ENT_IOB": "X"}), ValueError, "E1025"),
        (lambda r, doc: r.merge(doc[4:6], {"LEMMA": None}), TypeError, ""),
        (lambda r, doc: r.merge(doc[4:6], {"_": [1]}), ValueError, "E120"),
        (lambda r, doc: r.merge(doc[4:6], {"_": {"absent": 1}}), ValueError, "E118"),
        (lambda r, doc: r.split(doc[3], ["not", "fa"], [doc[3], doc[3]]), ValueError, "E117"),
        (lambda r, doc: r.split(doc[3], ["not", "far"], [doc[3]]), ValueError, "E115"),
        (lambda r, doc: r.split(doc[3], ["", "notfar"], [doc[3], doc[3]]), ValueError, "E031"),
        (
            lambda r, doc: r.split(doc[3], ["not", "far"], [doc[3], doc[3]], {"TAG": "abc"}),
            ValueError,
            "split-attrs",
        ),
        (lambda r, doc: r.split(doc[0], ["N", "ew"], [doc[3], doc[3]]), IndexError, "E122"),
        (lambda r, doc: r.split(doc[3], ["not", "far"], [doc[1], doc[3]]), IndexError, "E123"),
        (lambda r, doc: r.split(doc[3], ["not", "far"], [(doc[3], 2), doc[3]]), ValueError, "E190"),
    ],
)
def test_a_wrong_plan_is_refused_as_a_whole(doc, wrong, error, code):
    with (
        pytest.raises(error, match=rf"^\[{code}\]" if code else None),
        doc.retokenize() as retokenizer,
    ):
        retokenizer.merge(doc[0:2])
        wrong(retokenizer, doc)
    assert texts(doc) == WORDS


def test_a_plan_of_another_tokenization_is_stale(doc):
    with pytest.raises(StaleError), doc.retokenize() as outer:
        outer.merge(doc[3:5])
        with doc.retokenize() as inner:
            inner.merge(doc[0:2])
    assert texts(doc) == ["New York", *WORDS[2:]]


def test_spans_and_tokens_find_their_words_again(doc):
    here, span, cut = doc[5], doc[7:9], doc[1:3]
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[0:2])
    assert (here.i, here.text) == (4, "here")
    assert (span.start, span.end, span.text) == (6, 8, "Ada said")
    with pytest.raises(StaleError):
        cut.text


def test_groups_reach_over_a_merged_token_that_they_end_in(doc):
    doc.spans["all"] = [doc[0:1], doc[1:3], doc[4:6]]
    doc.spans["all"].attrs["by"] = "hand"
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[0:2])
        retokenizer.merge(doc[8:10])
    found = doc.spans["all"]
    assert [span.text for span in found] == ["New York", "New York is", "from here"]
    assert found.attrs == {"by": "hand"}
    found.append(doc[0:1])
    assert len(found) == 4


def test_extension_values_stay_with_the_character_that_a_token_began_with(doc):
    Token.set_extension("note", default=None, force=True)
    doc[0]._.note, doc[1]._.note, doc[3]._.note, doc[4]._.note = "first", "second", "whole", "from"
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[0:2])
        retokenizer.split(doc[3], ["not", "far"], [doc[3], doc[3]], {"_": [{}, {"note": "part"}]})
    assert [token._.note for token in doc[:5]] == ["first", None, "whole", "part", "from"]
    with doc.retokenize() as retokenizer:
        retokenizer.split(doc[0], ["New ", "York"], [doc[0], doc[0]])
    assert [token._.note for token in doc[:2]] == ["first", "second"]


def test_rows_of_the_tensor_follow_their_tokens(doc):
    doc.tensor = np.arange(20, dtype="f").reshape(10, 2)
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[0:2])
        retokenizer.split(doc[3], ["not", "far"], [doc[3], doc[3]])
    assert doc.tensor[:, 0].tolist() == [2, 4, 0, 0, 8, 10, 12, 14, 16, 18]


def test_a_merged_word_without_a_vector_gets_that_of_its_span(doc):
    doc.vocab.set_vector("New", np.ones(2, dtype="f"))
    doc.vocab.set_vector("York", np.full(2, 3, dtype="f"))
    doc.vocab.set_vector("Ada said", np.full(2, 5, dtype="f"))
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[0:2])
        retokenizer.merge(doc[7:9])
    assert [token.vector.tolist() for token in doc if token.has_vector] == [[2, 2], [5, 5]]


def test_a_split_of_an_emoji_and_its_tone_keeps_every_character():
    doc = Doc(
        lexpool.Vocab(),
        words=["a\N{THUMBS UP SIGN}\N{EMOJI MODIFIER FITZPATRICK TYPE-4}\u00e9", "z"],
    )
    word = doc[0].text
    with doc.retokenize() as retokenizer:
        retokenizer.split(doc[0], list(word), [doc[1]] * len(word))
    assert texts(doc) == [*word, "z"]
    assert [token.idx for token in doc] == [0, 1, 2, 3, 5]


def test_a_group_of_a_document_that_is_gone_says_so():
    group = SpanGroup(Doc(lexpool.Vocab(), words=["a"]))
    with pytest.raises(RuntimeError, match="E865"):
        group.doc
    with pytest.raises(RuntimeError, match="E865"):
        list(group)
    assert len(group) == 0


def test_an_iteration_across_a_merge_is_an_error_and_does_not_just_end():
    doc = lexpool.blank("en")("one two three four")
    tokens = iter(doc)
    next(tokens)
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[1:3])
    with pytest.raises(StaleError, match="iterated"):
        next(tokens)


def test_merges_that_give_one_type_to_an_outside_and_an_inside_begin_an_entity():
    vocab = lexpool.blank("en").vocab
    doc = Doc(vocab, words=list("abcd"), ents=["O", "O", "B-X", "I-X"])
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[3:4], attrs={"ENT_TYPE": "Y"})
        retokenizer.merge(doc[1:3], attrs={"ENT_TYPE": "Y"})
    assert [token.ent_iob_ for token in doc] == ["O", "O", "B"]
    assert [(ent.text, ent.label_) for ent in doc.ents] == [("d", "Y")]


def test_a_merge_begins_an_entity_at_a_mark_without_beginning():
    doc = Doc(lexpool.blank("en").vocab, words=list("abc"))
    doc.from_array(["ENT_IOB"], np.array([2, 1, 2], dtype="uint64"))
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[2:3])
    assert [token.ent_iob_ for token in doc] == ["O", "B", "O"]
    assert doc.ents == ()


def test_a_new_head_of_a_token_without_relation_clears_the_sentence_starts_of_its_tree():
    vocab = lexpool.blank("en").vocab
    given = {"heads": [0, 0, 1], "deps": [""] * 3, "sent_starts": [True, True, False]}
    doc = Doc(vocab, words=list("abc"), **given)
    doc[1].head = doc[2]
    assert [token.sent_start for token in doc][1:] == [-1, -1]


def test_an_iterator_that_merges_tokens_does_not_move_the_spans_before_it():
    def spans(doc):
        yield Span(doc, 2, 4, label="X")
        with doc.retokenize() as retokenizer:
            retokenizer.merge(doc[0:2])
        yield Span(doc, 0, 1, label="Y")

    doc = lexpool.blank("en")("a b c d e f g h")
    assert [span.text for span in SpanGroup(doc, spans=spans(doc))] == ["c d", "a b"]
    assigned = {
        "ents": lambda doc: setattr(doc, "ents", spans(doc)),
        "set_ents": lambda doc: doc.set_ents(spans(doc)),
        "another list": lambda doc: doc.set_ents([Span(doc, 2, 4, label="X")], blocked=spans(doc)),
    }
    for name, assign in assigned.items():
        doc = lexpool.blank("en")("a b c d e f g h")
        with pytest.raises(IndexError, match=r"E035.*create it again"):
            assign(doc)
        assert doc.ents == (), name


@pytest.mark.parametrize(
    ("entity", "refused"),
    [
        (lambda number: ("X", number, 6), IndexError),
        (lambda number: ("X", 2, number), StaleError),
        (lambda number: (number, 3, 6), IndexError),
        (lambda number: ("X", number, 3, 8), IndexError),
        (lambda number: (number, 0, "X", 3, 8), IndexError),
        (lambda number: (number, number, "X", 0, 2), StaleError),
    ],
)
def test_a_number_that_merges_tokens_assigns_no_entity(entity, refused):
    doc = lexpool.blank("en")("a b c d e f g h")

    class Merging:
        def __index__(self):
            if len(doc) == 8:
                with doc.retokenize() as retokenizer:
                    retokenizer.merge(doc[0:5])
            return 3

    with pytest.raises(refused):
        doc.ents = [entity(Merging())]
    assert doc.ents == ()
