"""The form of the table of costs: what is called on objects of any size, and how it may grow."""

import collections
import contextlib
import copy
import inspect
import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from cost_surface import public_names

# Kinds of reasons for which a name has no row. Others are "as NAME", for one that has a row, and
# "row NAME", for one of `cost_rows`.
FIXED = "has no input whose size could vary"
ONE_VALUE = "takes one name, number or attribute"
FOLDER_LIST = "lists a folder"
OUTSIDE = "acts outside of the process, or on all of it: its cost is that of what it starts"
KINDS = (FIXED, ONE_VALUE, FOLDER_LIST, OUTSIDE)

# Calls of special methods that take no arguments.
SPECIAL_CALLS: dict[str, Callable[[Any], Any]] = {
    "__bytes__": bytes,
    "__copy__": copy.copy,
    "__deepcopy__": copy.deepcopy,
    "__eq__": lambda value: value == value,
    "__getitem__": lambda value: value[0],
    "__getstate__": lambda value: value.__getstate__(),
    "__hash__": hash,
    "__iter__": iter,
    "__len__": len,
    "__next__": next,
    "__reduce__": lambda value: value.__reduce__(),
    "__repr__": repr,
    "__str__": str,
}


@dataclass
class Row:
    """A call that is counted: `prepare` makes its input of a size."""

    name: str
    prepare: Callable[[int], Callable[[], Any]]
    is_member: bool = False
    is_constant: bool = False
    # A call that changes nothing is repeated, if the first may make what later ones use.
    repeats: bool = False


@dataclass
class Subject:
    """A class whose members are called on objects of several shapes and of any size."""

    shapes: list[Callable[[int], Any]]
    calls: dict[str, Callable[[Any], Any]]
    # Members whose work grows with the object; that of all others must not.
    linear: set[str]
    # Members that change the object, or have it closed: each is called on an object of its own.
    changing: set[str]


@dataclass
class Table:
    """Rows by the names of what they call, and reasons of names without a row."""

    subjects: dict[str, Subject] = field(default_factory=dict)
    functions: dict[str, Callable[[int], Callable[[], Any]]] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)

    def subject(
        self,
        name: str,
        *shapes: Callable[[int], Any],
        linear: str = "",
        changing: str = "",
        **calls: Callable[[Any], Any],
    ) -> None:
        """Adds a class: what makes its objects of a size, members by words, calls by members.

        The first of the shapes also stands for the constructor.
        """
        assert name not in self.subjects, name
        self.subjects[name] = Subject([*shapes], calls, {*linear.split()}, {*changing.split()})

    def function(self, name: str) -> Callable[[Callable[[int], Any]], Callable[[int], Any]]:
        """Decorates what makes an input of a size and returns the call of a function."""
        assert name not in self.functions, name

        def added(prepare: Callable[[int], Any]) -> Callable[[int], Any]:
            self.functions[name] = prepare
            return prepare

        return added

    def without_row(self, reason: str, names: str) -> None:
        """Gives names, or all of classes, a reason for which they have no row."""
        for name in names.split():
            assert name not in self.reasons, name
            self.reasons[name] = reason

    def rows(self) -> Iterator[Row]:
        """All rows; that of a member has its name once for each shape of the object."""
        names = public_names()
        for name, prepare in self.functions.items():
            yield Row(name, prepare)
        for owner, subject in self.subjects.items():
            if owner not in self.functions:
                first = subject.shapes[0]
                yield Row(owner, lambda n, first=first: lambda: first(n))
            members = [name for name in names if name.rpartition(".")[0] == owner]
            for make in subject.shapes:
                objects: dict[int, Any] = {}
                for name in members:
                    if name not in self.functions and name not in self.reasons:
                        yield member_row(name, names[name], subject, make, objects)


def member_row(
    name: str,
    static: Any,
    subject: Subject,
    make: Callable[[int], Any],
    objects: dict[int, Any],
) -> Row:
    """The row of a member on objects of one shape, which those that change nothing share."""
    member = name.rpartition(".")[2]
    call = subject.calls.get(member) or default_call(member, static)

    def prepare(n: int) -> Callable[[], Any]:
        if member in subject.changing:
            value = make(n)
        else:
            value = objects[n] if n in objects else objects.setdefault(n, make(n))
        return lambda: exhausted(call(value))

    is_constant = member not in subject.linear
    repeats = is_constant and member not in subject.changing
    return Row(name, prepare, is_member=True, is_constant=is_constant, repeats=repeats)


def default_call(member: str, static: Any) -> Callable[[Any], Any]:
    """Reads a property, or calls a method without arguments."""
    if member in SPECIAL_CALLS:
        return SPECIAL_CALLS[member]
    is_method = isinstance(static, staticmethod | classmethod) or inspect.isroutine(static)
    return operator.methodcaller(member) if is_method else lambda value: read_and_set(value, member)


def read_and_set(value: Any, member: str) -> Any:
    """The value of a property, to which it is also set if it has a setter that accepts it."""
    result = getattr(value, member)
    with contextlib.suppress(AttributeError, TypeError, ValueError, NotImplementedError):
        setattr(value, member, result)
    return result


def refused(call: Callable[[], Any]) -> None:
    """Calls what always raises an error."""
    try:
        call()
    except (TypeError, ValueError, KeyError, NotImplementedError):
        return
    raise AssertionError("expected an error")


def exhausted(value: Any) -> Any:
    """A result, or of an iterator all that it gives."""
    return collections.deque(value) if isinstance(value, Iterator) else value
