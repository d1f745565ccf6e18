"""Scores of documents; every figure of spaCy's Scorer is the oracle, to the last digit."""

import copy
import math
import pickle
import random
from functools import partial

import numpy as np
import pytest
from hypothesis import given, strategies as st

import lexpool
from lexpool._components.named_functions import FUNCTIONS, resolved
from lexpool._core import TokenGetter
from lexpool.pipeline import Pipe
from lexpool.scorer import PRFScore, ROCAUCScore, Scorer, _roc_auc_score, get_ner_prf
from lexpool.training import Alignment, Example

LABELS = ["PER", "ORG", "GPE"]


def cut(rng: random.Random, text: str) -> tuple[list[str], list[bool]]:
    """Words and spaces of a random tokenization, whose tokens may contain spaces."""
    often = rng.choice([0.2, 0.6, 0.9])
    at = [i for i in range(1, len(text)) if rng.random() < often]
    words, spaces = [], []
    for start, end in zip([0, *at], [*at, len(text)], strict=True):
        piece = text[start:end]
        spaces.append(len(piece) > 1 and piece.endswith(" "))
        words.append(piece[:-1] if spaces[-1] else piece)
    return words, spaces


def annotate(rng: random.Random, n: int) -> dict[str, list]:
    """Arguments of `Doc` for `n` tokens; each kind of annotation may be missing, or partly so."""

    def some(values: list) -> list:
        return [rng.choice(values) for _ in range(n)]

    kinds = {
        "tags": lambda: some(["N", "V", "A", ""]),
        "pos": lambda: some(["NOUN", "VERB", "PUNCT", ""]),
        "lemmas": lambda: some(["a", "b", ""]),
        "morphs": lambda: some(["A=1", "A=1|B=2", "A=2|B=1,2|C=3", "", "_"]),
        "ents": lambda: iob(rng, n),
    }
    if rng.random() < 0.6:
        kinds["heads"] = lambda: [rng.choice([rng.randrange(i + 1), i]) for i in range(n)]
        kinds["deps"] = lambda: some(["nsubj", "NSUBJ", "punct", "P", "dobj", "ROOT", ""])
    else:
        kinds["sent_starts"] = lambda: some([True, False, False, None])
    made = {kind: make() for kind, make in kinds.items() if rng.random() < 0.7}
    if "heads" in made:
        made.setdefault("deps", ["dep"] * n)
    return made


def iob(rng: random.Random, n: int) -> list[str]:
    """Tags of entities, without a tag for a token whose annotation is missing."""
    tags: list[str] = []
    for _ in range(n):
        if tags and tags[-1] not in ("", "O") and rng.random() < 0.4:
            tags.append("I" + tags[-1][1:])
        else:
            tags.append(rng.choice(["", "O", "O", *(f"B-{label}" for label in LABELS)]))
    return tags


def describe(rng: random.Random, text: str) -> dict:
    """A document of a text, as plain data."""
    words, spaces = cut(rng, text)
    n = len(words)
    made = {"words": words, "spaces": spaces, "annotation": annotate(rng, n)}
    if rng.random() < 0.1:
        made["spaces"] = None
    spans = [(rng.randrange(n), rng.choice(LABELS)) for _ in range(rng.randrange(6))]
    made["spans"] = [(at, rng.randint(at + 1, n), label) for at, label in spans]
    made["groups"] = [key for key in ("sc", "other") if rng.random() < 0.7]
    values = rng.choice([[0.0, 1.0], [0.0, 0.25, 0.5, 0.75, 1.0]])
    made["cats"] = {
        label: rng.choice(values) for label in rng.sample("ABCD", 4) if rng.random() < 0.8
    }
    made["links"] = [rng.choice(["Q1", "Q2", "NIL", ""]) for _ in range(n)]
    return made


