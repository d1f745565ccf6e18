"""Sentences by punctuation, beside spaCy's."""

import pickle

import pytest
from hypothesis import given, strategies as st

import lexpool
import lexpool.tokens
from lexpool.pipeline import Pipe, Sentencizer
from lexpool.training import Example

WORDS = [
    "a",
    "B",
    ".",
    "!",
    "?",
    "...",
    '"',
    ")",
    "\u3002",
    "\u0964",
    ",",
    "\u00bf",
    "\n",
    "x.",
    "5",
]


@pytest.fixture(scope="module")
def theirs(spacy):
    """Makes spaCy's component."""
    return spacy.pipeline.Sentencizer


def starts(doc) -> list[bool | None]:
    return [token.is_sent_start for token in doc]


@pytest.fixture(scope="module")
def both(spacy):
    """Makes a document of spaCy's and one of lexpool's, with the same words."""
    theirs, ours = spacy.blank("en").vocab, lexpool.blank("en").vocab

    def make(words):
        return spacy.tokens.Doc(theirs, words=words), lexpool.Doc(ours, words=words)

    return make


def test_the_default_marks_are_spacys(theirs):
    assert set(Sentencizer.default_punct_chars) == set(theirs.default_punct_chars)
    assert len(Sentencizer.default_punct_chars) == 128
    assert Sentencizer().punct_chars == theirs().punct_chars


@given(
    words=st.lists(st.sampled_from(WORDS), max_size=12),
    chars=st.none() | st.sets(st.sampled_from(WORDS), max_size=4),
    known=st.lists(st.sampled_from([None, True, False]), max_size=12),
    overwrite=st.booleans(),
)
def test_any_document_gets_the_sentences_that_spacy_gives_it(
    both, theirs, words, chars, known, overwrite
):
    expected, own = both(words)
    for doc in (expected, own):
        for token, is_start in list(zip(doc, known))[1:]:
            token.is_sent_start = is_start
    their, our = (make(punct_chars=chars, overwrite=overwrite) for make in (theirs, Sentencizer))
    assert our.predict([own, own]) == their.predict([expected, expected])
    assert starts(our(own)) == starts(their(expected))


def test_real_lines_have_the_same_sentences(spacy, pair, sample, theirs):
    their_tokenizer, our_tokenizer = pair("en")
    their, our = theirs(), Sentencizer()
    for line in sample[:500]:
        expected, own = their(their_tokenizer(line)), our(our_tokenizer(line))
        assert [sent.text for sent in own.sents] == [sent.text for sent in expected.sents]


def test_a_stream_is_annotated_in_order(english):
    docs = [english(text) for text in ["One. Two.", "", "Three"]]
    done = list(Sentencizer().pipe(iter(docs)))
    assert [len(list(doc.sents)) for doc in done] == [2, 0, 1]
    assert [a is b for a, b in zip(done, docs)] == [True] * 3


def test_starts_that_are_given_are_set(english):
    doc = english("a b c")
    Sentencizer().set_annotations([doc], [[True, False, 1]])
    assert starts(doc) == [True, False, True]
    with pytest.raises(ValueError, match=r"E971.* 4 sentence starts .* 3 tokens"):
        Sentencizer(overwrite=True).set_annotations(doc, [[False] * 4])
    assert starts(doc) == [True, False, True]


def test_settings_that_change_later_count(english):
    ours = Sentencizer(punct_chars=[";"])
    before = ours.native()
    ours.punct_chars.add("~")
    assert len(list(ours(english("a ~ b")).sents)) == 2
    assert len(list(before(english("a ~ b")).sents)) == 1
    ours.punct_chars = {"\ud800", ":"}
    assert len(list(ours(english("a : b")).sents)) == 2


def test_a_class_of_ones_own_is_asked(english):
    class Each(Sentencizer):
        def predict(self, docs):
            return [[True] * len(doc) for doc in docs]

    assert Each().native() is None
    assert len(list(Each()(english("a b c")).sents)) == 3
    assert isinstance(Sentencizer(), Pipe)
    assert Sentencizer().native() is not None


def test_bytes_and_files_go_both_ways(theirs, tmp_path):
    settings = {"punct_chars": [".", "~", "\u3002"], "overwrite": True}
    pairs = [(theirs, Sentencizer), (Sentencizer, theirs), (Sentencizer, Sentencizer)]
    for i, (writer, reader) in enumerate(pairs):
        read = reader().from_bytes(writer(**settings).to_bytes())
        assert (read.punct_chars, read.overwrite) == (set(settings["punct_chars"]), True)
        writer(**settings).to_disk(tmp_path / f"{i}.x")
        assert (tmp_path / f"{i}.json").is_file()
        read = reader().from_disk(str(tmp_path / str(i)))
        assert (read.punct_chars, read.overwrite) == (set(settings["punct_chars"]), True)
    assert Sentencizer(**settings).to_bytes() == Sentencizer(**settings).to_bytes()


@pytest.mark.parametrize("given", [[1], {"punct_chars": "."}, {"punct_chars": [1]}, None])
def test_other_bytes_are_refused_and_change_nothing(given):
    ours = Sentencizer(punct_chars=["~"])
    with pytest.raises(ValueError, match="E972"):
        ours.from_bytes(lexpool.msgpack.packb(given))
    assert ours.punct_chars == {"~"}


def test_one_that_is_pickled_does_the_same(english):
    ours = Sentencizer("own", punct_chars=["~"], overwrite=True)
    ours(english("a"))
    copy = pickle.loads(pickle.dumps(ours))
    assert (copy.name, copy.punct_chars, copy.overwrite) == ("own", {"~"}, True)
    assert len(list(copy(english("a ~ b")).sents)) == 2


def test_scores_are_spacys(spacy, theirs):
    words = ["a", ".", "b", "?", "c"]
    for gold in ([True, False, True, False, True], [True, False, False, True, False], None):
        scores = []
        for module, make in ((spacy, theirs), (lexpool, Sentencizer)):
            nlp = module.blank("en")
            doc = module.tokens.Doc
            reference = doc(nlp.vocab, words=words, sent_starts=gold)
            component = make()
            example = (spacy.training.Example if module is spacy else Example)(
                component(doc(nlp.vocab, words=words)), reference
            )
            scores.append(component.score([example]))
        theirs_, ours = scores
        assert ours.keys() == theirs_.keys()
        assert all(ours[key] == pytest.approx(theirs_[key]) for key in ours)
    assert Sentencizer(scorer=None).score([]) == {}


def test_spacys_pipeline_takes_it_while_patched(spacy):
    from lexpool.compat.spacy import patch

    with patch() as done:
        assert not any("Sentencizer" in name for name in done.refused)
        nlp = spacy.blank("en")
        component = nlp.add_pipe("sentencizer", config={"punct_chars": ["!"]})
        assert isinstance(component, Sentencizer)
        assert [sent.text for sent in nlp("a! b. c").sents] == ["a!", "b. c"]
