"""Scores of components: precision, recall and F-score of spans, as in spaCy."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .._core import Doc, Span
    from ..training import Example

__all__ = ["entity_ruler_score", "overlapping_labeled_spans_score", "score_spans", "senter_score"]

# A span: its label, its first token and its last token.
_Counted = tuple[str, int, int]


@dataclass
class _Counts:
    """Counts of true positives, false positives and false negatives."""

    right: int = 0
    wrong: int = 0
    missing: int = 0

    def add(self, found: set[_Counted], wanted: set[_Counted]) -> None:
        self.right += len(found & wanted)
        self.wrong += len(found - wanted)
        self.missing += len(wanted - found)

    def __bool__(self) -> bool:
        return self.right + self.wrong + self.missing > 0

    def figures(self, prefix: str = "") -> dict[str, float]:
        found, wanted = self.right + self.wrong, self.right + self.missing
        precision = self.right / found if found else 0.0
        recall = self.right / wanted if wanted else 0.0
        both = precision + recall
        balanced = 2 * precision * recall / both if both else 0.0
        return {f"{prefix}p": precision, f"{prefix}r": recall, f"{prefix}f": balanced}


def score_spans(
    examples: Iterable[Example],
    attr: str,
    *,
    getter: Callable[[Doc, str], Iterable[Span]] = getattr,
    has_annotation: Callable[[Doc], bool] | None = None,
    labeled: bool = True,
    allow_overlap: bool = False,
    **_more: object,
) -> dict[str, Any]:
    """Returns the scores of the predicted spans that `getter` returns for a document and `attr`.

    has_annotation: returns whether a document has annotation of such spans; examples with a
        reference without it are left out.
    labeled: whether labels are compared, and scored separately.
    allow_overlap: whether overlapping predicted spans are all counted.

    The keys are `{attr}_p`, `_r`, `_f`, and if labeled `_per_type`; scores without data are None.
    """
    total = _Counts()
    by_label: dict[str, _Counts] = {}
    for example in examples:
        reference, predicted = example.reference, example.predicted
        if has_annotation is not None and not has_annotation(reference):
            continue
        wanted, found = list(getter(reference, attr)), list[Any]()
        labels = {span.label_ for span in wanted}
        if has_annotation is None or has_annotation(predicted):
            given = list(getter(predicted, attr))
            labels |= {span.label_ for span in given}
            found = example.get_aligned_spans_x2y(given, allow_overlap)
        right, ours = _counted(wanted, labeled), _counted(found, labeled)
        for label in labels if labeled else ():
            counts = by_label.setdefault(label, _Counts())
            counts.add(_of_label(ours, label), _of_label(right, label))
        total.add(ours, right)
    return _scores(attr, total, by_label if labeled else None)


def senter_score(examples: Iterable[Example], **kwargs: Any) -> dict[str, Any]:
    """Returns the scores of sentences: `sents_p`, `sents_r`, `sents_f`."""

    def has_sents(doc: Doc) -> bool:
        return doc.has_annotation("SENT_START")

    scores = score_spans(examples, "sents", has_annotation=has_sents, **kwargs)
    scores.pop("sents_per_type", None)
    return scores


def entity_ruler_score(examples: Iterable[Example], **_kwargs: Any) -> dict[str, Any]:
    """Returns the scores of entities: `ents_p`, `ents_r`, `ents_f`, and `ents_per_type`.

    Predicted entities on tokens without annotation in the reference are ignored.
    """
    by_label: defaultdict[str, _Counts] = defaultdict(_Counts)
    for example in examples:
        reference = example.reference
        if not reference.has_annotation("ENT_IOB"):
            continue
        wanted = {(ent.label_, ent.start, ent.end) for ent in reference.ents}
        aligned = example.alignment.x2y
        for ent in example.predicted.ents:
            counts = by_label[ent.label_]
            tokens = aligned[ent.start : ent.end]
            if not len(tokens):
                continue
            span = (ent.label_, int(tokens[0]), int(tokens[-1]) + 1)
            if any(token.ent_iob == 0 for token in reference[span[1] : span[2]]):
                continue
            if span in wanted:
                wanted.remove(span)
                counts.right += 1
            else:
                counts.wrong += 1
        for label, _, _ in wanted:
            by_label[label].missing += 1
    of_all = list(by_label.values())
    total = _Counts(
        sum(counts.right for counts in of_all),
        sum(counts.wrong for counts in of_all),
        sum(counts.missing for counts in of_all),
    )
    return _scores("ents", total, dict(by_label))


def overlapping_labeled_spans_score(
    examples: Iterable[Example], *, spans_key: str = "ruler", **kwargs: Any
) -> dict[str, Any]:
    """Returns the scores of a group of spans, under `spans_{spans_key}_p` and so on."""

    def spans_of(doc: Doc, attr: str) -> Iterable[Span]:
        return doc.spans.get(attr.removeprefix("spans_"), [])

    def has_group(doc: Doc) -> bool:
        return spans_key in doc.spans

    of_group: dict[str, Any] = {
        "attr": f"spans_{spans_key}",
        "allow_overlap": True,
        "labeled": True,
        "getter": spans_of,
        "has_annotation": has_group,
    }
    return score_spans(examples, **{**of_group, **kwargs})


def _counted(spans: Iterable[Any], labeled: bool) -> set[_Counted]:
    return {(span.label_ if labeled else "", span.start, span.end - 1) for span in spans}


def _of_label(spans: set[_Counted], label: str) -> set[_Counted]:
    return {span for span in spans if span[0] == label}


def _scores(attr: str, total: _Counts, by_label: dict[str, _Counts] | None) -> dict[str, Any]:
    scores: dict[str, Any] = dict.fromkeys([f"{attr}_{name}" for name in "prf"])
    if by_label is not None:
        scores[f"{attr}_per_type"] = None
    if total:
        scores.update(total.figures(f"{attr}_"))
        if by_label is not None:
            scores[f"{attr}_per_type"] = {
                label: counts.figures() for label, counts in by_label.items()
            }
    return scores
