"""Phrases: what spaCy finds, by every way to it, in memory and from a file."""

import gc
import os
import pickle
import random
import threading
import warnings

import numpy as np
import pytest

import lexpool
from lexpool.matcher import Matches, PhraseMatcher
from lexpool.tokens import Doc, Span

ATTRS = ["ORTH", "LOWER", "NORM", "SHAPE", "LEMMA", "LENGTH", "IS_TITLE"]


@pytest.fixture(scope="module")
def sides(spacy, sample):
    """The same documents on both sides, with lemmas that are set by the same function."""
    theirs = spacy.blank("en")
    ours = lexpool.Language("en", lexpool.Tokenizer.from_spacy(theirs.tokenizer))
    texts = [text for text in sample if text.strip()][:700]
    pairs = []
    for text in texts:
        pair = theirs(text), ours(text)
        for doc in pair:
            for token in doc:
                token.lemma_ = token.lower_[:4]
        pairs.append(pair)
    return pairs


def random_phrases(rng, pairs, count):
    """Pairs of the same tokens on both sides, of one to five tokens."""
    phrases = []
    while len(phrases) < count:
        their, our = rng.choice(pairs)
        start = rng.randrange(len(our))
        end = min(len(our), start + rng.randint(1, 5))
        phrases.append((their[start:end].as_doc(), our[start:end].as_doc()))
    return phrases


def by_place(matches):
    """Sorts matches: if a phrase has several keys, spaCy returns them in the order of a hash
    table.
    """
    return sorted(matches, key=lambda match: (match[1], match[2], match[0]))


@pytest.mark.parametrize("attr", ATTRS)
def test_real_text_has_the_matches_that_spacy_finds(spacy, sides, full, attr):
    rng = random.Random(attr)
    for count in [50, 1000, *([10_000, 100_000] if full else [])]:
        theirs = spacy.matcher.PhraseMatcher(sides[0][0].vocab, attr)
        ours = PhraseMatcher(sides[0][1].vocab, attr)
        phrases = random_phrases(rng, sides, count)
        for number, (their, our) in enumerate(phrases):
            theirs.add(f"key{number % 20}", [their])
            ours.add(f"key{number % 20}", [our])
        found = 0
        for their, our in sides:
            expected = theirs(their)
            matches = ours(our)
            assert by_place(matches) == by_place(expected)
            assert [match[1:] for match in matches] == [match[1:] for match in expected]
            found += len(matches)
        assert found >= count


def every_way(matcher, docs, tmp_path):
    """The matches of documents by each way that there is, as (key, start, end, doc)."""
    texts = [doc.text for doc in docs]
    path = tmp_path / "phrases"
    matcher.save(path)
    mapped = PhraseMatcher.open(path, matcher.vocab)
    ways = {"call": [(*match, i) for i, doc in enumerate(docs) for match in matcher(doc)]}
    for name, own in [
        ("memory", matcher),
        ("file", mapped),
        ("copy", pickle.loads(pickle.dumps(matcher))),
    ]:
        ways[f"{name}: spans of documents"] = [
            (*match, i) for i, doc in enumerate(docs) for match in own(doc[:])
        ]
        for threads in (0, 1, 3):
            ways[f"{name}: all on {threads}"] = list(own.match_all(docs, n_threads=threads))
            streamed = own.pipe(docs, 7, return_matches=True, n_threads=threads)
            ways[f"{name}: stream on {threads}"] = [
                (*match, i) for i, (_, found) in enumerate(streamed) for match in found
            ]
            for size in (3, 1000):
                ways[f"{name}: texts on {threads} by {size}"] = list(
                    own.match_texts(texts, n_threads=threads, batch_size=size)
                )
        ways[f"{name}: spans"] = [
            (span.label, span.start, span.end, i)
            for i, doc in enumerate(docs)
            for span in own(doc, as_spans=True)
        ]
    return ways


