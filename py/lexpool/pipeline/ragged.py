"""`Ragged`: the rows of several documents in one array."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from numpy import int32
    from numpy.typing import NDArray

__all__ = ["Ragged"]


class Ragged:
    """The rows of several documents, one after another, with thinc's attributes.

    data: an array with all rows.
    lengths: the number of rows of each document.
    """

    def __init__(self, data: Any, lengths: Any) -> None:
        import numpy

        self.data: NDArray[Any] = numpy.asarray(data)
        self.lengths: NDArray[int32] = numpy.asarray(lengths, "int32")
        if self.lengths.sum() != len(self.data):
            raise ValueError(
                f"expected {len(self.data)} rows for all documents, got the lengths "
                f"{self.lengths.tolist()}"
            )

    @property
    def dataXd(self) -> NDArray[Any]:
        """The array with all rows."""
        return self.data

    def __len__(self) -> int:
        """The number of documents."""
        return len(self.lengths)

    def __getitem__(self, index: int) -> Ragged:
        """The rows of one document. Raises IndexError."""
        length = int(self.lengths[index])
        start = int(self.lengths[: range(len(self))[index]].sum())
        return Ragged(self.data[start : start + length], [length])

    def __iter__(self) -> Iterator[Ragged]:
        """Yields the rows of each document."""
        ends = self.lengths.cumsum().tolist()
        for start, end in zip([0, *ends], ends):
            yield Ragged(self.data[start:end], [end - start])

    def __repr__(self) -> str:
        return f"<Ragged {self.data.shape} of {len(self)} documents>"
