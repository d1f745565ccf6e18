"""Pipelines: components that annotate documents, native ones without the GIL."""

from .entityruler import EntityRuler
from .pipe import ErrorHandler, Pipe
from .sentencizer import Sentencizer
from .span_ruler import SpanRuler

__all__ = ["EntityRuler", "ErrorHandler", "Pipe", "Sentencizer", "SpanRuler"]
