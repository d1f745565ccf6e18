"""Temporarily disabled components."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType

    from .._protocols import ComponentSwitch


class DisabledPipes(list[str]):
    """The names of components that `select_pipes` has disabled, until the end of a `with` or
    `restore`.

    Raises ValueError (E001) for an unknown name; no component is disabled then.
    """

    _is_entered = False

    def __init__(self, nlp: ComponentSwitch, names: list[str]) -> None:
        self.nlp = nlp
        super().__init__(names)
        nlp.switch_pipes(names, enabled=False)

    def __enter__(self) -> DisabledPipes:
        self._is_entered = True
        return self

    def __exit__(
        self,
        _exc_type: type[BaseException] | None,
        _exc: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        self.restore()

    def __del__(self) -> None:
        # An interrupt may have kept a block from its end.
        if self._is_entered and self:
            try:
                self.restore()
            except ValueError:
                # Components were removed, and the rest is enabled.
                return

    def restore(self) -> None:
        """Enables the components again. Raises ValueError (E008) if one was removed in the
        meantime.
        """
        names = self.nlp.component_names
        removed = next((at for at, name in enumerate(self) if name not in names), None)
        self.nlp.switch_pipes(self[:removed], enabled=True)
        if removed is not None:
            raise ValueError(
                f"[E008] {self[removed]!r} cannot be enabled again, because it was removed or "
                "renamed; remove components before select_pipes, or after its block"
            )
        self.clear()
