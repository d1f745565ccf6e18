"""`Language.evaluate`: annotates documents anew and scores them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from time import perf_counter
from typing import TYPE_CHECKING, Any

from .._learning.example import Example, validate_examples
from .._narrow import is_dict, is_iterable
from ..scorer import Scorer

if TYPE_CHECKING:
    from ..language import Language

__all__ = ["evaluate"]


def evaluate(
    nlp: Language,
    examples: Iterable[Example],
    *,
    batch_size: int | None = None,
    scorer: Scorer | None = None,
    component_cfg: Mapping[str, Mapping[str, Any]] | None = None,
    scorer_cfg: Mapping[str, Any] | None = None,
    per_component: bool = False,
    annotated: Callable[[Example], object] | None = None,
) -> dict[str, Any]:
    """Returns the scores of a pipeline; see `Language.evaluate`.

    annotated: called with each example when its document is annotated.

    A document that a component fails on, and whose error is ignored, is scored as it was before.
    """
    example_list: Any = list(examples) if is_iterable(examples) else examples
    validate_examples(example_list, "Language.evaluate")
    copies = [Example(example.x.copy(), example.y) for example in example_list]
    if scorer is None:
        settings: dict[str, Any] = {"nlp": nlp, **(scorer_cfg or {})}
        scorer = Scorer(**settings)
    start = perf_counter()
    # The predicted documents have tokens already; this is for the measured time only.
    for example in copies:
        nlp.make_doc(example.reference.text)
    pairs = nlp.pipe(
        ((example.predicted, example) for example in copies),
        as_tuples=True,
        batch_size=batch_size,
        component_cfg=component_cfg,
    )
    for doc, example in pairs:
        example.predicted = doc
        if annotated is not None:
            annotated(example)
    seconds = perf_counter() - start
    scores = scorer.score(copies, per_component=per_component)
    scores["speed"] = sum(len(example.predicted) for example in copies) / seconds
    return {name: _plain(score) for name, score in scores.items()}


def _plain(value: Any) -> Any:
    """Returns scores with NumPy's numbers, which a user's scorer may return, as Python's."""
    if is_dict(value):
        return {key: _plain(inner) for key, inner in value.items()}
    numpy = sys.modules.get("numpy")
    return float(value) if numpy and isinstance(value, numpy.floating) else value
