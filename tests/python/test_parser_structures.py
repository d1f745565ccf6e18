"""States, transition systems and golds, beside spaCy's own on treebanks and on random
annotation.
"""

import doctest
import importlib
import pickle
import random
from functools import partial

import pytest

from lexpool.parser import ArcEager, BiluoPushDown, StateClass, TransitionSystem, nonproj
from lexpool.strings import StringStore
from lexpool.tokens import Doc, Span
from lexpool.training import Example
from lexpool.vocab import Vocab

WORDS = "one two three four five six seven eight nine ten eleven twelve".split()


def trees_of(path):
    """Words, heads and labels of each sentence of a CoNLL-U file."""
    for block in path.read_text("utf8").split("\n\n"):
        rows = [line.split("\t") for line in block.split("\n") if line and line[0] != "#"]
        rows = [row for row in rows if row[0].isdigit()]
        if rows:
            heads = [int(row[6]) - 1 if row[6] != "0" else i for i, row in enumerate(rows)]
            yield [row[1] for row in rows], heads, [row[7] for row in rows]


@pytest.fixture(scope="module")
def trees(texts_folder):
    paths = sorted(texts_folder.glob("*.conllu"))
    if not paths:
        pytest.skip(f"no treebanks in {texts_folder}")
    return [tree for path in paths for tree in trees_of(path)]


class Side:
    """Documents, examples and systems of one library."""

    def __init__(self, doc, span, vocab, example, arc_eager, biluo, state):
        self.Doc, self.Span, self.Example = doc, span, example
        self.ArcEager, self.BiluoPushDown, self.StateClass = arc_eager, biluo, state
        self.vocab = vocab()

    def doc(self, words, **annotation):
        return self.Doc(self.vocab, words=words, **annotation)

    def example(self, words, **annotation):
        """A bare document beside one with annotation; `x` has what the former is made of
        instead.
        """
        x = annotation.pop("x", {})
        return self.Example(self.doc(**{"words": words, **x}), self.doc(words, **annotation))


@pytest.fixture(scope="module")
def ours():
    return Side(Doc, Span, Vocab, Example, ArcEager, BiluoPushDown, StateClass)


@pytest.fixture(scope="module")
def theirs(spacy):
    from spacy.pipeline._parser_internals import arc_eager, ner, stateclass
    from spacy.tokens import Doc, Span
    from spacy.training import Example
    from spacy.vocab import Vocab

    systems = (arc_eager.ArcEager, ner.BiluoPushDown, stateclass.StateClass)
    return Side(Doc, Span, Vocab, Example, *systems)


@pytest.fixture(scope="module")
def both(ours, theirs):
    return ours, theirs


def arc_eager_of(side, examples):
    return side.ArcEager(side.vocab.strings, side.ArcEager.get_actions(examples=examples))


def names(moves):
    return [moves.get_class_name(i) for i in range(moves.n_moves)]


def seen(state):
    """All that a state shows; the order of arcs is that of a hash map in spaCy."""
    tokens = range(-1, state.length + 1)
    return {
        "stack": state.stack,
        "queue": state.queue,
        "arcs": sorted((arc["head"], arc["child"], arc["label"]) for arc in state.arcs),
        "heads": [state.H(i) for i in tokens],
        "kids": [(state.L(i, n), state.R(i, n)) for i in tokens for n in (0, 1, 2, 3)],
        "counts": [(state.n_L(i), state.n_R(i)) for i in tokens],
        "entity": (state.E(0), state.entity_is_open()),
        "top": [(state.S(i), state.B(i)) for i in range(-1, 4)],
        "ends": (state.is_final(), state.eol(), state.empty(), state._b_i, state.length),
        "sizes": (state.stack_depth(), state.buffer_length()),
    }


