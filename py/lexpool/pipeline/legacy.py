"""Components of earlier versions of spaCy that saved pipelines may have."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from .entity_linker import EntityLinker
from .scores import entity_linker_score

if TYPE_CHECKING:
    from .._learning.example import Example
    from ..vocab import Vocab
    from .model import Model

__all__ = ["EntityLinker_v1"]


class EntityLinker_v1(EntityLinker):
    """The linker of networks with the architecture "spacy.EntityLinker.v1", which encode whole
    documents: a context is the sentence in which an entity begins, with its neighbours, cut out.

    It learns from the linked entities of the references, and knows neither gold entities in
    evaluation nor a threshold. The other settings are those of `EntityLinker`.
    """

    def __init__(
        self,
        vocab: Vocab,
        model: Mapping[str, Any] | Model,
        name: str = EntityLinker.factory,
        *,
        scorer: Callable[..., dict[str, Any]] | None = entity_linker_score,
        **settings: Any,
    ) -> None:
        super().__init__(vocab, model, name, scorer=scorer, **settings)
        self.use_gold_ents = False

    def _learns_from(self, examples: list[Example]) -> bool:
        if any(ent.kb_id for example in examples for ent in example.reference.ents):
            return True
        import warnings

        text = "no entity of the batch is linked, so that there is nothing to learn"
        warnings.warn(f"[W093] {self.name!r}: {text}", stacklevel=2)
        return False
