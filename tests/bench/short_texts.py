"""Short documents for streams: the size at which the costs of a document weigh most."""

from collections.abc import Iterable

# The size of a document in characters, and how many there are.
SIZE, COUNT = 185, 10_000
# Documents in a batch of a stream.
BATCHES = (100, 1_000, 10_000)


def short_texts(texts: list[str], count: int = COUNT, size: int = SIZE) -> list[str]:
    """Returns pieces of the texts of a size in characters, cut without regard to words."""
    joined = " ".join(texts)
    joined *= 1 + count * size // len(joined)
    return [joined[i * size : (i + 1) * size] for i in range(count)]


def drained(stream: Iterable[object]) -> None:
    """Takes all of a stream, item by item."""
    for _ in stream:
        pass