def walk_of_oracle(own, their, own_moves, their_moves):
    """Both through the oracle's sequence of one example, with what each class costs at each
    step.
    """
    own_states, own_golds, own_steps = own_moves.init_gold_batch([own])
    their_states, their_golds, their_steps = their_moves.init_gold_batch([their])
    assert (len(own_states), own_steps) == (len(their_states), their_steps)
    if not own_states:
        return 0
    sequence = their_moves.get_oracle_sequence(their)
    assert own_moves.get_oracle_sequence(own) == sequence
    (state,), (gold,), (other,), (their_gold,) = own_states, own_golds, their_states, their_golds
    classes = range(their_moves.n_moves)
    for clas in sequence:
        their_gold.update(other)
        _, costs = own_moves.get_costs(state, gold)
        expected = [their_moves.get_cost(other, their_gold, i) for i in classes]
        assert costs == expected, (own.x.text, seen(state))
        own_moves.transition(state, clas)
        their_moves.apply_transition(other, their_moves.get_class_name(clas))
    assert state.is_final()
    assert other.is_final()
    return len(sequence)


def random_walk(state, other, own_moves, their_moves, rng):
    """Applies the same random moves to both states, until no move is allowed by both."""
    all_names = names(own_moves)
    steps = 0
    while not other.is_final():
        allowed = [name for name in all_names if their_moves.is_valid(other, name)]
        assert [name for name in all_names if own_moves.is_valid(state, name)] == allowed, seen(
            state
        )
        if not allowed:
            break
        # A label is not what a walk depends on: first a move, and then one of its names.
        move = rng.choice(sorted({name[0] for name in allowed}))
        name = rng.choice([name for name in allowed if name[0] == move])
        own_moves.apply_transition(state, name)
        their_moves.apply_transition(other, name)
        assert seen(state) == seen(other)
        steps += 1
    return steps


# Trees


@pytest.fixture(scope="module")
def tree_systems(both, trees):
    """The examples of all trees and the system they ask for, on either side."""

    def made(side):
        examples = [side.example(words, heads=h, deps=d) for words, h, d in trees]
        return examples, arc_eager_of(side, examples)

    return [made(side) for side in both]


def test_a_treebank_asks_for_the_same_classes_in_the_same_order(tree_systems):
    (_, own), (_, their) = tree_systems
    assert names(own) == names(their)
    assert own.labels == their.labels
    assert len(names(own)) >= 100


def test_transitions_and_all_costs_are_spacys_on_every_sentence(tree_systems):
    (own, own_moves), (their, their_moves) = tree_systems
    steps = 0
    for mine, other in zip(own, their, strict=True):
        steps += walk_of_oracle(mine, other, own_moves, their_moves)
    assert steps > len(own) * 10


def test_every_projective_tree_is_rebuilt_exactly(tree_systems, trees, ours):
    (own, moves), _ = tree_systems
    rebuilt = 0
    for (words, heads, deps), example in zip(trees, own, strict=True):
        if nonproj.is_nonproj_tree(heads):
            continue
        doc = ours.doc(words)
        (state,) = moves.init_batch([doc])
        moves.get_oracle_sequence_from_state(state, moves.init_gold(state, example))
        moves.set_annotations(state, doc)
        assert [token.head.i for token in doc] == heads
        expected = ["ROOT" if head == i else dep for i, (head, dep) in enumerate(zip(heads, deps))]
        assert [token.dep_ for token in doc] == expected
        rebuilt += 1
    assert rebuilt > len(trees) * 0.9


def test_labels_of_lifted_trees_come_back(trees, ours):
    lifted = 0
    for words, heads, deps in trees:
        if not nonproj.is_nonproj_tree(heads):
            continue
        projective, decorated = nonproj.projectivize(heads, deps)
        assert not nonproj.is_nonproj_tree(projective)
        doc = ours.doc(words, heads=projective, deps=decorated)
        nonproj.deprojectivize(doc)
        assert [token.dep_ for token in doc] == deps
        lifted += 1
    assert lifted > 20


def test_many_examples_at_once_have_the_sequences_that_each_has_alone(tree_systems):
    (own, moves), _ = tree_systems
    some = own[::20]
    expected = [moves.get_oracle_sequence(example) for example in some]
    for n_threads in (0, 1, 2, 3):
        assert moves.oracle(some, n_threads=n_threads) == expected


