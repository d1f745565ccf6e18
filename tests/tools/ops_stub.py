"""Writes `py/lexpool/ops.pyi`: what `lexpool.ops` offers, and below it lexpool's own ops.

    python tests/tools/ops_stub.py

Run it when an op was added or changed; a test compares.
"""

import re
from pathlib import Path

from lexpool import _core

TARGET = Path(__file__).parents[2] / "py" / "lexpool" / "ops.pyi"

HEAD = '''\
# Made by tests/tools/ops_stub.py from the registry; what comes before the namespaces stands there.

import builtins as _b
import os as _os
from collections.abc import Callable as _Callable
from collections.abc import Iterable as _Iterable
from collections.abc import Mapping as _Mapping
from collections.abc import Sequence as _Sequence
from contextlib import AbstractContextManager as _AbstractContextManager
from typing import Any as _Any

from ._core import NativeFunction, Op, Registration
from .tokens import Doc as _Doc
from .vocab import Vocab as _Vocab

__all__ = [
    "NativeFunction",
    "Op",
    "Registration",
    "cpu",
    "get",
    "kernels",
    "load_library",
    "map",
    "names",
    "override",
    "remove",
]

CHUNK: int

def names(namespace: str | None = None) -> list[str]:
    """The names of all ops, or of those of a namespace, in order."""

def get(name: str) -> Op:
    """What is known of an op: its schema, arguments, kernels and source."""

def kernels() -> list[str]:
    """The keys of kernels that this machine can run, the best last."""

def cpu(key: str) -> _AbstractContextManager[None]:
    """Inside, ops call only kernels up to this key."""

def override(name: str, function: _Callable[..., _Any]) -> Registration:
    """Calls a function in the place of an op until it is restored."""

def remove(name: str) -> Registration:
    """Makes calls of an op raise RuntimeError until it is restored."""

def load_library(path: str | _os.PathLike[str]) -> list[str]:
    """Loads a plugin, a shared library, and gives the names that it brings."""

def map(
    name: str,
    docs: _Iterable[_Doc],
    *args: _Any,
    n_threads: int = 0,
    progress: bool | _Callable[[int], object] = False,
    **kwargs: _Any,
) -> list[_Any]:
    """The results of an op for each document, in their order, computed without the GIL."""

# Of plugins nothing is known before they are loaded.
def __getattr__(name: str) -> _Any: ...  # pyright: ignore[reportIncompleteStub]
'''

# What types of arguments may need, by the name that the stub has for it.
IMPORTS = {
    "_b": "import builtins as _b",
    "_Callable": "from collections.abc import Callable as _Callable",
    "_Mapping": "from collections.abc import Mapping as _Mapping",
    "_Sequence": "from collections.abc import Sequence as _Sequence",
    "_Vocab": "from .vocab import Vocab as _Vocab",
}


def stub() -> str:
    """The text of the stub. Load no plugin before: it would be in it."""
    _, _, namespaces = _core.op_stubs().partition("\nclass ")
    text = f"{HEAD}\nclass {namespaces}"
    for name, line in IMPORTS.items():
        if not re.search(rf"\b{name}\b", text.replace(line, "")):
            text = text.replace(f"{line}\n", "")
    return text


if __name__ == "__main__":
    TARGET.write_text(stub(), encoding="utf-8")
