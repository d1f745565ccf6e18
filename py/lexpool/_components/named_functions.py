"""Functions that a configuration names: how they are found in spaCy's registry, and called."""

from __future__ import annotations

import sys

from ..errors import ConfigError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any


def find_in_spacy(registry: str, name: object) -> Callable[..., Any] | None:
    """Returns the function of a name in a registry of spaCy's such as "misc".

    None if there is none, or spaCy is not loaded.
    """
    registries = getattr(sys.modules.get("spacy"), "registry", None)
    functions: Any = getattr(registries, registry, None)
    # The class has methods beside its registries.
    if not hasattr(functions, "namespace") or not isinstance(name, str) or name not in functions:
        return None
    found: Callable[..., Any] = functions.get(name)
    return found


def call(
    make: Callable[..., Any],
    name: object,
    place: str,
    positional: Sequence[Any],
    named: Mapping[str, Any],
) -> Any:
    """Calls a function with the settings beside its name.

    place: the dotted name of the section, for errors.

    Raises ConfigError if the function does not take these arguments.
    """
    from inspect import signature

    try:
        signature(make).bind(*positional, **named)
    except TypeError as error:
        raise ConfigError(f"[{place}], {name!r}: {error}") from error
    except ValueError:
        # A function of native code may have no signature; its own error tells.
        pass
    return make(*positional, **named)
