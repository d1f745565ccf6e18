"""Factories of components, and their descriptions."""

from __future__ import annotations

from .._typing import Any, Callable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from .._core import Doc

__all__ = ["Factory", "FactoryMeta", "FunctionFactory", "PipeCallable"]

# A component: a callable that takes a document and returns it.
PipeCallable = Callable[["Doc"], "Doc"]
# A factory of components, called with `nlp`, `name` and the settings.
Factory = Callable[..., Any]


class FactoryMeta:
    """The description of a factory, with spaCy's fields."""

    # Not a dataclass, since `dataclasses` takes longer to import than all of lexpool.
    def __init__(
        self,
        factory: str,
        default_config: dict[str, Any] | None = None,
        assigns: Iterable[str] = (),
        requires: Iterable[str] = (),
        retokenizes: bool = False,
        scores: Iterable[str] = (),
        default_score_weights: dict[str, float | None] | None = None,
    ) -> None:
        self.factory = factory
        self.default_config: dict[str, Any] = default_config or {}
        self.assigns = assigns
        self.requires = requires
        self.retokenizes = retokenizes
        self.scores = scores
        self.default_score_weights: dict[str, float | None] = default_score_weights or {}


class FunctionFactory:
    """A factory that returns the same function for every pipeline."""

    def __init__(self, function: PipeCallable) -> None:
        self.function = function

    def __call__(self, nlp: Any, name: str) -> PipeCallable:
        return self.function

    def __repr__(self) -> str:
        return repr(self.function)
