"""spaCy's data structures as plain records in arenas: many times faster, without the GIL.

>>> import lexpool
>>> nlp = lexpool.blank("en")
>>> [token.text for token in nlp("Let's go to N.Y., shall we?")]
['Let', "'s", 'go', 'to', 'N.Y.', ',', 'shall', 'we', '?']
"""

import os as _os

from . import _core
from ._core import Doc, Lexeme, Pool, Span, StringStore, Token, Tokenizer, Vocab, __version__
from .language import Language, blank, load

# As `typing` has it, which takes longer to import than all of this.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from typing import TextIO

    from . import ops as ops
    from ._profile import Profile

__all__ = [
    "Doc",
    "Language",
    "Lexeme",
    "Pool",
    "Span",
    "StringStore",
    "Token",
    "Tokenizer",
    "Vocab",
    "__version__",
    "blank",
    "get_include",
    "load",
    "ops",
    "profile",
]


def get_include() -> str:
    """The folder of `lexpool.h`, `lexpool_api.h` and `lexpool_spacy.h`, for the compiler of what
    uses them.
    """
    return _os.path.join(_os.path.dirname(__file__), "include")


def profile(
    trace: "str | _os.PathLike[str] | None" = None, file: "TextIO | None" = None
) -> "AbstractContextManager[Profile]":
    """Times the calls of ops inside a `with`, in all threads, and prints a table of them at the
    end.

    `trace` is where to write a trace for chrome://tracing, `file` where to print instead of stderr.
    """
    from ._profile import profile

    return profile(trace, file)


def __getattr__(name: str) -> object:
    # Made when it is asked for, so that nobody pays for it who does not use it.
    if name == "ops":
        from importlib import import_module

        return import_module(".ops", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


# Which kernels ops may call: `scalar`, or up to one that is named.
if _key := _os.environ.get("LEXPOOL_CPU"):
    _core.limit_kernels(_key)

if hasattr(_os, "register_at_fork"):
    _os.register_at_fork(
        before=_core.pause_for_fork,
        after_in_parent=_core.resume_after_fork,
        after_in_child=_core.resume_in_child,
    )
