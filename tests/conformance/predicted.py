"""The outcomes of tests whose predictions lexpool makes as well."""

import json
import platform
import sys
import unittest.mock
from collections.abc import Callable, Iterator
from typing import Any

import numpy
import pytest
from guard import Guard
from predictions import Predictions
from worker import Outcomes


def is_exact() -> bool:
    """Returns whether bits can be equal on this machine; elsewhere BLIS adds in another order."""
    return platform.machine() == "x86_64"


def prepare(control: bool) -> Predictions:
    """Watch the predictions of spaCy's components, and check that differences are found.

    control: alter each of lexpool's predictions, so that each test that makes one must fail.
    """
    # spaCy's tests ask for the package that was there before the standard library had it.
    sys.modules.setdefault("mock", unittest.mock)
    predictions = Predictions(is_exact())
    _try_out(predictions)
    predictions.alter = alter if control else None
    return predictions


def alter(doc: Any) -> None:
    """Change one value of a document, a number by as little as counts."""
    if doc.tensor.size:
        tensor = numpy.array(doc.tensor)
        tensor.flat[-1] = _next_to(tensor.flat[-1])
        doc.tensor = tensor
    elif doc.cats:
        label = next(iter(doc.cats))
        doc.cats[label] = float(_next_to(numpy.float32(doc.cats[label])))
    elif len(doc):
        doc[len(doc) - 1].lemma_ += "?"
    else:
        doc.cats["?"] = 1.0


def _next_to(number: Any) -> Any:
    return numpy.nextafter(number, numpy.float32("inf")) if is_exact() else number + 1e-3


def _try_out(predictions: Predictions) -> None:
    """Raises AssertionError if a difference stays unseen: such a comparison is worse than none."""
    import spacy

    nlp = spacy.blank("en")
    nlp.add_pipe("tagger").add_label("A")
    nlp.initialize()
    for altered in (None, alter):
        predictions.alter = altered
        nlp("A word")
        list(nlp.pipe(["A word"]))
        nlp.get_pipe("tagger")(nlp.make_doc("A word"))
    if predictions.compared != 3 or len(predictions.differing) != 3:
        raise AssertionError(
            f"of 3 equal predictions, {predictions.compared} are found equal; reported of 3 that "
            f"differ: {predictions.differing}; not made: {predictions.unsupported}"
        )


class PredictedOutcomes(Outcomes):
    """pytest plugin that writes down each test's outcome and its predictions.

    Further outcomes are "predicted" (all predictions are equal), "differs" and "unsupported"; each
    has JSON with the keys `compared` (the number of documents), `differing` and `unsupported`.
    """

    def __init__(
        self, predictions: Predictions, deselect: Callable[[str], bool], path: str
    ) -> None:
        super().__init__(Guard(()), deselect, path)
        self._predictions = predictions

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: Any) -> Iterator[Any]:
        seen = self._predictions
        seen.alone = 0
        marks = seen.compared, len(seen.differing), len(seen.unsupported)
        result = yield
        found = {
            "compared": seen.compared - marks[0],
            "differing": seen.differing[marks[1] :],
            "unsupported": seen.unsupported[marks[2] :],
        }
        name = item.nodeid.partition("::")[2]
        if any(found.values()) and self.outcomes.get(name, ("",))[0] == "passed":
            self.outcomes[name] = ("predicted", json.dumps(found))
        return result