def describe_pair(rng: random.Random, text: str) -> tuple[dict, dict]:
    """A predicted document and its reference; often they differ in little."""
    gold, found = describe(rng, text), describe(rng, text)
    if rng.random() < 0.3:
        return found, gold
    if rng.random() < 0.6:
        found["words"], found["spaces"] = gold["words"], gold["spaces"]
        for kind in gold["annotation"].keys() - {"ents", "heads"}:
            others = annotate(rng, len(gold["words"])).get(kind, gold["annotation"][kind])
            found["annotation"][kind] = [
                rng.choice([own, own, own, other])
                for own, other in zip(gold["annotation"][kind], others, strict=True)
            ]
        for kind in ("ents", "heads"):
            if kind in gold["annotation"]:
                found["annotation"][kind] = gold["annotation"][kind]
        for kind in found["annotation"].keys() - gold["annotation"].keys():
            del found["annotation"][kind]
        found["spans"] = gold["spans"][1:]
        found["links"] = [rng.choice([link, "Q1"]) for link in gold["links"]]
    found["cats"] = {
        label: rng.choice([score, score, 0.6]) for label, score in gold["cats"].items()
    }
    return found, gold


def document(doc_class, span_class, vocab, described):
    doc = doc_class(
        vocab, words=described["words"], spaces=described["spaces"], **described["annotation"]
    )
    for key in described["groups"]:
        doc.spans[key] = [
            span_class(doc, start, end, label=label) for start, end, label in described["spans"]
        ]
    doc.cats = dict(described["cats"])
    ents = [
        span_class(doc, ent.start, ent.end, label=ent.label_, kb_id=link)
        for ent, link in zip(doc.ents, described["links"], strict=False)
    ]
    if ents:
        doc.set_ents(ents, default="unmodified")
    return doc


TEXT = st.text("abc de.\n", min_size=1, max_size=40).filter(lambda text: text.strip())


@pytest.fixture(scope="module")
def pairs(spacy):
    """Makes examples of spaCy and of lexpool from texts and a seed."""
    vocabs = spacy.vocab.Vocab(), lexpool.Vocab()

    def make(texts: list[str], seed: int):
        rng = random.Random(seed)
        described = [describe_pair(rng, text) for text in texts]
        theirs = [
            spacy.training.Example(
                *(document(spacy.tokens.Doc, spacy.tokens.Span, vocabs[0], side) for side in both)
            )
            for both in described
        ]
        ours = [
            Example(*(document(lexpool.Doc, lexpool.Span, vocabs[1], side) for side in both))
            for both in described
        ]
        return theirs, ours

    return make


def same(a, b) -> bool:
    """Compares two scores; NaN equals NaN."""
    if isinstance(a, dict):
        return isinstance(b, dict) and a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    if isinstance(a, float) and math.isnan(a):
        return math.isnan(b)
    return a == b


@given(texts=st.lists(TEXT, min_size=1, max_size=3), seed=st.integers(0, 2**32))
def test_every_figure_of_random_documents_is_spacys(spacy, default_scorers, pairs, texts, seed):
    theirs, ours = pairs(texts, seed)
    for scorer, own in default_scorers:
        assert same(scorer.score(theirs), own.score(ours))
        assert same(scorer.score(theirs, per_component=True), own.score(ours, per_component=True))


@pytest.fixture(scope="module")
def default_scorers(spacy):
    factories = ("parser", "tagger", "ner", "morphologizer", "trainable_lemmatizer", "senter")
    return [
        (spacy.scorer.Scorer(default_pipeline=names), Scorer(default_pipeline=names))
        for names in (factories, ("spancat", "span_finder", "attribute_ruler", "entity_ruler"))
    ]


@given(
    texts=st.lists(TEXT, min_size=1, max_size=12),
    seed=st.integers(0, 2**32),
    labels=st.sampled_from([["A", "B", "C", "D"], ["B", "A"], ["A"], ["A", "E"], []]),
    exclusive=st.booleans(),
    threshold=st.sampled_from([None, 0.0, 0.25, 0.6]),
    positive=st.sampled_from([None, "A"]),
)
def test_every_figure_of_random_categories_is_spacys(
    spacy, pairs, texts, seed, labels, exclusive, threshold, positive
):
    theirs, ours = pairs(texts, seed)
    if exclusive:
        # spaCy fails for gold categories without predicted ones.
        kept = [i for i, e in enumerate(theirs) if set(labels) & set(e.predicted.cats)]
        theirs, ours = [theirs[i] for i in kept], [ours[i] for i in kept]
    found = [
        of(
            examples,
            "cats",
            labels=labels,
            multi_label=not exclusive,
            threshold=threshold,
            positive_label=positive,
        )
        for of, examples in (
            (spacy.scorer.Scorer.score_cats, theirs),
            (Scorer.score_cats, ours),
        )
    ]
    assert same(*found)