def test_an_oracle_that_lacks_a_class_gives_what_it_has_as_spacys_does(both):
    found = []
    for side in both:
        example = side.example(WORDS[:4], heads=[1, 1, 1, 2], deps=["a", "ROOT", "b", "c"])
        moves = side.ArcEager(
            side.vocab.strings, {0: {"": 1}, 2: {"a": 1}, 3: {"b": 1}, 4: {"ROOT": 1}}
        )
        (state,), (gold,), _ = moves.init_gold_batch([example])
        sequence = moves.get_oracle_sequence_from_state(state, gold)
        found.append((moves.get_oracle_sequence(example), sequence, state.stack, state.queue))
        if side is both[0]:
            assert moves.oracle([example, example]) == [sequence, sequence]
        with pytest.raises(ValueError, match="E024"):
            moves.get_oracle_sequence(example, _debug=True)
    assert found[0] == found[1]
    assert 0 < len(found[0][0]) < 8 and found[0][3]


def test_an_entity_oracle_that_lacks_a_class_says_so(ours):
    example = ours.example(WORDS[:3], ents=["O", "B-X", "O"])
    moves = ours.BiluoPushDown(ours.vocab.strings, BiluoPushDown.get_actions(entity_types=["X"]))
    gold = moves.init_gold_batch([example])[1][0]
    fewer = ours.BiluoPushDown(ours.vocab.strings, {5: {"": 1}})
    state = ours.StateClass(example.x)
    with pytest.raises(ValueError, match="E024"):
        fewer.get_oracle_sequence_from_state(state, gold)
    with pytest.raises(ValueError, match="E024"):
        fewer.native.oracle([ours.StateClass(example.x)], [gold.native], 1)


def test_an_example_without_annotation_has_no_sequence(ours):
    moves = ours.ArcEager(ours.vocab.strings, ArcEager.get_actions())
    bare = ours.example(WORDS)
    annotated = ours.example(["a", "b"], heads=[1, 1], deps=["dep", "ROOT"])
    assert moves.get_oracle_sequence(bare) == []
    assert [bool(found) for found in moves.oracle([bare, annotated, bare])] == [False, True, False]
    assert moves.oracle([]) == []


def joined(trees, rng):
    """Some sentences as one document, with sentence starts that are known of some words."""
    words, heads, deps, starts = [], [], [], []
    for sent_words, sent_heads, sent_deps in trees:
        heads += [head + len(words) for head in sent_heads]
        words += sent_words
        deps += sent_deps
        starts.append(True)
        starts += [rng.choice([None, None, None, False]) for _ in sent_words[1:]]
    return words, heads, deps, starts


def test_documents_of_sentences_with_preset_starts_cost_what_they_cost_in_spacy(
    tree_systems, both, trees
):
    (_, own_moves), (_, their_moves) = tree_systems
    rng = random.Random(3)
    for _ in range(60):
        words, heads, deps, starts = joined(rng.sample(trees, 3), rng)
        if len(words) > 60:
            continue
        own, their = (
            side.example(words, heads=heads, deps=deps, x={"sent_starts": starts}) for side in both
        )
        walk_of_oracle(own, their, own_moves, their_moves)


def test_costs_are_spacys_where_the_predicted_tokens_are_others(tree_systems, both, trees):
    (_, own_moves), (_, their_moves) = tree_systems
    rng = random.Random(4)
    compared = 0
    for words, heads, deps in rng.sample(trees, 300):
        pieces = []
        for word in words:
            cut = rng.randrange(1, len(word)) if len(word) > 3 and rng.random() < 0.2 else 0
            pieces += [word[:cut], word[cut:]] if cut else [word]
        spaces = [False] * len(words)
        x = {"words": pieces, "spaces": [False] * len(pieces)}
        own, their = (
            side.example(words, heads=heads, deps=deps, spaces=spaces, x=x) for side in both
        )
        try:
            compared += walk_of_oracle(own, their, own_moves, their_moves) > 0
        except ValueError as error:
            assert "E1031" in str(error) or "E024" in str(error)
    assert compared > 200


def test_random_walks_lead_both_through_the_same_states(tree_systems, both):
    (_, own_moves), (_, their_moves) = tree_systems
    rng = random.Random(5)
    steps = 0
    for _ in range(150):
        n = rng.randrange(1, 9)
        starts = [rng.choice([None, None, True, False]) for _ in range(n)]
        states = [side.StateClass(side.doc(WORDS[:n], sent_starts=starts)) for side in both]
        steps += random_walk(*states, own_moves, their_moves, rng)
    assert steps > 1000


