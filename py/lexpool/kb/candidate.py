"""Candidates: the entities that a mention may refer to."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .._protocols import CandidateSource
    from ..tokens import Span

__all__ = ["Candidate", "get_candidates", "get_candidates_batch"]


class Candidate:
    """An entity that a mention (alias) may refer to, with the probability that it does.

    Numbers are rounded to 32-bit floats, as the knowledge base stores them.
    """

    __slots__ = ("_alias", "_entity", "_freq", "_kb", "_prior", "_vector")

    def __init__(
        self,
        kb: CandidateSource,
        entity_hash: int,
        entity_freq: float,
        entity_vector: Iterable[float],
        alias_hash: int,
        prior_prob: float,
    ) -> None:
        """kb: the knowledge base, whose vocab has the strings of the two ids.
        prior_prob: the probability that the alias refers to the entity, in any text.
        """
        self._kb = kb
        self._entity, self._alias = entity_hash, alias_hash
        self._freq, self._prior = array("f", (entity_freq, prior_prob))
        # An array alone would read a sequence without end, whatever signals arrive.
        self._vector = array("f", (number for number in entity_vector))

    @property
    def kb(self) -> CandidateSource:
        """The knowledge base."""
        return self._kb

    @property
    def entity(self) -> int:
        """The id of the entity's name."""
        return self._entity

    @property
    def entity_(self) -> str:
        """The name of the entity. Raises KeyError (E018) if the vocab does not have it."""
        return self._kb.vocab.strings[self._entity]

    @property
    def alias(self) -> int:
        """The id of the alias."""
        return self._alias

    @property
    def alias_(self) -> str:
        """The text of the alias. Raises KeyError (E018) if the vocab does not have it."""
        return self._kb.vocab.strings[self._alias]

    @property
    def entity_freq(self) -> float:
        """The frequency of the entity."""
        return self._freq

    @property
    def entity_vector(self) -> list[float]:
        """The vector of the entity."""
        return self._vector.tolist()

    @property
    def prior_prob(self) -> float:
        """The probability that the alias refers to the entity, in any text."""
        return self._prior


def get_candidates(kb: CandidateSource, mention: Span) -> Iterable[Candidate]:
    """Returns the candidates of a mention: "spacy.CandidateGenerator.v1"."""
    return kb.get_candidates(mention)


def get_candidates_batch(
    kb: CandidateSource, mentions: Iterable[Span]
) -> Iterable[Iterable[Candidate]]:
    """Returns the candidates of each of the mentions: "spacy.CandidateBatchGenerator.v1"."""
    return kb.get_candidates_batch(mentions)
