"""Extension attributes: declaring them, and where their values lie."""

import pytest

import lexpool
from lexpool.tokens import Doc, Span, Token, Underscore
from lexpool.tokens.underscore import is_writable_attr, shifted_key


@pytest.fixture(autouse=True)
def clean():
    yield
    Underscore.load_state(({}, {}, {}))


@pytest.fixture
def doc():
    return Doc(lexpool.Vocab(), words=["a", "b", "c", "d"])


def test_values_lie_in_user_data_under_spacys_keys(doc):
    for owner in (Doc, Span, Token):
        owner.set_extension("x", default=0)
    doc._.x, doc[1]._.x, doc[1:3]._.x = 1, 2, 3
    assert doc.user_data == {
        ("._.", "x", None, None): 1,
        ("._.", "x", 2, None): 2,
        ("._.", "x", 2, 5): 3,
    }
    assert (doc._.x, doc[1]._.x, doc[1:3]._.x, doc[0]._.x) == (1, 2, 3, 0)


def test_spans_of_equal_bounds_keep_their_own_values(doc):
    Span.set_extension("x", default="none")
    Span.set_extension("many", default=[])
    plain = doc[0:2]
    spans = [plain, Span(doc, 0, 2, "A"), Span(doc, 0, 2, "B"), Span(doc, 0, 2, "A", kb_id="K")]
    spans.append(Span(doc, 0, 2, "A", span_id="I"))
    for i, span in enumerate(spans):
        span._.x = i
        span._.many.append(i)
    assert [span._.x for span in spans] == [0, 1, 2, 3, 4]
    assert [span._.many[-1] for span in spans] == [0, 1, 2, 3, 4]
    assert plain._.many == [0]
    doc.spans["g"] = spans
    assert [span._.x for span in doc.spans["g"]] == [0, 1, 2, 3, 4]


def test_what_a_labelled_span_was_not_given_it_takes_from_its_bounds(doc):
    Span.set_extension("x", default="none")
    Span.set_extension("many", default=())
    doc.user_data["._.", "x", 0, 3] = "spaCy's"
    doc.user_data["._.", "many", 0, 3] = [1]
    labelled = Span(doc, 0, 2, "A")
    assert labelled._.x == doc[0:2]._.x == "spaCy's"
    labelled._.many.append(2)
    assert (labelled._.many, doc[0:2]._.many) == ([1, 2], [1])


def test_values_go_along_with_copies_joins_and_cuts(doc):
    Span.set_extension("x", default=None)
    Token.set_extension("x", default=None)
    Span(doc, 1, 3, "A")._.x = "own"
    doc[1:3]._.x = "plain"
    doc[2]._.x = "token"
    joined = Doc.from_docs([doc, doc])
    offset = len(doc)
    for made, at in [(doc.copy(), 0), (joined, offset), (joined, 0)]:
        found = Span(made, at + 1, at + 3, "A")._.x, made[at + 1 : at + 3]._.x, made[at + 2]._.x
        assert found == ("own", "plain", "token")
    cut = doc[1:].as_doc(copy_user_data=True)
    assert (Span(cut, 0, 2, "A")._.x, cut[0:2]._.x, cut[1]._.x) == ("own", "plain", "token")


def test_keys_of_both_forms_are_moved():
    assert shifted_key(("._.", "x", 3, None), 4) == ("._.", "x", 7, None)
    assert shifted_key(("._.", "x", 3, 5), -3) == ("._.", "x", 0, 2)
    assert shifted_key(("._.", "x", 3, 5, 1, 0, 2), 4) == ("._.", "x", 7, 9, 1, 0, 2)


@pytest.mark.parametrize(
    ("kwargs", "code"),
    [
        ({}, "E083"),
        ({"default": None, "getter": len}, "E083"),
        ({"method": len, "getter": len}, "E083"),
        ({"setter": len}, "E089"),
        ({"default": 1, "setter": len}, "E089"),
        ({"getter": len, "setter": 3}, "E091"),
        ({"getter": 3}, "E091"),
        ({"method": 3}, "E091"),
    ],
)
def test_a_wrong_declaration_is_refused(kwargs, code):
    with pytest.raises(ValueError, match=rf"^\[{code}\]"):
        Doc.set_extension("x", **kwargs)
    assert not Doc.has_extension("x")


def test_a_name_is_taken_until_it_is_removed_or_forced(doc):
    Span.set_extension("x", default=1)
    with pytest.raises(ValueError, match="E090"):
        Span.set_extension("x", default=2)
    Span.set_extension("x", default=3, force=True)
    assert Span.get_extension("x") == (3, None, None, None) == Span.remove_extension("x")
    assert Span.get_extension("x") is None
    with pytest.raises(ValueError, match="E046"):
        Span.remove_extension("x")
    with pytest.raises(AttributeError, match="E046"):
        doc[:1]._.x
    with pytest.raises(AttributeError, match="E047"):
        doc[:1]._.x = 3
    assert not hasattr(doc[:1]._, "x")


def test_functions_get_the_object(doc):
    store = {}
    Token.set_extension("twice", method=lambda token, n=2: token.text * n)
    Token.set_extension(
        "kept", getter=lambda token: store.get(token.i), setter=lambda t, v: store.update({t.i: v})
    )
    assert doc[1]._.twice() == "bb" and doc[1]._.twice(n=3) == "bbb"
    doc[1]._.kept = "v"
    assert (doc[1]._.kept, doc[2]._.kept, doc.user_data) == ("v", None, {})
    assert doc[1]._.has("kept") and doc[1]._.get("kept") == "v"
    assert {"twice", "kept", "get", "set", "has"} <= set(dir(doc[1]._))


def test_what_can_be_written():
    assert is_writable_attr((None, None, None, None)) and is_writable_attr((1, None, None, None))
    assert is_writable_attr((None, None, len, len))
    assert not is_writable_attr((None, None, len, None)) and not is_writable_attr(
        (None, len, None, None)
    )