def test_a_state_changed_by_hand_shows_what_spacys_shows(both):
    rng = random.Random(6)
    for _ in range(200):
        state, other = (side.StateClass(side.doc(WORDS[:6])) for side in both)
        for _ in range(25):
            head, child = rng.sample(range(6), 2)
            change = rng.choice(["push", "pop", "unshift", "add", "del", "open", "close", "copy"])
            if (change == "push" and state.eol()) or (
                change in ("pop", "unshift") and state.empty()
            ):
                continue
            if (change in ("open", "close") and state.eol()) or (
                change == "close" and state.E(0) < 0
            ):
                continue
            for one in (state, other):
                {
                    "push": one.push,
                    "pop": one.pop,
                    "unshift": one.unshift,
                    "add": partial(one.add_arc, head, child, 7),
                    "del": partial(one.del_arc, head, child),
                    "open": partial(one.open_ent, 8),
                    "close": one.close_ent,
                    "copy": one.copy,
                }[change]()
            assert seen(state) == seen(other), change
        copied, cloned = state.copy(), StateClass(state.doc)
        cloned.clone(state)
        assert seen(copied) == seen(cloned) == seen(other)
        state.add_arc(0, 1, 3)
        assert seen(copied) == seen(other)


def test_a_state_is_shown_in_a_line_as_spacy_shows_it(both):
    starts = [True, None, None, False, True]
    states = [side.StateClass(side.doc(WORDS[:5], sent_starts=starts)) for side in both]
    for state in states:
        state.push()
        state.push()
        state.add_arc(0, 1, 0)
        state.unshift()
    assert states[0].print_state() == states[1].print_state()


def test_tokens_of_a_state_are_those_of_its_document(ours):
    doc = ours.doc(WORDS[:4])
    state = StateClass(doc, offset=7)
    state.push()
    state.add_arc(1, 0, 5)
    assert [token.i for token in (state.S_(0), state.B_(0), state.H_(0), state.L_(1, 1))] == [
        0,
        1,
        1,
        0,
    ]
    assert (state.offset, state.doc is doc, state.at_break()) == (7, True, False)
    # As in spaCy, none is the last one.
    assert state.S_(3).i == 3


# Entities


LABELS = ["LOC", "ORG", "PER"]


def random_tags(rng, n):
    """Tags in BILUO, some of them missing."""
    tags = []
    while len(tags) < n:
        length = rng.randrange(1, min(4, n - len(tags)) + 1)
        label = rng.choice(LABELS)
        kind = rng.choice(["ent", "O", "O", "-"])
        if kind == "ent" and length > 1:
            tags += [f"B-{label}", *[f"I-{label}"] * (length - 2), f"L-{label}"]
        elif kind == "ent":
            tags.append(f"U-{label}")
        else:
            tags += [kind] * length
    return tags


def preset(side, words, plan):
    """A document with entities that are there before it is parsed."""
    starts, spans = plan
    doc = side.doc(words, sent_starts=starts)
    by_kind = {"ent": [], "blocked": [], "outside": []}
    for start, end, kind, label in spans:
        by_kind[kind].append(side.Span(doc, start, end, label=label if kind == "ent" else 0))
    doc.set_ents(
        by_kind["ent"], blocked=by_kind["blocked"], outside=by_kind["outside"], default="missing"
    )
    return doc


def random_plan(rng, n):
    starts = [rng.choice([None, None, None, False, True]) for _ in range(n)]
    spans = []
    at = 0
    while at < n:
        end = rng.randrange(at + 1, n + 1)
        if rng.random() < 0.4:
            kind = rng.choice(["ent", "blocked", "outside"])
            spans.append((at, min(end, at + 3), kind, rng.choice(LABELS)))
        at = end
    return starts, spans


