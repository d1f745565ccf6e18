"""Extension attributes: users' own attributes of documents, spans and tokens, under `._`."""

from __future__ import annotations

import functools

from .._narrow import is_tuple
from .._typing import Any

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal, TypeAlias, TypeGuard

    Kind: TypeAlias = Literal["doc", "span", "token"]


Extension: TypeAlias = tuple[Any, Any, Any, Any]
"""Default, method, getter and setter of an attribute."""

_MARK = "._."
_MUTABLE: tuple[type[Any], ...] = (dict, list, set)


class Underscore:
    """The extension attributes of one document, span or token.

    Values are stored in `doc.user_data` under `("._.", name, start, end)`: the character offsets of
    a span, the start of a token and None, None and None for a document. A span with a label, a
    knowledge-base id or a span id has its own values, under the same key followed by these three;
    attributes without such a value have the value under the key without them.
    """

    doc_extensions: dict[Any, Any] = {}
    span_extensions: dict[Any, Any] = {}
    token_extensions: dict[Any, Any] = {}

    mutable_types: tuple[type[Any], ...] = _MUTABLE

    _extensions: dict[str, Extension]
    _obj: Any
    _doc: Any
    _start: int | None
    _end: int | None
    _ids: tuple[int, ...]

    def __init__(
        self,
        extensions: dict[str, Extension],
        obj: Any,
        start: int | None = None,
        end: int | None = None,
        label: int = 0,
        kb_id: int = 0,
        span_id: int = 0,
    ) -> None:
        # `__setattr__` assigns extensions.
        values = self.__dict__
        values["_extensions"] = extensions
        values["_obj"] = obj
        values["_doc"] = obj.doc
        values["_start"] = start
        values["_end"] = end
        values["_ids"] = (label, kb_id, span_id) if label or kb_id or span_id else ()

    def __dir__(self) -> list[str]:
        return ["set", "get", "has", *self._extensions]

    def __getattr__(self, name: str) -> Any:
        if name not in self._extensions:
            raise AttributeError(f"[E046] no extension attribute {name!r}; set_extension makes one")
        default, method, getter, _ = self._extensions[name]
        if getter is not None:
            return getter(self._obj)
        if method is not None:
            return _bound(method, self._obj)
        return self._value(name, default)

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self._extensions:
            text = f"[E047] no extension attribute {name!r} to assign to; set_extension makes one"
            raise AttributeError(text)
        setter = self._extensions[name][3]
        if setter is not None:
            setter(self._obj, value)
        else:
            self._doc.user_data[self._get_key(name)] = value

    def set(self, name: str, value: Any) -> None:
        """Sets an attribute. Raises AttributeError (E047) for an unknown name."""
        setattr(self, name, value)

    def get(self, name: str) -> Any:
        """Returns the value of an attribute. Raises AttributeError (E046) for an unknown name."""
        return getattr(self, name)

    def has(self, name: str) -> bool:
        """Returns whether an extension has the name."""
        return name in self._extensions

    def _get_key(self, name: str) -> tuple[Any, ...]:
        return (_MARK, name, self._start, self._end, *self._ids)

    def _value(self, name: str, default: Any) -> Any:
        data, key = self._doc.user_data, self._get_key(name)
        if key in data:
            return data[key]
        value = data.get(key[:4], default)
        if isinstance(value, _MUTABLE):
            # A copy, so that changes of it affect this object only.
            from copy import copy

            value = data[key] = copy(value)
        return value

    @classmethod
    def get_state(cls) -> tuple[dict[Any, Any], dict[Any, Any], dict[Any, Any]]:
        """Returns the extensions of tokens, spans and documents, to be loaded in another
        process.
        """
        return cls.token_extensions, cls.span_extensions, cls.doc_extensions

    @classmethod
    def load_state(cls, state: tuple[dict[Any, Any], dict[Any, Any], dict[Any, Any]]) -> None:
        """Replaces all extensions by those that `get_state` returned."""
        cls.token_extensions, cls.span_extensions, cls.doc_extensions = state


