"""Packages that the extras of lexpool install."""

from importlib import import_module
from typing import Any, cast

__all__ = ["needed"]


def needed(module: str, extra: str) -> Any:
    """Imports and returns a module of a package that an extra installs.

    Raises ImportError with the name of the extra to install.
    """
    try:
        return cast(Any, import_module(module))
    except ModuleNotFoundError as error:
        package = module.partition(".")[0]
        if error.name is None or error.name.partition(".")[0] != package:
            raise
        text = f"this needs the package {package}: pip install 'lexpool[{extra}]'"
        raise ImportError(text, name=module) from error
