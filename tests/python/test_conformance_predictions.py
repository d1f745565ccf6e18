"""The comparison of predictions that the runner of spaCy's tests makes."""

import sys
from pathlib import Path

import numpy
import pytest

import lexpool
from lexpool.tokens import Doc, Span, SpanGroup

sys.path.append(str(Path(__file__).parents[1] / "conformance"))
from annotations import Annotation


def made():
    doc = Doc(lexpool.Vocab(), words=["Ada", "wrote", "it"], heads=[1, 1, 1], deps=["a", "b", "c"])
    doc.set_ents([Span(doc, 0, 1, "PER", kb_id="Q1")])
    doc.cats["A"] = 0.5
    spans = [Span(doc, 1, 3, "X")]
    scores = numpy.asarray([0.25], "float32")
    doc.spans["sc"] = SpanGroup(doc, name="sc", spans=spans, attrs={"scores": scores})
    doc.tensor = numpy.ones((3, 2), "float32")
    return doc


def next_after(value):
    return float(numpy.nextafter(numpy.float32(value), numpy.float32(2)))


def set_scores(doc, score):
    doc.spans["sc"].attrs["scores"] = numpy.asarray([score], "float32")


def set_tensor(doc, value):
    tensor = doc.tensor.copy()
    tensor[2, 1] = value
    doc.tensor = tensor


CHANGES = {
    "tag of token 1 'wrote'": lambda doc: setattr(doc[1], "tag_", "X"),
    "pos of token 1 'wrote'": lambda doc: setattr(doc[1], "pos_", "VERB"),
    "morph of token 1 'wrote'": lambda doc: doc[1].set_morph("A=B"),
    "lemma of token 2 'it'": lambda doc: setattr(doc[2], "lemma_", "X"),
    "head of token 0 'Ada'": lambda doc: setattr(doc[0], "head", doc[2]),
    "dep of token 2 'it'": lambda doc: setattr(doc[2], "dep_", "X"),
    "ent_iob of token 2 'it'": lambda doc: doc.set_ents([*doc.ents, Span(doc, 2, 3, "X")]),
    "ent_kb_id of token 0 'Ada'": lambda doc: doc.set_ents([Span(doc, 0, 1, "PER", kb_id="Q2")]),
    "category 'A'": lambda doc: doc.cats.update(A=next_after(0.5)),
    "span 0 of 'sc'": lambda doc: doc.spans["sc"].__setitem__(0, Span(doc, 1, 3, "Y")),
    "attrs['scores'] of spans 'sc'": lambda doc: set_scores(doc, next_after(0.25)),
    "tensor": lambda doc: set_tensor(doc, next_after(1)),
}


@pytest.mark.parametrize("place", CHANGES)
def test_a_change_of_one_value_is_reported_by_its_place(place):
    changed = made()
    CHANGES[place](changed)
    found = Annotation(made()).difference(Annotation(changed), exact=True)
    assert found is not None
    assert found.startswith(f"{place} is ")
    assert Annotation(made()).difference(Annotation(made()), exact=True) is None


def test_sentence_starts_are_compared():
    docs = [Doc(lexpool.Vocab(), words=["a", "b"]) for _ in range(2)]
    docs[1][1].is_sent_start = True
    found = Annotation(docs[0]).difference(Annotation(docs[1]), exact=True)
    assert found == "sent_start of token 1 'b' is True, expected None"


def test_numbers_are_equal_within_a_tolerance_unless_bits_count():
    close, far = made(), made()
    set_tensor(close, 1 + 5e-6)
    set_tensor(far, 1 + 2e-5)
    expected = Annotation(made())
    assert expected.difference(Annotation(close), exact=False) is None
    assert "tensor is float32[3, 2]" in expected.difference(Annotation(close), exact=True)
    assert "tensor is float32[3, 2]" in expected.difference(Annotation(far), exact=False)


def test_missing_and_additional_values_are_reported():
    fewer = made()
    fewer.cats.clear()
    found = Annotation(made()).difference(Annotation(fewer), exact=True)
    assert "expected category 'A'" in found
    longer = Doc(lexpool.Vocab(), words=["Ada", "wrote", "it", "all"])
    found = Annotation(made()).difference(Annotation(longer), exact=True)
    assert found == "the number of tokens is 4, expected 3"