def get_ext_args(**kwargs: Any) -> Extension:
    """Returns default, method, getter and setter from the arguments of set_extension.

    Raises ValueError: E083 unless exactly one of the first three is given, E089 for a setter
    without a getter, E091 for a function that is not callable.
    """
    method, getter, setter = (kwargs.get(name) for name in ("method", "getter", "setter"))
    if setter is not None and getter is None:
        raise ValueError("[E089] an extension with a setter needs a getter as well")
    kinds = [name for name in ("default", "method", "getter") if kwargs.get(name) is not None]
    if "default" in kwargs and "default" not in kinds:
        kinds.append("default")
    if len(kinds) != 1:
        listing = ", ".join(kinds) or "none"
        raise ValueError(
            f"[E083] an extension has one of default, method and getter; given: {listing}"
        )
    for name, function in (("setter", setter), ("getter", getter), ("method", method)):
        if function is not None and not callable(function):
            raise ValueError(f"[E091] the {name} of an extension is a function, not {function!r}")
    return kwargs.get("default"), method, getter, setter


def is_writable_attr(ext: Extension) -> bool:
    """Returns whether an extension can be assigned to: it has a setter or a default (even None)."""
    default, method, getter, setter = ext
    is_value = method is None and getter is None
    return setter is not None or default is not None or is_value


def is_key(key: Any) -> TypeGuard[tuple[Any, ...]]:
    """Returns whether a key of user_data belongs to an extension attribute."""
    return is_tuple(key) and len(key) >= 4 and key[0] == _MARK


def shifted_key(key: tuple[Any, ...], offset: int) -> tuple[Any, ...]:
    """Returns the key of a value in user_data, shifted by a number of characters."""
    mark, name, start, end, *ids = key
    moved = (at if at is None else at + offset for at in (start, end))
    return (mark, name, *moved, *ids)


def set_extension(kind: Kind, name: str, **kwargs: Any) -> None:
    """Declares an extension, for `set_extension` of `Doc`, `Span` and `Token`. Raises ValueError
    (E090) if the name is taken.
    """
    extensions = _extensions(kind)
    if name in extensions and not kwargs.get("force", False):
        owner = kind.capitalize()
        raise ValueError(
            f"[E090] {owner} has an extension {name!r} already; force=True replaces it"
        )
    extensions[name] = get_ext_args(**kwargs)


def get_extension(kind: Kind, name: str) -> Extension | None:
    """Returns default, method, getter and setter of an extension, or None if the name is
    unknown.
    """
    return _extensions(kind).get(name)


def remove_extension(kind: Kind, name: str) -> Extension:
    """Removes and returns an extension. Raises ValueError (E046) for an unknown name."""
    extensions = _extensions(kind)
    if name not in extensions:
        raise ValueError(f"[E046] {kind.capitalize()} has no extension {name!r} to remove")
    return extensions.pop(name)


def of_doc(doc: Any) -> Underscore:
    """The extension attributes of a document."""
    return Underscore(Underscore.doc_extensions, doc)


def of_span(span: Any) -> Underscore:
    """The extension attributes of a span."""
    place = (span.start_char, span.end_char, span.label, span.kb_id, span.id)
    return Underscore(Underscore.span_extensions, span, *place)


def of_token(token: Any) -> Underscore:
    """The extension attributes of a token."""
    return Underscore(Underscore.token_extensions, token, token.idx)


def _extensions(kind: Kind) -> dict[str, Extension]:
    extensions: dict[str, Extension] = getattr(Underscore, f"{kind}_extensions")
    return extensions


def _bound(method: Any, obj: Any) -> Any:
    bound = functools.partial(method, obj)
    about = f"A function whose first argument, the {type(obj).__name__}, is given already. "
    bound.__doc__ = about + (method.__doc__ or "")
    return bound
