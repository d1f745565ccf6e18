"""Links of entities to a knowledge base."""

from __future__ import annotations

from functools import partial

from .._core import Doc, NativeComponent
from ..kb import InMemoryLookupKB, KnowledgeBase
from .model import Model
from .pipe import does_as
from .scores import entity_linker_score
from .trainable_pipe import TrainablePipe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any, ClassVar, NoReturn

    from ..vocab import Vocab

__all__ = ["EntityLinker"]

# The methods that the native component for tables replaces.
_OF_TABLES = ("__call__", "pipe", "predict", "set_annotations", "_encode", "_table_kb")


class EntityLinker(TrainablePipe):
    """Sets the knowledge base ids of entities: of the candidates of a mention the one whose prior
    probability and whose similarity to the context are highest, the first of equals.

    model: the section `model` of the settings.
    labels_discard: labels of entities that are not linked.
    n_sents: the number of sentences before and after those of an entity that belong to its context.
    incl_prior, incl_context: whether prior probabilities and contexts count.
    generate_empty_kb: returns a knowledge base for the vocab and the length of its vectors.
    threshold: the score from 0 to 1 below which an entity is not linked.
    """

    factory: ClassVar[str] = "entity_linker"

    NIL: ClassVar[str] = "NIL"

    def __init__(
        self,
        vocab: Vocab,
        model: Mapping[str, Any] | Model,
        name: str = "entity_linker",
        *,
        labels_discard: Iterable[str] = (),
        n_sents: int = 0,
        incl_prior: bool = True,
        incl_context: bool = True,
        entity_vector_length: int = 64,
        get_candidates: Any = None,
        get_candidates_batch: Any = None,
        generate_empty_kb: Callable[[Vocab, int], KnowledgeBase] = InMemoryLookupKB,
        overwrite: bool = True,
        use_gold_ents: bool = True,
        candidates_batch_size: int = 1,
        threshold: float | None = None,
        scorer: Callable[..., dict[str, Any]] | None = entity_linker_score,
    ) -> None:
        super().__init__(vocab, model, name, scorer=scorer)
        if threshold is not None and not 0 <= threshold <= 1:
            raise ValueError(f"[E1043] the threshold is {threshold}; expected a number from 0 to 1")
        if candidates_batch_size < 1:
            raise ValueError("[E1044] candidates_batch_size must be at least 1")
        self.labels_discard: list[str] = list(labels_discard)
        self.n_sents = n_sents
        self.incl_prior = incl_prior
        self.incl_context = incl_context
        self.use_gold_ents = use_gold_ents
        self.candidates_batch_size = candidates_batch_size
        self.threshold = threshold
        self.cfg: dict[str, Any] = {"overwrite": overwrite}
        self.kb: KnowledgeBase = generate_empty_kb(vocab, entity_vector_length)

    @property
    def is_trainable(self) -> bool:
        """False: lexpool runs entity linkers that spaCy has trained."""
        return False

    def initialize(
        self, get_examples: Any = None, *, nlp: Any = None, labels: Any = None, **kwargs: Any
    ) -> None:
        """Does nothing for a component with weights. Raises NotImplementedError (not-trainable) for
        others.
        """
        if not self.model.is_initialized:
            self._refuse("initialize")

    def add_label(self, label: str) -> int:
        """Raises NotImplementedError (not-trainable)."""
        self._refuse("add_label")

    def update(self, examples: Any, **kwargs: Any) -> dict[str, float]:
        """Raises NotImplementedError (not-trainable)."""
        self._refuse("update")

    def get_loss(self, examples: Any, scores: Any) -> tuple[float, Any]:
        """Raises NotImplementedError (not-trainable)."""
        self._refuse("get_loss")

    def _refuse(self, method: str) -> NoReturn:
        raise NotImplementedError(
            f"[not-trainable] {type(self).__name__}.{method}: lexpool runs entity linkers and does "
            f"not train them; train {self.name!r} with spaCy and load the result"
        )

    def set_kb(self, kb_loader: Callable[[Vocab], KnowledgeBase]) -> None:
        """Sets the knowledge base that a function returns for the vocab. Raises ValueError (E885)
        for another object than a function.
        """
        if not callable(kb_loader):
            kind = type(kb_loader).__name__
            raise ValueError(
                f"[E885] expected a function that returns a knowledge base, got {kind}"
            )
        self.kb = kb_loader(self.vocab)

    def validate_kb(self) -> None:
        """Raises ValueError: E1018 without a knowledge base, E139 for an empty one."""
        if len(self._table_kb()) == 0:
            raise ValueError(f"[E139] the knowledge base of the component {self.name!r} is empty")

    def native(self) -> NativeComponent | None:
        """Returns None: the component runs in Python, its network without the GIL."""
        return None

    def native_for_tables(self) -> NativeComponent | None:
        """Returns the component with its present settings and knowledge base, which runs without
        Python. None if methods that it would replace were overridden.

        Raises ValueError: E1018 without a knowledge base, E109 without weights.
        """
        if not does_as(self, EntityLinker, *_OF_TABLES):
            return None
        settings: dict[str, Any] = {
            "n_sents": self.n_sents,
            "labels_discard": self.labels_discard,
            "incl_prior": self.incl_prior,
            "incl_context": self.incl_context,
            "threshold": self.threshold,
            "v1": self._is_v1(),
        }
        table, overwrite = self._table_kb().table, bool(self.cfg["overwrite"])
        model = self.model.native(self.vocab)
        return model.linker(self.name, self.vocab, table, overwrite=overwrite, **settings)

    def _is_v1(self) -> bool:
        return "EntityLinker.v1" in str(self.model.settings.get("@architectures"))

    def check_weights(self) -> None:
        """Validates the weights. Raises ValueError for damaged ones.

        Without `incl_context` the network does not run, and spaCy may save it without weights.
        """
        if self.incl_context:
            self.model.native(self.vocab)

    def predict(self, docs: Iterable[Doc]) -> list[str]:
        """Returns the ids of the entities of all documents, one after another; "NIL" for those
        without a link. Raises ValueError (E139) for an empty knowledge base.
        """
        self.validate_kb()
        found: list[str] = []
        for doc in docs:
            links = self._table_kb().table.link(
                doc,
                partial(self._encode, doc),
                n_sents=self.n_sents,
                labels_discard=self.labels_discard,
                incl_prior=self.incl_prior,
                incl_context=self.incl_context,
                threshold=self.threshold,
                v1=self._is_v1(),
            )
            found += [self.NIL if link is None else self.vocab.strings[link] for link in links]
        return found

    def _encode(self, doc: Doc, start: int, end: int) -> Any:
        """Returns the encoding of the sentence of the first entity of a context."""
        context = doc[start:end].as_doc()
        entity = context.ents[0] if context.ents else context[:]
        sentence = entity.sent
        native = self.model.native(context.vocab)
        return native.span_rows(context, [(sentence.start, sentence.end)])[0]

    def set_annotations(self, docs: Iterable[Doc], scores: Any) -> None:
        """Sets the ids of `predict`. Raises ValueError (E148) for another number of ids than
        entities.
        """
        docs, kb_ids = list(docs), list(scores)
        count = sum(len(doc.ents) for doc in docs)
        if count != len(kb_ids):
            raise ValueError(f"[E148] {len(kb_ids)} ids were given for {count} entities")
        ids = iter(kb_ids)
        for doc in docs:
            for entity in doc.ents:
                kb_id = next(ids)
                for token in entity:
                    if token.ent_kb_id == 0 or self.cfg["overwrite"]:
                        token.ent_kb_id_ = kb_id

    def _table_kb(self) -> InMemoryLookupKB:
        if not isinstance(self.kb, InMemoryLookupKB):
            kind = type(self.kb).__name__
            raise ValueError(f"[E1018] expected an InMemoryLookupKB, got {kind}")
        return self.kb

    def _folders(self) -> dict[str, KnowledgeBase]:
        return {"kb": self.kb}
