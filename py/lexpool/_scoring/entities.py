"""Scores of entities, and of their links to a knowledge base."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from .counts import PRFScore, macro_average

if TYPE_CHECKING:
    from ..training import Example

__all__ = ["get_ner_prf", "score_links"]


def get_ner_prf(examples: Iterable[Example], **_more: object) -> dict[str, Any]:
    """Returns the scores of entities: `ents_p`, `ents_r`, `ents_f`, and `ents_per_type`.

    A predicted entity with a token whose annotation is missing in the reference is ignored, and so
    is one that aligns with no token; scores without data are None.
    """
    per_label: dict[str, PRFScore] = {}
    for example in examples:
        reference = example.reference
        if not reference.has_annotation("ENT_IOB"):
            continue
        # A dictionary keeps the order, in which tables show the labels.
        missing = dict.fromkeys((ent.label_, ent.start, ent.end) for ent in reference.ents)
        aligned = example.alignment.x2y
        for ent in example.predicted.ents:
            score = per_label.setdefault(ent.label_, PRFScore())
            tokens = aligned[ent.start : ent.end]
            if not len(tokens):
                continue
            span = (ent.label_, int(tokens[0]), int(tokens[-1]) + 1)
            if any(token.ent_iob == 0 for token in reference[span[1] : span[2]]):
                continue
            if span in missing:
                del missing[span]
                score.tp += 1
            else:
                score.fp += 1
        for label, _, _ in missing:
            per_label.setdefault(label, PRFScore()).fn += 1
    total = PRFScore()
    for score in per_label.values():
        total += score
    if not total:
        return dict.fromkeys(("ents_p", "ents_r", "ents_f", "ents_per_type"))
    return {
        **{f"ents_{name}": value for name, value in total.to_dict().items()},
        "ents_per_type": {label: score.to_dict() for label, score in per_label.items()},
    }


def score_links(
    examples: Iterable[Example], *, negative_labels: Iterable[str], **_more: object
) -> dict[str, Any]:
    """Returns the scores of the links (`kb_id_`) of entities that the reference has at the same
    characters: `nel_micro_p` and so on over all entities, `nel_macro_p` and so on as means of the
    labels, and `nel_f_per_type`. `nel_score` is the micro F-score.

    negative_labels: the links that mean "none", such as "NIL".

    A link to another entity than the reference's is both wrong and missing.
    """
    negative = frozenset(negative_labels)
    per_label: dict[str, PRFScore] = {}
    for example in examples:
        gold_ents = {(ent.start_char, ent.end_char): ent for ent in example.reference.ents}
        for ent in example.predicted.ents:
            gold_ent = gold_ents.get((ent.start_char, ent.end_char))
            if gold_ent is None:
                continue
            score = per_label.setdefault(gold_ent.label_, PRFScore())
            gold, found = gold_ent.kb_id_, ent.kb_id_
            if gold in negative and found in negative:
                continue
            if gold == found:
                score.tp += 1
                continue
            if found not in negative:
                score.fp += 1
            if gold not in negative:
                score.fn += 1
    micro = PRFScore()
    for score in per_label.values():
        micro += score
    macro = dict(zip("prf", macro_average(per_label.values()), strict=True))
    return {
        "nel_score": micro.fscore,
        "nel_score_desc": "micro F",
        **{f"nel_micro_{name}": value for name, value in micro.to_dict().items()},
        **{f"nel_macro_{name}": value for name, value in macro.items()},
        "nel_f_per_type": {label: score.to_dict() for label, score in per_label.items()},
    }
