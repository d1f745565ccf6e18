"""Knowledge bases: the entities that mentions in a text may refer to."""

from .candidate import Candidate, get_candidates, get_candidates_batch
from .kb import KnowledgeBase
from .kb_in_memory import InMemoryLookupKB

__all__ = [
    "Candidate",
    "InMemoryLookupKB",
    "KnowledgeBase",
    "get_candidates",
    "get_candidates_batch",
]
