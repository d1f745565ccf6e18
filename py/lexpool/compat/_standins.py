"""Classes that stand in for spaCy's compiled ones, which cannot take lexpool's objects."""

from collections.abc import Iterable
from typing import Any


class CompiledComponentError(TypeError):
    """A compiled class of spaCy, which needs spaCy's own structs, was called with lexpool's
    objects.

    component: the dotted name of that class.
    """

    def __init__(self, message: str, component: str = "") -> None:
        super().__init__(message)
        self.component = component


class _RefusingMeta(type):
    """Metaclass of stand-ins, which `isinstance` and `issubclass` treat as the original classes."""

    _original: type[Any]
    _always: bool
    _on: bool

    def __call__(cls, *args: Any, **named: Any) -> Any:
        lineage = (base for base in cls.__mro__ if isinstance(base, _RefusingMeta))
        stand_in = next(base for base in lineage if "_original" in vars(base))
        if not stand_in._on:
            return super().__call__(*args, **named)
        names = sorted({type(arg).__name__ for arg in (*args, *named.values()) if is_ours(arg)})
        if stand_in._always or names:
            raise CompiledComponentError(stand_in.refusal(cls, names), stand_in.place())
        if cls is stand_in:
            return stand_in._original(*args, **named)
        return super().__call__(*args, **named)

    def __instancecheck__(cls, instance: Any) -> bool:
        return cls.__subclasscheck__(type(instance))

    def __subclasscheck__(cls, subclass: Any) -> bool:
        if "_original" in vars(cls):
            return issubclass(subclass, cls._original)
        return super().__subclasscheck__(subclass)

    def place(cls) -> str:
        """The dotted name of the original class."""
        return f"{cls._original.__module__}.{cls._original.__name__}"

    def refusal(cls, called: Any, names: list[str]) -> str:
        """Returns why a call of this class, or of the subclass `called`, cannot make an object."""
        original = cls._original
        name = "" if called is cls else f"{called.__name__}, a subclass of "
        if cls._always:
            reason = "it is compiled against the structs of spaCy's own Doc and Vocab"
        else:
            what = " and ".join(names)
            reason = f"it takes spaCy's own objects only, not lexpool's {what}, and lexpool has no "
            reason += f"{original.__name__} yet"
        return (
            f"{name}{cls.place()} cannot work on lexpool's objects: {reason}. Leave it out of the "
            "pipeline (exclude=[...]), or run it in plain spaCy, outside of patch(), on documents "
            "made with to_spacy()"
        )


def stand_in_for(original: type[Any], *, always: bool) -> type[Any] | None:
    """Returns a class that replaces a compiled one; None if the class cannot be subclassed.

    always: whether to refuse every instance, or only instances with arguments of lexpool's types. A
        component of a pipeline receives documents later, so it must always be refused.

    It derives from the original, so that subclasses can be defined as before. After `release` it
    forwards all calls.
    """
    if type(original) is not type or issubclass(original, BaseException):
        return None
    space = {
        "__module__": original.__module__,
        "__doc__": original.__doc__,
        "_original": original,
        "_always": always,
        "_on": True,
    }
    return _RefusingMeta(original.__name__, (original,), space)


def release(stand_ins: Iterable[Any]) -> None:
    """Makes stand-ins behave like their originals, for subclasses that outlive the patch."""
    for stand_in in stand_ins:
        stand_in._on = False


def is_ours(thing: Any) -> bool:
    """Returns True if an object is an instance of a lexpool class or of a subclass."""
    return any(base.__module__.partition(".")[0] == "lexpool" for base in type(thing).__mro__)
