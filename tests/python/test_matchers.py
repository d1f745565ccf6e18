"""Matcher and PhraseMatcher find what spaCy's find, and refuse what those refuse."""

import copy
import pickle
import random
import warnings

import pytest
import spacy
import spacy.matcher
import spacy.tokens

import lexpool
from lexpool.errors import MatchPatternError
from lexpool.matcher import Matcher, PhraseMatcher, levenshtein_compare
from lexpool.tokens import Doc, Token

WORDS = ["a", "b", "aa", "Ab", "bab", "7", "."]
OPERATORS = [None, "?", "*", "+", "!", "{2}", "{1,3}", "{2,}", "{,2}"]
CONDITIONS = [
    {},
    {"ORTH": "a"},
    {"LOWER": "ab"},
    {"IS_ALPHA": True},
    {"LENGTH": {">=": 2}},
    {"LENGTH": {"IN": [1, 3]}},
    {"LENGTH": {"<": 2.5}},
    {"TEXT": {"NOT_IN": ["a", "7"]}},
    {"LOWER": {"REGEX": "^a|b$"}},
    {"TEXT": {"REGEX": r"(a)b?\1|7"}},
    {"LOWER": {"REGEX": {"NOT_IN": ["b", "7"]}}},
    {"ORTH": {"FUZZY1": "ab"}},
    {"ORTH": {"FUZZY1": {"IN": ["abb", "77"]}}},
    {"ORTH": {"IS_SUBSET": ["a", "b"]}},
    {"ORTH": {"INTERSECTS": ["aa", "b"], "NOT_IN": ["b"]}},
    {"ORTH": {"IS_SUPERSET": ["a"]}},
    {"MORPH": {"IS_SUPERSET": ["Number=Sing"]}},
    {"MORPH": {"INTERSECTS": ["Case=Nom", "Case=Acc"]}},
    {"MORPH": {"IS_SUBSET": ["Number=Sing", "Case=Nom"]}},
    {"TAG": "X"},
    {"IS_SENT_START": True},
    {"ENT_IOB": "B"},
]
MORPHS = ["", "Number=Sing", "Case=Nom|Number=Sing", "Case=Acc"]


@pytest.fixture(scope="module")
def vocabs():
    return spacy.blank("en").vocab, lexpool.blank("en").vocab


def random_docs(rng, vocabs):
    count = rng.randint(1, 12)
    words = rng.choices(WORDS, k=count)
    given = {
        "tags": rng.choices(["X", "Y"], k=count),
        "morphs": rng.choices(MORPHS, k=count),
        "sent_starts": [rng.random() < 0.3 for _ in words],
        "ents": rng.choices(["O", "B-Z"], k=count),
    }
    spacys, ours = vocabs
    return spacy.tokens.Doc(spacys, words=words, **given), Doc(ours, words=words, **given)


def random_pattern(rng, conditions=CONDITIONS):
    pattern = []
    for _ in range(rng.randint(1, 4)):
        spec = copy.deepcopy(rng.choice(conditions))
        operator = rng.choice(OPERATORS)
        if operator is not None and spec:
            spec["OP"] = operator
        pattern.append(spec)
    return pattern


@pytest.mark.parametrize("seed", range(40))
def test_random_patterns_find_what_spacy_finds_in_its_order(vocabs, seed):
    rng = random.Random(seed)
    for _ in range(10):
        theirs, ours = spacy.matcher.Matcher(vocabs[0]), Matcher(vocabs[1])
        for key in ["one", "two", "three"]:
            patterns = [random_pattern(rng) for _ in range(rng.randint(1, 2))]
            greedy = rng.choice([None, None, "FIRST", "LONGEST"])
            for matcher in (theirs, ours):
                matcher.add(key, patterns, greedy=greedy)
        for _ in range(4):
            their_doc, our_doc = random_docs(rng, vocabs)
            for options in ({}, {"with_alignments": True}):
                options["allow_missing"] = True
                assert ours(our_doc, **options) == theirs(their_doc, **options)
            start = rng.randrange(len(our_doc))
            found = ours(our_doc[start:], allow_missing=True)
            assert found == theirs(their_doc[start:], allow_missing=True)