@given(
    texts=st.lists(TEXT, min_size=1, max_size=4),
    seed=st.integers(0, 2**32),
    key=st.sampled_from(["sc", "other", "none"]),
    labeled=st.booleans(),
    overlap=st.booleans(),
)
def test_every_figure_of_random_spans_is_spacys(spacy, pairs, texts, seed, key, labeled, overlap):
    theirs, ours = pairs(texts, seed)
    settings = {
        "attr": key,
        "getter": lambda doc, key: doc.spans.get(key, []),
        "has_annotation": lambda doc: key in doc.spans,
        "labeled": labeled,
        "allow_overlap": overlap,
    }
    assert same(
        spacy.scorer.Scorer.score_spans(theirs, **settings), Scorer.score_spans(ours, **settings)
    )
    assert same(spacy.scorer.get_ner_prf(theirs), get_ner_prf(ours))
    links = {"negative_labels": ["NIL", ""]}
    assert same(spacy.scorer.Scorer.score_links(theirs, **links), Scorer.score_links(ours, **links))


def test_positions_without_a_label_are_ignored_in_later_examples_as_in_spacy(spacy):
    found = []
    for doc_class, vocab, example, scorer in (
        (spacy.tokens.Doc, spacy.vocab.Vocab(), spacy.training.Example, spacy.scorer.Scorer),
        (lexpool.Doc, lexpool.Vocab(), Example, Scorer),
    ):
        make = partial(doc_class, vocab, words=["a", "b"], heads=[0, 0])
        examples = [
            example(make(deps=["ROOT", "x"]), make(deps=["ROOT", ""])),
            example(make(deps=["ROOT", "x"]), make(deps=["ROOT", "x"])),
        ]
        found.append(scorer.score_deps(examples, "dep", getter=lambda token, _: token.dep_))
    assert found[0] == found[1]
    assert found[1]["dep_las_per_type"]["x"]["r"] == 0.0


def test_gold_categories_without_predicted_ones_are_missing():
    nlp = lexpool.blank("en")
    example = Example.from_dict(nlp("a text"), {"cats": {"YES": 1.0, "NO": 0.0}})
    scores = Scorer.score_cats([example], "cats", labels=["YES", "NO"], multi_label=False)
    assert scores["cats_f_per_type"]["YES"] == {"p": 0.0, "r": 0.0, "f": 0.0}
    assert scores["cats_micro_r"] == 0.0
    example.predicted.cats = {"YES": 1.0}
    other = Example.from_dict(nlp("a text"), {"cats": {"YES": 1.0}})
    scores = Scorer.score_cats([example, other], "cats", labels=["YES", "NO"], multi_label=False)
    assert scores["cats_micro_r"] == 0.5


@pytest.mark.parametrize("number", [2, 7, 8, 9, 127, 128, 129, 300, 1023, 5000])
@pytest.mark.parametrize("values", [3, 50, 10**9])
def test_the_area_under_a_curve_has_the_bits_of_numpys_sum(spacy, number, values):
    rng = np.random.default_rng(number)
    golds = rng.integers(0, 2, number).astype(float)
    golds[:2] = 0.0, 1.0
    cands = rng.integers(0, values, number) / values
    expected = spacy.scorer._roc_auc_score(golds.tolist(), cands.tolist())
    assert _roc_auc_score(golds.tolist(), cands.tolist()) == expected
    score = ROCAUCScore()
    for cand, gold in zip(cands.tolist(), golds.tolist(), strict=True):
        score.score_set(cand, gold)
    assert score.is_binary() and score.score == score.score == expected


