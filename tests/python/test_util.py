"""Helpers for rules and annotation; spaCy's are the oracle."""

import io
import itertools
import random

import numpy
import pytest
from hypothesis import given, strategies as st

import lexpool
from lexpool import util

bounds = st.lists(st.tuples(st.integers(0, 11), st.integers(1, 6)), max_size=8)


@given(bounds)
def test_overlapping_spans_are_filtered_as_in_spacy(spacy, bounds):
    words = list("abcdefghijklmnopqr")
    theirs = spacy.tokens.Doc(spacy.vocab.Vocab(), words=words)
    ours = lexpool.Doc(lexpool.Vocab(), words=words)
    expected = spacy.util.filter_spans([theirs[a : a + n] for a, n in bounds])
    found = util.filter_spans(ours[a : a + n] for a, n in bounds)
    assert [(s.start, s.end) for s in found] == [(s.start, s.end) for s in expected]


def test_a_span_that_ends_beyond_its_document_takes_no_memory_for_it():
    doc = lexpool.Doc(lexpool.Vocab(), words=list("abcd"))
    span = doc[1:3]
    span.end = 2**31 - 1
    assert util.filter_spans([doc[0:3], span]) == [span]


def outcome(function, *args):
    try:
        return function(*args)
    except ValueError as error:
        return str(error)[:6]


@given(st.text("ab \n", max_size=12), st.lists(st.text("ab ", min_size=1, max_size=3), max_size=6))
def test_words_and_spaces_are_found_as_in_spacy(spacy, text, words):
    for given_words in (words, text.split(), [*text.split(), " "]):
        expected = outcome(spacy.util.get_words_and_spaces, given_words, text)
        assert outcome(util.get_words_and_spaces, given_words, text) == expected


@given(st.integers(0, 5), st.none() | st.integers(-9, 9), st.none() | st.integers(-9, 9))
def test_slices_are_normalized_as_in_spacy(spacy, length, start, stop):
    expected = spacy.util.normalize_slice(length, start, stop)
    assert util.normalize_slice(length, start, stop) == expected


def test_a_slice_has_a_step_of_one():
    assert util.normalize_slice(3, 0, 2, 1) == (0, 2)
    with pytest.raises(ValueError, match=r"^\[E057\]"):
        util.normalize_slice(3, 0, 2, 2)


@pytest.mark.parametrize("name", ["prefix", "suffix", "infix"])
def test_affix_rules_compile_to_one_regex(spacy, name):
    rules = [r"\(", r"a+", " ", "", "x|y"]
    ours, theirs = (
        getattr(module, f"compile_{name}_regex")(rules) for module in (util, spacy.util)
    )
    assert ours.pattern == theirs.pattern


def test_special_cases_are_combined_as_in_spacy(spacy):
    base = {"a'b": [{65: "a'", 67: "x"}, {65: "b"}], "c": [{65: "c"}]}
    more = {"c": [{65: "c", 67: "d"}], "it's": [{65: "it"}, {65: "'s"}]}
    assert util.update_exc(base, more) == spacy.util.update_exc(base, more)
    assert util.expand_exc(base, "b", "B") == spacy.util.expand_exc(base, "b", "B")
    assert set(base) == {"a'b", "c"}


def test_special_cases_must_spell_their_keys():
    with pytest.raises(ValueError, match=r"^\[E055\]"):
        util.update_exc({}, {"a": [{65: 7}]})
    with pytest.raises(ValueError, match=r"^\[E056\]"):
        util.update_exc({}, {"ab": [{65: "a"}]})


several_sizes = st.lists(st.integers(0, 4) | st.floats(0, 4), min_size=1, max_size=5)


@given(st.lists(st.integers(), max_size=12), st.integers(0, 4), several_sizes)
def test_items_are_batched_as_in_spacy(spacy, items, size, sizes):
    for make in (lambda: size, lambda: itertools.cycle(sizes)):
        expected = list(spacy.util.minibatch(items, make()))
        assert list(util.minibatch(iter(items), make())) == expected


def test_batches_end_where_their_sizes_end():
    # There spaCy's is a RuntimeError.
    assert list(util.minibatch("abcd", [1, 2])) == [["a"], ["b", "c"]]


def test_of_an_endless_source_batches_take_what_they_hold():
    items = itertools.count()
    batches = util.minibatch(items, itertools.repeat(2))
    assert [next(batches), next(batches)] == [[0, 1], [2, 3]]
    assert next(items) == 4


def test_a_seed_fixes_what_python_and_numpy_draw(spacy):
    draws = []
    for module in (util, spacy.util):
        module.fix_random_seed(7)
        draws.append((random.random(), numpy.random.random()))
    assert draws[0] == draws[1]


KEYS = st.text("ab@", min_size=1, max_size=2)
NESTED = st.recursive(
    st.integers(), lambda inner: st.dictionaries(KEYS, inner, max_size=3), max_leaves=6
)


@given(st.dictionaries(KEYS, NESTED, max_size=3), st.booleans())
def test_nested_values_have_the_dotted_names_of_spacy(spacy, values, for_overrides):
    expected = spacy.util.dict_to_dot(values, for_overrides=for_overrides)
    dotted = util.dict_to_dot(values, for_overrides=for_overrides)
    assert dotted == expected
    assert util.dot_to_dict(dotted) == spacy.util.dot_to_dict(expected)


def test_nested_values_stay_as_they_were():
    values = {"a.b": {"c": 1}, "a.b.d": 2}
    assert util.dot_to_dict(values) == {"a": {"b": {"c": 1, "d": 2}}}
    assert values == {"a.b": {"c": 1}, "a.b.d": 2}
    for wrong in ({5: 1}, {"a": {5: 1}}):
        with pytest.raises(TypeError, match="not 5"):
            util.dict_to_dot(wrong)


def test_a_dotted_name_leads_through_no_value():
    with pytest.raises(ValueError, match=r"'a\.b\.c' leads through 'b', which is a value"):
        util.dot_to_dict({"a.b": 1, "a.b.c": 2})


def test_configurations_are_read_from_files_and_from_the_standard_input(tmp_path, monkeypatch):
    text = "[a]\nx = 1\ny = ${a.x}"
    (tmp_path / "some.cfg").write_text(text)
    path = str(tmp_path / "some.cfg")
    assert util.ensure_path(path) == tmp_path / "some.cfg"
    assert util.ensure_path(None) is None
    for place in (path, tmp_path / "some.cfg", "-"):
        monkeypatch.setattr("sys.stdin", io.StringIO(text))
        assert util.load_config(place) == {"a": {"x": 1, "y": "${a.x}"}}
        monkeypatch.setattr("sys.stdin", io.StringIO(text))
        read = util.load_config(place, overrides={"a.x": 2}, interpolate=True)
        assert read == {"a": {"x": 2, "y": 2}}
    with pytest.raises(OSError, match="none.cfg"):
        util.load_config(tmp_path / "none.cfg")


def test_a_pipeline_is_loaded_as_by_load(tmp_path):
    lexpool.blank("en").to_disk(tmp_path)
    assert util.load_model(tmp_path, config={"nlp.batch_size": 3}).batch_size == 3


def test_scripts_that_choose_a_processor_get_this_one():
    assert lexpool.require_cpu()
    assert not lexpool.prefer_gpu()
    with pytest.raises(ValueError, match="processor"):
        lexpool.require_gpu()
