"""`Scorer`: the figures of evaluation, under spaCy's names."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from ._scoring import roc
from ._scoring.cats import score_cats
from ._scoring.counts import PRFScore
from ._scoring.deps import score_deps
from ._scoring.entities import get_ner_prf, score_links
from ._scoring.roc import ROCAUCScore
from ._scoring.spans import score_spans
from ._scoring.tokens import (
    MISSING_VALUES,
    score_token_attr,
    score_token_attr_per_feat,
    score_tokenization,
)
from .language import Language, blank
from .pipeline.pipe import Pipe
from .pipeline.scores import (
    entity_linker_score,
    lemmatizer_score,
    morphologizer_score,
    ner_score,
    parser_score,
    senter_score,
    span_finder_score,
    spancat_score,
    tagger_score,
    textcat_multilabel_score,
    textcat_score,
)

if TYPE_CHECKING:
    from ._core import Doc
    from .training import Example

__all__ = [
    "DEFAULT_PIPELINE",
    "MISSING_VALUES",
    "PRFScore",
    "ROCAUCScore",
    "Scorer",
    "get_ner_prf",
]

# The names by which spaCy has them.
_roc_auc_score = roc.roc_auc_score
_roc_curve = roc.roc_curve

DEFAULT_PIPELINE = ("senter", "tagger", "morphologizer", "parser", "ner", "textcat")

# The scorers of factories whose components need a trained model to run, but not to score.
_OF_TRAINED: dict[str, Callable[..., dict[str, Any]]] = {
    "beam_ner": ner_score,
    "beam_parser": parser_score,
    "entity_linker": entity_linker_score,
    "morphologizer": morphologizer_score,
    "ner": ner_score,
    "parser": parser_score,
    "senter": senter_score,
    "span_finder": partial(span_finder_score, spans_key="sc"),
    "spancat": partial(spancat_score, spans_key="sc"),
    "spancat_singlelabel": partial(spancat_score, spans_key="sc"),
    "tagger": tagger_score,
    "textcat": textcat_score,
    "textcat_multilabel": textcat_multilabel_score,
    "trainable_lemmatizer": lemmatizer_score,
}


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
            own = component.score(examples, **self.cfg)
            scores.update({name: own} if per_component else own)
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
        scorer = _OF_TRAINED.get(name)
        nlp.add_pipe(name if scorer is None else _ScoringPipe(name, scorer), name=name)
    return nlp
