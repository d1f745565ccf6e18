"""Components that merge and split tokens, beside spaCy's."""

import random
import warnings

import pytest
import treebank

import lexpool
from lexpool.pipeline import (
    DocCleaner,
    TokenSplitter,
    merge_entities,
    merge_noun_chunks,
    merge_subtokens,
)
from lexpool.tokens import Doc

ATTRS = [
    "ORTH",
    "SPACY",
    "TAG",
    "POS",
    "LEMMA",
    "MORPH",
    "DEP",
    "HEAD",
    "ENT_IOB",
    "ENT_TYPE",
    "ENT_KB_ID",
    "ENT_ID",
    "SENT_START",
]
NAMES = ["merge_entities", "merge_noun_chunks", "merge_subtokens"]
OURS = {
    "merge_entities": merge_entities,
    "merge_noun_chunks": merge_noun_chunks,
    "merge_subtokens": merge_subtokens,
}


@pytest.fixture(scope="module")
def pairs(spacy):
    """Makes of a sentence a document of each library, with ids on some of the entities."""
    theirs, ours = spacy.blank("en").vocab, lexpool.blank("en").vocab

    def make(sentence, seed):
        made = []
        for cls, vocab in ((spacy.tokens.Doc, theirs), (Doc, ours)):
            doc, rng = cls(vocab, **sentence), random.Random(seed)
            for token in doc:
                if token.ent_iob in (1, 3) and rng.random() < 0.4:
                    token.ent_kb_id_, token.ent_id_ = (
                        rng.choice(["Q1", "Q2"]),
                        rng.choice(["x", ""]),
                    )
            made.append(doc)
        return made

    return make


@pytest.fixture(scope="module")
def their_functions(spacy):
    from spacy.pipeline import functions

    return functions


def state(doc):
    return [token.text for token in doc], doc.to_array(ATTRS).tolist()


def some(texts_folder):
    rng = random.Random(9)
    yield from list(treebank.sentences(texts_folder))[::3]
    yield from (treebank.random_sentence(rng) for _ in range(500))


@pytest.mark.parametrize("name", NAMES)
def test_merging_gives_the_tokens_and_attributes_that_spacy_gives(
    name, pairs, their_functions, texts_folder
):
    merged = 0
    for number, sentence in enumerate(some(texts_folder)):
        theirs, ours = pairs(sentence, number)
        before = len(ours)
        getattr(their_functions, name)(theirs)
        assert OURS[name](ours) is ours
        assert state(ours) == state(theirs), sentence
        merged += before - len(ours)
    assert merged > 100


def test_a_merge_over_part_of_an_entity_keeps_the_ids_of_its_first_token(pairs, texts_folder):
    rng = random.Random(11)
    for number, sentence in enumerate(some(texts_folder)):
        theirs, ours = pairs(sentence, number)
        start = rng.randrange(len(ours))
        end = min(len(ours), start + rng.randint(1, 4))
        for doc in (theirs, ours):
            with doc.retokenize() as retokenizer:
                retokenizer.merge(doc[start:end])
        assert state(ours) == state(theirs), (sentence, start, end)


def test_without_a_parse_chunks_are_left_alone_and_subtokens_are_refused(pairs, their_functions):
    theirs, ours = pairs({"words": ["a", "cat"]}, 0)
    assert len(merge_noun_chunks(ours)) == len(their_functions.merge_noun_chunks(theirs)) == 2
    for function, doc in ((their_functions.merge_subtokens, theirs), (merge_subtokens, ours)):
        with pytest.raises(ValueError, match="E155"):
            function(doc)


def test_subtokens_may_have_another_relation(pairs, their_functions):
    sentence = {"words": list("abcd"), "deps": ["x", "x", "y", "x"], "heads": [1, 2, 2, 2]}
    theirs, ours = pairs(sentence, 0)
    their_functions.merge_subtokens(theirs, "x")
    assert state(merge_subtokens(ours, "x")) == state(theirs)


def test_a_chunk_finder_of_ones_own_is_asked(pairs, their_functions):
    sentence = {"words": list("abcd"), "deps": ["x", "x", "y", "x"], "heads": [1, 2, 2, 2]}
    theirs, ours = pairs(sentence, 0)
    for doc, function in ((theirs, their_functions.merge_noun_chunks), (ours, merge_noun_chunks)):
        doc.noun_chunks_iterator = lambda _doc: [(1, 3, "NP")]
        function(doc)
    assert state(ours) == state(theirs)


