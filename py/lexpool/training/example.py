"""`Example` under spaCy's name."""

from .._learning.annotations import annotations_to_doc
from .._learning.example import Example, validate_examples, validate_get_examples

__all__ = ["Example", "annotations_to_doc", "validate_examples", "validate_get_examples"]
