"""Documents parsed together by a scorer, greedily and by beam search, and what goes wrong there."""

import gc
import random
import sys
import threading

import numpy as np
import pytest

import lexpool
from lexpool.parser import ArcEager, BiluoPushDown, StateClass
from lexpool.strings import StringStore
from lexpool.tokens import Doc
from lexpool.training import Example

WORDS = "one two three four five six seven eight nine ten".split()
OTHER_ORDER = ">" if sys.byteorder == "little" else "<"
LABELS = {"left_labels": ["a", "b"], "right_labels": ["c", "d"], "entity_types": ["X", "Y"]}


@pytest.fixture
def vocab():
    return lexpool.blank("en").vocab


@pytest.fixture
def arc_eager(vocab):
    return ArcEager(vocab.strings, ArcEager.get_actions(**LABELS))


@pytest.fixture
def biluo(vocab):
    return BiluoPushDown(vocab.strings, BiluoPushDown.get_actions(**LABELS))


@pytest.fixture
def docs(vocab):
    rng = random.Random(1)
    return [Doc(vocab, words=WORDS[: rng.randrange(1, 10)]) for _ in range(12)]


def chance(n_moves, features):
    """Scores that follow from each row of features alone, alike on either side."""
    rows = [np.random.default_rng([int(i) + 1 for i in row]).random(n_moves) for row in features]
    return np.array(rows, dtype="float32").reshape(len(rows), n_moves)


def scorer_of(moves):
    return lambda features: chance(moves.n_moves, features)


def contents(doc):
    return doc.to_bytes()


def found(state):
    return sorted((arc["head"], arc["child"], arc["label"]) for arc in state.arcs), state.queue


def features_of(state, offset):
    """Returns the input of a model of eight features for a state."""
    b0, b1, s0, s1, s2 = state.B(0), state.B(1), state.S(0), state.S(1), state.S(2)
    seen = [b0, b1, s0, s1, s2, state.L(b0, 1), state.L(s0, 1), state.R(s0, 1)]
    return [-1 if at < 0 else at + offset for at in seen]


# Greedily


@pytest.mark.parametrize("name", ["arc_eager", "biluo"])
def test_a_scorer_is_called_once_a_step_with_a_row_for_each_state_under_way(name, docs, request):
    moves = request.getfixturevalue(name)
    shapes = []

    def score(features):
        assert features.dtype == np.int32
        shapes.append(features.shape)
        return chance(moves.n_moves, features)

    states = moves.parse(docs, score)
    assert all(state.is_final() for state in states)
    assert [state.doc for state in states] == docs
    # Each document makes its steps from the first one on.
    alone = [len_of_parse(moves, docs, i) for i in range(len(docs))]
    assert len(shapes) == max(alone)
    assert [rows for rows, _ in shapes] == [
        sum(n > step for n in alone) for step in range(max(alone))
    ]
    assert {columns for _, columns in shapes} == {8}


def len_of_parse(moves, docs, i):
    """The steps of one document, whose features begin where they do in the batch."""
    calls = []
    offset = sum(len(doc) for doc in docs[:i])

    def score(features):
        calls.append(1)
        return chance(moves.n_moves, np.where(features >= 0, features + offset, features))

    moves.parse([docs[i]], score)
    return len(calls)


@pytest.mark.parametrize("n_threads", [0, 2, 3, 20])
def test_what_is_found_is_the_same_on_any_number_of_threads(arc_eager, docs, n_threads):
    expected = [found(state) for state in arc_eager.parse(docs, scorer_of(arc_eager))]
    states = arc_eager.parse(docs, scorer_of(arc_eager), n_threads=n_threads)
    assert [found(state) for state in states] == expected


@pytest.mark.parametrize("n_features", [1, 2, 3, 6, 8, 13])
def test_models_of_any_of_spacys_numbers_of_features_can_score(biluo, docs, n_features):
    widths = set()

    def score(features):
        widths.add(features.shape[1])
        return chance(biluo.n_moves, features)

    assert all(state.is_final() for state in biluo.parse(docs, score, n_features=n_features))
    assert widths == {n_features}


def test_features_are_positions_in_the_whole_batch(biluo, vocab):
    seen = []

    def score(features):
        seen.append(features[:, 0].tolist())
        return np.zeros((len(features), biluo.n_moves), dtype="float32")

    biluo.parse([Doc(vocab, words=WORDS[:2]), Doc(vocab, words=WORDS[:3])], score, n_features=1)
    assert seen == [[0, 2], [1, 3], [4]]


