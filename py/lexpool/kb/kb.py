"""`KnowledgeBase`: the interface of knowledge bases."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from .._core import Vocab
    from ..tokens import Span
    from .candidate import Candidate

__all__ = ["KnowledgeBase"]


class KnowledgeBase:
    """A store of entities and of the texts (aliases) by which they are mentioned.

    Abstract: subclasses define `get_candidates`, `get_vector` and the methods that save and load.
    """

    def __init__(self, vocab: Vocab, entity_vector_length: int) -> None:
        """vocab: the vocab with the strings of entities and aliases.

        Raises TypeError (E1046) for this class itself.
        """
        if type(self) is KnowledgeBase:
            raise TypeError(
                "[E1046] KnowledgeBase is abstract: make an InMemoryLookupKB, or an object of a "
                "subclass of your own"
            )
        self._vocab = vocab
        self._width = entity_vector_length

    @property
    def vocab(self) -> Vocab:
        """The vocab with the strings of entities and aliases."""
        return self._vocab

    @property
    def entity_vector_length(self) -> int:
        """The number of elements of an entity's vector."""
        return self._width

    def get_candidates_batch(self, mentions: Iterable[Span]) -> Iterable[Iterable[Candidate]]:
        """Returns the candidates of each of the mentions."""
        return [self.get_candidates(mention) for mention in mentions]

    def get_candidates(self, mention: Span) -> Iterable[Candidate]:
        """Returns the entities that a mention may refer to; none for an unknown text."""
        self._missing("get_candidates")

    def get_vectors(self, entities: Iterable[str]) -> Iterable[Iterable[float]]:
        """Returns the vectors of entities."""
        return [self.get_vector(entity) for entity in entities]

    def get_vector(self, entity: str) -> Iterable[float]:
        """Returns the vector of an entity."""
        self._missing("get_vector")

    def to_bytes(self, **kwargs: Any) -> bytes:
        """Returns the knowledge base as bytes."""
        self._missing("to_bytes")

    def from_bytes(self, bytes_data: bytes, *, exclude: str | Iterable[str] = ()) -> KnowledgeBase:
        """Loads the bytes of `to_bytes`, and returns the knowledge base."""
        self._missing("from_bytes")

    def to_disk(self, path: str | PathLike[str], exclude: str | Iterable[str] = ()) -> None:
        """Writes the knowledge base."""
        self._missing("to_disk")

    def from_disk(self, path: str | PathLike[str], exclude: str | Iterable[str] = ()) -> None:
        """Loads what `to_disk` wrote."""
        self._missing("from_disk")

    def _missing(self, method: str) -> NoReturn:
        text = f"[E1045] {type(self).__name__}, a KnowledgeBase, does not define {method}"
        raise NotImplementedError(text)
