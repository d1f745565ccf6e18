"""The state of NumPy's global generator of random numbers, for native code."""

from __future__ import annotations

__all__ = ["numpy_state", "set_numpy_state"]


def numpy_state() -> bytes:
    """Returns the state of NumPy's global generator, as native code reads it."""
    import numpy

    _, words, place, has_second, second_number = numpy.random.get_state()
    state_words = numpy.append(numpy.asarray(words, "<u4"), numpy.asarray([place], "<u4")).astype(
        "<u4"
    )
    number = numpy.asarray([second_number], "<f8").tobytes() if has_second else b""
    return number + state_words.tobytes()


def set_numpy_state(state: bytes) -> None:
    """Gives NumPy's global generator the state that native code has written."""
    import numpy

    # 624 words and the place in them; before them the second number of a pair.
    words, second_number = numpy.frombuffer(state[-2500:], "<u4"), state[:-2500]
    number = float(numpy.frombuffer(second_number, "<f8")[0]) if second_number else 0.0
    numpy.random.set_state(
        ("MT19937", words[:-1], int(words[-1]), int(bool(second_number)), number)
    )
