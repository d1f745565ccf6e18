"""Lists that a pipeline shows and nobody changes."""

from __future__ import annotations

from typing import Any, NoReturn, TypeVar

T = TypeVar("T")


class FrozenList(list[T]):
    """A list whose methods that change it raise NotImplementedError (E926), as spaCy's do."""

    def _refuse(self, *_args: Any, **_kwargs: Any) -> NoReturn:
        raise NotImplementedError(
            "[E926] this list shows the pipeline and does not change it: use nlp.add_pipe, remove_pipe, "
            "enable_pipe, disable_pipe and their like"
        )

    append = clear = extend = insert = pop = remove = reverse = sort = _refuse
    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refuse
