"""Links of entities to a knowledge base."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, TypeAlias

from .._components.native_forms import ComponentForTables
from .._components.pipe import does_as
from .._core import Doc, KnowledgeTable, NativeComponent
from .._learning.example import validate_examples, validate_get_examples
from .._learning.example_batch import native_batch
from ..kb import (
    Candidate,
    InMemoryLookupKB,
    KnowledgeBase,
    get_candidates,
    get_candidates_batch,
)
from .model import Model
from .scores import entity_linker_score
from .trainable_pipe import TrainablePipe

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

    from .._core import Learner, SharedRows, TrainingBatch
    from .._learning.example import Example
    from .._protocols import Pipeline
    from ..tokens import Span
    from ..vocab import Vocab

    _Candidates: TypeAlias = Callable[[KnowledgeBase, Span], Iterable[Candidate]]
    _BatchCandidates: TypeAlias = Callable[
        [KnowledgeBase, Iterable[Span]], Iterable[Iterable[Candidate]]
    ]

__all__ = ["EntityLinker"]

# The methods that the native component for tables replaces.
_OF_TABLES = (
    "__call__", "pipe", "predict", "set_annotations", "_encode", "_link", "_table_kb",
)  # fmt: skip


class EntityLinker(TrainablePipe, ComponentForTables):
    """Sets the knowledge base ids of entities: of the candidates of a mention the one whose prior
    probability and whose similarity to the context are highest, the first of equals.

    model: the section `model` of the settings.
    labels_discard: labels of entities that are not linked.
    n_sents: the number of sentences before and after those of an entity that belong to its context.
    incl_prior, incl_context: whether prior probabilities and contexts count.
    get_candidates: returns the candidates of a mention in a knowledge base.
    get_candidates_batch: the same for several mentions; called instead of the former if
        `candidates_batch_size` is above 1.
    generate_empty_kb: returns a knowledge base for the vocab and the length of its vectors.
    use_gold_ents: whether the component learns from the entities of the references, and is scored
        on them; otherwise another component must set entities.
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
        get_candidates: _Candidates = get_candidates,
        get_candidates_batch: _BatchCandidates = get_candidates_batch,
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
        if not 0 <= n_sents < 2**32:
            text = (
                f"n_sents is {n_sents}; expected the number of sentences around those of an entity"
            )
            raise ValueError(f"[config-value] {text}")
        self.n_sents = n_sents
        self.incl_prior = incl_prior
        self.incl_context = incl_context
        self.use_gold_ents = use_gold_ents
        self.candidates_batch_size = candidates_batch_size
        self.threshold = threshold
        self.cfg: dict[str, Any] = {"overwrite": overwrite}
        self.kb: KnowledgeBase = generate_empty_kb(vocab, entity_vector_length)
        self.get_candidates: _Candidates = get_candidates
        self.get_candidates_batch: _BatchCandidates = get_candidates_batch

    def initialize(  # type: ignore[override]  # there are no labels to give
        self,
        get_examples: Callable[[], Iterable[Example]],
        *,
        nlp: Pipeline | None = None,
        # spaCy evaluates annotations, in a module that lacks the names of this one.
        kb_loader: Any = None,
    ) -> None:
        """Makes new weights from the numbers of NumPy's global generator: the same as spaCy's.

        kb_loader: a function that returns the knowledge base for a vocab; by default the present
            one is kept.

        Raises TypeError (E930, E978) for another argument than a function that returns examples;
        ValueError: E139 for an empty knowledge base, E885 for a loader that is no function, E1018
        for a knowledge base that is not in memory.
        """
        validate_get_examples(get_examples, f"{self._own_name()}.initialize")
        if kb_loader is not None:
            self.set_kb(kb_loader)
        self.validate_kb()
        self._initialize(get_examples, {})

    def add_label(self, label: str) -> NoReturn:
        """Raises NotImplementedError: the component has no labels."""
        raise NotImplementedError(
            f"[E931] {self._own_name()}.add_label: the component has no labels"
        )

    def rehearse(self, examples: Any, **kwargs: Any) -> NoReturn:
        """Raises NotImplementedError (not-trainable), as in spaCy."""
        raise NotImplementedError(
            f"[not-trainable] {self._own_name()}.rehearse: a linker cannot rehearse; exclude "
            f"{self.name!r}"
        )

    def update(
        self,
        examples: Iterable[Example],
        *,
        drop: float = 0.0,
        sgd: Any = None,
        losses: dict[str, float] | None = None,
    ) -> dict[str, float]:
        """Learns from a batch of examples, as `TrainablePipe.update`: encodings of the sentences of
        linked entities get the direction of the vectors of these entities.

        With `use_gold_ents` the entities are those of the references. The documents need sentence
        starts, or count as one sentence each. Nothing is learned of a batch without any candidates.

        Raises ValueError (E139) for an empty knowledge base, RuntimeError (E147) for one whose
        vectors have another length than the network has outputs, and the errors of that method.
        """
        self.validate_kb()
        return super().update(examples, drop=drop, sgd=sgd, losses=losses)

    # The second parameter has spaCy's name.
    def get_loss(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, examples: Iterable[Example], sentence_encodings: Any
    ) -> tuple[float, Any]:
        """Returns the mean cosine distance of encodings from the vectors of the entities that the
        references link to, and its gradient.

        sentence_encodings: an array with a row for each entity of the predicted documents.

        Raises RuntimeError (E147) for rows of another length than the vectors.
        """
        import numpy

        validate_examples(examples, f"{self._own_name()}.get_loss")
        rows: NDArray[float32] = numpy.ascontiguousarray(sentence_encodings, "float32")
        given = list(examples)
        self._share_kb(self._learn(), given)
        gradient, loss = self._loss(native_batch(given), rows)
        return loss, gradient

    def score(self, examples: Iterable[Example], **kwargs: Any) -> dict[str, Any]:
        """Returns the scores of links. With `use_gold_ents` they are those of the entities of the
        references, which are linked anew.
        """
        if self.scorer is None or not self.use_gold_ents:
            return super().score(examples, **kwargs)
        given = self._ensure_ents(examples)
        docs = self.pipe(example.predicted for example in given)
        for example, doc in zip(given, docs, strict=False):
            example.predicted = doc
        return super().score(given, **kwargs)

    def batch_has_learnable_example(self, examples: Iterable[Example]) -> bool:
        """Returns whether an entity of the predicted documents has candidates."""
        return any(
            True
            for example in examples
            for ent in example.predicted.ents
            for _ in self.get_candidates(self.kb, ent)
        )

    def _ensure_ents(self, examples: Iterable[Example]) -> list[Example]:
        """Returns examples with the entities of the references on copies of their documents, if
        they are used.
        """
        if not self.use_gold_ents:
            return list(examples)
        copies: list[Example] = []
        for example in examples:
            copy = example.copy()
            copy.predicted.ents = example.get_aligned_ents_and_ner()[0]
            copies.append(copy)
        return copies

    def _update_by(
        self,
        learner: Learner,
        batch: TrainingBatch,
        drop: float,
        rows: SharedRows | None,
        examples: list[Example],
    ) -> float:
        if not self._learns_from(examples):
            return 0.0
        self._share_kb(learner, examples)
        return super()._update_by(learner, batch, drop, rows, examples)

    def _learns_from(self, examples: list[Example]) -> bool:
        """Returns whether a batch has candidates. In a native table the learner looks for them."""
        if self._looks_up():
            return True
        return self.batch_has_learnable_example(self._ensure_ents(examples))

    def _new_learner(self, files: dict[str, bytes]) -> tuple[dict[str, Any], Learner]:
        made, learner = super()._new_learner(files)
        self._share_kb(learner, [])
        return made, learner

    def _share_kb(self, learner: Learner, examples: list[Example]) -> None:
        """Lets a native component learn from the present knowledge base, or from the vectors that
        it has for the links of examples, if it is not in memory.
        """
        if isinstance(self.kb, InMemoryLookupKB):
            learner.set_knowledge(self.kb.table, self._looks_up())
            return
        table = KnowledgeTable(self.kb.entity_vector_length)
        for example in examples:
            for ent in example.reference.ents:
                if ent.kb_id and not table.contains_entity(ent.kb_id_):
                    table.add_entity(ent.kb_id_, 1.0, self.kb.get_vector(ent.kb_id_))
        learner.set_knowledge(table, False)

    def _looks_up(self) -> bool:
        """Returns whether candidates are those of the texts of mentions in a native table."""
        kb = type(self.kb)
        return (
            self.get_candidates is get_candidates
            and (
                self.candidates_batch_size == 1 or self.get_candidates_batch is get_candidates_batch
            )
            and issubclass(kb, InMemoryLookupKB)
            and kb.get_candidates is InMemoryLookupKB.get_candidates
            and kb.get_candidates_batch is InMemoryLookupKB.get_candidates_batch
        )

    def _trained_as(self) -> str:
        return self.factory

    def _training_settings(self) -> dict[str, Any]:
        return {"n_sents": self.n_sents, "use_gold_ents": self.use_gold_ents}

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
        if self.kb is None:  # pyright: ignore[reportUnnecessaryComparison]  # users may set it
            raise ValueError(f"[E1018] the component {self.name!r} has no knowledge base")
        is_empty: Callable[[], bool] | None = getattr(self.kb, "is_empty", None)
        if is_empty is not None and is_empty():
            raise ValueError(f"[E139] the knowledge base of the component {self.name!r} is empty")

    def native(self) -> NativeComponent | None:
        """Returns None: the component runs in Python, its network without the GIL."""
        return None

    def native_for_tables(self) -> NativeComponent | None:
        """Returns the component with its present settings and knowledge base, which runs without
        Python. None if methods that it would replace were overridden, or candidates are not those
        of a native table.

        Raises ValueError (E109) without weights.
        """
        is_linker = type(self).factory == "entity_linker" and does_as(
            self, EntityLinker, *_OF_TABLES
        )
        if not is_linker or not self._looks_up():
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
            found += self._link(doc) if self._looks_up() else self._link_by_functions(doc)
        return found

    def _link(self, doc: Doc) -> list[str]:
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
        return [self.NIL if link is None else self.vocab.strings[link] for link in links]

    def _link_by_functions(self, doc: Doc) -> list[str]:
        """Returns the ids of the entities of a document, whose candidates Python code finds."""
        ends = [sent.end for sent in doc.sents]
        starts = [0, *ends[:-1]]
        threshold = None if self._is_v1() else self.threshold
        links: list[str] = []
        for ent, given in self._candidates(doc):
            candidates = list(given)
            if len(candidates) == 1 and threshold is None:
                links.append(candidates[0].entity_)
                continue
            scores = [candidate.prior_prob if self.incl_prior else 0.0 for candidate in candidates]
            if candidates and self.incl_context:
                last = ent.start if self._is_v1() else ent.end - 1
                start = starts[max(0, bisect_right(ends, ent.start) - self.n_sents)]
                end = ends[min(len(ends) - 1, bisect_right(ends, last) + self.n_sents)]
                scores = _with_context(scores, candidates, self._encode(doc, start, end))
            best = max(range(len(scores)), key=scores.__getitem__, default=None)
            is_linked = best is not None and (threshold is None or scores[best] >= threshold)
            links.append(candidates[best].entity_ if best is not None and is_linked else self.NIL)
        return links

    def _candidates(self, doc: Doc) -> Iterator[tuple[Span, Iterable[Candidate]]]:
        """Yields the entities of a document, each with its candidates."""
        size = 1 if self._is_v1() else self.candidates_batch_size
        for first in range(0, len(doc.ents), size):
            batch = doc.ents[first : first + size]
            asked = [ent for ent in batch if ent.label_ not in self.labels_discard]
            if size > 1:
                found = iter(self.get_candidates_batch(self.kb, asked))
            else:
                found = iter([self.get_candidates(self.kb, ent) for ent in asked])
            for ent in batch:
                yield ent, [] if ent.label_ in self.labels_discard else next(found)

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


def _with_context(
    priors: list[float], candidates: list[Candidate], encoding: Iterable[float]
) -> list[float]:
    """Returns the scores of candidates by their prior probabilities, and the cosine similarities of
    their vectors to the encoding of a context.
    """
    import numpy

    context: NDArray[float32] = numpy.asarray(encoding, "float32")
    vectors = numpy.asarray([candidate.entity_vector for candidate in candidates])
    norms = numpy.linalg.norm(context) * numpy.linalg.norm(vectors, axis=1)
    similarities: list[float] = (vectors @ context / norms).tolist()
    return [
        prior + similarity - prior * similarity
        for prior, similarity in zip(priors, similarities, strict=True)
    ]
