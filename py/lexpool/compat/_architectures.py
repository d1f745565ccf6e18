"""The settings of thinc's models, noted when spaCy's architectures make them.

A component of lexpool is made of the settings of its network, and spaCy gives it a model that was
made of them. While a patch is active, the functions of architectures and layers note what they were
called with.
"""

import functools
import inspect
import json
from collections.abc import Callable, Mapping
from typing import Any

from .._narrow import is_dict
from ..pipeline._noted_settings import note_settings, settings_of

__all__ = ["REGISTRIES", "recording"]

# The registries with functions that return models, and the key of their names in settings.
REGISTRIES = {"architectures": "@architectures", "layers": "@layers"}


def recording(function: Callable[..., Any], kind: str, name: str) -> Callable[..., Any]:
    """Returns a function that calls another one and notes the settings of the model it returns.

    kind: the key of the name, such as "@architectures".
    """

    @functools.wraps(function)
    def noting(*args: Any, **named: Any) -> Any:
        model = function(*args, **named)
        settings = _settings(function, args, named)
        number: object = getattr(model, "id", None)
        if settings is not None and isinstance(number, int):
            note_settings(number, {kind: name, **settings})
        return model

    return noting


def _settings(
    function: Callable[..., Any], args: tuple[Any, ...], named: Mapping[str, Any]
) -> dict[str, Any] | None:
    """Returns the arguments of a call as settings; None if one of them cannot be a setting."""
    try:
        arguments = inspect.signature(function).bind(*args, **named).arguments
    except TypeError:
        return None
    settings: dict[str, Any] = {}
    for name, value in arguments.items():
        if is_dict(value) and name == "kwargs":
            return None
        if callable(value) and name.startswith("init_"):
            # The functions that make first weights are those of the layer.
            continue
        inner = settings_of(value)
        if inner is None:
            try:
                inner = json.loads(json.dumps(value))
            except (TypeError, ValueError):
                return None
        settings[name] = inner
    return settings