def test_rows_of_a_tensor_and_vectors_go_with_the_tokens(pairs, their_functions, spacy):
    import numpy as np

    sentence = {"words": ["in", "New", "York"], "ents": ["O", "B-GPE", "I-GPE"]}
    docs = [spacy.tokens.Doc(spacy.vocab.Vocab(), **sentence), Doc(lexpool.Vocab(), **sentence)]
    for doc, function in zip(docs, (their_functions.merge_entities, merge_entities), strict=True):
        doc.vocab.set_vector("New", np.array([1.0, 2.0], dtype="f"))
        doc.vocab.set_vector("York", np.array([3.0, 5.0], dtype="f"))
        doc.tensor = np.arange(6, dtype="f").reshape(3, 2)
        function(doc)
    theirs, ours = docs
    assert ours.tensor.tolist() == theirs.tensor.tolist()
    assert ours[1].vector.tolist() == theirs[1].vector.tolist() == [2.0, 3.5]


def test_long_tokens_are_split_as_spacy_splits_them(pairs, their_functions, texts_folder):
    for number, sentence in enumerate(some(texts_folder)):
        theirs, ours = pairs(sentence, number)
        settings = {"min_length": 1 + number % 7, "split_length": 1 + number % 4}
        TokenSplitter(**settings)(ours)
        their_functions.TokenSplitter(**settings)(theirs)
        # The parts have the tags of the whole; spaCy leaves them those of tokens that stood there.
        split = [doc.to_array(["ORTH", "SPACY", "HEAD"]).tolist() for doc in (ours, theirs)]
        assert split[0] == split[1], (sentence, settings)
        assert ours.text == theirs.text
    ours = lexpool.blank("en")("unsplit")
    assert TokenSplitter()(ours) is ours


def test_settings_are_saved_as_spacy_saves_them(their_functions, tmp_path):
    for ours, theirs, empty in (
        (TokenSplitter(5, 3), their_functions.TokenSplitter(5, 3), TokenSplitter()),
        (
            DocCleaner({"tensor": None}),
            their_functions.DocCleaner({"tensor": None}),
            DocCleaner({}),
        ),
    ):
        assert ours.to_bytes() == theirs.to_bytes()
        assert empty.from_bytes(theirs.to_bytes()).to_bytes() == ours.to_bytes()
        path = tmp_path / type(ours).__name__
        theirs.to_disk(path)
        assert type(ours).from_disk(empty, path).to_bytes() == ours.to_bytes()
        ours.to_disk(path)
        theirs.from_disk(path)
        assert theirs.to_bytes() == ours.to_bytes()
        for bad in (b"\x93\x01\x02\x03", b"\x81\xa3cfg\xa2[]"):
            with pytest.raises(ValueError, match="saved-form"):
                ours.from_bytes(bad)


def test_cleaning_sets_what_is_there_and_warns_of_what_is_not_if_it_is_to():
    doc = lexpool.blank("en")("One two")
    doc.user_data["key"] = 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        DocCleaner({"user_data": {}, "nothing.at.all": 1, "nor_this": 2})(doc)
    assert doc.user_data == {}
    for attr in ("nothing.at.all", "nor_this"):
        with pytest.warns(UserWarning, match=f"W116.*{attr}"):
            DocCleaner({attr: None}, silent=False)(doc)


def test_documents_whose_tensor_was_cleaned_away_are_merged_split_and_joined():
    import numpy as np

    nlp = lexpool.blank("en")
    doc, other = nlp("One two three"), nlp("Four five")
    DocCleaner({"tensor": None})(doc)
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[:2])
        retokenizer.split(doc[2], ["th", "ree"], [(doc[2], 1), doc[0]])
    assert [token.text for token in doc] == ["One two", "th", "ree"]
    assert doc.tensor is None
    other.tensor = np.ones((2, 3), dtype="f")
    for docs in ([doc, other], [other, doc], [doc, doc]):
        joined = Doc.from_docs(docs)
        assert len(joined) == sum(map(len, docs))
        # Rows of some documents alone would be those of other tokens.
        assert joined.tensor.size == 0


@pytest.fixture
def calls(monkeypatch):
    """Counts the documents that are merged or split by Python."""
    from lexpool.pipeline import functions

    carry_out, seen = functions.carry_out, []
    monkeypatch.setattr(
        functions, "carry_out", lambda doc, plan: (seen.append(doc.text), carry_out(doc, plan))[1]
    )
    return seen


PLACES = [{"label": "GPE", "pattern": "New York"}, {"label": "GPE", "pattern": "Rome"}]
TEXTS = ["From New York to Rome", "", "nothing", "Llanfairpwllgwyngyll", "In New York\u200b"] * 3


