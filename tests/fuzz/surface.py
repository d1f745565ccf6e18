"""The classes and functions to call, found in lexpool's modules."""

import importlib
import inspect
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

MODULES = """lexpool lexpool._core lexpool.arrow lexpool.attrs lexpool.config lexpool.corpus lexpool.kb lexpool.language
    lexpool.lex_attrs lexpool.lexeme lexpool.lookups lexpool.matcher lexpool.morphology lexpool.msgpack
    lexpool.parser lexpool.parts_of_speech lexpool.pipeline lexpool.render lexpool.scorer lexpool.shards
    lexpool.strings lexpool.structs lexpool.symbols lexpool.thinc lexpool.tokenizer lexpool.tokens lexpool.tokens.graph
    lexpool.tokens.underscore lexpool.training lexpool.training.converters lexpool.training.iob_utils
    lexpool.training.pretraining lexpool.util lexpool.vectors lexpool.vocab""".split()

LEFT_OUT = {
    # They reach out of the process.
    "serve": "serves pictures until it is interrupted",
    "pause_for_fork": "holds the threads until they are let go",
    "resume_after_fork": "belongs to the one before",
    "resume_in_child": "lets threads begin while others are at work",
    "main": "runs a command, which may read the terminal; each has tests of its own",
    "load_library": "runs the code of a file",
    "override_op": "puts a function in the place of one that all others call",
    "remove_op": "the same",
    "profile_start": "records all calls from then on",
    "use_gpu": "changes what the process computes with",
    "ctypes": "hands out memory that ctypes writes unchecked",
    # Not of the API, and Python calls them all the time.
    "__class__": "",
    "__init_subclass__": "",
    "__subclasshook__": "",
    "__class_getitem__": "",
    "__doc__": "",
    "__module__": "",
    "__dict__": "",
    "__weakref__": "",
    "__dir__": "",
    "__sizeof__": "",
    "__getattribute__": "",
    "__annotations__": "",
    "__abstractmethods__": "",
    "__slots__": "",
}


def modules() -> list[ModuleType]:
    """lexpool's modules for users."""
    return [importlib.import_module(name) for name in MODULES]


def is_ours(value: Any) -> bool:
    """Returns whether a class or function is lexpool's."""
    return str(getattr(value, "__module__", "")).partition(".")[0] == "lexpool"


def callables() -> list[Callable[..., Any]]:
    """Every public class and function, in an order that does not change."""
    found = {}
    for module in modules():
        for name, value in sorted(vars(module).items()):
            public = not name.startswith("_") and name not in LEFT_OUT
            if public and callable(value) and is_ours(value):
                found[f"{value.__module__}.{name}"] = value
    return [found[name] for name in sorted(found)]


def members(of: Any) -> list[str]:
    """The names of an object's methods and properties, special ones included."""
    return [name for name in dir(type(of)) if name not in LEFT_OUT]


def parameters(called: Any) -> Iterator[inspect.Parameter]:
    """A callable's parameters, or some that may do where it does not tell."""
    try:
        yield from inspect.signature(called).parameters.values()
    except (TypeError, ValueError):
        for name in ("value", "other"):
            yield inspect.Parameter(name, inspect.Parameter.POSITIONAL_ONLY)
