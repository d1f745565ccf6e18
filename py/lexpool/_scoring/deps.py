"""Scores of dependency trees: attachment with labels and without."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from typing import TYPE_CHECKING, Any

from .counts import PRFScore
from .tokens import MISSING_VALUES, aligned_words

if TYPE_CHECKING:
    from .._core import Token
    from ..training import Example

__all__ = ["score_deps"]

# Arcs: token, head and label of each; positions are those of the reference. A dictionary keeps the
# order, in which tables show the labels.
_Arcs = dict[tuple[int, int, Any], None]


def score_deps(
    examples: Iterable[Example],
    attr: str,
    *,
    getter: Callable[[Token, str], Any] = getattr,
    head_attr: str = "head",
    head_getter: Callable[[Token, str], Token] = getattr,
    ignore_labels: Container[Any] = (),
    missing_values: Container[Any] = MISSING_VALUES,
    **_more: object,
) -> dict[str, Any]:
    """Returns the scores of heads, `{attr}_uas`, of heads with labels, `{attr}_las`, and of each
    label, `{attr}_las_per_type`; None without data.

    getter: returns the label of a token, for `attr`.
    head_getter: returns the head of a token, for `head_attr`.
    ignore_labels: labels that are not scored, on either side.
    missing_values: labels that mean missing annotation; reference tokens with one are ignored.

    A predicted arc is wrong if its token or its head does not align with exactly one token. As in
    spaCy, a position whose annotation is missing in one reference is ignored in all later examples
    too.
    """
    heads, arcs = PRFScore(), PRFScore()
    per_label: dict[Any, PRFScore] = {}
    # Not emptied between examples, as in spaCy.
    unsaid = set[int]()
    for example in examples:
        wanted: _Arcs = {}
        for i, token in enumerate(example.reference):
            label = getter(token, attr)
            if label in missing_values:
                unsaid.add(i)
            elif label not in ignore_labels:
                wanted[i, head_getter(token, head_attr).i, label] = None
        found: _Arcs = {}
        singles = example.alignment.x2y._singles()
        for token, gold in aligned_words(example):
            if gold in unsaid:
                continue
            label = getter(token, attr)
            if label in ignore_labels or not token.orth_:
                continue
            gold_head = singles[head_getter(token, head_attr).i]
            if gold is None or gold_head is None:
                heads.fp += 1
                arcs.fp += 1
            else:
                found[gold, gold_head, label] = None
        arcs.score_set(set(found), set(wanted))
        heads.score_set({arc[:2] for arc in found}, {arc[:2] for arc in wanted})
        ours, theirs = _by_label(found), _by_label(wanted)
        for label in (*theirs, *(label for label in ours if label not in theirs)):
            score = per_label.setdefault(label, PRFScore())
            score.score_set(ours.get(label, set()), theirs.get(label, set()))
    if not heads:
        return dict.fromkeys((f"{attr}_uas", f"{attr}_las", f"{attr}_las_per_type"))
    return {
        f"{attr}_uas": heads.fscore,
        f"{attr}_las": arcs.fscore,
        f"{attr}_las_per_type": {label: score.to_dict() for label, score in per_label.items()},
    }


def _by_label(arcs: _Arcs) -> dict[Any, set[tuple[int, int, Any]]]:
    by_label: dict[Any, set[tuple[int, int, Any]]] = {}
    for arc in arcs:
        by_label.setdefault(arc[2], set()).add(arc)
    return by_label
