"""Detects tests that pass on spaCy's own core instead of lexpool, which must not count."""

import ctypes
import functools
from collections.abc import Callable, Iterable
from enum import Enum
from typing import Any

from lexpool.compat.spacy import CompiledComponentError

# A number in CPython's stable ABI (typeslots.h).
PY_TP_NEW = 65
# Size of `PyTypeObject`, and the offset of its field tp_vectorcall_offset.
WORDS_OF_A_TYPE = 51
VECTORCALL_OFFSET = 7

_NewFunction = ctypes.PYFUNCTYPE(*[ctypes.c_void_p] * 4)


class Guard:
    """Records forbidden events in order: instances made, and components refused.

    made: for each instance of a core class of spaCy's, the name of the class.
    refused: names of compiled components whose construction was refused.
    """

    def __init__(self, originals: Iterable[type]) -> None:
        self.made: list[str] = []
        self.refused: list[str] = []
        # C calls into these for as long as the process lives.
        self._kept: list[Any] = []
        for cls in originals:
            if not issubclass(cls, BaseException | Enum):
                self._watch(cls)
        self._watch_refusals()

    def _watch(self, cls: type) -> None:
        name = f"{cls.__module__}.{cls.__name__}"
        if cls.__flags__ & (1 << 9):  # a class made in Python, whose methods can be set
            cls.__init__ = _noting(cls.__init__, lambda: self.made.append(name))  # type: ignore[misc]
        else:
            self._watch_slot(cls, lambda: self.made.append(name))
        self._try_out(cls, name)

    def _watch_slot(self, cls: type, note: Callable[[], None]) -> None:
        """Put a function of ours before the one that makes instances of a static type."""
        get_slot = ctypes.pythonapi.PyType_GetSlot
        get_slot.restype, get_slot.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_int]
        address = get_slot(cls, PY_TP_NEW)
        words = _words(cls)
        place = list(words).index(address)
        make = _NewFunction(address)

        def make_and_note(*args: Any) -> Any:
            note()
            # An error cannot leave a callback; the caller gets a SystemError for it, and a test
            # that got as far has failed.
            try:
                return make(*args)
            except BaseException:
                return None

        callback = _NewFunction(make_and_note)
        self._kept += (make, callback)
        words[place] = ctypes.cast(callback, ctypes.c_void_p)
        shortcut = _words(type)[VECTORCALL_OFFSET] // ctypes.sizeof(ctypes.c_void_p)
        words[shortcut] = None

    def _try_out(self, cls: type, name: str) -> None:
        """A guard that does not notice is worse than none."""
        try:
            cls()
        except Exception:
            pass  # it lacks arguments, but was about to be made
        if name not in self.made:
            raise AssertionError(f"the guard does not notice instances of {name}")
        self.made.clear()

    def _watch_refusals(self) -> None:
        refused = self.refused
        init = CompiledComponentError.__init__

        @functools.wraps(init)
        def noting(self: CompiledComponentError, message: str, component: str = "") -> None:
            refused.append(component)
            init(self, message, component)

        CompiledComponentError.__init__ = noting  # type: ignore[method-assign]


def _words(cls: type) -> ctypes.Array[ctypes.c_void_p]:
    return (ctypes.c_void_p * WORDS_OF_A_TYPE).from_address(id(cls))


def _noting(init: Callable[..., None], note: Callable[[], None]) -> Callable[..., None]:
    @functools.wraps(init)
    def noting(*args: Any, **named: Any) -> None:
        note()
        init(*args, **named)

    return noting
