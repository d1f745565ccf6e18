"""`Scorer`: the figures of evaluation, under spaCy's names."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from ._components.factories import BUILT_IN
from ._components.named_functions import resolved
from ._components.pipe import Pipe
from ._core import (
    PRFScore,
    get_ner_prf,
    is_binary,
    roc_auc_score,
    roc_curve,
    score_cats,
    score_deps,
    score_links,
    score_spans,
    score_token_attr,
    score_token_attr_per_feat,
    score_tokenization,
)
from .language import Language, blank

if TYPE_CHECKING:
    from ._core import Doc
    from ._learning.example import Example

__all__ = [
    "DEFAULT_PIPELINE",
    "MISSING_VALUES",
    "PRFScore",
    "ROCAUCScore",
    "Scorer",
    "get_ner_prf",
]

# Values of attributes that mean that a token has no annotation.
MISSING_VALUES = frozenset([None, 0, ""])

# The names by which spaCy has them.
_roc_auc_score = roc_auc_score
_roc_curve = roc_curve

DEFAULT_PIPELINE = ("senter", "tagger", "morphologizer", "parser", "ner", "textcat")


class ROCAUCScore:
    """The area under the receiver operating characteristic of the scores of one label. It is
    defined only if the reference has two different values; `is_binary` tells.
    """

    def __init__(self) -> None:
        self.golds: list[Any] = []
        self.cands: list[Any] = []
        self.saved_score: float = 0.0
        self.saved_score_at_len: int = 0

    def score_set(self, cand: float, gold: float) -> None:
        """Adds the predicted score of a document and that of its reference."""
        self.cands.append(cand)
        self.golds.append(gold)

    def is_binary(self) -> bool:
        """Returns whether the reference has exactly two different values."""
        return is_binary(self.golds)

    @property
    def score(self) -> float:
        """The area, from 0 to 1. Raises ValueError (E165) if the reference is not binary."""
        if len(self.golds) != self.saved_score_at_len or not self.golds:
            self.saved_score = roc_auc_score(self.golds, self.cands)
            self.saved_score_at_len = len(self.golds)
        return self.saved_score


class Scorer:
    """Scores predicted documents against their references, as the components of a pipeline do.

    nlp: the pipeline whose tokenizer and components score; by default one of the language
        `default_lang` whose components, of the factories `default_pipeline`, score and do not
        annotate.
    cfg: further arguments of the components' `score`.

    >>> import lexpool
    >>> from lexpool.training import Example
    >>> doc = lexpool.Doc(lexpool.Vocab(), words=["New", "York"], tags=["NNP", "NN"])
    >>> example = Example.from_dict(doc, {"tags": ["NNP", "NNP"]})
    >>> Scorer().score([example])["tag_acc"]
    0.5
    """

    def __init__(
        self,
        nlp: Language | None = None,
        default_lang: str = "xx",
        default_pipeline: Iterable[str] = DEFAULT_PIPELINE,
        **cfg: Any,
    ) -> None:
        self.cfg = cfg
        self.nlp: Any = _scoring_pipeline(default_lang, default_pipeline) if nlp is None else nlp

    def score(self, examples: Iterable[Example], *, per_component: bool = False) -> dict[str, Any]:
        """Returns the scores of examples by the tokenizer and each component of the pipeline.

        per_component: whether to return them by the component's name, those of the tokenizer under
            "tokenizer".
        """
        examples = list(examples)
        scores: dict[str, Any] = {}
        for name, component in [("tokenizer", self.nlp.tokenizer), *self.nlp.pipeline]:
            if not hasattr(component, "score"):
                continue
            results = component.score(examples, **self.cfg)
            scores.update({name: results} if per_component else results)
        return scores

    score_tokenization: ClassVar[Callable[..., dict[str, Any]]] = staticmethod(score_tokenization)
    score_token_attr: ClassVar[Callable[..., dict[str, Any]]] = staticmethod(score_token_attr)
    score_token_attr_per_feat: ClassVar[Callable[..., dict[str, Any]]] = staticmethod(
        score_token_attr_per_feat
    )
    score_spans: ClassVar[Callable[..., dict[str, Any]]] = staticmethod(score_spans)
    score_cats: ClassVar[Callable[..., dict[str, Any]]] = staticmethod(score_cats)
    score_links: ClassVar[Callable[..., dict[str, Any]]] = staticmethod(score_links)
    score_deps: ClassVar[Callable[..., dict[str, Any]]] = staticmethod(score_deps)


class _ScoringPipe(Pipe):
    """A component that scores documents and does not annotate them.

    name: its name in the pipeline.
    scorer: the function that `score` calls.
    """

    def __init__(self, name: str, scorer: Callable[..., dict[str, Any]]) -> None:
        self.name = name
        self.scorer = scorer

    def __call__(self, doc: Doc) -> Doc:
        """Returns the document unchanged."""
        return doc


def _scoring_pipeline(lang: str, factories: Iterable[str]) -> Language:
    """Returns a pipeline of components that have the scorers of these factories."""
    nlp = blank(lang)
    for name in factories:
        scorer = _scorer_of_trained(name)
        nlp.add_pipe(name if scorer is None else _ScoringPipe(name, scorer), name=name)
    return nlp


def _scorer_of_trained(factory: str) -> Callable[..., dict[str, Any]] | None:
    """Returns the scorer of a factory whose components need weights to run, but not to score."""
    if factory not in BUILT_IN:
        return None
    settings = BUILT_IN[factory][1].default_config
    if not settings.get("model") or "scorer" not in settings:
        return None
    scorer: Callable[..., dict[str, Any]] = resolved(settings["scorer"], factory)
    key = settings.get("spans_key")
    return scorer if key is None else partial(scorer, spans_key=key)
