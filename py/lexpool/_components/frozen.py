"""Immutable lists of a pipeline."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn, TypeVar

    _T = TypeVar("_T")
else:
    _T = object


def _refuse(*_args: Any, **_kwargs: Any) -> NoReturn:
    raise NotImplementedError(
        "[E926] this list shows the pipeline and does not change it: use nlp.add_pipe, remove_pipe, "
        "enable_pipe, disable_pipe and their like"
    )


class FrozenList(list[_T]):
    """A list whose methods that change it raise NotImplementedError (E926), as spaCy's do."""

    append: Any = _refuse
    clear: Any = _refuse
    extend: Any = _refuse
    insert: Any = _refuse
    pop: Any = _refuse
    remove: Any = _refuse
    reverse: Any = _refuse
    sort: Any = _refuse
    __setitem__: Any = _refuse
    __delitem__: Any = _refuse
    __iadd__: Any = _refuse
    __imul__: Any = _refuse
