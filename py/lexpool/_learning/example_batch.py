"""Examples that several components learn from."""

from __future__ import annotations

from .._core import TrainingBatch
from .example import Example

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["ExampleBatch", "native_batch"]


class ExampleBatch(list[Example]):
    """A list of examples, whose native copies are made once for all components that see the same
    documents.
    """

    _native: tuple[list[int], TrainingBatch] | None = None

    def native(self) -> TrainingBatch:
        """Returns copies of the documents for native code."""
        key = [id(doc) for example in self for doc in (example.predicted, example.reference)]
        if self._native is None or self._native[0] != key:
            self._native = key, _copied(self)
        return self._native[1]

    def refresh(self) -> None:
        """Forgets the copies, after documents were annotated."""
        self._native = None


def native_batch(examples: Iterable[Example]) -> TrainingBatch:
    """Returns copies of the documents of examples for native code.

    Raises ValueError (E949) for a reference of another text.
    """
    return examples.native() if isinstance(examples, ExampleBatch) else _copied(examples)


def _copied(examples: Iterable[Example]) -> TrainingBatch:
    return TrainingBatch([(example.predicted, example.reference) for example in examples])