def test_a_parse_takes_the_moves_that_spacy_would_take(arc_eager, docs, spacy):
    from spacy.pipeline._parser_internals.arc_eager import ArcEager as Theirs
    from spacy.tokens import Doc as TheirDoc
    from spacy.vocab import Vocab as TheirVocab

    their_vocab = TheirVocab()
    theirs = Theirs(their_vocab.strings, Theirs.get_actions(**LABELS))
    names = [theirs.get_class_name(i) for i in range(theirs.n_moves)]
    states = arc_eager.parse(docs, scorer_of(arc_eager))
    offset = 0
    for doc, state in zip(docs, states, strict=True):
        (other,) = theirs.init_batch([TheirDoc(their_vocab, words=[token.text for token in doc])])
        while not other.is_final():
            (scores,) = chance(theirs.n_moves, [features_of(other, offset)])
            valid = [theirs.is_valid(other, name) for name in names]
            best = int(np.argmax(np.where(valid, scores, -np.inf)))
            theirs.apply_transition(other, names[best])
        assert found(state) == found(other)
        offset += len(doc)


def test_parses_are_written_to_documents_only_when_asked_for(arc_eager, docs):
    before = [contents(doc) for doc in docs]
    states = arc_eager.parse(docs, scorer_of(arc_eager))
    assert [contents(doc) for doc in docs] == before
    for state, doc in zip(states, docs, strict=True):
        arc_eager.set_annotations(state, doc)
    assert all(token.dep_ in {*"abcd", "ROOT", "dep"} for doc in docs for token in doc)
    assert all(doc.has_annotation("DEP") for doc in docs)


def test_no_documents_and_empty_ones_need_no_scores(arc_eager, vocab):
    def never(features):
        raise AssertionError("there is nothing to score")

    assert arc_eager.parse([], never) == []
    (state,) = arc_eager.parse([Doc(vocab, words=[])], never)
    assert state.is_final()
    assert arc_eager.beam_parse([], never, 4) == []


def test_other_threads_run_while_states_are_stepped(vocab):
    moves = BiluoPushDown(vocab.strings, BiluoPushDown.get_actions(**LABELS))
    docs = [Doc(vocab, words=["word"] * 4)] * 20_000
    ticks, done = [], threading.Event()

    def scorer(features):
        return np.zeros((len(features), moves.n_moves), dtype="float32")

    def tick():
        while not done.wait(0.0001):
            ticks.append(1)

    interval = sys.getswitchinterval()
    thread = threading.Thread(target=tick)
    thread.start()
    # No bytecode makes room for another thread, so only native code without the GIL does.
    sys.setswitchinterval(600)
    try:
        before = len(ticks)
        # On a busy machine, the other thread may be late for one short moment, but not for all.
        for _ in range(100):
            moves.parse(docs, scorer, n_features=1)
            if len(ticks) > before:
                return
    finally:
        sys.setswitchinterval(interval)
        done.set()
        thread.join()
    pytest.fail("no other thread ran")


# Wrong scorers


def wrong(moves, how):
    """A scorer that is right for two steps, and then is not."""
    steps = []

    def score(features):
        steps.append(1)
        scores = chance(moves.n_moves, features)
        return how(scores) if len(steps) == 3 else scores

    return score


def with_nan(scores):
    scores[1, 2] = np.nan
    return scores


@pytest.mark.parametrize(
    ("how", "error", "code", "said"),
    [
        (lambda s: s[:, :-1], ValueError, "transition-scores", "classes"),
        (lambda s: s[:-1], ValueError, "transition-scores", "states"),
        (lambda s: s.ravel(), ValueError, "transition-scores", "shape"),
        (lambda s: s.astype("float64"), TypeError, "transition-dtype", "ndarray of float64"),
        (lambda s: s.astype(OTHER_ORDER + "f4"), TypeError, "transition-dtype", "ndarray of"),
        (lambda s: s.tolist(), TypeError, "transition-dtype", "a list"),
        (lambda s: None, TypeError, "transition-dtype", "NoneType"),
        (with_nan, ValueError, "transition-nan", "class 2"),
    ],
)
@pytest.mark.parametrize("name", ["arc_eager", "biluo"])
def test_what_is_no_score_is_an_error_of_a_state_and_a_step(
    name, vocab, how, error, code, said, request
):
    moves = request.getfixturevalue(name)
    docs = [Doc(vocab, words=WORDS[:8]) for _ in range(4)]
    before = [contents(doc) for doc in docs]
    with pytest.raises(error, match=rf"\[{code}\] state \d, step 2: ") as raised:
        moves.parse(docs, wrong(moves, how))
    assert said in str(raised.value)
    assert [contents(doc) for doc in docs] == before


