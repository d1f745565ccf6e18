"""Temporarily disabled components."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType

    from .components import Components


class DisabledPipes(list[str]):
    """The names of components that `select_pipes` has disabled, until the end of a `with` or
    `restore`.

    Raises ValueError (E001) for an unknown name; no component is disabled then.
    """

    def __init__(self, nlp: Components, names: list[str]) -> None:
        for name in names:
            if name not in nlp.component_names:
                raise ValueError(
                    f"[E001] no component is named {name!r}; known: {nlp.component_names}"
                )
        for name in names:
            nlp.disable_pipe(name)
        self.nlp = nlp
        super().__init__(names)

    def __enter__(self) -> DisabledPipes:
        return self

    def __exit__(
        self,
        _exc_type: type[BaseException] | None,
        _exc: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        self.restore()

    def restore(self) -> None:
        """Enables the components again. Raises ValueError (E008) if one was removed in the
        meantime.
        """
        for name in self:
            if name not in self.nlp.component_names:
                raise ValueError(
                    f"[E008] {name!r} cannot be enabled again, because it was removed or renamed; "
                    "remove components before select_pipes, or after its block"
                )
            self.nlp.enable_pipe(name)
        self.clear()
