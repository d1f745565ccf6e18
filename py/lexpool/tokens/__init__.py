"""Documents and the views on them."""

from .._core import Doc, DocBin, MorphAnalysis, Span, SpanGroup, Token
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