def test_scores_need_not_lie_in_c_order(biluo, docs):
    states = biluo.parse(docs, scorer_of(biluo))
    turned = biluo.parse(docs, lambda features: np.asfortranarray(chance(biluo.n_moves, features)))
    assert [state.ents for state in turned] == [state.ents for state in states]


def test_what_a_scorer_raises_comes_out_with_the_step(arc_eager, docs):
    class Mine(Exception):
        pass

    def fail(scores):
        raise Mine("out of luck")

    with pytest.raises(Mine, match="out of luck") as raised:
        arc_eager.parse(docs, wrong(arc_eager, fail))
    assert any("step 2" in note for note in raised.value.__notes__)


def test_a_state_without_a_valid_class_is_final_and_others_are_parsed(biluo, vocab):
    preset = Doc(vocab, words=WORDS[:4], ents=["O", "B-PRESET", "I-PRESET", "O"])
    docs = [Doc(vocab, words=WORDS[:3]), preset, Doc(vocab, words=WORDS[:5])]
    known = {name.partition("-")[2] for name in map(biluo.get_class_name, range(biluo.n_moves))}
    assert biluo.get_doc_labels(preset) - known == {"PRESET"}
    states = biluo.parse(docs, scorer_of(biluo))
    assert [state.is_final() for state in states] == [True] * 3
    assert states[1].ents == []
    # Features count from the position in the batch, so the other documents are parsed as if the
    # failing one were valid.
    docs[1] = Doc(vocab, words=WORDS[:4])
    free = biluo.parse(docs, scorer_of(biluo))
    assert [states[i].ents for i in (0, 2)] == [free[i].ents for i in (0, 2)]
    with pytest.raises(ValueError, match=r"\[beam-empty\] state 0, step 1"):
        biluo.beam_parse([preset], scorer_of(biluo), 4)
    for label in biluo.get_doc_labels(preset):
        for action in biluo.action_types:
            biluo.add_action(action, label)
    (state,) = biluo.parse([preset], scorer_of(biluo))
    assert (1, 3) in [tuple(ent[:2]) for ent in state.ents]


def test_what_cannot_score_is_refused_before_anything_is_done(arc_eager, docs):
    with pytest.raises(TypeError, match="transition-scorer"):
        arc_eager.parse(docs, "no function")
    for wrong_number in (4, 0, -1):
        with pytest.raises(ValueError, match=f"state-features.*{wrong_number}"):
            arc_eager.parse(docs, scorer_of(arc_eager), n_features=wrong_number)
    with pytest.raises(TypeError):
        arc_eager.parse(["no document"], scorer_of(arc_eager))
    with pytest.raises(ValueError, match="n_threads is -1"):
        arc_eager.parse(docs, scorer_of(arc_eager), n_threads=-1)


def test_numbers_in_the_other_byte_order_are_converted_or_refused(vocab):
    doc = Doc(vocab, words=WORDS[:2])
    turned = np.array([5, 7], dtype=OTHER_ORDER + "u8")
    with pytest.raises(TypeError, match="buffer-order"):
        doc.from_array(["TAG"], memoryview(turned))
    assert [token.tag for token in doc] == [0, 0]
    vocab.reset_vectors(width=2)
    vocab.set_vector("one", np.array([1.5, -2], dtype=OTHER_ORDER + "f4"))
    assert vocab["one"].vector.tolist() == [1.5, -2]
    doc.user_hooks["vector"] = lambda doc: np.array([3, 4], dtype=OTHER_ORDER + "f4")
    doc.user_hooks["vector_norm"] = lambda doc: 5
    assert doc.similarity(doc) == pytest.approx(1)


# Beams