@given(
    points=st.lists(
        st.tuples(
            st.sampled_from([0.0, 0.5, 1.0, math.nan]),
            st.sampled_from([-1.0, -0.0, 0.0, 0.1, 0.5, math.inf, -math.inf, math.nan, 5e-324]),
        ),
        min_size=1,
        max_size=20,
    )
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_curves_with_odd_numbers_are_spacys(spacy, points):
    golds, cands = [gold for gold, _ in points], [cand for _, cand in points]
    try:
        expected = spacy.scorer._roc_auc_score(golds, cands)
    except ValueError:
        with pytest.raises(ValueError, match="E165"):
            _roc_auc_score(golds, cands)
        return
    assert same(float(expected), _roc_auc_score(golds, cands))


def test_counts_add_up():
    a, b = PRFScore(tp=1, fp=2), PRFScore(fn=3)
    assert not PRFScore() and len(a + b) == 6
    a += b
    assert (a.tp, a.fp, a.fn) == (1, 2, 3)
    assert a.to_dict() == {"p": 1 / 3, "r": 0.25, "f": 2 * (1 / 3 * 0.25) / (1 / 3 + 0.25)}
    assert PRFScore().to_dict() == {"p": 0.0, "r": 0.0, "f": 0.0}


def test_a_component_scores_with_its_settings_and_labels():
    class Labeller(Pipe):
        cfg = {"threshold": 0.3, "positive_label": None}
        labels = ("A", "B")
        scorer = staticmethod(lambda examples, **settings: settings)

    found = Labeller().score([], threshold=0.4)
    assert found == {"threshold": 0.4, "positive_label": None, "labels": ("A", "B")}


def test_scorers_have_the_names_and_figures_of_spacys_registry(spacy, pairs):
    spacy.blank("en")
    spacy.registry.ensure_populated()
    registered = spacy.registry.scorers.get_all()
    names = {name for name in registered if name.startswith("spacy.")}
    assert names == {name for name in FUNCTIONS if "_scorer." in name}
    theirs, ours = pairs(["abc de. b\ncc a. d", "a b c", "de de ab. c"] * 9, 7)
    # spaCy fails for gold categories without predicted ones.
    kept = [i for i, example in enumerate(theirs) if example.predicted.cats]
    theirs, ours = [theirs[i] for i in kept], [ours[i] for i in kept]
    settings = {"spans_key": "sc", "labels": ["A", "B", "C", "D"]}
    for name in sorted(names):
        expected = registered[name]()(theirs, **settings)
        assert any(expected.values()), name
        found = resolved({"@scorers": name}, "components.x.scorer")(ours, **settings)
        assert same(expected, found), name


def test_settings_of_a_scorer_become_its_arguments():
    name = "spacy.overlapping_labeled_spans_scorer.v1"
    scorer = resolved({"@scorers": name, "spans_key": "mine"}, "components.x.scorer")
    assert scorer([])["spans_mine_p"] is None
    with pytest.raises(ValueError, match=r"components\.x\.scorer.*'other'"):
        resolved({"@scorers": name, "other": 1}, "components.x.scorer")


def both(spacy, pairs, texts, seed, score):
    """Scores random documents by a function of `Scorer`s, with spaCy's and with lexpool's."""
    theirs, ours = pairs(texts, seed)
    return score(spacy.scorer.Scorer, theirs), score(Scorer, ours)


TEXTS_AND_SEED = {
    "texts": st.lists(TEXT, min_size=1, max_size=3),
    "seed": st.integers(0, 2**32),
}


@given(**TEXTS_AND_SEED)
def test_values_of_custom_getters_are_counted_as_by_spacy(spacy, pairs, texts, seed):
    def score(scorer, examples):
        return [
            scorer.score_token_attr(examples, "tag_"),
            scorer.score_token_attr(examples, "is_punct"),
            scorer.score_token_attr(examples, "x", getter=lambda token, _: (token.tag_, 1)),
            scorer.score_token_attr(examples, "x", getter=lambda t, _: [0, 0.0, False, 1][t.i % 4]),
            scorer.score_token_attr(examples, "tag_", missing_values={"N"}),
            scorer.score_token_attr(examples, "tag_", missing_values=["N", None]),
            scorer.score_token_attr(examples, "pos", missing_values=frozenset()),
        ]

    assert all(map(same, *both(spacy, pairs, texts, seed, score)))


@given(**TEXTS_AND_SEED)
def test_features_of_custom_getters_are_counted_as_by_spacy(spacy, pairs, texts, seed):
    def score(scorer, examples):
        keys = {"A=1", "A=2|B=1"}

        def key(token, attr):
            return getattr(token, attr).key if str(token.morph) in keys else 0

        return scorer.score_token_attr_per_feat(examples, "morph", getter=key)

    assert same(*both(spacy, pairs, texts, seed, score))


@given(**TEXTS_AND_SEED)
def test_arcs_of_custom_getters_are_counted_as_by_spacy(spacy, pairs, texts, seed):
    def score(scorer, examples):
        def first(token, _):
            return token.doc[0]

        return [
            scorer.score_deps(examples, "dep"),
            scorer.score_deps(examples, "dep", ignore_labels=[429, "punct"]),
            scorer.score_deps(examples, "dep_", ignore_labels="punct nsubj"),
            scorer.score_deps(examples, "dep", getter=lambda t, _: (t.dep_,)),
            scorer.score_deps(examples, "dep_", head_getter=first, missing_values={"dobj"}),
        ]

    assert all(map(same, *both(spacy, pairs, texts, seed, score)))


class Other:
    """An object with the attributes of a span."""

    def __init__(self, span):
        self.label_, self.start, self.end = span.label_, span.start, span.end
        self.label, self.text = span.label, span.text


@given(**TEXTS_AND_SEED, labeled=st.booleans())
def test_spans_of_custom_getters_are_counted_as_by_spacy(spacy, pairs, texts, seed, labeled):
    def score(scorer, examples):
        getters = [
            lambda doc, _: doc.ents,
            lambda doc, _: (span for span in doc.ents),
            lambda doc, _: [Other(span) for span in doc.ents],
            lambda doc, _: [Other(span) for span in doc.ents] if len(doc) % 2 else doc.ents,
        ]
        made = [scorer.score_spans(examples, "x", getter=own, labeled=labeled) for own in getters]
        return [*made, scorer.score_spans(examples, "ents", labeled=labeled)]

    assert all(map(same, *both(spacy, pairs, texts, seed, score)))


@given(**TEXTS_AND_SEED)
def test_native_values_are_those_that_getters_collect(pairs, texts, seed):
    _, examples = pairs(texts, seed)
    for attr in ("tag", "pos", "lemma", "dep"):
        collected = Scorer.score_token_attr(examples, attr, getter=lambda t, a: getattr(t, a))
        assert Scorer.score_token_attr(examples, attr) == collected
        collected = Scorer.score_deps(examples, attr, getter=lambda t, a: getattr(t, a))
        assert Scorer.score_deps(examples, attr) == collected
    for score in (Scorer.score_token_attr, Scorer.score_token_attr_per_feat):
        collected = score(examples, "morph", getter=lambda t, _: t.morph.key)
        assert score(examples, "morph", getter=TokenGetter.analysis_key()) == collected
    settings = {"ignore_labels": ("p", "punct")}
    collected = Scorer.score_deps(examples, "dep", getter=lambda t, _: t.dep_.lower(), **settings)
    assert (
        Scorer.score_deps(examples, "dep", getter=TokenGetter.lower_label(), **settings)
        == collected
    )


def test_sentences_of_a_hook_are_scored():
    doc = lexpool.Doc(lexpool.Vocab(), words=["a", "b", "c"], sent_starts=[1, 0, 1])
    other = doc.copy()
    other.user_hooks["sents"] = lambda doc: [doc[0:1], doc[1:3]]
    scores = Scorer.score_spans([Example(other, doc)], "sents", labeled=False)
    assert scores["sents_f"] == 0.0
    assert Scorer.score_spans([Example(doc, other)], "sents")["sents_f"] == 0.0


def test_errors_of_getters_are_raised_and_values_must_be_hashable():
    doc = lexpool.Doc(lexpool.Vocab(), words=["a", "b"], heads=[0, 0], deps=["ROOT", "x"])
    examples = [Example(doc, doc)]

    def fail(*_):
        raise KeyError("on purpose")

    for score in (Scorer.score_token_attr, Scorer.score_deps, Scorer.score_spans):
        with pytest.raises(KeyError, match="on purpose"):
            score(examples, "tag", getter=fail)
    with pytest.raises(KeyError, match="on purpose"):
        Scorer.score_spans(examples, "ents", has_annotation=fail)
    with pytest.raises(TypeError, match="unhashable"):
        Scorer.score_token_attr(examples, "tag", getter=lambda *_: [])
    far = lexpool.Doc(lexpool.Vocab(), words=["a"] * 9)[8]
    with pytest.raises(IndexError, match="E1035"):
        Scorer.score_deps(examples, "dep", head_getter=lambda *_: far)
    with pytest.raises(AttributeError, match="predicted"):
        Scorer.score_tokenization([doc])


def test_a_getter_may_merge_the_tokens_that_are_scored():
    doc = lexpool.Doc(lexpool.Vocab(), words=["a", "b", "c"], tags=["X", "Y", "Z"])
    examples = [Example(doc.copy(), doc)]

    def merge(token, attr):
        with token.doc.retokenize() as retokenizer:
            if len(token.doc) > 1:
                retokenizer.merge(token.doc[0:2])
        return "X"

    assert Scorer.score_token_attr(examples, "tag", getter=merge) == {"tag_acc": 1.0}


def test_an_alignment_that_is_not_of_the_documents_is_refused():
    vocab = lexpool.Vocab()
    predicted, reference = (lexpool.Doc(vocab, words=words) for words in (["a", "b"], ["ab"]))
    for rows in ([[0]], [[0], [1]], [[0], [-1]]):
        alignment = Alignment.from_indices(rows, [[0, 1]])
        example = Example(predicted, reference, alignment=alignment)
        for score in (Scorer.score_token_attr, Scorer.score_deps):
            with pytest.raises(ValueError, match="scoring-alignment"):
                score([example], "tag")


def test_categories_without_a_value_are_unknown_and_other_values_are_refused():
    doc = lexpool.Doc(lexpool.Vocab(), words=["a"])
    example = Example(doc.copy(), doc)
    example.reference.cats = {"A": None, "B": 1.0}
    example.predicted.cats = {"A": 1.0, "B": True}
    scores = Scorer.score_cats([example], "cats", labels=["A", "B", "A"])
    assert scores["cats_f_per_type"] == {
        "A": {"p": 0.0, "r": 0.0, "f": 0.0},
        "B": {"p": 1.0, "r": 1.0, "f": 1.0},
    }
    for wrong in (None, "high", 1j):
        example.predicted.cats = {"A": wrong}
        with pytest.raises(TypeError, match="scoring-category"):
            Scorer.score_cats([example], "cats", labels=["A"])
    with pytest.raises(KeyError, match="C"):
        Scorer.score_cats([], "cats", labels=["A", "B"], multi_label=False, positive_label="C")


class Weighted(PRFScore):
    """Counts with a name."""

    def __init__(self, name: str = "x", **counts: int) -> None:
        super().__init__(**counts)
        self.name = name


def test_counts_are_copied_pickled_and_subclassed():
    score = PRFScore(tp=1, fp=2, fn=3)
    for made in (copy.copy(score), copy.deepcopy(score), pickle.loads(pickle.dumps(score))):
        assert made is not score and (made.tp, made.fp, made.fn) == (1, 2, 3)
    score += score
    score.tp += 1
    score.fp, score.fn = 5, 7
    assert repr(score) == "PRFScore(tp=3, fp=5, fn=7)"
    weighted = Weighted("z", tp=1)
    assert weighted.name == "z"
    weighted.name = "y"
    made = pickle.loads(pickle.dumps(weighted))
    assert type(made) is Weighted and (made.tp, made.name) == (1, "y")
    with pytest.raises(OverflowError):
        score.tp = -1
    with pytest.raises(TypeError):
        score.tp = "1"
    with pytest.raises(TypeError):
        score += 1
    curve = ROCAUCScore()
    curve.score_set(0.5, 1.0)
    made = pickle.loads(pickle.dumps(curve))
    assert (made.cands, made.golds) == ([0.5], [1.0])
