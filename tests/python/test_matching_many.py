"""Many patterns at once, many documents at once, and patterns made to be slow."""

import os
import random
import threading
import warnings

import pytest
import spacy
import spacy.matcher
from test_matchers import CONDITIONS, MORPHS, random_docs, random_pattern

import lexpool
from lexpool.matcher import Matcher
from lexpool.tokens import Doc, Span, Token

ALL_CONDITIONS = [
    *CONDITIONS,
    {"SHAPE": "xx"},
    {"SHAPE": {"IN": ["x", "d"]}},
    {"NORM": "b"},
    {"NORM": {"NOT_IN": ["b", "."]}},
    {"LENGTH": 2},
    {"LENGTH": {"!=": 1, "<=": 3}},
    {"IS_ALPHA": False},
    {"IS_DIGIT": True},
    {"SPACY": True},
    {"ENT_TYPE": "Z"},
    {"ENT_IOB": 3},
    {"TAG": {"IN": ["X"]}},
    {"TAG": {"REGEX": "^Y"}},
    {"MORPH": "Case=Acc"},
    {"MORPH": {"NOT_IN": MORPHS[1:3]}},
    {"LOWER": {"FUZZY": "bab"}},
    {"TEXT": {"FUZZY2": {"NOT_IN": ["bab"]}}},
    {"ORTH": {"REGEX": {"IN": ["^A", r"\d"]}}},
]


def random_rules(rng, count):
    """Patterns under keys that some of them share."""
    return [
        (f"key{rng.randrange(count)}", random_pattern(rng, ALL_CONDITIONS)) for _ in range(count)
    ]


@pytest.fixture(scope="module")
def vocabs():
    return spacy.blank("en").vocab, lexpool.blank("en").vocab


@pytest.mark.parametrize("greedy", [None, "FIRST", "LONGEST"])
def test_hundreds_of_patterns_find_what_spacy_finds_in_its_order(vocabs, greedy, full):
    for seed in range(30 if full else 3):
        rng = random.Random(f"{seed} {greedy}")
        theirs, ours = spacy.matcher.Matcher(vocabs[0]), Matcher(vocabs[1])
        for key, pattern in random_rules(rng, 400):
            for matcher in (theirs, ours):
                matcher.add(key, [pattern], greedy=greedy)
        for _ in range(10):
            their_doc, our_doc = random_docs(rng, vocabs)
            for options in ({}, {"with_alignments": True}):
                options["allow_missing"] = True
                assert ours(our_doc, **options) == theirs(their_doc, **options)


@pytest.fixture(scope="module")
def nlp():
    return lexpool.blank("en")


@pytest.fixture(scope="module")
def docs(nlp):
    rng = random.Random(7)
    words = ["very", "good", "bad", "dog", "Dog", "7", "!", "the", "house"]
    texts = [" ".join(rng.choices(words, k=rng.randint(0, 40))) for _ in range(60)]
    return [nlp(text) for text in texts]


@pytest.fixture
def matcher(nlp):
    matcher = Matcher(nlp.vocab)
    matcher.add("praise", [[{"LOWER": "very", "OP": "*"}, {"LOWER": "good"}]], greedy="LONGEST")
    matcher.add("noun", [[{"LOWER": "the"}, {"IS_ALPHA": True, "OP": "?"}, {"LOWER": "dog"}]])
    return matcher


@pytest.mark.parametrize("n_threads", [0, 1, 2])
def test_all_documents_at_once_have_the_matches_of_calls(matcher, docs, n_threads):
    found = [(key, start, end, i) for i, doc in enumerate(docs) for key, start, end in matcher(doc)]
    matches = matcher.match_all(docs, n_threads)
    assert list(matches) == found and len(found) > 50
    spans = matches.spans(docs)
    assert [(span.label, span.start, span.end) for span in spans] == [row[:3] for row in found]
    streamed = matcher.pipe(docs, return_matches=True, n_threads=n_threads, batch_size=7)
    assert [matches for _, matches in streamed] == [matcher(doc) for doc in docs]


