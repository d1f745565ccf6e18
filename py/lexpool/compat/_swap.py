"""Replaces objects by others wherever spaCy's Python code looks them up.

There are four such places: the names of a module, the default arguments and annotations of its
functions (configs and settings are validated against the latter), registries, and the fields of
pydantic schemas. Each change is recorded with its inverse.
"""

import functools
import types
import typing
from collections.abc import Callable, Iterable, Iterator, MutableMapping
from typing import Any

from .._narrow import is_list

# The wrappers of functions in classes, with a type that hides their parameters.
_WRAPPERS: tuple[type[Any], ...] = (classmethod, staticmethod)


class Swap:
    """A set of replacements, with a record of the changes made so far.

    A change is recorded before it is made, and undone before it leaves the record, so that an
    interrupt loses none; undoing one twice does nothing.

    pairs: the original and the new objects. Objects are compared by identity.
    """

    def __init__(self, pairs: Iterable[tuple[Any, Any]]) -> None:
        # The pairs are kept, since an id is unique only while its object is alive.
        self._pairs = tuple(pairs)
        self._new = {id(old): new for old, new in reversed(self._pairs)}
        self._undo: list[Callable[[], None]] = []

    def reversed(self) -> "Swap":
        """Returns the inverse replacements, none of them applied."""
        return Swap((new, old) for old, new in self._pairs)

    def undo(self) -> None:
        """Undoes every change, the last one first."""
        while self._undo:
            self._undo[-1]()
            self._undo.pop()

    def module(self, module: types.ModuleType) -> None:
        """Replaces names of a module, and default arguments and annotations of its functions."""
        self._items(vars(module))
        root = module.__name__.partition(".")[0]
        for value in list(vars(module).values()):
            for function in _functions(value):
                if (function.__module__ or "").partition(".")[0] == root:
                    self._defaults(function)
                    self._annotations(function)

    def registered(self, table: MutableMapping[Any, Any]) -> None:
        """Replaces entries of a registry, and the annotations of its functions."""
        self._items(table)
        for value in table.values():
            for function in _functions(value):
                self._annotations(function)

    def schema(self, model: Any) -> None:
        """Replaces the types of the fields of a pydantic model."""
        changed = False
        for field in model.model_fields.values():
            new = self._annotation(field.annotation)
            if new is not field.annotation:
                # Recorded first, so that undoing rebuilds the model after its fields are restored.
                if not changed:
                    self._undo.append(functools.partial(model.model_rebuild, force=True))
                self._set(field, "annotation", new)
                changed = True
        if changed:
            model.model_rebuild(force=True)

    def _items(self, table: MutableMapping[Any, Any]) -> None:
        for key, old in list(table.items()):
            new = self._new.get(id(old), old)
            if new is not old:
                self._undo.append(functools.partial(_put_back, table, key, new, old))
                table[key] = new

    def _set(self, owner: Any, name: str, new: Any) -> None:
        self._undo.append(functools.partial(setattr, owner, name, getattr(owner, name)))
        setattr(owner, name, new)

    def _defaults(self, function: types.FunctionType) -> None:
        if function.__kwdefaults__:
            self._items(function.__kwdefaults__)
        old = function.__defaults__ or ()
        new = tuple(self._new.get(id(value), value) for value in old)
        if any(a is not b for a, b in zip(new, old, strict=True)):
            self._set(function, "__defaults__", new)

    def _annotations(self, function: types.FunctionType) -> None:
        notes = function.__annotations__
        for name, old in list(notes.items()):
            new = self._annotation(old)
            if new is not old:
                self._undo.append(functools.partial(_put_back, notes, name, new, old))
                notes[name] = new

    def _annotation(self, old: Any) -> Any:
        """Returns an annotation with its types replaced, or itself if it has none of them."""
        if id(old) in self._new:
            return self._new[id(old)]
        if is_list(old):  # the arguments of a Callable
            inner = [self._annotation(part) for part in old]
            return old if _same(inner, old) else inner
        parts = typing.get_args(old)
        new = tuple(self._annotation(part) for part in parts)
        if _same(new, parts):
            return old
        origin: Any = typing.get_origin(old)
        if origin in (typing.Union, types.UnionType):
            return typing.Union[new]  # noqa: UP007
        if origin is typing.Literal or origin is typing.Annotated:
            return old
        return origin[new[0] if len(new) == 1 else new]


def _same(new: Iterable[Any], old: Iterable[Any]) -> bool:
    return all(a is b for a, b in zip(new, old, strict=True))


def _put_back(table: MutableMapping[Any, Any], key: Any, new: Any, old: Any) -> None:
    """Undoes one replacement, unless the value was changed since."""
    if table.get(key) is new:
        table[key] = old


def _functions(value: Any) -> Iterator[types.FunctionType]:
    """Yields the plain functions of a value: itself, the methods of a class, a wrapped function."""
    if isinstance(value, types.FunctionType):
        yield value
        yield from _functions(getattr(value, "__wrapped__", None))
    elif isinstance(value, _WRAPPERS):
        yield from _functions(value.__func__)
    elif isinstance(value, property):
        for part in (value.fget, value.fset, value.fdel):
            yield from _functions(part)
    elif isinstance(value, type):
        for member in list(vars(value).values()):
            if not isinstance(member, type):
                yield from _functions(member)