def annotated(side, words, tags):
    """Returns a document with entities by tags, of which some are missing, and negative samples."""
    doc = side.doc(words)
    spans, missing = [], []
    start = None
    for i, tag in enumerate(tags):
        if tag[0] in "BU":
            start = i
        if tag[0] in "LU":
            spans.append(side.Span(doc, start, i + 1, label=tag[2:]))
        if tag == "-":
            missing.append(side.Span(doc, i, i + 1))
    doc.set_ents(spans, missing=missing, default="outside")
    return doc


@pytest.fixture(scope="module")
def entity_systems(both):
    def made(side):
        actions = side.BiluoPushDown.get_actions(entity_types=LABELS)
        return side.BiluoPushDown(side.vocab.strings, actions, incorrect_spans_key="wrong")

    return [made(side) for side in both]


def random_words(rng, n):
    return [rng.choice([*WORDS, "\n", "  "]) for _ in range(n)]


def test_entities_cost_what_they_cost_in_spacy_whatever_is_preset(entity_systems, both):
    own_moves, their_moves = entity_systems
    assert names(own_moves) == names(their_moves)
    assert own_moves.labels == their_moves.labels
    rng = random.Random(7)
    compared = refused = 0
    for _ in range(600):
        n = rng.randrange(1, 12)
        words, tags, plan = random_words(rng, n), random_tags(rng, n), random_plan(rng, n)
        starts = [i for i in range(n) if rng.random() < 0.2]
        wrong = [(i, rng.randrange(i + 1, n + 1), rng.choice(LABELS)) for i in starts]
        examples = []
        for side in both:
            example = side.Example(preset(side, words, plan), annotated(side, words, tags))
            reference = example.reference
            spans = [side.Span(reference, start, end, label=label) for start, end, label in wrong]
            reference.spans["wrong"] = spans
            examples.append(example)
        outcomes = []
        for example, moves in zip(examples, entity_systems, strict=True):
            try:
                outcomes.append(moves.get_oracle_sequence(example))
            except ValueError as error:
                outcomes.append(str(error)[:6])
        assert outcomes[0] == outcomes[1], (words, tags, plan, wrong)
        if isinstance(outcomes[0], str):
            refused += 1
            if outcomes[0] == "[E868]":
                continue
        pairs = zip(examples, entity_systems, strict=True)
        states = [moves.init_gold_batch([example])[:2] for example, moves in pairs]
        if not states[0][0]:
            continue
        (state,), (gold,) = states[0]
        (other,), (their_gold,) = states[1]
        while not other.is_final():
            _, costs = own_moves.get_costs(state, gold)
            classes = range(their_moves.n_moves)
            assert costs == [their_moves.get_cost(other, their_gold, i) for i in classes]
            allowed = [i for i, cost in enumerate(costs) if cost < 9000]
            if not allowed:
                break
            name = own_moves.get_class_name(rng.choice(allowed))
            own_moves.apply_transition(state, name)
            their_moves.apply_transition(other, name)
            assert seen(state) == seen(other)
            compared += 1
    assert compared > 2000
    assert 0 < refused < 500


def test_walks_over_preset_entities_and_what_they_set_are_spacys(entity_systems, both):
    own_moves, their_moves = entity_systems
    rng = random.Random(8)
    finished = 0
    for _ in range(400):
        n = rng.randrange(1, 10)
        words, plan = random_words(rng, n), random_plan(rng, n)
        docs = [preset(side, words, plan) for side in both]
        states = [side.StateClass(doc) for side, doc in zip(both, docs, strict=True)]
        random_walk(*states, own_moves, their_moves, rng)
        if not states[0].is_final():
            continue
        finished += 1
        outcomes = []
        for state, doc, moves in zip(states, docs, entity_systems, strict=True):
            moves.set_annotations(state, doc)
            outcomes.append([(token.ent_iob, token.ent_type_) for token in doc])
        assert outcomes[0] == outcomes[1], (words, plan)
    assert finished > 200


# Classes and files


