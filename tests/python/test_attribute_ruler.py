"""`lexpool.pipeline.AttributeRuler` beside spaCy's."""

import random

import pytest
import treebank

import lexpool
from lexpool.pipeline import AttributeRuler
from lexpool.tokens import Doc, Token
from lexpool.training import Example

TAG_MAP = {
    "NN": {"POS": "NOUN", "Number": "sing"},
    "NNS": {"POS": "NOUN", "MORPH": "Number=Plur"},
    "VBZ": {"POS": "VERB", "VerbForm": "fin", "Tense": "pres", "Number": "sing"},
    "JJ": {"POS": "ADJ", "Degree": "Pos", "LEMMA": "adjective"},
    "_SP": {"POS": "SPACE"},
}
MORPH_RULES = {
    "PRP": {
        "I": {"LEMMA": "-PRON-", "POS": "PRON", "PronType": "Prs"},
        "it": {"MORPH": "Case=Nom"},
    },
    "VBZ": {"is": {"LEMMA": "be", "VerbForm": "Fin", "POS": "AUX"}, "has": {"LEMMA": "have"}},
}
PATTERNS = [
    {
        "patterns": [[{"ORTH": "a"}], [{"ORTH": "the"}, {}]],
        "attrs": {"LEMMA": "det", "MORPH": "B=1|A=2"},
    },
    {"patterns": [[{"TAG": "NN"}, {"OP": "+"}]], "attrs": {"POS": "X", "TAG": "LAST"}, "index": -1},
    {
        "patterns": [[{"LOWER": {"IN": ["went", "is"]}}]],
        "attrs": {"norm": "normed", "IS_QUOTE": True},
    },
    {"patterns": [[{"POS": "NOUN"}, {"POS": "NOUN"}]], "attrs": {"TAG": "COMPOUND", "DEP": "dep"}},
    {
        "patterns": [[{"SHAPE": "Xxxxx", "LENGTH": {">": 6}}]],
        "attrs": {"LOWER": "long", "ENT_TYPE": "LONG"},
    },
]
ATTRS = [
    "ORTH",
    "TAG",
    "POS",
    "LEMMA",
    "MORPH",
    "NORM",
    "DEP",
    "HEAD",
    "ENT_TYPE",
    "LOWER",
    "IS_QUOTE",
]


@pytest.fixture
def pair(spacy):
    """spaCy's ruler and lexpool's, each with a vocab of its own that gives words the same
    attributes.
    """
    from spacy.pipeline import AttributeRuler as Theirs

    nlp = spacy.blank("en")
    return Theirs(nlp.vocab), AttributeRuler(lexpool.Tokenizer.from_spacy(nlp.tokenizer).vocab)


def some(texts_folder):
    rng = random.Random(4)
    yield from treebank.sentences(texts_folder)
    yield from (treebank.random_sentence(rng) for _ in range(400))


def state(doc):
    return doc.to_array(ATTRS).tolist(), [str(token.morph) for token in doc]


def by_tag_map(ruler):
    ruler.initialize(list, tag_map=TAG_MAP)


def by_all(ruler):
    ruler.initialize(list, patterns=PATTERNS, tag_map=TAG_MAP, morph_rules=MORPH_RULES)


def by_hand(ruler):
    ruler.load_from_morph_rules(MORPH_RULES)
    ruler.add_patterns(PATTERNS)
    ruler.load_from_tag_map(TAG_MAP)
    ruler.add([[{"TAG": "JJ"}, {"TAG": "NN", "OP": "?"}]], {"TAG": "AN"}, 0)


@pytest.mark.parametrize("fill", [by_tag_map, by_all, by_hand])
def test_attributes_are_those_of_spacy_over_treebanks_and_random_documents(
    spacy, pair, texts_folder, fill
):
    theirs, ours = pair
    fill(theirs)
    fill(ours)
    assert ours.native() is not None
    assert ours.patterns == theirs.patterns
    for number, sentence in enumerate(some(texts_folder)):
        if number % 2:
            sentence = treebank.without(sentence, "pos", "morphs", "lemmas")
        expected = theirs(spacy.tokens.Doc(theirs.vocab, **sentence))
        doc = Doc(ours.vocab, **sentence)
        slow = doc.copy()
        assert state(ours(doc)) == state(expected), sentence
        if number % 20 == 0:
            ours.set_annotations(slow, ours.match(slow))
            assert state(slow) == state(doc)


def test_matches_come_in_the_order_of_their_rules(pair, spacy):
    theirs, ours = pair
    for ruler in pair:
        for _ in range(12):
            ruler.add([[{"OP": "+"}]], {"TAG": "X"})
    found = [
        ruler.match(cls(ruler.vocab, words=["a", "b"]))
        for ruler, cls in ((theirs, spacy.tokens.Doc), (ours, Doc))
    ]
    assert found[0] == found[1]
    assert [number for number, *_ in found[1]] == sorted([*range(12)] * 3)


