"""Records for ctypes."""

import ctypes
from typing import Any

from .. import structs
from .._core import Handle

_TYPES: dict[str, Any] = {
    f"{kind}{bits}_t": getattr(ctypes, f"c_{kind}{bits}")
    for kind in ("int", "uint")
    for bits in (8, 16, 32, 64)
}


_STRUCTURES: dict[str, type[ctypes.Structure]] = {}


def structure(name: str) -> type[ctypes.Structure]:
    """Returns the ctypes.Structure of a record, by the record's name."""
    if name in _STRUCTURES:
        return _STRUCTURES[name]
    layout = structs.RECORDS.get(name, structs.SpacyTokenC)
    fields = [(field.name, _TYPES[field.ctype]) for field in layout.fields]
    record_class = type(name, (ctypes.Structure,), {"_fields_": fields, "__doc__": layout.doc})
    return _STRUCTURES.setdefault(name, record_class)


def ctypes_array(handle: Handle) -> Any:
    """Returns the records of a handle as a ctypes array on the same memory, which it keeps
    alive.
    """
    if handle.stride != handle.itemsize and len(handle) > 1:
        raise ValueError("records taken with a step are not contiguous, which ctypes needs")
    array: Any = (structure(handle.record) * len(handle)).from_address(handle.address)
    array._lexpool_handle = handle  # keeps the memory alive
    return array