@pytest.mark.parametrize("attr", ["ORTH", "LOWER", "NORM", "SHAPE", "LENGTH", "SPACY"])
def test_every_way_finds_the_same(tokenizer, sample, tmp_path, attr):
    docs = [tokenizer(text) for text in sample[:60]]
    matcher = PhraseMatcher(tokenizer.vocab, attr)
    rng = random.Random(attr)
    for key in ["ONE", "TWO", "THREE"]:
        texts = [text for text in sample[:60] if text.strip()]
        matcher.add_texts(key, [" ".join(rng.choice(texts).split()[:2]) for _ in range(20)])
    ways = every_way(matcher, docs, tmp_path)
    expected = ways["call"]
    assert expected
    for way, found in ways.items():
        # A copy gets its keys one after another, so those of one phrase may come in another order.
        order = sorted if way.startswith("copy") else list
        assert order(found) == order(expected), way


def test_phrases_from_texts_are_those_from_documents(tokenizer):
    texts = ["New York", "", "don't", "  ", "N.Y.", "déjà vu", "new york"]
    from_docs, from_texts = (PhraseMatcher(tokenizer.vocab, "LOWER") for _ in range(2))
    from_docs.add("KEY", [tokenizer(text) for text in texts])
    from_texts.add_texts("KEY", (text for text in texts), tokenizer=tokenizer)
    assert from_texts._docs == from_docs._docs
    other = PhraseMatcher(tokenizer.vocab, "LOWER")
    other.add_texts("KEY", texts)
    assert other._docs == from_docs._docs


def test_what_is_no_text_adds_nothing(tokenizer):
    matcher = PhraseMatcher(tokenizer.vocab)
    with pytest.raises(TypeError, match="text 1 of the stream must be a str, not int"):
        matcher.add_texts("KEY", ["a", 1])
    with pytest.raises(TypeError, match="wrap it"):
        matcher.add_texts("KEY", "a")
    with pytest.raises(TypeError, match="not object"):
        matcher.add_texts("KEY", ["a"], tokenizer=object())
    with pytest.raises(UnicodeEncodeError):
        matcher.add_texts("KEY", ["\udfff"])
    with pytest.raises(ValueError, match="E155"):
        PhraseMatcher(tokenizer.vocab, "LEMMA").add_texts("KEY", ["a"])
    assert len(matcher) == 0 and matcher._docs == {}


@pytest.mark.parametrize("threads", [1, 2])
def test_what_a_stream_of_texts_raises_comes_out(tokenizer, threads):
    matcher = PhraseMatcher(tokenizer.vocab)
    matcher.add_texts("KEY", ["a"])

    def broken():
        yield from ["a"] * 5
        assert len(matcher.match_texts(["a"], n_threads=threads)) == 1
        raise LookupError("the stream")

    with pytest.raises(LookupError, match="the stream"):
        matcher.match_texts(broken(), n_threads=threads, batch_size=2)
    with pytest.raises(TypeError, match="text 3 of the stream must be a str, not int"):
        matcher.match_texts(["a", "a", "a", 1], n_threads=threads, batch_size=2)


def test_wrong_arguments_are_named(tokenizer):
    matcher = PhraseMatcher(tokenizer.vocab)
    matcher.add_texts("KEY", ["a"])
    with pytest.raises(ValueError, match="n_threads is -1"):
        matcher.match_texts(["a"], n_threads=-1)
    with pytest.raises(ValueError, match="batch_size is 0"):
        matcher.match_texts(["a"], batch_size=0)
    with pytest.raises(ValueError, match="batch_size is 0"):
        matcher.pipe([], 0, n_threads=1)
    with pytest.raises(ValueError, match="E195.*str"):
        matcher.match_all([tokenizer("a"), "a"])
    with pytest.raises(ValueError, match="E195"):
        list(matcher.pipe([None], n_threads=1))
    with pytest.raises(ValueError, match="E195"):
        matcher("a")
    with pytest.raises(KeyError, match="OTHER"):
        matcher.remove("OTHER")
    with pytest.raises(RuntimeError, match="__init__"):
        lexpool._core.PhraseMatcher.__new__(PhraseMatcher)(tokenizer("a"))
    with pytest.raises(TypeError):
        PhraseMatcher(None)
    with pytest.raises(OverflowError):
        PhraseMatcher(tokenizer.vocab, 2**40)


