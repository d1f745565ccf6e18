"""The base class of components, under spaCy's name."""

from .._components.pipe import (
    ErrorHandler as ErrorHandler,
    Pipe as Pipe,
    ignore_error as ignore_error,
    raise_error as raise_error,
)
