"""Span groups, and how they are written."""

import gc

import pytest
import spacy.tokens
import spacy.vocab

import lexpool
from lexpool.tokens import Doc, Span, SpanGroup, SpanGroups

WORDS = ["How", "now", ",", "brown", "cow", "?"]


@pytest.fixture
def doc():
    return Doc(lexpool.Vocab(), words=WORDS)


def bounds(group):
    return [(s.start, s.end, s.start_char, s.end_char, s.label, s.kb_id, s.id) for s in group]


def fill(doc, span):
    doc.spans["a"] = [span(doc, 0, 2, label="L", kb_id="K", span_id="I"), doc[3:5]]
    doc.spans["b"] = doc.spans["a"]
    doc.spans["c"] = ()
    doc.spans["a"].attrs["x"] = [1, {"y": None}]


def test_bytes_are_spacys_both_ways(doc):
    theirs = spacy.tokens.Doc(spacy.vocab.Vocab(), words=WORDS)
    fill(doc, Span)
    fill(theirs, spacy.tokens.Span)
    assert doc.spans.to_bytes() == theirs.spans.to_bytes()
    assert doc.spans["a"].to_bytes() == theirs.spans["a"].to_bytes()
    again = SpanGroups(doc).from_bytes(theirs.spans.to_bytes())
    assert {key: (g.name, g.attrs, bounds(g)) for key, g in again.items()} == {
        key: (g.name, g.attrs, bounds(g)) for key, g in theirs.spans.items()
    }
    assert SpanGroups._EMPTY_BYTES == type(theirs.spans)._EMPTY_BYTES
    assert len(doc.spans.from_bytes(b"")) == 0


def test_every_cut_and_every_flipped_bit_is_an_error_or_groups_of_this_document(doc):
    fill(doc, Span)
    data = doc.spans.to_bytes()
    before = [(key, bounds(group)) for key, group in doc.spans.items()]
    wrong = [data[:at] for at in range(1, len(data))]
    for at in range(len(data) * 8):
        flipped = bytearray(data)
        flipped[at // 8] ^= 1 << at % 8
        wrong.append(bytes(flipped))
    refused = 0
    for data in wrong:
        groups = SpanGroups(doc)
        try:
            groups.from_bytes(data)
        except (ValueError, TypeError):
            refused += 1
            assert not groups
        else:
            assert all(0 <= s.start <= s.end <= len(doc) for g in groups.values() for s in g)
    assert refused > len(wrong) / 3
    assert [(key, bounds(group)) for key, group in doc.spans.items()] == before


def test_elements_are_copies_and_deleting_takes_the_one_that_is_named(doc):
    group = SpanGroup(doc, spans=[doc[i : i + 1] for i in range(4)])
    group[0].label_ = "changed"
    assert group[0].label_ == ""
    del group[0]
    del group[-1]
    assert [span.text for span in group] == ["now", ","]
    group[1] = doc[0:3]
    assert [span.text for span in group] == ["now", "How now ,"]
    assert repr(group) == repr([doc[1:2], doc[0:3]])
    assert [span.text for span in reversed(group)] == ["How now ,", "now"]
    for index in (2, -3):
        with pytest.raises(IndexError, match="E856"):
            group[index]
        with pytest.raises(IndexError, match="E856"):
            del group[index]


def test_spans_of_another_document_are_refused_and_nothing_is_appended(doc):
    other = Doc(doc.vocab, words=WORDS)
    group = SpanGroup(doc, spans=[doc[:1]])
    for wrong in ([doc[1:2], other[:1]], SpanGroup(other)):
        with pytest.raises(ValueError, match="E855"):
            group.extend(wrong)
    with pytest.raises(ValueError, match="E855"):
        group[0] = other[:1]
    with pytest.raises(ValueError, match="E855"):
        doc.spans["x"] = [other[:1]]
    with pytest.raises(AssertionError):
        doc.spans["x"] = SpanGroup(other)
    assert len(group) == 1 and "x" not in doc.spans


def test_a_sum_keeps_the_left_name_and_the_left_attributes(doc):
    left = SpanGroup(doc, name="l", attrs={"a": 1}, spans=[doc[:1]])
    right = SpanGroup(doc, name="r", attrs={"a": 2, "b": [3]}, spans=[doc[1:2]])
    both = left + right
    assert (both.name, both.attrs, len(both), len(left)) == ("l", {"a": 1, "b": [3]}, 2, 1)
    both.attrs["b"].append(4)
    assert right.attrs["b"] == [3]
    with pytest.raises(TypeError):
        left + [doc[1:2]]
    same = left
    left += [doc[2:3]]
    left += left
    assert same is left and [span.text for span in left] == ["How", ","] * 2


def test_a_copy_in_another_vocab_knows_its_labels(doc):
    other = Doc(lexpool.Vocab(), words=["How", "now", ",", "brown cow", "?"])
    group = SpanGroup(
        doc, attrs={"a": []}, spans=[Span(doc, 3, 5, "LABEL", kb_id="KB", span_id="ID")]
    )
    copy = group.copy(doc=other)
    assert (copy[0].start, copy[0].end) == (3, 4)
    assert (copy[0].label_, copy[0].kb_id_, copy[0].id_) == ("LABEL", "KB", "ID")
    copy.attrs["a"].append(1)
    assert group.attrs == {"a": []}
    with pytest.raises(ValueError, match="E1052"):
        SpanGroup(doc, spans=[doc[3:4]]).copy(doc=other)


def test_setdefault_makes_a_group_once(doc):
    first = doc.spans.setdefault("a", [doc[:1]])
    assert doc.spans.setdefault("a", [doc[1:2]]) is first
    assert len(doc.spans.setdefault("b")) == 0
    with pytest.raises(AttributeError):
        doc.spans = {}


def test_groups_and_documents_let_go_of_each_other():
    doc = Doc(lexpool.Vocab(), words=WORDS)
    doc.spans["a"] = [doc[:1]]
    groups = doc.spans
    del doc
    gc.collect()
    with pytest.raises(ValueError, match="E866"):
        groups.copy()
    with pytest.raises(RuntimeError, match="E865"):
        groups["a"][0]


def test_groups_taken_over_from_another_mapping_are_judged():
    doc = Doc(lexpool.blank("en").vocab, words=["a", "b"])
    groups = doc.spans
    groups |= {"own": [doc[0:1]]}
    assert [span.text for span in doc.spans["own"]] == ["a"]
    with pytest.raises(TypeError):
        groups |= {"none": 3}
    assert list(doc.spans) == ["own"]
