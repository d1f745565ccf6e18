"""Pipelines: components that annotate documents, native ones without the GIL."""

from .pipe import ErrorHandler, Pipe

__all__ = ["ErrorHandler", "Pipe"]