def their_beams(theirs, vocab, docs, width, density):
    """spaCy's beams of documents, each scored alone, and the parses in them."""
    from spacy.pipeline._parser_internals._beam_utils import BeamBatch
    from spacy.tokens import Doc as TheirDoc

    parses = []
    offset = 0
    for doc in docs:
        other = TheirDoc(vocab, words=[token.text for token in doc])
        states = theirs.init_batch([other])
        batch = BeamBatch(theirs, states, None, width, density=density)
        while not batch.is_done:
            rows = [features_of(state, offset) for state in batch.get_unfinished_states()]
            batch.advance(np.ascontiguousarray(chance(theirs.n_moves, rows)))
        parses.append((theirs.get_beam_parses(batch[0]), batch[0].probs))
        offset += len(doc)
    return parses


@pytest.mark.parametrize(("width", "density"), [(1, 0.0), (4, 0.0), (8, 0.2), (16, 0.0)])
@pytest.mark.parametrize("kind", ["ArcEager", "BiluoPushDown"])
def test_beams_have_spacys_parses_and_probabilities(kind, vocab, docs, width, density, spacy):
    from spacy.pipeline._parser_internals import arc_eager as their_trees, ner as their_entities
    from spacy.vocab import Vocab as TheirVocab

    cls = getattr(lexpool.parser, kind)
    their_cls = getattr(their_trees if kind == "ArcEager" else their_entities, kind)
    their_vocab = TheirVocab()
    moves = cls(vocab.strings, cls.get_actions(**LABELS))
    theirs = their_cls(their_vocab.strings, their_cls.get_actions(**LABELS))
    beams = moves.beam_parse(docs, scorer_of(moves), width, density)
    expected = their_beams(theirs, their_vocab, docs, width, density)
    for beam, (parses, probs) in zip(beams, expected, strict=True):
        assert len(beam) <= width
        assert beam.probs == pytest.approx(probs, rel=1e-5)
        own = moves.get_beam_parses(beam)
        assert [prob for prob, _ in own] == pytest.approx([prob for prob, _ in parses], rel=1e-5)
        assert [sorted(parse) for _, parse in own] == [sorted(parse) for _, parse in parses]
        assert [len(history) > 0 for history in beam.histories] == [True] * len(beam)


def test_a_beam_of_one_takes_the_greedy_moves(arc_eager, docs):
    beams = arc_eager.beam_parse(docs, scorer_of(arc_eager), 1)
    states = arc_eager.parse(docs, scorer_of(arc_eager))
    assert [found(beam.states[0]) for beam in beams] == [found(state) for state in states]


def test_beams_refuse_what_makes_none(arc_eager, docs):
    for width in (0, -1):
        with pytest.raises(ValueError, match=f"beam-width.*{width}"):
            arc_eager.beam_parse(docs, scorer_of(arc_eager), width)
    with pytest.raises(ValueError, match="beam-density"):
        arc_eager.beam_parse(docs, scorer_of(arc_eager), 4, float("nan"))
    with pytest.raises(ValueError, match=r"transition-nan\] state \d+, step 2"):
        arc_eager.beam_parse(docs, wrong(arc_eager, with_nan), 4)


# Wrong input


@pytest.fixture
def example(vocab):
    doc = Doc(vocab, words=["a", "b"])
    return Example.from_dict(
        doc, {"heads": [1, 1], "deps": ["a", "ROOT"], "entities": ["U-X", "O"]}
    )


def test_an_empty_stack_or_buffer_gives_an_error_and_changes_nothing(vocab):
    state = StateClass(Doc(vocab, words=["a"]))
    for call, code in ((state.pop, "state-stack"), (state.unshift, "state-stack")):
        with pytest.raises(RuntimeError, match=code):
            call()
    state.push()
    for call in (state.push, lambda: state.open_ent(1), state.close_ent):
        with pytest.raises(RuntimeError, match="state-buffer"):
            call()
    assert (state.stack, state.queue, state.ents) == ([0], [], [])
    with pytest.raises(RuntimeError, match="state-entity"):
        StateClass(Doc(vocab, words=["a"])).close_ent()


def test_tokens_that_there_are_not_have_no_arcs(vocab):
    state = StateClass(Doc(vocab, words=["a", "b"]))
    for head, child in ((2, 0), (0, 2), (-1, 0), (0, -1), (2**31, 0)):
        with pytest.raises(IndexError, match="state-token"):
            state.add_arc(head, child, 1)
        state.del_arc(head, child)
    far = 2**62
    assert [state.S(far), state.B(far), state.H(far), state.L(far, 1), state.R(0, far)] == [-1] * 5
    assert not state.has_head(far)
    assert (state.arcs, state.n_L(-far), state.n_R(far)) == ([], 0, 0)