@pytest.mark.parametrize("seed", range(20))
def test_random_phrases_are_found_where_spacy_finds_them(vocabs, seed):
    rng = random.Random(seed)
    attr = rng.choice(["ORTH", "LOWER", "SHAPE", "TAG", "IS_ALPHA"])
    theirs, ours = spacy.matcher.PhraseMatcher(vocabs[0], attr), PhraseMatcher(vocabs[1], attr)
    keys = ["one", "two", "three", "four"]
    phrases = {}
    for key in keys:
        pairs = [random_docs(rng, vocabs) for _ in range(4)]
        phrases[key] = [(their[:2].as_doc(), our[:2].as_doc()) for their, our in pairs]
        theirs.add(key, [their for their, _ in phrases[key]])
        ours.add(key, [our for _, our in phrases[key]])
    for removed in [None, *keys]:
        if removed:
            # spaCy's `remove` may crash where keys share phrases, so its matcher is made anew.
            del phrases[removed]
            theirs = spacy.matcher.PhraseMatcher(vocabs[0], attr)
            for key, pairs in phrases.items():
                theirs.add(key, [their for their, _ in pairs])
            ours.remove(removed)
        for _ in range(3):
            their_doc, our_doc = random_docs(rng, vocabs)
            # If several keys share a phrase, spaCy's order is that of a hash table.
            found = ours(our_doc)
            assert sorted(found) == sorted(theirs(their_doc))
            assert found == sorted(found, key=lambda match: match[1:])


@pytest.fixture
def matcher():
    return Matcher(lexpool.blank("en").vocab)


@pytest.mark.parametrize(
    ("code", "patterns", "options"),
    [
        ("E948", ({"ORTH": "a"},), {}),
        ("E012", [[]], {}),
        ("E178", [{"ORTH": "a"}], {}),
        ("E171", [[{}]], {"on_match": 1}),
        ("E947", [[{}]], {"greedy": "LAST"}),
    ],
)
def test_what_cannot_be_added_is_refused_with_spacys_code(matcher, code, patterns, options):
    with pytest.raises(ValueError, match=code):
        matcher.add("key", patterns, **options)
    assert len(matcher) == 0 and "key" not in matcher


@pytest.mark.parametrize(
    ("code", "spec"),
    [
        ("E011", {"ORTH": "a", "OP": "$"}),
        ("E011", {"ORTH": "a", "OP": "{1000000000}"}),
        ("E152", {"NOTHING": "a"}),
        ("E153", {"ORTH": ["a"]}),
        ("E154", {"LENGTH": -1}),
        ("E154", {"_": "a"}),
        ("E154", "a"),
    ],
)
def test_a_bad_element_is_refused_with_and_without_validation(code, spec):
    vocab = lexpool.blank("en").vocab
    lenient = Matcher(vocab, validate=False)
    with pytest.raises(ValueError, match=code):
        lenient.add("key", [[{"ORTH": "a"}], [spec]])
    lenient.add("other", [[{}]])
    assert [key for key, *_ in lenient(Doc(vocab, words=["a"]))] == [vocab.strings["other"]]


def test_a_validation_error_names_pattern_element_and_field(matcher):
    with pytest.raises(MatchPatternError) as raised:
        matcher.add("key", [[{"ORTH": "a"}], [{}, {"LENGTH": "two", "lower": {"in": [1]}}]])
    assert "pattern 1, element [1] LENGTH" in str(raised.value)
    assert "pattern 1, element [1] lower in" in str(raised.value)


def test_calls_that_spacy_refuses_are_refused(matcher):
    doc = Doc(matcher.vocab, words=["a"])
    with pytest.warns(UserWarning, match="W036"):
        assert matcher(doc) == []
    matcher.add("key", [[{"POS": "NOUN"}]])
    with pytest.raises(ValueError, match="E155"):
        matcher(doc)
    assert matcher(doc, allow_missing=True) == []
    with pytest.raises(ValueError, match="E195"):
        matcher("a")
    with pytest.raises(ValueError, match="E175"):
        matcher.remove("other")


