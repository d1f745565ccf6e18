"""spaCy's data structures as plain records in arenas: many times faster, without the GIL.

>>> import lexpool
>>> nlp = lexpool.blank("en")
>>> [token.text for token in nlp("Let's go to N.Y., shall we?")]
['Let', "'s", 'go', 'to', 'N.Y.', ',', 'shall', 'we', '?']
"""

import os as _os

from . import _core
from ._core import Lexeme, Pool, StringStore, Vocab, __version__
from ._core import Doc, Span, Token
from ._core import Tokenizer
from .language import Language, blank

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
]


def get_include() -> str:
    """The folder of `lexpool.h`, `lexpool_api.h` and `lexpool_spacy.h`, for the compiler of what uses them."""
    return _os.path.join(_os.path.dirname(__file__), "include")


if hasattr(_os, "register_at_fork"):
    _os.register_at_fork(
        before=_core.pause_for_fork,
        after_in_parent=_core.resume_after_fork,
        after_in_child=_core.resume_after_fork,
    )