def test_a_state_without_a_document_has_no_tokens(vocab):
    state = StateClass()
    assert (state.doc, state.length, state.is_final(), state.queue) == (None, 0, True, [])
    for call in (lambda: state.S_(0), state.print_state, lambda: state.token_vector_length):
        with pytest.raises(ValueError, match="state-doc"):
            call()
    with pytest.raises(ValueError, match="state-length"):
        state.clone(StateClass(Doc(vocab, words=["a"])))
    with pytest.raises(ValueError, match="state-length"):
        StateClass(Doc(vocab, words=["a"]), offset=2**31 - 1)


def test_names_of_no_move_are_errors_with_the_name(arc_eager, biluo, vocab):
    state = StateClass(Doc(vocab, words=["a", "b"]))
    for moves in (arc_eager, biluo):
        for call in (moves.is_valid, moves.apply_transition, moves.transition):
            with pytest.raises(KeyError, match="L-unknown"):
                call(state, "L-unknown")
            with pytest.raises(ValueError, match="transition-move"):
                call(state, "Q-a")
        for clas in (-1, moves.n_moves, 2**40):
            with pytest.raises(IndexError, match="transition-class"):
                moves.get_class_name(clas)
        with pytest.raises(ValueError, match="E019"):
            moves.add_action(9, "a")
        with pytest.raises(KeyError, match="E018"):
            moves.add_action(2, 12345)
        with pytest.raises(ValueError, match="E019"):
            moves.initialize_actions({7: {"a": 1}})
        assert moves.n_moves > 5
    with pytest.raises(ValueError, match="E869"):
        biluo.is_valid(state, "U-!X")
    assert [biluo.is_valid(state, name) for name in ("-", "", None)] == [False] * 3


def test_a_move_that_the_state_forbids_is_refused(arc_eager, biluo, vocab):
    state = StateClass(Doc(vocab, words=["a", "b"]))
    for moves, name in ((arc_eager, "D"), (arc_eager, "L-a"), (biluo, "L-X")):
        with pytest.raises(ValueError, match=rf"\[E170\].*{name}"):
            moves.apply_transition(state, name)
    with pytest.raises(RuntimeError, match="state-stack"):
        arc_eager.transition(state, "D")
    assert (state.stack, state.queue) == ([], [0, 1])


def test_golds_go_with_their_own_moves_and_documents(arc_eager, biluo, example, vocab):
    (state,), (tree,), _ = arc_eager.init_gold_batch([example])
    (_,), (entities,), _ = biluo.init_gold_batch([example])
    longer = StateClass(Doc(vocab, words=["a", "b", "c"]))
    for moves, own, other in ((arc_eager, tree, entities), (biluo, entities, tree)):
        for gold in (other, None, "gold"):
            with pytest.raises(TypeError, match="E909"):
                moves.get_cost(state, gold, 0)
            with pytest.raises(TypeError, match="E909"):
                moves.get_oracle_sequence_from_state(state, gold)
            if moves is arc_eager:
                with pytest.raises(TypeError, match="E909"):
                    moves.is_gold_parse(state, gold)
        with pytest.raises(ValueError, match="transition-gold"):
            moves.get_costs(longer, own)
        with pytest.raises(ValueError, match="transition-gold"):
            moves.get_oracle_sequence_from_state(longer, own)
        with pytest.raises(IndexError, match="transition-class"):
            moves.get_cost(state, own, moves.n_moves)
        with pytest.raises(ValueError, match="transition-doc"):
            moves.set_annotations(longer, example.x)
    assert not example.x.has_annotation("DEP")


def test_a_tree_that_is_none_is_refused(arc_eager, vocab):
    cyclic = Example(
        Doc(vocab, words=["a", "b", "c"]),
        Doc(vocab, words=["a", "b", "c"], heads=[1, 0, 1], deps=["a", "b", "a"]),
    )
    with pytest.raises(ValueError, match="Found cycle in dependency graph"):
        arc_eager.get_oracle_sequence(cyclic)
    native = arc_eager.native
    gold = lexpool._core.Gold
    for heads, labels, code in (
        ([5, 1], ["a", "b"], "E190"),
        ([-2, 1], ["a", "b"], "E190"),
        ([1, 0], ["a", "b"], "projective-cycle"),
        ([1, 1], ["a"], "transition-gold"),
    ):
        with pytest.raises(ValueError, match=code):
            gold.arc_eager(native, heads, labels, [None, None])


