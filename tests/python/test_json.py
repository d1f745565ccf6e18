"""JSON of the package beside Python's `json`."""

import json
import random
from collections import Counter, OrderedDict

import pytest

from lexpool._core import write_json
from lexpool._saving import json as saving_json

VALUES = [
    None,
    True,
    0,
    -(2**63),
    2**63,
    10**400,
    -0.0,
    1e16,
    float("nan"),
    float("-inf"),
    "é\n\x7f\u2028😀\ud800",
    [],
    {},
    (1, (2, "b")),
    {"b": [1, {"a": None}], "a": {}},
    {1: "one", 2: "two"},
    {1: "one", "1": "also"},
    {True: 1, None: 2, 1.5: 3},
    Counter("aab"),
    OrderedDict(b=1, a=2),
    type("Text", (str,), {})("subclass"),
]


@pytest.mark.parametrize("value", VALUES, ids=repr)
@pytest.mark.parametrize("compact", [False, True])
def test_a_value_is_written_as_json_writes_it(value, compact):
    separators = (",", ":") if compact else None
    assert saving_json.dumps(value, compact=compact) == json.dumps(value, separators=separators)


def test_values_of_configurations_are_written_without_json():
    for value in ({"a": [1, 2.5, "x", None, True, (1,)]}, {0: Counter("aab")}):
        assert write_json(value) == json.dumps(value)


@pytest.mark.parametrize("value", [Ellipsis, {"a": {1}}, {(1, 2): 3}, b"bytes"], ids=repr)
def test_a_value_that_json_cannot_have_is_a_type_error(value):
    with pytest.raises(TypeError):
        saving_json.dumps(value)


def test_a_value_that_contains_itself_is_a_value_error():
    value: list = []
    value.append(value)
    with pytest.raises(ValueError, match="Circular"):
        saving_json.dumps(value)


TEXTS = [
    "1",
    " [1, 2.0e3, -0, NaN, Infinity] ",
    '{"a": 1, "a": 2}',
    '"\\ud800"',
    str(10**30),
    "[" * 150 + "]" * 150,
    "",
    "[1,]",
    "'a'",
    "True",
    "\ufeff1",
]


def read(loads, text):
    """Returns the value of a text, or the message of the error."""
    try:
        return repr(loads(text))
    except ValueError as error:
        return str(error)


@pytest.mark.parametrize("text", TEXTS)
def test_a_text_is_read_as_json_reads_it(text):
    assert read(saving_json.loads, text) == read(json.loads, text)
    data = text.encode("utf8")
    assert read(saving_json.loads, data) == read(json.loads, data)


def test_random_texts_are_read_as_json_reads_them():
    chance = random.Random(7)
    pieces = ["[", "]", "{", "}", '"a"', ":", ",", "1", "-", ".5", "e3", "null", " ", "\\", '"']
    for _ in range(5000):
        text = "".join(chance.choices(pieces, k=chance.randrange(1, 9)))
        assert read(saving_json.loads, text) == read(json.loads, text), text
