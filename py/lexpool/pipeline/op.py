"""An op of the registry as a component."""

from __future__ import annotations

from .._components.pipe import Pipe
from .._core import NativeComponent


class OpComponent(Pipe):
    """A component that calls an op with each document, without the GIL, and stores results other
    than None in `doc.user_data` under the component's name.

    name: the name of the component.
    op: the name of the op, such as "doc.words".

    Raises KeyError for an unknown op, TypeError for an op with parameters other than a document.
    """

    def __init__(self, name: str, op: str) -> None:
        NativeComponent.of_op(op, name)
        self.name = name
        self.op = op

    def native(self) -> NativeComponent:
        return NativeComponent.of_op(self.op, self.name)