def test_entities_of_labels_that_no_class_has_are_refused(biluo, vocab):
    doc = Doc(vocab, words=["a", "b"])
    example = Example.from_dict(doc, {"entities": ["U-UNKNOWN", "O"]})
    with pytest.raises(KeyError, match=r"E022\] token 0"):
        biluo.init_gold_batch([example])


def test_bytes_of_something_else_change_nothing(arc_eager):
    names = [arc_eager.get_class_name(i) for i in range(arc_eager.n_moves)]
    packb = lexpool.msgpack.packb
    strings, cfg = list(arc_eager.strings), dict(arc_eager.cfg)
    new = StringStore(["never seen"]).to_bytes()
    for wrong_bytes in (
        b"",
        b"\xc1",
        packb([1]),
        packb({"moves": "[]"}),
        packb({"moves": '{"0": 3}'}),
        packb({"moves": '{"9": {"a": 1}}', "strings": b"[]", "cfg": {}}),
        packb({"moves": '{"2": {"a": "x"}}', "strings": b"[]", "cfg": {}}),
        packb({"moves": "{", "strings": b"[]"}),
        packb({"cfg": 3}),
        packb({"strings": new, "cfg": {"neg_key": "x"}}),
        packb({"moves": '{"0": {"": 1}}', "cfg": {"neg_key": "x"}}),
        packb({"moves": '{"0": {"": 1}}', "strings": new, "cfg": 3}),
        packb({"moves": '{"0": {"": 1}}', "strings": b"?", "cfg": {"neg_key": "x"}}),
        packb({"moves": '{"9": {"": 1}}', "strings": new, "cfg": {"neg_key": "x"}}),
        packb({"moves": '{"x": {"": 1}}', "strings": new}),
        packb({"moves": '{"0": {"": 1e3}}', "strings": new}),
        packb({"moves": '{"0": {"": 99999999999999999999}}', "strings": new}),
        packb({"moves": "[" * 100_000, "strings": new}),
        packb({"moves": 5, "strings": new}),
    ):
        with pytest.raises(ValueError, match="transition-bytes"):
            arc_eager.from_bytes(wrong_bytes)
        assert [arc_eager.get_class_name(i) for i in range(arc_eager.n_moves)] == names
        assert (list(arc_eager.strings), arc_eager.cfg) == (strings, cfg)
    again = ArcEager(StringStore()).from_bytes(
        arc_eager.to_bytes(exclude=["strings"]), exclude=["strings", "cfg"]
    )
    assert again.n_moves == arc_eager.n_moves


def test_labels_are_given_by_text_or_by_ids_of_any_whole_number(arc_eager, vocab):
    one, two, three = (vocab.strings.add(label) for label in ("by-id", "by-numpy", "at-once"))
    arc_eager.add_action(2, one)
    arc_eager.add_action(3, np.uint64(two))
    assert arc_eager.lookup_transition("L-by-id") and arc_eager.lookup_transition("R-by-numpy")
    count = arc_eager.n_moves
    for label in (True, np.True_, 2.0, None, b"bytes"):
        with pytest.raises(TypeError, match="transition-label"):
            arc_eager.add_action(2, label)
        with pytest.raises(TypeError, match="transition-label"):
            arc_eager.initialize_actions({2: {label: 1}})
    for label in (12345, np.int64(12345)):
        with pytest.raises(KeyError, match="E018"):
            arc_eager.add_action(2, label)
    assert arc_eager.n_moves == count
    arc_eager.initialize_actions({0: {"": 1}, 2: {np.uint64(three): 2, one: 1}})
    names = [arc_eager.get_class_name(i) for i in range(arc_eager.n_moves)]
    assert names == ["S", "L-at-once", "L-by-id"]


def test_states_let_go_of_their_documents_and_of_circles(vocab):
    doc = Doc(vocab, words=["a"])
    doc.user_data["state"] = StateClass(doc)
    watched = threading.Event()
    doc.user_data["watched"] = Watched(watched)
    del doc
    gc.collect()
    assert watched.is_set()


class Watched:
    def __init__(self, event):
        self.event = event

    def __del__(self):
        self.event.set()