def test_spans_of_documents_are_searched_alone(matcher, docs):
    halves = [doc[len(doc) // 2 :] for doc in docs if len(doc) > 4]
    found = [
        (key, half.start + start, half.start + end, i)
        for i, half in enumerate(halves)
        for key, start, end in matcher(half)
    ]
    assert list(matcher.match_all(halves)) == found
    streamed = matcher.pipe(halves, return_matches=True, n_threads=2, as_spans=True)
    for half, (_, spans) in zip(halves, streamed, strict=True):
        assert spans == matcher(half, as_spans=True)


def test_a_stream_calls_back_and_keeps_contexts(nlp, docs):
    seen = []
    matcher = Matcher(nlp.vocab)
    matcher.add("dog", [[{"LOWER": "dog"}]], on_match=lambda *args: seen.append(args[1:3]))
    pairs = [(doc, i) for i, doc in enumerate(docs)]
    results = list(matcher.pipe(pairs, as_tuples=True, return_matches=True, n_threads=2))
    assert [context for _, context in results] == list(range(len(docs)))
    expected = [(doc, i) for (doc, found), _ in results for i in range(len(found))]
    assert seen == expected and seen


def test_a_stream_asks_extension_attributes_on_one_thread(nlp, docs):
    Token.set_extension("is_long", getter=lambda token: len(token) > 3, force=True)
    try:
        matcher = Matcher(nlp.vocab)
        matcher.add("long", [[{"_": {"is_long": True}}]])
        expected = [
            (i, i + 1, number)
            for number, doc in enumerate(docs)
            for i, token in enumerate(doc)
            if len(token) > 3
        ]
        assert [row[1:] for row in matcher.match_all(docs, 2)] == expected
    finally:
        Token.remove_extension("is_long")


def test_wrong_documents_and_counts_are_named(nlp, docs):
    matcher = Matcher(nlp.vocab)
    matcher.add("tagged", [[{"TAG": "X"}]])
    with pytest.raises(ValueError, match="E155"):
        matcher.match_all(docs)
    assert len(matcher.match_all(docs, allow_missing=True)) == 0
    with pytest.raises(ValueError, match="E195"):
        matcher.match_all([docs[0], "text"], allow_missing=True)
    with pytest.raises(ValueError, match="n_threads is -1"):
        matcher.match_all(docs, -1, allow_missing=True)
    with pytest.raises(ValueError, match="batch_size is 0"):
        matcher.pipe(docs, batch_size=0, n_threads=1)


def test_what_is_known_of_words_follows_their_changes(nlp):
    matcher = Matcher(nlp.vocab)
    matcher.add("stop", [[{"IS_STOP": True}]])
    doc = nlp("a blip")
    assert [match[1] for match in matcher(doc)] == [0]
    nlp.vocab["blip"].is_stop = True
    assert [match[1] for match in matcher(doc)] == [0, 1]
    nlp.vocab["blip"].is_stop = False
    doc[1].lemma_ = "stop"
    assert [match[1] for match in matcher(doc)] == [0]


def test_words_of_zones_are_known_apart(nlp):
    matcher = Matcher(nlp.vocab)
    matcher.add("upper", [[{"IS_UPPER": True}]])
    for word, is_found in [("ZONED", True), ("zoned", False), ("OTHER", True), ("other", False)]:
        with nlp.memory_zone():
            assert bool(matcher(nlp(f"{word}{word}x"[:-1]))) is is_found


def test_patterns_of_one_vocab_match_documents_of_another(matcher):
    other = lexpool.blank("en")
    for _ in range(2):
        assert len(matcher(other("very good dog"))) == 1
        assert len(matcher(Doc(matcher.vocab, words=["good"]))) == 1


def test_threads_may_search_while_another_adds_and_removes(nlp, docs):
    matcher = Matcher(nlp.vocab)
    matcher.add("dog", [[{"LOWER": "dog"}]])
    expected = [list(matcher(doc)) for doc in docs]
    dog = nlp.vocab.strings["dog"]
    failures, done = [], threading.Event()

    def search():
        while not done.is_set():
            for doc, own in zip(docs, expected, strict=True):
                found = [match for match in matcher(doc) if match[0] == dog]
                if found != own:
                    failures.append((doc.text, found))

    threads = [threading.Thread(target=search) for _ in range(2)]
    for thread in threads:
        thread.start()
    for i in range(200):
        matcher.add(f"key{i}", [[{"LOWER": "the"}, {"OP": "?"}]])
        if i % 2:
            matcher.remove(f"key{i - 1}")
    done.set()
    for thread in threads:
        thread.join()
    assert not failures


A = {"ORTH": "a"}
Z = {"ORTH": "z"}


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ([{**A, "OP": "+"}, Z], 0),
        ([{**A, "OP": "*"}] * 20 + [Z], 0),
        ([{"OP": "+"}, {"OP": "+"}, Z], 0),
        ([{**A, "OP": "{300}"}, Z], 0),
        ([{**A, "OP": "{100,200}"}, Z], 0),
        ([{**A, "OP": "?"}] * 8, 8 * 3000 - 28),
        ([{**A, "OP": "{,30}"}], 30 * 3000 - 435),
        ([{**A, "OP": "!"}, {"OP": "*"}], 0),
        ([{**Z, "OP": "*"}], 0),
        ([{"OP": "*"}, {}, {"OP": "*"}], 3000 * 3001 // 2),
    ],
)
def test_a_document_of_one_word_is_searched_in_any_case(nlp, pattern, found):
    matcher = Matcher(nlp.vocab)
    matcher.add("key", [pattern])
    assert len(matcher(Doc(nlp.vocab, words=["a"] * 3000))) == found


def test_spans_are_made_before_a_callback_may_change_the_document(nlp):
    def merge(matcher, doc, i, matches):
        with doc.retokenize() as retokenizer:
            retokenizer.merge(doc[matches[i][1] : matches[i][2]])
        matches.clear()

    matcher = Matcher(nlp.vocab)
    matcher.add("dog", [[{"LOWER": "good"}, {"LOWER": "dog"}]], on_match=merge)
    doc = nlp("a good dog")
    (span,) = matcher(doc, as_spans=True)
    assert (span.text, len(doc)) == ("good dog", 2)


def test_a_stream_is_not_confused_by_a_callback_that_moves_the_next_span(nlp):
    first, second = nlp("a dog here")[1:], nlp("the dog there")[1:]

    def move(matcher, doc, i, matches):
        second.start = 2

    matcher = Matcher(nlp.vocab)
    matcher.add("dog", [[{"LOWER": "dog"}]], on_match=move)
    found = [found for _, found in matcher.pipe([first, second], return_matches=True, n_threads=1)]
    assert [[match[1:] for match in matches] for matches in found] == [[(0, 1)], [(0, 1)]]


def test_patterns_that_were_refused_ask_for_no_annotation(nlp):
    matcher = Matcher(nlp.vocab, validate=False)
    with pytest.raises(ValueError, match="E152"):
        matcher.add("key", [[{"TAG": "NN"}, {"NOTHING": 1}]])
    matcher.add("key", [[{"LOWER": "dog"}]])
    assert len(matcher(nlp("a dog"))) == 1


def test_alignments_without_end_are_an_error_too(nlp):
    matcher = Matcher(nlp.vocab)
    matcher.add("key", [[{"OP": "+"}]])
    doc = Doc(nlp.vocab, words=["a"] * 1_500)
    assert len(matcher(doc[:50], with_alignments=True)) == 50 * 51 // 2
    with pytest.raises(ValueError, match="match-limit"):
        matcher(doc, with_alignments=True)


def test_a_fork_does_not_wait_for_a_search_on_threads(nlp, docs):
    matcher = Matcher(nlp.vocab)
    matcher.add("dog", [[{"LOWER": "dog"}, {"OP": "*"}]])
    done = threading.Event()

    def search():
        while not done.is_set():
            matcher.match_all(docs * 20, 2)

    thread = threading.Thread(target=search)
    thread.start()
    try:
        for _ in range(5):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                child = os.fork()
            if child == 0:
                os._exit(0 if len(matcher.match_all(docs[:3], 2)) >= 0 else 1)
            assert os.waitpid(child, 0)[1] == 0
    finally:
        done.set()
        thread.join()


def test_matches_without_end_are_an_error_that_names_the_limit(nlp):
    doc = Doc(nlp.vocab, words=["a"] * 20_000)
    for greedy in (None, "LONGEST"):
        matcher = Matcher(nlp.vocab)
        matcher.add("key", [[{"OP": "+"}]], greedy=greedy)
        with pytest.raises(ValueError, match="match-limit.*10000000 matches.*token"):
            matcher(doc)
        # The next search is not disturbed.
        assert len(matcher(doc[:2])) == (3 if greedy is None else 1)


@pytest.mark.parametrize("operator", ["{10001}", "{,1001}", "{2,1003}"])
def test_a_repetition_that_is_too_long_is_refused_by_its_limit(nlp, operator):
    with pytest.raises(ValueError, match="E011.*at most"):
        Matcher(nlp.vocab).add("key", [[{**A, "OP": operator}]])


def test_expressions_take_bounded_time_whatever_they_are(nlp):
    long = Doc(nlp.vocab, words=["a" * 20_000 + "b"])
    matcher = Matcher(nlp.vocab)
    matcher.add("nested", [[{"TEXT": {"REGEX": "^(a+)+$"}}]])
    matcher.add("long", [[{"TEXT": {"REGEX": "|".join(f"w{i:06}" for i in range(20_000))}}]])
    matcher.add("like", [[{"TEXT": {"FUZZY9": "a" * 20_000}}]])
    assert [key for key, *_ in matcher(long)] == [nlp.vocab.strings["like"]]
    matcher.add("again", [[{"TEXT": {"REGEX": r"^(a|aa)+\1$"}}]])
    with pytest.raises(ValueError, match="rule-limit"):
        matcher(long)


def test_spans_that_are_found_are_of_the_document(nlp, matcher):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (span,) = matcher(nlp("a very very good dog"), as_spans=True)
    assert isinstance(span, Span) and (span.text, span.label_) == ("very very good", "praise")
