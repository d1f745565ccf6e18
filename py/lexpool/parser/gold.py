"""The base class of gold annotations."""

from __future__ import annotations

from .._core import Gold, StateClass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from .._core import Span

__all__ = ["GoldAnnotation", "native_gold", "numbers_of"]


class GoldAnnotation:
    """A gold annotation, made for one document by one transition system."""

    __slots__ = ("native",)

    native: Gold

    def update(self, stcls: StateClass) -> None:
        """Does nothing, since costs are computed from the state itself."""


def native_gold(gold: object) -> Gold:
    """Returns the native part of a gold annotation. Raises TypeError (E909) for other objects."""
    if isinstance(gold, GoldAnnotation):
        return gold.native
    kind = type(gold).__name__
    raise TypeError(f"[E909] gold annotation is made by `init_gold`; this is a {kind}")


def numbers_of(spans: Iterable[Span]) -> list[tuple[int, int, int, int, int]]:
    """Returns the numbers of spans for native gold annotation."""
    return [(span.start, span.end, span.start_char, span.end_char, span.label) for span in spans]
