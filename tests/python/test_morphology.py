"""Morphological analyses, beside spaCy's."""

import pickle
import warnings

import pytest

from lexpool import StringStore, Vocab
from lexpool.morphology import Morphology
from lexpool.tokens import MorphAnalysis

FEATS = [
    "",
    "_",
    "Case=Nom",
    "Number=Sing|Case=Nom",
    "Case=Nom,Acc|Number=Sing",
    "A2=x|A=y",
    "Foo[bar]=baz|Foo=x",
    "Case=",
]
ANALYSES = [
    *FEATS,
    {},
    {"Case": "Nom"},
    {"Number": "Sing", "Case": "Nom,Acc"},
    {"pos": "noun", "Case": "Nom"},
    {"POS": 92},
    {74: "VERB"},
    {"Case": 429},
]
UNUSABLE = [None, 3, ["Case=Nom"], {"Case": ["Nom"]}, {("Case",): "Nom"}, {"POS": 3}]


@pytest.fixture
def pair(spacy):
    return Morphology(StringStore()), spacy.morphology.Morphology(spacy.strings.StringStore())


@pytest.mark.parametrize("features", ANALYSES, ids=repr)
def test_ids_and_normal_forms_are_spacys(pair, features):
    ours, theirs = pair
    assert ours.normalize_features(features) == theirs.normalize_features(features)
    assert ours.add(features) == theirs.add(features)
    key = theirs.add(features)
    assert ours.get(key) == theirs.get(key)
    assert list(ours.strings) == list(theirs.strings) or isinstance(features, dict)
    if isinstance(features, dict):
        assert ours.normalize_attrs(features) == theirs.normalize_attrs(features)


@pytest.mark.parametrize("features", UNUSABLE, ids=repr)
def test_what_is_unusable_is_dropped_with_a_warning(pair, features):
    ours, theirs = pair
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = theirs.normalize_features(features)
    with pytest.warns(UserWarning, match="W100"):
        assert ours.normalize_features(features) == expected
    with pytest.warns(UserWarning, match="W100"):
        assert ours.add(features) == ours.strings[expected]


def test_a_warning_may_be_made_an_error(pair):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning, match="W100"):
            pair[0].add(3)


@pytest.mark.parametrize("feats", ["Case", "Case=Nom|", "Case=Nom=Acc", "|"])
def test_a_feature_without_one_equals_sign_is_refused(pair, feats):
    for use in (pair[0].add, pair[0].normalize_features, Morphology.feats_to_dict):
        with pytest.raises(ValueError, match=r"\["):
            use(feats)
    assert len(pair[0]) == 0 == len(pair[0].strings)


@pytest.mark.parametrize("feats", FEATS)
def test_conversions_are_spacys(spacy, feats):
    theirs = spacy.morphology.Morphology
    as_dict = theirs.feats_to_dict(feats)
    assert Morphology.feats_to_dict(feats) == as_dict
    assert Morphology.dict_to_feats(as_dict) == theirs.dict_to_feats(as_dict)


@pytest.mark.parametrize("feats", FEATS)
def test_an_analysis_reads_as_spacys(spacy, feats):
    ours = MorphAnalysis(Vocab(), feats)
    theirs = spacy.tokens.MorphAnalysis(spacy.vocab.Vocab(), feats)
    for function in (str, repr, list, len, hash, lambda m: m.to_json(), lambda m: m.to_dict()):
        assert function(ours) == function(theirs)
    for field in ("Case", "Number", "A", "Nope", "", "_"):
        assert ours.get(field) == theirs.get(field)
        assert ours.get(field, ["x"]) == theirs.get(field, ["x"])
        for value in ("Nom", "Acc", "x", ""):
            feature = f"{field}={value}"
            assert (feature in ours) is (feature in theirs)


def test_no_analysis_differs_from_an_empty_one():
    vocab = Vocab()
    none, empty = MorphAnalysis.from_id(vocab, 0), MorphAnalysis(vocab)
    assert (none.key, empty.key) == (0, 456)
    assert none != empty and empty == MorphAnalysis(vocab, {})
    assert str(none) == str(empty) == "" and list(none) == [] == none.get("Case")
    assert none.to_dict() == {} and none.vocab is vocab


def test_an_id_that_nobody_knows_is_empty_until_somebody_does():
    vocab = Vocab()
    key = StringStore()["Case=Nom"]
    unknown = MorphAnalysis.from_id(vocab, key)
    assert str(unknown) == "" and len(unknown) == 0
    assert vocab.morphology.add("Case=Nom") == key
    assert str(unknown) == "Case=Nom"


def test_comparing_with_text_is_refused():
    analysis = MorphAnalysis(Vocab(), "Case=Nom")
    for compare in (lambda: analysis == "Case=Nom", lambda: analysis != "Case=Nom"):
        with pytest.raises(ValueError, match="E977"):
            compare()
    assert analysis != 3 and analysis != None  # noqa: E711


def test_an_analysis_entered_in_a_zone_outlives_it():
    vocab = Vocab()
    with vocab.memory_zone():
        analysis = MorphAnalysis(vocab, "Case=Nom|Number=Sing")
    assert list(analysis) == ["Case=Nom", "Number=Sing"]
    assert "Case=Nom" in vocab.strings


def test_a_table_is_pickled_with_its_analyses():
    ours = Morphology(StringStore())
    keys = [ours.add("Case=Nom|Number=Sing"), ours.add("")]
    again = pickle.loads(pickle.dumps(ours))
    assert [again.get(key) for key in keys] == ["Case=Nom|Number=Sing", "_"]
    assert list(again) == sorted(keys, key=again.get)


def test_adding_what_is_known_takes_no_memory(pair):
    ours = pair[0]
    ours.add({"Case": "Nom"})
    size = ours.mem.size
    assert size > 0
    for _ in range(10):
        ours.add({"Case": "Nom"})
    assert ours.mem.size == size