def test_callbacks_are_called_in_order_and_may_change_the_list(tokenizer):
    seen = []

    def on_match(matcher, doc, i, matches):
        seen.append((doc.text, i, len(matches)))
        if i == 0:
            matches.append(matches[0])

    matcher = PhraseMatcher(tokenizer.vocab, "LOWER")
    matcher.add("A", [tokenizer("a")], on_match=on_match)
    matcher.add("B", None, tokenizer("b"))
    docs = [tokenizer("a b a"), tokenizer("b")]
    assert len(matcher(docs[0])) == 4
    assert seen == [("a b a", 0, 3), ("a b a", 2, 4), ("a b a", 3, 4)]
    assert len(matcher(docs[0], as_spans=True)) == 4
    seen.clear()
    assert [doc.text for doc in matcher.pipe(docs, n_threads=2)] == ["a b a", "b"]
    assert len(seen) == 3
    matcher.match_all(docs)
    assert len(seen) == 3
    matcher.add("A", [], on_match=None)
    matcher(docs[0])
    assert len(seen) == 3


def test_a_callback_that_fails_ends_the_call(tokenizer):
    matcher = PhraseMatcher(tokenizer.vocab)
    matcher.add_texts("A", ["a"], on_match=lambda *given: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        matcher(tokenizer("a"))


def test_a_callback_may_change_the_matcher(tokenizer):
    matcher = PhraseMatcher(tokenizer.vocab)
    matcher.add_texts("A", ["a"], on_match=lambda own, *given: own.add_texts("B", ["b"]))
    doc = tokenizer("a b")
    assert len(matcher(doc)) == 1
    assert len(matcher(doc)) == 2


def test_spacys_deprecated_stream_still_warns(tokenizer):
    matcher = PhraseMatcher(tokenizer.vocab)
    matcher.add_texts("A", ["a"])
    docs = [(tokenizer("a"), 1), (tokenizer("b"), 2)]
    with pytest.warns(DeprecationWarning, match="W105.*PhraseMatcher.pipe"):
        old = list(matcher.pipe(docs, return_matches=True, as_tuples=True))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        new = list(matcher.pipe(docs, return_matches=True, as_tuples=True, n_threads=0))
        spans = list(matcher.pipe(docs, return_matches=True, as_tuples=True, as_spans=True))
    assert old == new
    assert [span.text for (_, found), _ in spans for span in found] == ["a"]


def test_changes_of_words_count_at_once(tokenizer):
    matcher = PhraseMatcher(tokenizer.vocab, "LOWER")
    matcher.add_texts("A", ["one"])
    doc = tokenizer("one two")
    assert len(matcher(doc)) == 1
    tokenizer.vocab["two"].lower_ = "one"
    assert len(matcher(doc)) == 2
    flag = tokenizer.vocab.add_flag(lambda text: text == "two")
    flagged = PhraseMatcher(tokenizer.vocab, flag)
    flagged.add("A", [[1]])
    assert [match[1:] for match in flagged(doc)] == [(1, 2)]


def test_keys_that_come_and_go(tokenizer):
    matcher = PhraseMatcher(tokenizer.vocab)
    doc = tokenizer("a b c")
    rng, model = random.Random(1), {}
    phrases = ["a", "b", "a b", "a b c", "b c", "c", "x"]
    for _ in range(300):
        key = rng.choice(["K1", "K2", "K3", "K4"])
        if key in model and rng.random() < 0.5:
            matcher.remove(key)
            del model[key]
        else:
            added = rng.sample(phrases, rng.randint(0, 3))
            matcher.add_texts(key, added)
            model.setdefault(key, set()).update(added)
        expected = sorted((key, phrase) for key, own in model.items() for phrase in own - {"x"})
        spans = matcher(doc, as_spans=True)
        assert sorted((span.label_, span.text) for span in spans) == expected
        assert {key: len(own) for key, own in matcher._docs.items()} == {
            key: len(own) for key, own in model.items()
        }
        assert len(matcher) == len(model) and (key in matcher) == (key in model)


def test_zones_end_without_a_trace(tokenizer):
    matcher = PhraseMatcher(tokenizer.vocab, "LOWER")
    matcher.add_texts("A", ["lasting", "fleeting one"])
    for round in range(3):
        with tokenizer.vocab.memory_zone():
            doc = tokenizer(f"Fleeting ONE word{round} Lasting")
            assert [match[1:] for match in matcher(doc)] == [(0, 2), (3, 4)]
            found = matcher.match_texts([doc.text], tokenizer=tokenizer)
            assert list(found.starts) == [0, 3]
        assert [match[1:] for match in matcher(doc)] == [(0, 2), (3, 4)]


def test_threads_may_search_while_another_changes(tokenizer):
    matcher = PhraseMatcher(tokenizer.vocab)
    matcher.add_texts("LASTING", ["a b"])
    doc = tokenizer("x a b " * 300)
    failures = []

    def search():
        for _ in range(50):
            starts = [start for _, start, end in matcher(doc) if end - start == 2]
            if starts != list(range(1, 900, 3)):
                failures.append(starts)

    threads = [threading.Thread(target=search) for _ in range(3)]
    for thread in threads:
        thread.start()
    for i in range(200):
        matcher.add_texts("FLEETING", ["x", f"y{i}"])
        matcher.remove("FLEETING")
    for thread in threads:
        thread.join()
    assert not failures


def test_matches_are_columns(tokenizer):
    matcher = PhraseMatcher(tokenizer.vocab, "LOWER")
    matcher.add_texts("CITY", ["new york", "rome"])
    texts = ["To Rome", "", "é New York, Rome"]
    found = matcher.match_texts(texts, tokenizer=tokenizer)
    city = tokenizer.vocab.strings["CITY"]
    assert isinstance(found, Matches) and len(found) == 3
    assert list(found) == [(city, 1, 2, 0), (city, 1, 3, 2), (city, 4, 5, 2)]
    assert found[-1] == (city, 4, 5, 2) and found[:2] == list(found)[:2]
    with pytest.raises(IndexError, match="match 3 is out of range for 3 matches"):
        found[3]
    assert repr(found) == (
        "<Matches: 3 in 3 texts: CITY in 0 at 1:2, CITY in 2 at 1:3, CITY in 2 at 4:5>"
    )
    cut = [
        texts[doc][start:end]
        for doc, start, end in zip(found.docs, found.start_chars, found.end_chars)
    ]
    assert cut == ["Rome", "New York", "Rome"]
    keys = np.asarray(found.keys)
    assert keys.dtype == np.uint64 and not keys.flags.owndata and not keys.flags.writeable
    starts = np.asarray(found.starts)
    assert starts.dtype == np.uint32 and starts.tolist() == [1, 1, 4]
    del found
    gc.collect()
    assert keys.tolist() == [city] * 3
    docs = [tokenizer(text) for text in texts]
    found = matcher.match_all(docs)
    spans = found.spans(docs)
    assert [(span.text, span.label_, span.doc is docs[2]) for span in spans] == [
        ("Rome", "CITY", False),
        ("New York", "CITY", True),
        ("Rome", "CITY", True),
    ]
    elsewhere = lexpool.Tokenizer.blank("en")
    spans = found.spans([elsewhere(text) for text in texts])
    assert [span.label_ for span in spans] == ["CITY"] * 3
    with pytest.raises(IndexError, match="document 2, but only 1"):
        found.spans(docs[:1])
    with pytest.raises(IndexError, match="E035"):
        found.spans([docs[1]] * 3)
    with pytest.raises(AttributeError, match="spans"):
        found.start_chars
    assert len(matcher.match_texts([]).keys) == 0


def test_arrow_reads_matches(tokenizer):
    pyarrow = pytest.importorskip("pyarrow")
    matcher = PhraseMatcher(tokenizer.vocab, "LOWER")
    matcher.add_texts("A city of some size", ["rome"])
    table = pyarrow.table(matcher.match_texts(["Rome, Rome", "to Rome"], tokenizer=tokenizer))
    assert table.column_names == ["doc", "start", "end", "key", "label", "start_char", "end_char"]
    assert table["label"].to_pylist() == ["A city of some size"] * 3
    assert table["start_char"].to_pylist() == [0, 6, 3]
    array = pyarrow.array(matcher.match_all([tokenizer("Rome")]))
    assert array.to_pylist()[0]["doc"] == 0 and len(array.type) == 5


def test_a_file_is_read_by_another_process(tokenizer, tmp_path):
    matcher = PhraseMatcher(tokenizer.vocab, "LOWER")
    matcher.add_texts("CITY", ["New York", "Rome"])
    matcher.add_texts("PLACE", ["rome", "york"])
    matcher.add("EMPTY", [])
    matcher.save(tmp_path / "phrases")
    child = os.fork()
    if child == 0:
        other = lexpool.Tokenizer.blank("en")
        mapped = PhraseMatcher.open(tmp_path / "phrases", other.vocab)
        spans = mapped(other("in new York, Rome"), as_spans=True)
        found = [(span.text, span.label_) for span in spans]
        expected = [("new York", "CITY"), ("York", "PLACE"), ("Rome", "CITY"), ("Rome", "PLACE")]
        os._exit(found != expected or mapped.attr != matcher.attr or len(mapped) != 2)
    assert os.waitpid(child, 0)[1] == 0


def test_a_mapped_matcher_can_be_changed_and_saved_over_its_file(tokenizer, tmp_path):
    path = tmp_path / "phrases"
    matcher = PhraseMatcher(tokenizer.vocab)
    matcher.add_texts("A", ["a", "a b"])
    matcher.save(path)
    mapped, other = (PhraseMatcher.open(str(path), tokenizer.vocab) for _ in range(2))
    mapped.add_texts("B", ["b"])
    mapped.remove("A")
    mapped.save(path)
    doc = tokenizer("a b")
    assert [match[1:] for match in other(doc)] == [(0, 1), (0, 2)]
    assert [match[1:] for match in PhraseMatcher.open(path, tokenizer.vocab)(doc)] == [(1, 2)]
    assert sorted(os.listdir(tmp_path)) == ["phrases"]


def test_a_changed_byte_of_a_phrase_file_and_an_absent_file_are_refused(tokenizer, tmp_path):
    path = tmp_path / "phrases"
    with pytest.raises(OSError, match="file-not-found"):
        PhraseMatcher.open(path, tokenizer.vocab)
    with pytest.raises(OSError, match="file-not-found"):
        PhraseMatcher(tokenizer.vocab).save(tmp_path / "absent" / "phrases")
    matcher = PhraseMatcher(tokenizer.vocab)
    matcher.add_texts("KEY", ["a b"])
    matcher.save(path)
    good = path.read_bytes()
    for at in range(0, len(good), 7):
        bad = bytearray(good)
        bad[at] ^= 0xFF
        path.write_bytes(bad)
        with pytest.raises(ValueError, match="container-"):
            PhraseMatcher.open(path, tokenizer.vocab)


def test_one_long_phrase_in_a_text_full_of_it_takes_a_moment(tokenizer):
    matcher = PhraseMatcher(tokenizer.vocab)
    word = tokenizer.vocab["a"].orth
    matcher.add("LONG", [[word] * 10_000])
    doc = Doc(tokenizer.vocab, words=["a"] * 100_000)
    assert len(matcher(doc)) == 90_001


def test_matches_without_end_are_an_error(tokenizer):
    matcher = PhraseMatcher(tokenizer.vocab)
    word = tokenizer.vocab["a"].orth
    matcher.add("NESTED", [[word] * length for length in range(1, 3000)])
    doc = Doc(tokenizer.vocab, words=["a"] * 10_000)
    with pytest.raises(ValueError, match="phrase-limit"):
        matcher.match_all([doc])


def test_a_subclass_may_have_arguments_of_its_own(tokenizer):
    class Cities(PhraseMatcher):
        def __init__(self, vocab, *cities):
            super().__init__(vocab, "LOWER")
            self.add_texts("CITY", cities)

    cities = Cities(tokenizer.vocab, "Rome", "Paris")
    assert [span.text for span in cities(tokenizer("to PARIS"), as_spans=True)] == ["PARIS"]
    assert isinstance(cities(tokenizer("Rome"), as_spans=True)[0], Span)


def test_a_matcher_in_a_circle_is_collected(tokenizer):
    import weakref

    matcher = PhraseMatcher(tokenizer.vocab)
    matcher.add_texts("A", ["a"], on_match=lambda *given: matcher)  # noqa: F821
    gone = weakref.ref(matcher)
    del matcher
    gc.collect()
    assert gone() is None