def test_an_index_outside_of_a_match_is_named_and_nothing_is_set(pair, spacy):
    for index in (2, -3):
        theirs, ours = pair
        for ruler, cls in ((theirs, spacy.tokens.Doc), (ours, Doc)):
            ruler.clear()
            ruler.add([[{"ORTH": "a"}, {}]], {"TAG": "X"}, 0)
            ruler.add([[{"ORTH": "a"}, {}]], {"TAG": "Y"}, index)
            doc = cls(ruler.vocab, words=["a", "b"])
            with pytest.raises(ValueError, match="E1001"):
                ruler(doc)
        assert doc[0].tag_ == ""
        with pytest.raises(ValueError, match=r"E1001.*\['a', 'b'\].*'ORTH': 'a'"):
            ours.set_annotations(doc, ours.match(doc))


def test_patterns_that_are_none_are_refused_by_name():
    ruler = AttributeRuler(lexpool.blank("en").vocab, validate=True)
    with pytest.raises(ValueError, match="E178|Unusable"):
        ruler.add([[{"LOWER": 1}]], {"TAG": "X"})
    with pytest.raises(ValueError, match="E012"):
        ruler.add([[]], {"TAG": "X"})
    with pytest.raises(ValueError, match="E118"):
        ruler.add([[{"ORTH": "a"}]], {"_": {"no_such_extension": 1}})
    with pytest.raises(ValueError, match="saved-form"):
        ruler.from_bytes(lexpool.msgpack.packb({"patterns": lexpool.msgpack.packb({})}))
    assert ruler.patterns == [] and ruler.attrs == [] and len(ruler.matcher) == 0


def test_rules_with_extension_attributes_work_and_are_not_native():
    Token.set_extension("ruled", default=False)
    try:
        nlp = lexpool.blank("en")
        ruler = AttributeRuler(nlp.vocab)
        ruler.add([[{"ORTH": "a"}]], {"_": {"ruled": True}, "TAG": "A"})
        assert ruler.native() is None
        doc = ruler(nlp("a b"))
        assert [(t._.ruled, t.tag_) for t in doc] == [(True, "A"), (False, "")]
        asking = AttributeRuler(nlp.vocab)
        asking.add([[{"_": {"ruled": True}}]], {"TAG": "B"})
        assert asking.native() is None
        assert [t.tag_ for t in asking(doc)] == ["B", ""]
    finally:
        Token.remove_extension("ruled")


def test_a_ruler_without_rules_warns_as_spacys_does(pair, spacy):
    theirs, ours = pair
    for ruler, cls in ((theirs, spacy.tokens.Doc), (ours, Doc)):
        with pytest.warns(UserWarning, match="W036"):
            ruler(cls(ruler.vocab, words=["a"]))


def test_what_fails_goes_to_the_error_handler_and_a_new_rule_is_noticed():
    nlp, handled = lexpool.blank("en"), []
    ruler = AttributeRuler(nlp.vocab, "own name")
    ruler.add([[{"ORTH": "b"}]], {"TAG": "X"})
    assert [t.tag_ for t in ruler(nlp("a b"))] == ["", "X"]
    ruler.add([[{"ORTH": "a"}]], {"TAG": "X"}, 5)
    ruler.set_error_handler(lambda name, proc, docs, error: handled.append((name, str(error)[:7])))
    assert [doc.text for doc in ruler.pipe([nlp("a"), nlp("b")])] == ["b"]
    ruler(nlp("a"))
    assert handled == [("own name", "[E1001]")] * 2


def test_bytes_and_folders_are_spacys(spacy, pair, tmp_path):
    from spacy.pipeline import AttributeRuler as Theirs

    theirs, ours = pair
    by_all(theirs)
    by_all(ours)
    theirs.to_disk(tmp_path / "theirs")
    ours.to_disk(tmp_path / "ours")
    vocab = lexpool.blank("en").vocab
    for loaded in (
        AttributeRuler(vocab).from_bytes(theirs.to_bytes()),
        AttributeRuler(vocab).from_disk(tmp_path / "theirs"),
        Theirs(spacy.blank("en").vocab).from_bytes(ours.to_bytes()),
        Theirs(spacy.blank("en").vocab).from_disk(tmp_path / "ours"),
        AttributeRuler(vocab).from_bytes(ours.to_bytes(exclude=["vocab"]), exclude=["vocab"]),
    ):
        # Without an index, the first token is meant.
        assert loaded.patterns == theirs.patterns
        assert loaded.attrs == ours.attrs
        assert loaded.indices == ours.indices
    nothing = AttributeRuler(vocab).from_bytes(ours.to_bytes(), exclude=["patterns"])
    assert nothing.patterns == []


def test_scores_are_those_of_spacy(spacy, pair, texts_folder):
    from spacy.training import Example as TheirExample

    theirs, ours = pair
    sentences = [
        *list(treebank.sentences(texts_folder))[:200],
        treebank.random_sentence(random.Random(1)),
    ]
    scores = []
    for ruler, doc_class, example_class in (
        (theirs, spacy.tokens.Doc, TheirExample),
        (ours, Doc, Example),
    ):
        by_all(ruler)
        examples = [
            example_class(
                ruler(doc_class(ruler.vocab, **treebank.without(s, "pos", "morphs", "lemmas"))),
                doc_class(ruler.vocab, **s),
            )
            for s in sentences
        ]
        scores.append((ruler.score(examples), ruler.score([])))
    assert scores[0] == scores[1]
    assert 0.0 < scores[1][0]["morph_micro_f"] < 1.0
