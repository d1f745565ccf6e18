"""The factories of components by name, from `Language.factory` and `Language.component`."""

from __future__ import annotations

from types import CodeType

from .._typing import Any
from .analysis import check_attribute
from .factories import BUILT_IN
from .factory import Factory, FactoryMeta, FunctionFactory, PipeCallable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import ClassVar


class Factories:
    """A class with factories: its own and those of its base classes."""

    _own_factories: ClassVar[dict[str, tuple[Factory, FactoryMeta]]] = {}

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls._own_factories = {}

    @classmethod
    def _factory(cls, name: str) -> tuple[Factory, FactoryMeta] | None:
        for owner in cls.__mro__:
            own_factories: dict[str, tuple[Factory, FactoryMeta]] = owner.__dict__.get(
                "_own_factories", {}
            )
            if name in own_factories:
                return own_factories[name]

        return BUILT_IN.get(name)

    @classmethod
    def _taken(cls, name: str) -> Factory | None:
        """Returns the factory that already has a name. A subclass with an attribute `lang` of its
        own may redefine the names of its base classes.
        """
        lang = getattr(cls, "lang", None)
        if lang is None:
            factory = cls._factory(name)
            return None if factory is None else factory[0]
        for owner in cls.__mro__:
            own_factories: dict[str, tuple[Factory, FactoryMeta]] = owner.__dict__.get(
                "_own_factories", {}
            )
            if name in own_factories and getattr(owner, "lang", None) == lang:
                return own_factories[name][0]
        return None

    @classmethod
    def _factory_names(cls) -> list[str]:
        names = dict.fromkeys(BUILT_IN)
        for owner in reversed(cls.__mro__):
            names |= dict.fromkeys(owner.__dict__.get("_own_factories", {}))
        return list(names)

    @classmethod
    def has_factory(cls, name: str) -> bool:
        """Returns whether a factory has this name."""
        return cls._factory(name) is not None

    @classmethod
    def get_factory_meta(cls, name: str) -> FactoryMeta:
        """Returns the description of a factory. Raises ValueError (E967) for an unknown name."""
        factory = cls._factory(name)
        if factory is None:
            names = ", ".join(cls._factory_names())
            raise ValueError(f"[E967] no factory is named {name!r}; known: {names}")
        return factory[1]

    @classmethod
    def factory(
        cls,
        name: str,
        *,
        default_config: Mapping[str, Any] | None = None,
        assigns: Iterable[str] = (),
        requires: Iterable[str] = (),
        retokenizes: bool = False,
        default_score_weights: Mapping[str, float | None] | None = None,
        func: Factory | None = None,
    ) -> Any:
        """Registers a function that makes components, as a decorator or by `func`.

        It is called with `nlp`, `name` and its settings.

        default_config: the default settings.

        Raises ValueError: E963 if the name is not a string, E853 for a name with a dot, E962 for a
        config that is not a dict, E004 if the name belongs to another function or a built-in
        factory, E964 for a function without the parameters `nlp` and `name`, E180 to E185 for names
        in `assigns` or `requires` that are not attributes.
        """
        _check_name(name, "factory")
        config: object = {} if default_config is None else default_config
        if not isinstance(config, dict):
            kind = type(config).__name__
            raise ValueError(f"[E962] the default config of {name!r} is a {kind}, not a dict")
        weights = dict(default_score_weights or {})

        def register(function: Factory) -> Factory:
            there = cls._taken(name)
            if there is not None and not _same(there, function):
                raise ValueError(
                    f"[E004] a factory is named {name!r} already: {there!r}, not {function!r}"
                )
            from inspect import signature

            parameters = signature(function).parameters
            if "nlp" not in parameters or "name" not in parameters:
                raise ValueError(
                    f"[E964] expected the parameters nlp and name of the factory {name!r}; it has "
                    f"{', '.join(parameters) or 'none'}"
                )
            meta = FactoryMeta(
                name,
                dict(default_config or {}),
                _attributes(name, assigns),
                _attributes(name, requires),
                retokenizes,
                list(weights),
                weights,
            )
            cls._own_factories[name] = (function, meta)
            return function

        return register if func is None else register(func)

    @classmethod
    def component(
        cls,
        name: str,
        *,
        assigns: Iterable[str] = (),
        requires: Iterable[str] = (),
        retokenizes: bool = False,
        func: PipeCallable | None = None,
    ) -> Any:
        """Registers a function that is a component, as a decorator or by `func`.

        Raises ValueError as `factory` does, and E965 for a class, which is a factory and not a
        component.
        """
        _check_name(name, "component")

        def register(function: PipeCallable) -> PipeCallable:
            if isinstance(function, type):
                raise ValueError(
                    f"[E965] {function!r} is a class; expected a function that takes a Doc and "
                    f"returns it. Register {name!r} by Language.factory"
                )
            cls.factory(
                name,
                assigns=assigns,
                requires=requires,
                retokenizes=retokenizes,
                func=FunctionFactory(function),
            )
            return function

        return register if func is None else register(func)


def _attributes(component: str, names: Iterable[str]) -> list[str]:
    """Returns the names of attributes, such as "token.tag", as a list if they are valid."""
    names = list(names)
    if names:
        for name in names:
            check_attribute(component, name)
    return names


def _check_name(name: object, decorator: str) -> None:
    if not isinstance(name, str):
        raise ValueError(
            f"[E963] expected a name, as in @Language.{decorator}('name'), not {name!r}"
        )
    if "." in name:
        raise ValueError(f"[E853] {name!r} has a dot, which is not permitted in a factory's name")


def _same(one: Any, other: Any) -> bool:
    """Returns True if two functions or classes are the same definition, possibly of a reloaded
    module or of a notebook cell that was run again.
    """
    if isinstance(one, FunctionFactory) and isinstance(other, FunctionFactory):
        one, other = one.function, other.function
    if one is other:
        return True
    return _place(one) is not None and _place(one) == _place(other)


def _place(function: Any) -> tuple[object, ...] | None:
    """Returns the place of a function's or class's definition; None for other objects."""
    module = getattr(function, "__module__", None)
    name = getattr(function, "__qualname__", None)
    if not isinstance(module, str) or not isinstance(name, str):
        return None
    code = getattr(function, "__code__", None)
    if isinstance(code, CodeType) and "<lambda>" in name:
        # All of a module's lambdas have one name.
        return module, name, code.co_filename, code.co_firstlineno
    return module, name
