"""lexpool's tokenizer in spaCy's pipelines: spaCy's documents, from lexpool's cuts."""

import pickle
import random

import pytest
from comparing import ATTRS, SENT_START
from scripts import generated

from lexpool.compat.spacy import Tokenizer

LANGUAGES = "en de fr es it nl sv pl hu fi tr ru el xx ca cs da fa he hi nb pt ro uk".split()


@pytest.fixture
def nlp(spacy):
    """An English pipeline that lexpool cuts the texts of."""
    nlp = spacy.blank("en")
    nlp.tokenizer = Tokenizer(nlp.tokenizer)
    return nlp


def cut(tokenizer, text: str) -> list[str]:
    return [token.text for token in tokenizer(text)]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_documents_are_those_of_spacys_tokenizer(spacy, lang):
    theirs = spacy.blank(lang).tokenizer
    ours = Tokenizer(spacy.blank(lang).tokenizer)
    for text in generated(random.Random(lang), 150):
        expected, given = theirs(text), ours(text)
        assert isinstance(given, spacy.tokens.Doc)
        assert given.text == text
        a, b = expected.to_array(ATTRS), given.to_array(ATTRS)
        # spaCy leaves the first token's out where a special case stands there.
        a[:1, SENT_START] = b[:1, SENT_START] = 1
        assert a.tolist() == b.tolist(), text
        assert given.has_unknown_spaces is False


def test_a_stream_gives_the_same_documents_in_order(nlp, sample):
    expected = [nlp.tokenizer(text).to_array(ATTRS).tolist() for text in sample[:200]]
    given = [doc.to_array(ATTRS).tolist() for doc in nlp.tokenizer.pipe(sample[:200], 32)]
    assert given == expected
    assert [doc.text for doc in nlp.pipe(sample[:50])] == sample[:50]


def test_new_words_get_spacys_attributes(nlp):
    token = nlp("Unheardof2you")[0]
    assert (token.lower_, token.shape_, token.is_alpha) == ("unheardof2you", "Xxxxxdxxx", False)
    assert token.lex is not None and token.text in nlp.vocab


def test_rules_are_read_and_written_as_spacys(nlp, spacy):
    theirs = spacy.blank("en").tokenizer
    assert nlp.tokenizer.rules == theirs.rules
    assert nlp.tokenizer.explain("(can't)") == theirs.explain("(can't)")
    assert nlp.tokenizer.find_prefix("(a") == 1
    assert cut(nlp, "can't-do") == ["can't", "-", "do"]
    nlp.tokenizer.infix_finditer = None
    assert cut(nlp, "can't-do x") == ["can't-do", "x"]
    nlp.tokenizer.rules = {}
    assert cut(nlp, "can't") == ["can't"]
    nlp.tokenizer.add_special_case("gimme", [{"ORTH": "gim", "NORM": "give"}, {"ORTH": "me"}])
    assert [token.norm_ for token in nlp("gimme")] == ["give", "me"]
    assert "gimme" in nlp.tokenizer.rules


def test_functions_of_the_users_count(nlp):
    nlp.tokenizer.token_match = lambda text: text == "a-b"
    assert cut(nlp, "a-b c-d") == ["a-b", "c", "-", "d"]
    assert "function" in nlp.tokenizer.report()["token_match"]


def test_a_refused_special_case_changes_nothing(nlp):
    with pytest.raises(ValueError, match="E997"):
        nlp.tokenizer.add_special_case("x", [{"ORTH": "y"}])
    assert cut(nlp, "x can't") == ["x", "ca", "n't"]


def test_pipelines_are_written_and_read(nlp, spacy, tmp_path):
    nlp.tokenizer.add_special_case("gimme", [{"ORTH": "gim"}, {"ORTH": "me"}])
    nlp.to_disk(tmp_path / "model")
    assert cut(spacy.load(tmp_path / "model"), "gimme") == ["gim", "me"]
    plain = spacy.blank("en").from_bytes(nlp.to_bytes())
    assert cut(plain, "gimme") == ["gim", "me"]
    ours = spacy.blank("en")
    ours.tokenizer = Tokenizer(ours.tokenizer)
    assert cut(ours, "gimme") == ["gimme"]
    assert cut(ours.from_bytes(nlp.to_bytes()), "gimme") == ["gim", "me"]
    assert cut(ours.tokenizer.from_disk(tmp_path / "model" / "tokenizer"), "can't") == ["ca", "n't"]


def test_a_tokenizer_can_be_pickled(nlp):
    nlp.tokenizer.add_special_case("gimme", [{"ORTH": "gim"}, {"ORTH": "me"}])
    again = pickle.loads(pickle.dumps(nlp.tokenizer))
    assert type(again) is Tokenizer
    assert cut(again, "gimme can't") == ["gim", "me", "ca", "n't"]


def test_words_of_a_memory_zone_are_forgotten_and_learnt_anew(nlp):
    for _ in range(2):
        with nlp.memory_zone():
            assert cut(nlp, "unheardof can't") == ["unheardof", "ca", "n't"]
            assert [len(doc) for doc in nlp.tokenizer.pipe(["unheardof", "a b"])] == [1, 2]
        assert "unheardof" not in nlp.vocab.strings
    assert cut(nlp, "unheardof") == ["unheardof"]


def test_one_may_be_made_of_another(nlp):
    again = Tokenizer(nlp.tokenizer)
    assert again.vocab is nlp.vocab
    assert cut(again, "can't") == ["ca", "n't"]


@pytest.mark.parametrize("given", [None, 3, object()])
def test_what_has_no_rules_is_refused(given):
    with pytest.raises(TypeError, match="Tokenizer"):
        Tokenizer(given)


@pytest.mark.parametrize("given", [None, 3, b"text"])
def test_what_is_no_text_is_refused(nlp, given):
    with pytest.raises(TypeError):
        nlp.tokenizer(given)
