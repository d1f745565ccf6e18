"""Properties of tokens and lexemes, which are looked up by the address of their name."""

import pytest

from lexpool import Doc, Lexeme, Token

TOKEN = [
    ("text", "world"),
    ("lower_", "world"),
    ("shape_", "xxxx"),
    ("i", 2),
    ("idx", 7),
    ("whitespace_", ""),
    ("is_alpha", True),
    ("lex_id", 2**64 - 1),
]


def shown(value):
    return [repr(item) for item in value] if hasattr(value, "__next__") else repr(value)


@pytest.mark.parametrize(("name", "value"), TOKEN)
def test_a_property_is_found_by_a_name_that_is_another_string(doc, name, value):
    token = doc[2]
    other = "".join(list(name)) + "x"
    assert getattr(token, other[:-1]) == getattr(token, name) == value
    assert object.__getattribute__(token, name) == value
    assert type(token).__getattribute__(token, name) == value


def test_all_properties_equal_their_descriptors(doc):
    token, word = doc[2], doc.vocab["world"]
    for thing in (token, word):
        cls = type(thing)
        names = [
            name for name in vars(cls) if type(vars(cls)[name]).__name__ == "getset_descriptor"
        ]
        assert len(names) > 30
        for name in names:
            try:
                expected = vars(cls)[name].__get__(thing)
            except Exception as error:
                with pytest.raises(type(error)):
                    getattr(thing, name)
            else:
                assert shown(getattr(thing, name)) == shown(expected), name


@pytest.mark.parametrize("cls", [Token, Lexeme])
def test_a_replaced_property_counts_until_it_is_put_back(doc, cls, monkeypatch):
    thing = doc[2] if cls is Token else doc.vocab["world"]
    for round in range(40):
        assert thing.lower_ == "world"
        monkeypatch.setattr(cls, "lower_", property(lambda _, text=f"WORLD{round}": text))
        assert thing.lower_ == f"WORLD{round}"
        monkeypatch.undo()
    assert thing.lower_ == "world"


def test_a_property_of_another_class_does_not_take_a_token(doc, monkeypatch):
    for other, name in ((Lexeme, "lower_"), (Lexeme, "is_alpha"), (Doc, "text"), (complex, "real")):
        monkeypatch.setattr(Token, "strange", vars(other)[name], raising=False)
        with pytest.raises(TypeError, match="descriptor"):
            doc[2].strange
    monkeypatch.setattr(Token, "lower", vars(Lexeme)["lower"])
    with pytest.raises(TypeError, match="descriptor"):
        doc[2].lower


def test_other_names_are_looked_up_as_of_any_object(doc):
    token = doc[2]
    assert token.nbor(-1) == doc[1]
    assert callable(token.is_ancestor) and token.__class__ is Token
    for name in ("", "texts", "tex", "text\0", "\ud800", "_text"):
        assert not hasattr(token, name)
    with pytest.raises(AttributeError, match="Token' object has no attribute 'no_such'"):
        token.no_such
    with pytest.raises(TypeError):
        getattr(token, 1)


def test_an_extension_is_reached_through_a_property_of_python(doc):
    Token.set_extension("is_long", getter=lambda token: len(token) > 4)
    try:
        assert [token._.is_long for token in doc][2] and not doc[1]._.is_long
        assert isinstance(Token._, property) and "extension" in (Token._.__doc__ or "")
    finally:
        Token.remove_extension("is_long")
