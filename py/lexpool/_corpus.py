"""What a pickled corpus is loaded with."""

from ._core import Corpus


def load(path: str, positions: "list[int] | None") -> Corpus:
    """Opens the file; `positions` are those of the documents there, None for all."""
    corpus = Corpus.open(path)
    return corpus if positions is None else corpus.select(positions)
