"""An op of the registry as a component."""

from __future__ import annotations

from .._core import NativeComponent
from .pipe import Pipe


class OpComponent(Pipe):
    """Calls an op with each document, without the GIL; what it gives goes to `doc.user_data` under
    the component's name, unless it is None.

    name: the component's name. op: the op's, such as "doc.words".

    Raises KeyError for a name that no op has, TypeError for an op that takes more than a document.
    """

    def __init__(self, name: str, op: str) -> None:
        NativeComponent.of_op(op, name)
        self.name = name
        self.op = op

    def native(self) -> NativeComponent:
        return NativeComponent.of_op(self.op, self.name)