def merging():
    nlp = lexpool.blank("en")
    nlp.add_pipe("entity_ruler").add_patterns(PLACES)
    nlp.add_pipe("span_ruler", config={"spans_key": "before"}).add_patterns(PLACES)
    nlp.add_pipe("merge_entities")
    nlp.add_pipe("attribute_ruler").add([[{"ORTH": "Rome"}]], {"DEP": "pobj", "POS": "PROPN"})
    nlp.add_pipe("merge_noun_chunks")
    nlp.add_pipe("token_splitter", config={"min_length": 12, "split_length": 6})
    nlp.add_pipe("span_ruler", name="again", config={"spans_key": "behind"}).add_patterns(PLACES)
    return nlp


def found(doc):
    return state(doc), {
        name: [(span.start, span.end, span.text) for span in group]
        for name, group in doc.spans.items()
    }


@pytest.mark.parametrize("n_threads", [0, 1, 2])
def test_tokens_of_texts_are_merged_and_split_without_python(calls, n_threads):
    nlp = merging()
    expected = [found(nlp(text)) for text in TEXTS]
    assert expected[0][0][0] == ["From", "New York", "to", "Rome"]
    assert expected[0][1]["before"] == [(1, 2, "New York"), (3, 4, "Rome")]
    assert len(expected[3][0][0]) == 4
    # Its entities, its noun chunk, and nothing that is long.
    assert calls.count(TEXTS[0]) == 2 * TEXTS.count(TEXTS[0])
    calls.clear()
    assert [found(doc) for doc in nlp.pipe(TEXTS, batch_size=4, n_threads=n_threads)] == expected
    assert not calls
    mixed = [nlp.make_doc(text) if i % 2 else text for i, text in enumerate(TEXTS)]
    assert [found(doc) for doc in nlp.pipe(mixed, batch_size=4, n_threads=n_threads)] == expected
    assert set(calls) <= {doc.text for doc in mixed[1::2]}


def test_in_a_stream_too_rows_of_a_tensor_and_vectors_go_with_the_tokens():
    import numpy as np

    nlp = merging()
    given = nlp.make_doc("in New York")
    given.tensor = np.arange(6, dtype="f").reshape(3, 2)
    (merged,) = nlp.pipe([given])
    assert merged.tensor.tolist() == [[0.0, 1.0], [4.0, 5.0]]
    nlp.vocab.set_vector("New", np.array([1.0, 2.0], dtype="f"))
    nlp.vocab.set_vector("York", np.array([3.0, 5.0], dtype="f"))
    (merged,) = nlp.pipe(["in New York"])
    assert merged[1].vector.tolist() == [2.0, 3.5]


def test_in_a_stream_too_a_chunk_finder_of_ones_own_is_asked():
    nlp = lexpool.blank("en")
    nlp.add_pipe("attribute_ruler").add([[{"ORTH": "cat"}]], {"DEP": "ROOT"})
    nlp.add_pipe("merge_noun_chunks")
    nlp.vocab.get_noun_chunks = lambda _doc: [(0, 2, nlp.vocab.strings.add("NP"))]
    assert [[token.text for token in doc] for doc in nlp.pipe(["a cat sat"])] == [["a cat", "sat"]]


@pytest.mark.parametrize("n_threads", [1, 2])
def test_a_merge_that_fails_on_a_text_names_component_and_document(n_threads):
    nlp = lexpool.blank("en")
    nlp.add_pipe("attribute_ruler").add([[{"ORTH": "parsed"}]], {"DEP": "ROOT"})
    nlp.add_pipe("merge_subtokens")
    nlp.add_pipe(lexpool.ops.doc.words, name="words")
    stream = nlp.pipe(["parsed 1", "bare 2", "parsed 3"], n_threads=n_threads)
    assert next(stream).text == "parsed 1"
    with pytest.raises(ValueError, match="E155") as raised:
        next(stream)
    assert "'merge_subtokens', document 1 of the stream" in raised.value.__notes__[0]
    assert next(stream).user_data["words"] == ["parsed", "3"]
    seen = []
    nlp.set_error_handler(lambda name, component, docs, error: seen.append((name, component)))
    assert [doc.text for doc in nlp.pipe(["bare 1", "parsed 2"], n_threads=n_threads)] == [
        "parsed 2"
    ]
    assert seen == [("merge_subtokens", merge_subtokens)]


def test_a_word_that_was_merged_in_a_zone_is_gone_with_it():
    nlp = merging()
    list(nlp.pipe(["warm up"]))
    before = len(nlp.vocab), len(nlp.vocab.strings)
    with nlp.memory_zone():
        (doc,) = nlp.pipe(["New York, New York"], n_threads=2)
        assert [token.text for token in doc] == ["New York", ",", "New York"]
        del doc
    assert (len(nlp.vocab), len(nlp.vocab.strings)) == before
