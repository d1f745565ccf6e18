"""The scorers of components, which settings name as `{"@scorers": "spacy.tagger_scorer.v1"}`.

Each takes examples and the settings of its component, and returns scores by name.
"""

from __future__ import annotations

from .._core import (
    TokenGetter,
    get_ner_prf,
    score_cats,
    score_deps,
    score_links,
    score_spans,
    score_token_attr,
    score_token_attr_per_feat,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from .._core import Doc, Span
    from .._learning.example import Example

__all__ = [
    "attribute_ruler_score",
    "entity_linker_score",
    "entity_ruler_score",
    "lemmatizer_score",
    "morphologizer_score",
    "ner_score",
    "overlapping_labeled_spans_score",
    "parser_score",
    "senter_score",
    "span_finder_score",
    "spancat_score",
    "tagger_score",
    "textcat_multilabel_score",
    "textcat_score",
]

# The link of an entity that the knowledge base lacks.
_NIL = "NIL"
_SPANS = "spans_"
_KEY = TokenGetter.analysis_key()
_LABEL = TokenGetter.lower_label()


def tagger_score(examples: Iterable[Example], **kwargs: Any) -> dict[str, Any]:
    """Returns the accuracy of tags: `tag_acc`."""
    return score_token_attr(examples, "tag", **kwargs)


def lemmatizer_score(examples: Iterable[Example], **kwargs: Any) -> dict[str, Any]:
    """Returns the accuracy of lemmas: `lemma_acc`."""
    return score_token_attr(examples, "lemma", **kwargs)


def morphologizer_score(examples: Iterable[Example], **kwargs: Any) -> dict[str, Any]:
    """Returns the scores of parts of speech and morphology: `pos_acc`, `morph_acc`,
    `morph_micro_p`, `_r`, `_f`, and `morph_per_feat`.
    """
    examples = list(examples)
    return {
        **score_token_attr(examples, "pos", **kwargs),
        **score_token_attr(examples, "morph", getter=_KEY, **kwargs),
        **score_token_attr_per_feat(examples, "morph", getter=_KEY, **kwargs),
    }


def attribute_ruler_score(examples: Iterable[Example], **kwargs: Any) -> dict[str, Any]:
    """Returns the scores of all attributes that the ruler may set: those of tags, parts of speech,
    morphology and lemmas.
    """
    examples = list(examples)
    return {
        **tagger_score(examples, **kwargs),
        **morphologizer_score(examples, **kwargs),
        **lemmatizer_score(examples, **kwargs),
    }


def senter_score(examples: Iterable[Example], **kwargs: Any) -> dict[str, Any]:
    """Returns the scores of sentences: `sents_p`, `sents_r`, `sents_f`."""
    scores = score_spans(examples, "sents", has_annotation=_has_sents, **kwargs)
    scores.pop("sents_per_type", None)
    return scores


def parser_score(examples: Iterable[Example], **kwargs: Any) -> dict[str, Any]:
    """Returns the scores of sentences, and of trees: `dep_uas`, `dep_las`, `dep_las_per_type`.

    Labels are compared in lower case; punctuation is ignored.
    """
    examples = list(examples)
    of_tree: dict[str, Any] = {"getter": _LABEL, "ignore_labels": ("p", "punct")}
    return {
        **senter_score(examples, **kwargs),
        **score_deps(examples, "dep", **{**of_tree, **kwargs}),
    }


def ner_score(examples: Iterable[Example], **kwargs: Any) -> dict[str, Any]:
    """Returns the scores of entities: `ents_p`, `ents_r`, `ents_f`, `ents_per_type`."""
    return get_ner_prf(examples, **kwargs)


entity_ruler_score = ner_score


def entity_linker_score(examples: Iterable[Example], **kwargs: Any) -> dict[str, Any]:
    """Returns the scores of the links of entities: `nel_score` and others."""
    return score_links(examples, negative_labels=[_NIL], **kwargs)


def textcat_score(examples: Iterable[Example], **kwargs: Any) -> dict[str, Any]:
    """Returns the scores of exclusive categories: `cats_score` and others."""
    return score_cats(examples, "cats", multi_label=False, **kwargs)


def textcat_multilabel_score(examples: Iterable[Example], **kwargs: Any) -> dict[str, Any]:
    """Returns the scores of categories that do not exclude each other: `cats_score` and others."""
    return score_cats(examples, "cats", multi_label=True, **kwargs)


def spancat_score(examples: Iterable[Example], *, spans_key: str, **kwargs: Any) -> dict[str, Any]:
    """Returns the scores of a group of spans: `spans_{spans_key}_p`, `_r`, `_f`, `_per_type`."""
    return _group_score(examples, spans_key, kwargs)


def span_finder_score(
    examples: Iterable[Example], *, spans_key: str, **kwargs: Any
) -> dict[str, Any]:
    """Returns the scores of a group of spans without their labels: `spans_{spans_key}_p`, `_r`,
    `_f`.
    """
    scores = _group_score(examples, spans_key, {"labeled": False, **kwargs})
    return {name: score for name, score in scores.items() if not name.endswith("_per_type")}


def overlapping_labeled_spans_score(
    examples: Iterable[Example], *, spans_key: str = "ruler", **kwargs: Any
) -> dict[str, Any]:
    """Returns the scores of a group of spans: `spans_{spans_key}_p`, `_r`, `_f`, `_per_type`."""
    return _group_score(examples, spans_key, {"labeled": True, **kwargs})


def _group_score(
    examples: Iterable[Example], spans_key: str, kwargs: dict[str, Any]
) -> dict[str, Any]:
    def spans_of(doc: Doc, attr: str) -> Iterable[Span]:
        return doc.spans.get(attr[len(_SPANS) :], [])

    def has_group(doc: Doc) -> bool:
        return spans_key in doc.spans

    of_group: dict[str, Any] = {
        "attr": f"{_SPANS}{spans_key}",
        "allow_overlap": True,
        "getter": spans_of,
        "has_annotation": has_group,
    }
    return score_spans(examples, **{**of_group, **kwargs})


def _has_sents(doc: Doc) -> bool:
    return doc.has_annotation("SENT_START")
