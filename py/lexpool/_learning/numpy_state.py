"""The state of NumPy's global generator of random numbers, for native code."""

from __future__ import annotations

__all__ = ["numpy_state", "set_numpy_state"]


def numpy_state() -> bytes:
    """Returns the state of NumPy's global generator, as native code reads it."""
    import numpy

    _, words, place, has_kept, kept = numpy.random.get_state()
    own = numpy.append(numpy.asarray(words, "<u4"), numpy.asarray([place], "<u4")).astype("<u4")
    number = numpy.asarray([kept], "<f8").tobytes() if has_kept else b""
    return number + own.tobytes()


def set_numpy_state(state: bytes) -> None:
    """Gives NumPy's global generator the state that native code has written."""
    import numpy

    # 624 words and the place in them; before them the second number of a pair.
    words, kept = numpy.frombuffer(state[-2500:], "<u4"), state[:-2500]
    number = float(numpy.frombuffer(kept, "<f8")[0]) if kept else 0.0
    numpy.random.set_state(("MT19937", words[:-1], int(words[-1]), int(bool(kept)), number))
