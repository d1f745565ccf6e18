"""The tables of attributes, symbols and parts of speech; spaCy's are the oracle."""

import pytest

from lexpool import attrs, parts_of_speech, symbols


@pytest.mark.parametrize("name", ["attrs", "symbols", "parts_of_speech"])
def test_names_and_numbers_are_those_of_spacy(spacy, name):
    import importlib

    theirs = importlib.import_module(f"spacy.{name}")
    ours = importlib.import_module(f"lexpool.{name}")
    assert ours.IDS == theirs.IDS
    assert ours.NAMES == theirs.NAMES
    for key, number in theirs.IDS.items():
        if key:
            assert getattr(ours, key) == number
    with pytest.raises(AttributeError, match="NO_SUCH"):
        ours.NO_SUCH


def test_parts_of_speech_are_integers_with_names():
    assert parts_of_speech.NOUN == 92 == symbols.NOUN
    assert {92: "x"}[parts_of_speech.IDS["NOUN"]] == "x"
    assert isinstance(parts_of_speech.VERB, parts_of_speech.univ_pos_t)
    assert parts_of_speech.IDS[""] is parts_of_speech.NO_TAG


def test_an_attribute_is_found_by_name_in_any_case():
    assert attrs.intify_attr("NORM") == attrs.intify_attr("norm") == attrs.intify_attr(67) == 67
    assert attrs.intify_attr("no_such") is None
    assert attrs.intify_attr("") == 0
    with pytest.raises(TypeError):
        attrs.intify_attr(None)


GIVEN = [
    {"NORM": "x", "lemma": "y", 74: "VERB", "no_such": "z"},
    {"F": "a", "L": "b", "pos": "NN", "morph": "c", "number": 1, "tenspect": 2},
    {"PunctType": "a", "punctside": "b", "DEGREE": "c", "Number": "d", "POSS": 1, "NORM": "e"},
    {"ENT_IOB": "B", "TAG": "x"},
    {"ENT_IOB": "", "ENT_TYPE": "x"},
    {"ENT_IOB": 2},
    {"number": 1, "NUMBER": 2, "Number": 3},
    {},
]


@pytest.mark.parametrize("given", GIVEN)
@pytest.mark.parametrize("deprecated", [False, True])
@pytest.mark.parametrize("strings", [None, "store", "dict"])
def test_attributes_turn_into_numbers_as_in_spacy(spacy, given, deprecated, strings):
    import lexpool

    def call(module, store):
        from collections import defaultdict

        maps = {None: None, "store": store, "dict": defaultdict(lambda: 7)}
        changed = dict(given)
        return module.intify_attrs(changed, maps[strings], _do_deprecated=deprecated), changed

    assert call(attrs, lexpool.StringStore()) == call(spacy.attrs, spacy.strings.StringStore())


def test_an_unknown_letter_for_the_place_in_an_entity_is_refused():
    with pytest.raises(ValueError, match=r"^\[E1025\]"):
        attrs.intify_attrs({"ENT_IOB": "X"})
