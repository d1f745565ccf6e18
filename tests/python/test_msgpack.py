"""MessagePack: srsly's bytes, both ways."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import numpy
import pytest
import srsly
from hypothesis import given, strategies as st

from lexpool.msgpack import packb, unpackb

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.integers(-70_000, 70_000)
    | st.floats(allow_nan=False)
    | st.text()
    | st.binary()
)
MESSAGES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=20) | st.dictionaries(SCALARS, inner, max_size=20),
    max_leaves=30,
)


@given(MESSAGES)
def test_the_bytes_are_those_of_srsly(message: Any) -> None:
    packed = srsly.msgpack_dumps(message)
    assert packb(message) == packed
    assert unpackb(packed) == srsly.msgpack_loads(packed)


def named(value):
    """A value in a test's name, which is the same in every process."""
    return repr(value).partition(" at 0x")[0]


@pytest.mark.parametrize("length", [0, 15, 16, 31, 32, 255, 256, 65_535, 65_536])
def test_lengths_take_the_form_that_srsly_gives_them(length: int) -> None:
    for message in ["x" * length, b"x" * length, [0] * length, dict.fromkeys(range(length))]:
        assert packb(message) == srsly.msgpack_dumps(message)
        assert unpackb(packb(message)) == message


@pytest.mark.parametrize(
    "message",
    [
        (1, (2, [3])),
        bytearray(b"ab"),
        memoryview(b"abcd")[1:3],
        OrderedDict([("b", 1), ("a", 2)]),
        numpy.float64(1.5),
        1.5 - 2j,
        {1: numpy.int32(-5), (): numpy.bool_(True)},
        numpy.float32(0.1),
        numpy.arange(6, dtype="<f4").reshape(2, 3),
        numpy.arange(6, dtype=">u2").reshape(2, 3).T,
        numpy.zeros((0, 300), dtype="f"),
        numpy.array(7),
        numpy.array(["ab", "c"]),
        numpy.array([(1, 2.0)], dtype=[("x", "i4"), ("y", "f8", (2,))]),
    ],
    ids=named,
)
def test_other_objects_are_written_as_srsly_writes_them(message: Any) -> None:
    packed = srsly.msgpack_dumps(message)
    assert packb(message) == packed
    ours, theirs = unpackb(packed, use_list=False), srsly.msgpack_loads(packed, use_list=False)
    if isinstance(theirs, numpy.ndarray):
        assert ours.dtype == theirs.dtype and ours.shape == theirs.shape
        assert ours.tobytes() == theirs.tobytes()
    else:
        assert ours == theirs


def test_arrays_can_be_keys_if_they_are_read_as_tuples() -> None:
    packed = packb({("._.", "name", 0, None): 1})
    assert unpackb(packed, use_list=False) == {("._.", "name", 0, None): 1}
    with pytest.raises(ValueError, match="msgpack-type"):
        unpackb(packed)


def test_every_bytes_like_object_is_read() -> None:
    for data in [b"\x92\x01\x02", bytearray(b"\x92\x01\x02"), memoryview(b"\x92\x01\x02")]:
        assert unpackb(data) == [1, 2]
    with pytest.raises(TypeError):
        unpackb("text")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("message", "error", "code"),
    [
        (object(), TypeError, "msgpack-type"),
        ({1, 2}, TypeError, "msgpack-type"),
        (numpy.array([None]), TypeError, "msgpack-type"),
        (2**64, OverflowError, "msgpack-range"),
        (-(2**63) - 1, OverflowError, "msgpack-range"),
        ("\ud800", UnicodeEncodeError, "surrogates"),
    ],
    ids=named,
)
def test_what_has_no_form_is_refused(message: Any, error: type[Exception], code: str) -> None:
    with pytest.raises(error, match=code):
        packb([message])


def test_depth_is_limited_both_ways() -> None:
    message: list[Any] = []
    for _ in range(511):
        message = [message]
    assert unpackb(packb(message)) == message
    with pytest.raises(ValueError, match="msgpack-depth"):
        packb([message])
    message.append(message)
    with pytest.raises(ValueError, match="msgpack-depth"):
        packb(message)
    with pytest.raises(ValueError, match="msgpack-depth"):
        unpackb(b"\x91" * 10_000_000)


def test_a_message_that_breaks_off_is_refused() -> None:
    packed = packb({"a": [1, 2.5, "text"], "b": numpy.arange(3)})
    for end in range(len(packed)):
        with pytest.raises(ValueError, match="msgpack-truncated"):
            unpackb(packed[:end])


@pytest.mark.parametrize(
    "message",
    [
        {b"nd": True, b"type": "<f4", b"kind": b"", b"shape": [3], b"data": b"\0" * 8},
        {b"nd": True, b"type": "no type", b"kind": b"", b"shape": [1], b"data": b"\0"},
        {b"nd": True, b"type": "|O", b"kind": b"", b"shape": [1], b"data": b"\0" * 8},
        {b"nd": False, b"type": "<f4", b"data": b""},
        {b"nd": True, b"type": 3.5, b"kind": b"V", b"shape": [1], b"data": b"\0"},
        {b"nd": True, b"type": "<f4", b"kind": b"", b"shape": "x", b"data": b"\0" * 8},
    ],
    ids=["short", "type", "objects", "empty", "fields", "shape"],
)
def test_a_map_that_stands_for_no_array_is_refused(message: dict[bytes, Any]) -> None:
    with pytest.raises(ValueError, match="msgpack-array"):
        unpackb(packb(message))


def test_maps_that_only_look_like_arrays_stay_maps() -> None:
    for message in [{b"nd": True}, {b"nd": True, b"type": "<f4", b"data": b""}, {b"complex": True}]:
        assert unpackb(packb(message)) == message
