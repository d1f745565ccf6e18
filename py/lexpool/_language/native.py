"""The native forms of the components of a pipeline."""

from __future__ import annotations

from .._components.native_forms import ComponentForTables, native_functions
from .._components.pipe import Pipe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .._core import NativeComponent, Vocab
    from .._protocols import Pipeline

__all__ = ["native", "native_steps"]


def native(component: object, vocab: Vocab) -> NativeComponent | None:
    """Returns the native form of a component, which runs without the GIL.

    None if a subclass overrides `__call__` or `pipe` without its own `native`, or `pipe` was set on
    the component itself.
    """
    functions = native_functions(component)
    if functions is not None:
        return functions.form(component, vocab)
    if not isinstance(component, Pipe) or "pipe" in vars(component):
        return None
    for owner in type(component).__mro__:
        if "native" in owner.__dict__:
            return component.native()
        if "__call__" in owner.__dict__ or "pipe" in owner.__dict__:
            return None
    return None


def native_steps(nlp: Pipeline) -> list[tuple[str, NativeComponent | None]]:
    """Returns the names of the enabled components with their native forms, for tables; None for a
    component that runs in Python.

    A `doc_cleaner` that clears the tensor and extension attributes, which tables do not have, is
    left out. Merged words get no vectors, as in Rust.
    """
    return [
        (name, native(component, nlp.vocab) or _native_for_tables(component, nlp.vocab))
        for name, component in nlp.pipeline
        if not _clears_extras(component)
    ]


def _native_for_tables(component: object, vocab: Vocab) -> NativeComponent | None:
    """Returns the native form of a component that streams run in Python: of an entity linker, or
    of a function that merges words with vectors.
    """
    functions = native_functions(component)
    if functions is not None:
        return functions.form(component, vocab, sets_vectors=False)
    return component.native_for_tables() if isinstance(component, ComponentForTables) else None


def _clears_extras(component: object) -> bool:
    functions = native_functions(component)
    return functions is not None and functions.clears_extras(component)
