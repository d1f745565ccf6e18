"""Documents and the views on them."""

from .._core import Doc, DocBin, MorphAnalysis, Span, SpanGroup, Token
from .._lazy import LazyNames

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._dict_proxies import SpanGroups
    from ._retokenize import Retokenizer, normalize_token_attrs, set_token_attrs
    from .underscore import Underscore, get_ext_args, is_writable_attr

__all__ = [
    "Doc",
    "DocBin",
    "MorphAnalysis",
    "Retokenizer",
    "Span",
    "SpanGroup",
    "SpanGroups",
    "Token",
    "Underscore",
    "get_ext_args",
    "is_writable_attr",
    "normalize_token_attrs",
    "set_token_attrs",
]

# `lexpool.load` imports this module.
_LAZY = LazyNames(
    __name__,
    {
        "Retokenizer": "_retokenize",
        "SpanGroups": "_dict_proxies",
        "Underscore": "underscore",
        "get_ext_args": "underscore",
        "is_writable_attr": "underscore",
        "normalize_token_attrs": "_retokenize",
        "set_token_attrs": "_retokenize",
    },
)


def __getattr__(name: str) -> object:
    return _LAZY.get(name)


def __dir__() -> list[str]:
    return _LAZY.names()
