"""Texts with the tokens that they have, whatever the patterns say."""

import pytest

from lexpool import Tokenizer, Vocab, attrs


def tokens(tokenizer, text: str) -> list[str]:
    return [token.text for token in tokenizer(text)]


def case(*parts: str) -> list[dict[str, str]]:
    return [{"ORTH": part} for part in parts]


@pytest.fixture
def bare():
    """A tokenizer that cuts at whitespace only."""
    return Tokenizer(Vocab({"LOWER": str.lower, "NORM": str.lower}))


def test_a_special_case_cuts_its_text(bare):
    bare.add_special_case("gimme", case("gim", "me"))
    assert tokens(bare, "so gimme that gimmex") == ["so", "gim", "me", "that", "gimmex"]


def test_a_special_case_counts_between_affixes(tokenizer):
    tokenizer.add_special_case("gimme", case("gim", "me"))
    assert tokens(tokenizer, '("gimme!")') == ["(", '"', "gim", "me", "!", '"', ")"]


def test_a_special_case_counts_for_texts_seen_before(bare):
    assert tokens(bare, "gimme that") == ["gimme", "that"]
    bare.add_special_case("gimme", case("gim", "me"))
    assert tokens(bare, "gimme that") == ["gim", "me", "that"]


def test_a_later_special_case_replaces_an_earlier_one(bare):
    bare.add_special_case("abc", case("a", "bc"))
    bare.add_special_case("abc", case("ab", "c"))
    assert tokens(bare, "abc") == ["ab", "c"]
    assert bare.rules == {"abc": [{attrs.ORTH: "ab"}, {attrs.ORTH: "c"}]}


def test_a_special_case_may_hold_spaces(bare):
    bare.add_special_case("New York", [{"ORTH": "New York"}])
    doc = bare("in New York City, not New  York or NewYork")
    assert [token.text for token in doc][:3] == ["in", "New York", "City,"]
    assert doc[1].idx == 3
    assert doc[1].whitespace_ == " "
    assert "".join(token.text_with_ws for token in doc) == doc.text


def test_a_special_case_of_marks_wins_over_affixes(new_pair):
    theirs, ours = new_pair("xx")
    for tokenizer in (theirs, ours):
        tokenizer.add_special_case("--x--", case("--", "x", "--"))
    for text in ("--x--", "a --x-- b", "(--x--)", "--x--!", "x--x--x", "--x----x--"):
        assert tokens(ours, text) == tokens(theirs, text)


def test_norms_belong_to_the_token_and_not_to_its_word(bare):
    bare.add_special_case("gonna", [{"ORTH": "gon", "NORM": "going"}, {"ORTH": "na", "NORM": "to"}])
    special, plain = bare("gonna"), bare("gon na")
    assert [token.norm_ for token in special] == ["going", "to"]
    assert [token.norm_ for token in plain] == ["gon", "na"]
    assert special[0].norm == bare.vocab.strings["going"]
    assert special[0].lex.norm_ == "gon"


@pytest.mark.parametrize("keys", [("ORTH", "NORM"), ("orth", "norm"), (attrs.ORTH, attrs.NORM)])
def test_attributes_may_be_named_or_numbered(bare, keys):
    orth, norm = keys
    bare.add_special_case("x", [{orth: "x", norm: "y"}])
    assert bare("x")[0].norm_ == "y"
    assert bare.rules == {"x": [{attrs.ORTH: "x", attrs.NORM: "y"}]}


def test_what_tag_maps_of_old_held_is_passed_over(bare):
    given = [{"F": "is", "number": 2, "Person": "three"}, {"orth": "n't", "morph": {}, "mood": 1}]
    bare.add_special_case("isn't", given)
    assert bare.rules == {"isn't": [{attrs.ORTH: "is"}, {attrs.ORTH: "n't"}]}
    assert given[0] == {"F": "is", "number": 2, "Person": "three"}


def test_values_may_be_ids_of_the_vocab(bare):
    orth, norm = bare.vocab.strings.add("gonna"), bare.vocab.strings.add("going")
    bare.add_special_case("gonna", [{"ORTH": orth, "NORM": norm}])
    assert bare("gonna")[0].norm_ == "going"
    assert bare.rules == {"gonna": [{attrs.ORTH: "gonna", attrs.NORM: "going"}]}
    with pytest.raises(KeyError, match="E018"):
        bare.add_special_case("x", [{"ORTH": 987654321}])


def test_rules_given_to_the_constructor_are_special_cases():
    tokenizer = Tokenizer(Vocab(), {"ab": case("a", "b")})
    assert tokens(tokenizer, "ab abc") == ["a", "b", "abc"]
    assert tokens(Tokenizer(Vocab(), tokenizer.rules), "ab") == ["a", "b"]


def test_words_of_a_special_case_added_in_a_zone_outlive_it(tokenizer):
    with tokenizer.vocab.memory_zone():
        tokenizer.add_special_case("gimmezz", case("gimm", "ezz"))
    assert "ezz" in tokenizer.vocab.strings
    assert tokens(tokenizer, "gimmezz") == ["gimm", "ezz"]


@pytest.mark.parametrize(
    ("text", "parts", "code"),
    [
        ("x", [{"ORTH": "y"}], "E997"),
        ("xy", [{"ORTH": "x"}], "E997"),
        ("x", [{"NORM": "x"}], "E997"),
        ("x", [], "E997"),
        ("", [], "E997"),
        ("x", [{"ORTH": "x"}, {"ORTH": ""}], "E997"),
        ("x", [{"ORTH": "x", "LEMMA": "y"}], "E1005"),
        ("x", [{"ORTH": "x", "no such": "y"}], "E1005"),
    ],
)
def test_a_wrong_special_case_is_refused_and_changes_nothing(bare, text, parts, code):
    with pytest.raises(ValueError, match=code):
        bare.add_special_case(text, parts)
    with pytest.raises(ValueError, match=code):
        Tokenizer(Vocab(), {text: parts})
    assert bare.rules == {}


@pytest.mark.parametrize("parts", [None, 3, [None], ["x"], [{"ORTH": []}], [{"ORTH": None}]])
def test_a_special_case_of_a_wrong_type_is_refused(bare, parts):
    with pytest.raises(TypeError):
        bare.add_special_case("x", parts)
    with pytest.raises(TypeError):
        Tokenizer(Vocab(), {"x": parts})
    assert bare.rules == {}