def test_extension_attributes_and_comparisons_of_ones_own_are_asked():
    vocab = lexpool.blank("en").vocab
    asked = []

    def compare(text, pattern, edits):
        asked.append((text, pattern, edits))
        return text.startswith(pattern)

    Token.set_extension("matched_by", getter=lambda token: token.i, force=True)
    try:
        matcher = Matcher(vocab, fuzzy_compare=compare)
        matcher.add("key", [[{"ORTH": {"FUZZY3": "x"}, "_": {"matched_by": {">=": 1}}}]])
        found = matcher(Doc(vocab, words=["xa", "xb", "y", "xb"]))
        assert [match[1:] for match in found] == [(1, 2), (3, 4)]
        assert sorted(asked) == [("xa", "x", 3), ("xb", "x", 3), ("y", "x", 3)]
    finally:
        Token.remove_extension("matched_by")


def test_an_answer_that_is_neither_true_nor_false_is_an_error():
    matcher = Matcher(lexpool.blank("en").vocab, fuzzy_compare=lambda *_: 1)
    matcher.add("key", [[{"ORTH": {"FUZZY": "x"}}]])
    with pytest.raises(ValueError, match="E125"):
        matcher(Doc(matcher.vocab, words=["y"]))


def test_an_unknown_predicate_is_warned_of_and_ignored():
    matcher = Matcher(lexpool.blank("en").vocab, validate=False)
    with pytest.warns(UserWarning, match="W035"):
        matcher.add("key", [[{"ORTH": {"LIKE": "x"}}]])
    assert len(matcher(Doc(matcher.vocab, words=["y"]))) == 1


def test_callbacks_see_the_matches_that_are_left_and_spans_have_the_key(matcher):
    seen = []
    matcher.add(
        "key",
        [[{"ORTH": "a", "OP": "+"}]],
        greedy="LONGEST",
        on_match=lambda *args: seen.append(args),
    )
    doc = Doc(matcher.vocab, words=["b", "a", "a"])
    (span,) = matcher(doc[1:], as_spans=True)
    assert (span.start, span.end, span.label_) == (1, 3, "key")
    assert seen == [(matcher, doc, 0, [(doc.vocab.strings["key"], 0, 2)])]


def on_match(matcher, doc, i, matches):
    doc.user_data["matches"] = matches


def test_pickled_matchers_find_the_same():
    vocab = lexpool.blank("en").vocab
    matcher = Matcher(vocab, fuzzy_compare=levenshtein_compare)
    matcher.add("key", [[{"ORTH": "a", "OP": "+"}]], on_match=on_match, greedy="FIRST")
    phrases = PhraseMatcher(vocab, "LOWER")
    phrases.add("key", [Doc(vocab, words=["a", "a"])])
    for original in (matcher, phrases):
        copied = pickle.loads(pickle.dumps(original))
        doc = Doc(copied.vocab, words=["a", "a", "a"])
        found = copied(doc)
        assert found == original(Doc(vocab, words=["a", "a", "a"])) and found
    assert matcher.get("key") == (on_match, [[{"ORTH": "a", "OP": "+"}]])


def test_phrases_are_refused_as_spacy_refuses_them():
    vocab = lexpool.blank("en").vocab
    doc = Doc(vocab, words=["a"])
    with pytest.raises(ValueError, match="E152"):
        PhraseMatcher(vocab, attr="NOTHING")
    phrases = PhraseMatcher(vocab, attr="POS")
    with pytest.raises(ValueError, match="E179"):
        phrases.add("key", doc)
    with pytest.raises(ValueError, match="E155"):
        phrases.add("key", [doc])
    assert "key" not in phrases
    with pytest.raises(KeyError):
        phrases.remove("key")
    with pytest.raises(ValueError, match="E195"):
        phrases("a")
    assert phrases(None) == []


def test_pipe_warns_and_matches():
    vocab = lexpool.blank("en").vocab
    matcher = Matcher(vocab)
    matcher.add("key", [[{"ORTH": "a"}]])
    doc = Doc(vocab, words=["a"])
    with pytest.warns(DeprecationWarning, match="W105"):
        results = list(matcher.pipe([(doc, 1)], return_matches=True, as_tuples=True))
    assert results == [((doc, matcher(doc)), 1)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        matcher(doc)