def test_classes_added_later_keep_their_place_in_bytes_files_and_pickles(ours, theirs, tmp_path):
    for kind in ("ArcEager", "BiluoPushDown"):
        systems = []
        for side in (ours, theirs):
            cls = getattr(side, kind)
            actions = cls.get_actions(
                left_labels=["b", "a"], right_labels=["é/c"], entity_types=["Y", "X"]
            )
            moves = cls(type(side.vocab.strings)(), actions, incorrect_spans_key="wrong")
            for label in ("zz", "mm", "zz", "aa"):
                for action in (1, 2, 3, 4):
                    moves.add_action(action, label)
            systems.append(moves)
        own, their = systems
        assert names(own) == names(their)
        assert own.labels == their.labels
        written = own.to_bytes(exclude=["strings"])
        assert written == their.to_bytes(exclude=["strings"])
        blank = getattr(ours, kind)(StringStore())
        read = blank.from_bytes(their.to_bytes())
        assert read is blank
        assert (names(read), read.neg_key) == (names(own), "wrong")
        again = getattr(theirs, kind)(type(theirs.vocab.strings)()).from_bytes(own.to_bytes())
        assert names(again) == names(own)
        own.to_disk(tmp_path / kind)
        assert names(getattr(ours, kind)(StringStore()).from_disk(tmp_path / kind)) == names(own)
        copied = pickle.loads(pickle.dumps(own))
        assert (names(copied), copied.labels, copied.neg_key) == (names(own), own.labels, "wrong")
        assert set(own.strings) >= {"zz", "mm", "aa", "ROOT"}


def test_what_is_counted_in_examples_is_what_spacy_counts(both, trees):
    counted = []
    for side in both:
        examples = [side.example(words, heads=h, deps=d) for words, h, d in trees[:200]]
        for min_freq in (None, 5):
            actions = side.ArcEager.get_actions(
                examples=examples, min_freq=min_freq, learn_tokens=True, left_labels=["x"]
            )
            counted.append({move: dict(labels) for move, labels in actions.items()})
    assert counted[:2] == counted[2:]
    assert counted[0] != counted[1]


def test_a_system_says_what_spacys_says_of_itself(both, theirs):
    own, their = (side.ArcEager(side.vocab.strings, side.ArcEager.get_actions()) for side in both)
    assert (own.action_types, own.builtin_labels) == (their.action_types, their.builtin_labels)
    assert own.root_label == their.root_label == own.strings["ROOT"]
    assert [own.move_name(move, own.strings.add("x")) for move in range(5)] == [
        their.move_name(move, theirs.vocab.strings.add("x")) for move in range(5)
    ]
    docs = [side.doc(["a", "b"], heads=[1, 1], deps=["x", "ROOT"]) for side in both]
    assert own.get_doc_labels(docs[0]) == their.get_doc_labels(docs[1])
    own, their = (side.BiluoPushDown(side.vocab.strings) for side in both)
    assert own.action_types == their.action_types
    assert (own.add_action(5, "x"), own.add_action(0, ""), own.add_action(4, "x")) == (
        None,
        None,
        1,
    )
    assert own.add_action(4, own.strings["x"]) == 0
    docs = [side.doc(["a", "b"], ents=["B-X", "O"]) for side in both]
    assert own.get_doc_labels(docs[0]) == their.get_doc_labels(docs[1])


def test_the_base_class_has_no_moves(ours):
    moves = TransitionSystem(ours.vocab.strings)
    assert (moves.n_moves, moves.labels) == (0, {})
    with pytest.raises(NotImplementedError):
        moves.add_action(0, "")


def test_a_document_is_gold_when_it_has_what_the_gold_tree_has(ours):
    example = ours.example(["a", "b"], heads=[1, 1], deps=["dep", "ROOT"])
    moves = ours.ArcEager(ours.vocab.strings, ArcEager.get_actions(examples=[example]))
    (state,), (gold,), steps = moves.init_gold_batch([example])
    assert (steps, moves.is_gold_parse(state, gold)) == (2, False)
    moves.get_oracle_sequence_from_state(state, gold)
    moves.set_annotations(state, example.x)
    assert moves.is_gold_parse(state, gold)


@pytest.mark.parametrize("name", ["arc_eager", "ner", "nonproj"])
def test_the_examples_of_a_module_run(name):
    module = importlib.import_module(f"lexpool.parser.{name}")
    results = doctest.testmod(module, raise_on_error=True)
    assert results.attempted > 2
