"""Native forms of components that have no method for them: functions, and components whose native
form makes the annotation of tables alone.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .._core import NativeComponent
    from .._protocols import NativeForm

__all__ = ["ComponentForTables", "NativeFunctions", "native_functions"]


class ComponentForTables:
    """A component that streams run in Python, and tables natively."""

    def native_for_tables(self) -> NativeComponent | None:
        """Returns the native form with the present settings; None if Python is needed."""
        raise NotImplementedError


class NativeFunctions:
    """The native forms of the components of a module, which registers them when it is imported."""

    def __init__(
        self, module: str, form: NativeForm, clears_extras: Callable[[object], bool]
    ) -> None:
        """
        module: the name of the module.
        form: returns the native form of one of its components.
        clears_extras: whether a component clears nothing but what tables do not have.
        """
        self.form = form
        self.clears_extras = clears_extras
        _BY_MODULE[module] = self


_BY_MODULE: dict[str, NativeFunctions] = {}


def native_functions(component: object) -> NativeFunctions | None:
    """Returns the native forms of the module of a component; None for other modules."""
    module = getattr(component, "__module__", None)
    return _BY_MODULE.get(module) if isinstance(module, str) else None
