"""The entity ruler and the span ruler, beside spaCy's."""

import json
import pickle
import re
import threading
import time
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

import lexpool
import lexpool.tokens
import lexpool.util
from lexpool.matcher import Matcher
from lexpool.pipeline import EntityRuler, SpanRuler, span_ruler
from lexpool.training import Example

WORDS = ["Acme", "acme", "Corp.", "New", "York", "new", "in", "3", ",", "Bank", "of"]
PATTERNS = [
    {"label": "ORG", "pattern": "Acme"},
    {"label": "ORG", "pattern": "Acme Corp.", "id": "acme"},
    {"label": "GPE", "pattern": "New York", "id": "nyc"},
    {"label": "GPE", "pattern": [{"LOWER": "new"}, {"LOWER": "york"}]},
    {"label": "GPE", "pattern": [{"LOWER": "york"}], "id": "nyc"},
    {"label": "NUM", "pattern": [{"LIKE_NUM": True}, {"IS_PUNCT": True, "OP": "?"}]},
]
TEXT = "Acme Corp. in New York, new York 3, acme Acme York."


@pytest.fixture(scope="module")
def pipelines(spacy, pair):
    """spaCy's English and lexpool's, with one tokenizer's rules."""
    theirs = spacy.blank("en")
    return theirs, lexpool.Language("en", pair("en")[1])


@pytest.fixture
def nlp():
    return lexpool.blank("en")


def make(module, nlp, name, **config):
    """A ruler of spaCy's or of lexpool's."""
    return getattr(module.pipeline, name)(nlp, **config)


def pair_of(spacy, pipelines, name, patterns, **config):
    """Both rulers with the same patterns."""
    rulers = [
        make(module, nlp, name, **config)
        for module, nlp in zip((spacy, lexpool), pipelines, strict=True)
    ]
    for ruler in rulers:
        ruler.add_patterns(patterns)
    return rulers


def spans(found) -> list[tuple]:
    return [(span.start, span.end, span.label_, span.id_) for span in found]


def with_ents(doc, ents):
    """A document with entities, of those given that do not overlap."""
    module = lexpool if isinstance(doc, lexpool.Doc) else __import__("spacy")
    made = [
        module.tokens.Span(doc, start, min(start + length, len(doc)), label=label)
        for start, length, label in ents
        if start < len(doc)
    ]
    doc.ents = module.util.filter_spans(made)
    return doc


word = st.sampled_from(WORDS)
label = st.sampled_from(["ORG", "GPE", "ORG||x"])
own_id = st.sampled_from([None, "acme", "nyc"])
phrase = st.lists(word, min_size=1, max_size=3).map(" ".join)
element = st.fixed_dictionaries(
    {},
    optional={
        "LOWER": st.sampled_from(["acme", "new", "york"]),
        "IS_PUNCT": st.booleans(),
        "TEXT": st.fixed_dictionaries({"IN": st.lists(word, max_size=3)}),
        "OP": st.sampled_from(["?", "+", "!", "*"]),
    },
)
tokens = st.lists(element, min_size=1, max_size=3)
rule = st.builds(
    lambda label, pattern, own: {
        "label": label, "pattern": pattern, **({"id": own} if own else {})
    },
    label, phrase | tokens, own_id,
)  # fmt: skip
ents = st.lists(st.tuples(st.integers(0, 9), st.integers(1, 3), st.sampled_from("AB")), max_size=3)
texts = st.lists(word, max_size=12).map(" ".join)


@given(rules=st.lists(rule, min_size=1, max_size=8), text=texts, ents=ents, overwrite=st.booleans())
def test_any_patterns_make_the_entities_that_spacy_makes(
    spacy, pipelines, rules, text, ents, overwrite
):
    config = {"overwrite_ents": overwrite}
    theirs, ours = pair_of(spacy, pipelines, "EntityRuler", rules, **config)
    expected = theirs(with_ents(pipelines[0](text), ents))
    native = ours.native()(with_ents(pipelines[1](text), ents))
    assert spans(native.ents) == spans(expected.ents)
    assert native.to_array("ENT_IOB").tolist() == expected.to_array("ENT_IOB").tolist()
    assert native.to_array("ENT_ID").tolist() == expected.to_array("ENT_ID").tolist()
    step_by_step = with_ents(pipelines[1](text), ents)
    ours.set_annotations(step_by_step, ours.match(step_by_step))
    assert spans(step_by_step.ents) == spans(expected.ents)
    assert ours.match(step_by_step) == theirs.match(pipelines[0](text))


FILTERS = [
    None,
    "filter_chain_spans",
    "prioritize_new_ents_filter",
    "prioritize_existing_ents_filter",
]


@given(
    rules=st.lists(rule, min_size=1, max_size=8),
    text=texts,
    ents=ents,
    overwrite=st.booleans(),
    spans_filter=st.sampled_from(FILTERS),
    ents_filter=st.sampled_from(FILTERS[1:]),
)
def test_any_patterns_make_the_spans_that_spacy_makes(
    spacy, pipelines, rules, text, ents, overwrite, spans_filter, ents_filter
):
    def run(module, nlp, is_native):
        def find(name):
            home = module.util if name == "filter_chain_spans" else module.pipeline.span_ruler
            return getattr(home, name)

        ruler = make(
            module, nlp, "SpanRuler", overwrite=overwrite, annotate_ents=True,
            spans_filter=find(spans_filter) if spans_filter else None,
            ents_filter=find(ents_filter),
        )  # fmt: skip
        ruler.add_patterns(rules)
        doc = with_ents(nlp(text), ents)
        doc.spans["ruler"] = list(doc.ents)
        if is_native:
            ruler.native()(doc)
        else:
            ruler.set_annotations(doc, ruler.match(doc))
        return spans(doc.spans["ruler"]), spans(doc.ents)

    expected = run(spacy, pipelines[0], False)
    assert run(lexpool, pipelines[1], True) == expected
    assert run(lexpool, pipelines[1], False) == expected


def test_what_is_known_of_patterns_is_what_spacy_knows(spacy, pipelines):
    theirs, ours = pair_of(spacy, pipelines, "EntityRuler", PATTERNS)
    assert (len(ours), ours.labels) == (len(theirs), theirs.labels)
    assert set(ours.ent_ids) == set(theirs.ent_ids)
    assert ours.patterns == theirs.patterns
    for key in ["ORG", "ORG||acme", "GPE||nyc", "acme", "NUM"]:
        assert (key in ours) == (key in theirs)
    theirs, ours = pair_of(spacy, pipelines, "SpanRuler", PATTERNS)
    for name in ["patterns", "labels", "ids", "key"]:
        assert getattr(ours, name) == getattr(theirs, name)
    assert "GPE" in ours and "NO" not in ours and len(ours) == len(PATTERNS)


def test_a_phrase_of_two_labels_gets_the_one_that_spacy_takes(spacy, pipelines):
    names = [f"name{i}" for i in range(40)]
    rules = [
        {"label": label, "pattern": name}
        for name in names
        for label in ("ONE", "TWO", "THREE")[: 2 + len(name) % 2]
    ]
    theirs, ours = pair_of(spacy, pipelines, "EntityRuler", rules)
    for count in (1, 2, 3, 8, 40):
        text = " ".join(names[:count])
        assert spans(ours(pipelines[1](text)).ents) == spans(theirs(pipelines[0](text)).ents)


def test_phrases_are_compared_by_any_attribute(spacy, pipelines):
    for attr in ("LOWER", "SHAPE", "NORM", lexpool.attrs.LOWER):
        theirs, ours = pair_of(spacy, pipelines, "EntityRuler", PATTERNS, phrase_matcher_attr=attr)
        assert spans(ours(pipelines[1](TEXT)).ents) == spans(theirs(pipelines[0](TEXT)).ents)


def test_entities_of_a_group_keep_its_attributes_and_its_order(nlp):
    ruler = SpanRuler(nlp)
    ruler.add_patterns(PATTERNS[:1])
    doc = nlp("Acme in Acme")
    doc.spans["ruler"] = [doc[1:2]]
    group = doc.spans["ruler"]
    group.attrs["own"] = 1
    ruler(doc)
    assert doc.spans["ruler"].attrs == {"own": 1}
    assert [span.start for span in group] == [1, 0, 2]


def test_patterns_are_removed_by_label_and_by_id(nlp):
    ents = EntityRuler(nlp, patterns=PATTERNS)
    ents.remove("nyc")
    assert [ent.label_ for ent in ents(nlp("Acme Corp. in York, New York")).ents] == ["ORG", "GPE"]
    assert ents.ent_ids == ("acme",)
    assert len(ents) == len(PATTERNS) - 2
    groups = SpanRuler(nlp)
    groups.add_patterns(PATTERNS)
    groups.remove("ORG")
    assert groups.labels == ("GPE", "NUM") and "ORG" not in groups
    groups.remove_by_id("nyc")
    doc = groups(nlp("Acme 3, York, New York"))
    assert [span.text for span in doc.spans["ruler"]] == ["3", "3,", "New York"]
    for remove in (ents.remove, groups.remove, groups.remove_by_id):
        with pytest.raises(ValueError, match="E1024.*nyc"):
            remove("nyc")


def test_a_cleared_ruler_finds_nothing_and_says_so(nlp):
    for ruler in (EntityRuler(nlp), SpanRuler(nlp)):
        ruler.add_patterns(PATTERNS)
        ruler.initialize(list, nlp=nlp, patterns=PATTERNS[:1])
        assert len(ruler) == 1
        ruler.clear()
        with pytest.warns(UserWarning, match="W036.*ruler"):
            assert not ruler(nlp(TEXT)).ents
        with pytest.warns(UserWarning, match="W036"):
            assert ruler.match(nlp(TEXT)) == []
        assert (len(ruler), ruler.labels, ruler.patterns) == (0, (), [])


@pytest.mark.parametrize("maker", [EntityRuler, SpanRuler])
@pytest.mark.parametrize(
    ("wrong", "error", "text"),
    [
        ([{"pattern": "a"}, PATTERNS[0], {"label": "A"}], ValueError, "E097.* 1: .*label.* 3: "),
        ([{"label": "A", "pattern": ("a",)}], ValueError, "E097.*'a'"),
        ([{"label": "A", "pattern": "a", "id": 5}], ValueError, "E097.*id is a string, not 5"),
        (["text"], ValueError, "E097.*'text'"),
        ([PATTERNS[3], {"label": "A", "pattern": []}], ValueError, "E012"),
        ([PATTERNS[3], {"label": "A", "pattern": [{"NO": 1}]}], ValueError, "E152"),
        ([PATTERNS[3], {"label": "A", "pattern": [{"OP": "x"}]}], ValueError, "E011"),
        ([PATTERNS[3], {"label": "A", "pattern": [{"TEXT": {"REGEX": "("}}]}], re.error, "missing"),
    ],
)
def test_wrong_patterns_are_named_and_nothing_is_added(nlp, maker, wrong, error, text):
    ruler = maker(nlp)
    ruler.add_patterns(PATTERNS[4:5])
    with pytest.raises(error, match=text):
        ruler.add_patterns([PATTERNS[0], *wrong])
    assert len(ruler) == 1
    assert len(ruler.matcher) == 1 and len(ruler.phrase_matcher) == 0
    matched = ruler(nlp("Acme York new York"))
    found = matched.ents if maker is EntityRuler else matched.spans["ruler"]
    assert [span.text for span in found] == ["York", "York"]


def test_all_that_is_wrong_with_a_pattern_is_said_when_it_is_validated(nlp):
    ruler = EntityRuler(nlp, validate=True)
    with pytest.raises(lexpool.errors.MatchPatternError) as raised:
        ruler.add_patterns([{"label": "A", "pattern": [{"LOWER": 1, "Q": 2}, {"IS_PUNCT": "x"}]}])
    assert all(part in str(raised.value) for part in ("LOWER", "'Q'", "IS_PUNCT"))


def test_patterns_for_annotation_need_it_in_documents(nlp):
    for ruler in (EntityRuler(nlp), SpanRuler(nlp)):
        ruler.add_patterns([{"label": "A", "pattern": [{"POS": "NOUN"}]}])
        with pytest.raises(ValueError, match="E155.*POS"):
            ruler(nlp("word"))
        doc = nlp("word")
        doc[0].pos_ = "NOUN"
        ruler(doc)
        assert doc.ents or doc.spans["ruler"]
    by_lemma = EntityRuler(nlp, phrase_matcher_attr="LEMMA")
    with pytest.raises(ValueError, match="E155.*LEMMA"):
        by_lemma.add_patterns([{"label": "A", "pattern": [{}]}, {"label": "A", "pattern": "is"}])
    assert len(by_lemma.matcher) == 0


def asking(label: str = "LONG") -> dict:
    """A pattern that only Python can answer."""
    return {"label": label, "pattern": [{"_": {"is_long_word": True}}], "id": "own"}


@pytest.fixture
def extension():
    lexpool.Token.set_extension("is_long_word", getter=lambda token: len(token) > 6)
    yield
    lexpool.Token.remove_extension("is_long_word")


def test_patterns_that_ask_python_are_answered_by_it(nlp, extension):
    text = "Acme has something"
    ents = EntityRuler(nlp, patterns=[*PATTERNS, asking()])
    assert ents.native() is None
    assert spans(ents(nlp(text)).ents) == [(0, 1, "ORG", ""), (2, 3, "LONG", "own")]
    groups = SpanRuler(nlp, annotate_ents=True)
    groups.add_patterns([*PATTERNS, asking()])
    assert groups.native() is None
    doc = groups(nlp(text))
    assert (
        spans(doc.spans["ruler"]) == spans(doc.ents) == [(0, 1, "ORG", ""), (2, 3, "LONG", "own")]
    )
    groups.remove("LONG")
    assert groups.native() is not None


def test_a_comparison_of_ones_own_is_asked(nlp):
    def starts_alike(text, wanted, _edits):
        return text[:2] == wanted[:2]

    rules = [{"label": "A", "pattern": [{"TEXT": {"FUZZY": "Acme"}}]}]
    ruler = EntityRuler(nlp, matcher_fuzzy_compare=starts_alike, patterns=rules)
    assert ruler.native() is None
    assert [ent.text for ent in ruler(nlp("Across Rome")).ents] == ["Across"]


def test_a_filter_of_ones_own_is_called(nlp):
    calls = []

    def last(there, new):
        calls.append((len(list(there)), len(list(new))))
        return list(new)[-1:]

    ruler = SpanRuler(nlp, spans_filter=last, annotate_ents=True, ents_filter=last)
    ruler.add_patterns(PATTERNS)
    assert ruler.native() is None
    doc = ruler(nlp("Acme in York"))
    assert spans(doc.spans["ruler"]) == spans(doc.ents) == [(2, 3, "GPE", "nyc")]
    assert calls == [(0, 2), (0, 2)]
    overlapping = SpanRuler(nlp, annotate_ents=True, ents_filter=lambda there, new: list(new))
    overlapping.add_patterns(PATTERNS)
    with pytest.raises(ValueError, match="E854"):
        overlapping(nlp("Acme Corp."))


def test_spacys_filters_are_known_as_ones_own(spacy, nlp):
    for find in (
        spacy.util.filter_chain_spans,
        spacy.pipeline.span_ruler.prioritize_new_ents_filter,
    ):
        assert SpanRuler(nlp, spans_filter=find).native.__self__.spans_filter is find
        ruler = SpanRuler(nlp, spans_filter=find)
        ruler.add_patterns(PATTERNS)
        assert ruler.native() is not None


def test_callbacks_and_classes_of_ones_own_are_heard(nlp):
    called = []
    ruler = EntityRuler(nlp, patterns=PATTERNS)
    ruler.matcher.add("NUM", [[{"LOWER": "acme"}]], on_match=lambda *args: called.append(args[2]))
    assert ruler.native() is None
    ruler(nlp("acme"))
    assert called == [0]

    class Last(EntityRuler):
        def match(self, doc):
            return super().match(doc)[-1:]

    last = Last(nlp, patterns=PATTERNS)
    assert last.native() is None
    assert len(last(nlp("Acme in York")).ents) == 1


def test_pipelines_with_rulers_give_the_documents_that_spacys_give(spacy, pair, sample):
    words = sorted({word for line in sample[:300] for word in line.split() if word.isalpha()})
    rules = PATTERNS + [
        {"label": "WORD", "pattern": f"{a} {b}", "id": a} for a, b in zip(words[::3], words[1::3])
    ]
    rules += [{"label": "LONG", "pattern": word} for word in words[::2] if len(word) > 4]

    def annotated(nlp):
        nlp.add_pipe("sentencizer")
        nlp.add_pipe("entity_ruler", config={"phrase_matcher_attr": "LOWER"}).add_patterns(rules)
        nlp.add_pipe("span_ruler", config={"spans_key": "own"}).add_patterns(rules)
        for doc in nlp.pipe(sample[:300]):
            sents = [(sent.start, sent.end) for sent in doc.sents]
            yield doc.text, sents, spans(doc.ents), spans(doc.spans["own"])

    ours = annotated(lexpool.Language("en", pair("en")[1]))
    for own, expected in zip(ours, annotated(spacy.blank("en")), strict=True):
        assert own == expected


def test_phrases_are_made_by_the_components_that_come_before(nlp):
    seen = []

    @lexpool.Language.component("rulers_test_note")
    def note(doc):
        seen.append(doc.text)
        return doc

    nlp.add_pipe("rulers_test_note", name="before")
    ruler = nlp.add_pipe("entity_ruler")
    nlp.add_pipe("rulers_test_note", name="behind")
    ruler.add_patterns(PATTERNS)
    assert seen == ["Acme", "Acme Corp.", "New York"]
    assert nlp.pipe_names == ["before", "entity_ruler", "behind"]


def test_matches_may_be_given_and_are_judged(nlp):
    ruler = EntityRuler(nlp, patterns=PATTERNS)
    doc = nlp("Acme in York")
    key = nlp.vocab.strings.add("OTHER")
    ruler.set_annotations(doc, [(key, 0, 2), (key, 1, 3)])
    assert spans(doc.ents) == [(0, 2, "OTHER", "")]
    with pytest.raises(ValueError, match="E084"):
        ruler.set_annotations(doc, [(12345, 0, 1)])
    for wrong in [(key, 2, 9), (key, 2, 1)]:
        with pytest.raises(IndexError, match="E035"):
            ruler.set_annotations(doc, [wrong])
    assert spans(doc.ents) == [(0, 2, "OTHER", "")]


def test_bytes_and_files_go_both_ways(spacy, pipelines, tmp_path):
    for name, config in [("EntityRuler", {"overwrite_ents": True}), ("SpanRuler", {})]:
        theirs, ours = pair_of(spacy, pipelines, name, PATTERNS, **config)
        assert ours.to_bytes() == theirs.to_bytes()
        blanks = [
            lambda: make(spacy, pipelines[0], name), lambda: make(lexpool, pipelines[1], name)
        ]  # fmt: skip
        for i, (writer, blank) in enumerate(zip((theirs, ours), reversed(blanks), strict=True)):
            read = blank().from_bytes(writer.to_bytes())
            assert read.patterns == writer.patterns
            writer.to_disk(tmp_path / f"{name}{i}")
            read = blank().from_disk(tmp_path / f"{name}{i}")
            assert read.patterns == writer.patterns
            assert read.overwrite == writer.overwrite
        one, other = (
            {path.name: path.read_bytes() for path in (tmp_path / f"{name}{i}").iterdir()}
            for i in (0, 1)
        )
        assert one.keys() == other.keys()
        assert all(
            json.loads(line) == json.loads(same)
            for key in one
            for line, same in zip(
                one[key].splitlines() if key != "cfg" else [one[key]],
                other[key].splitlines() if key != "cfg" else [other[key]],
                strict=True,
            )
        )


def test_phrases_that_came_as_bytes_match(nlp):
    ruler = EntityRuler(nlp, patterns=PATTERNS, phrase_matcher_attr="LOWER", ent_id_sep="--")
    copy = EntityRuler(nlp).from_bytes(ruler.to_bytes())
    assert spans(copy(nlp("To NEW YORK")).ents) == [(1, 3, "GPE", "nyc")]
    old_form = EntityRuler(nlp).from_bytes(lexpool.msgpack.packb(PATTERNS))
    assert old_form.patterns == ruler.patterns
    nothing = SpanRuler(nlp).from_bytes(SpanRuler(nlp).to_bytes(exclude=["patterns"]))
    assert len(nothing) == 0


def test_patterns_of_a_file_of_lines_are_read_and_written(nlp, tmp_path: Path):
    ruler = EntityRuler(nlp, patterns=PATTERNS)
    ruler.to_disk(tmp_path / "own.jsonl")
    for path in (tmp_path / "own.jsonl", str(tmp_path / "own")):
        assert EntityRuler(nlp).from_disk(path).patterns == ruler.patterns
    with pytest.raises(ValueError, match="E1023.*none"):
        ruler.from_disk(tmp_path / "none.jsonl")
    with pytest.raises(ValueError, match="E146"):
        ruler.from_disk(tmp_path / "none")
    (tmp_path / "bad.jsonl").write_text('{"label": "A", "pattern": "b"}\n{"label"\n')
    with pytest.raises(ValueError, match=r"E1023.*bad\.jsonl, line 2"):
        ruler.from_disk(tmp_path / "bad.jsonl")
    assert len(ruler) == len(PATTERNS)


def test_rulers_that_are_pickled_find_the_same(nlp):
    for ruler in (EntityRuler(nlp, patterns=PATTERNS), SpanRuler(nlp, annotate_ents=True)):
        if not len(ruler):
            ruler.add_patterns(PATTERNS)
        ruler.nlp = None
        copy = pickle.loads(pickle.dumps(ruler))
        blank = lexpool.Language("en", lexpool.Tokenizer.blank("en", vocab=copy.matcher.vocab))
        assert spans(copy(blank(TEXT)).ents) == spans(ruler(nlp(TEXT)).ents) != []


def test_many_threads_apply_one_ruler(nlp):
    ruler = EntityRuler(nlp, patterns=PATTERNS).native()
    expected = spans(ruler(nlp(TEXT)).ents)
    wrong = []

    def work():
        for _ in range(200):
            if spans(ruler(nlp(TEXT)).ents) != expected:
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_words_of_a_zone_are_found_and_not_kept(nlp):
    ruler = EntityRuler(nlp, patterns=[*PATTERNS, {"label": "A", "pattern": [{"SHAPE": "dxdx"}]}])
    for i in range(3):
        before = len(nlp.vocab)
        with nlp.memory_zone():
            doc = nlp(f"Acme 1a{i}b 9z{i}q")
            assert [ent.label_ for ent in ruler(doc).ents] == ["ORG", "A", "A"]
            del doc
        assert len(nlp.vocab) == before
    assert spans(ruler(nlp("Acme")).ents) == [(0, 1, "ORG", "")]


def test_a_native_ruler_stays_as_it_was_made(nlp):
    ruler = EntityRuler(nlp, patterns=PATTERNS[:1])
    before = ruler.native()
    ruler.add_patterns(PATTERNS[2:3])
    assert len(before(nlp("Acme New York")).ents) == 1
    assert len(ruler(nlp("Acme New York")).ents) == 2


def test_ten_thousand_patterns_are_added_in_no_time(nlp):
    rules = [{"label": "A", "pattern": f"name{i} of{i % 97}", "id": str(i)} for i in range(10_000)]
    rules += [{"label": "B", "pattern": [{"LOWER": f"n{i}"}, {}]} for i in range(1000)]
    for ruler in (EntityRuler(nlp), SpanRuler(nlp)):
        start = time.process_time()
        ruler.add_patterns(rules)
        took = time.process_time() - start
        assert took < 5, "seconds of processor time, of which it takes well under one"
        assert len(ruler) == len(rules)


def test_scores_are_spacys(spacy, pipelines):
    wanted = [(0, 2, "ORG"), (3, 2, "LOC"), (6, 1, "GPE")]
    for name, attr in [("EntityRuler", "ents"), ("SpanRuler", "spans")]:
        scores = []
        for module, nlp, example in zip(
            (spacy, lexpool), pipelines, (spacy.training.Example, Example), strict=True
        ):
            ruler = make(module, nlp, name)
            ruler.add_patterns(PATTERNS)
            reference = with_ents(nlp(TEXT), wanted)
            reference.spans["ruler"] = list(reference.ents)
            scores.append(ruler.score([example(ruler(nlp(TEXT)), reference)]))
        theirs, ours = scores
        assert ours.keys() == theirs.keys()
        assert any(key.startswith(attr) for key in ours)
        for key, value in ours.items():
            if isinstance(value, dict):
                assert value.keys() == theirs[key].keys()
                assert all(value[own] == pytest.approx(theirs[key][own]) for own in value)
            else:
                assert value == pytest.approx(theirs[key])


def test_filters_say_which_spans_stay(nlp):
    doc = nlp("a b c d e f")
    there, new = [doc[0:1], doc[3:5]], [doc[0:2], doc[4:6], doc[2:3], doc[1:3]]

    def places(found):
        return [(span.start, span.end) for span in found]

    assert places(span_ruler.prioritize_new_ents_filter(there, new)) == [(0, 2), (4, 6), (2, 3)]
    assert places(span_ruler.prioritize_existing_ents_filter(there, new)) == [
        (0, 1),
        (3, 5),
        (1, 3),
    ]
    assert places(lexpool.util.filter_chain_spans(there, new)) == [(0, 2), (2, 3), (3, 5)]


def test_a_matcher_adds_many_patterns_or_none(vocab):
    matcher = Matcher(vocab, validate=False)
    with pytest.raises(ValueError, match="E011"):
        matcher.add_rules([("A", [{"LOWER": "a"}]), ("B", [{"OP": "no"}])])
    assert len(matcher) == 0 and "A" not in matcher


@pytest.mark.parametrize("name", ["entity_ruler", "span_ruler"])
def test_adding_phrases_switches_no_component_off(nlp, name):
    running = []

    def watch(doc):
        running.append(list(nlp.pipe_names))
        return doc

    nlp.add_pipe(watch, name="watch")
    ruler = nlp.add_pipe(name)
    nlp.add_pipe(lambda doc: pytest.fail("a component behind the ruler ran"), name="behind")
    ruler.add_patterns(PATTERNS)
    assert running == [["watch", name, "behind"]] * 3


def test_an_empty_separator_separates_no_id_from_a_label():
    nlp = lexpool.blank("en")
    ruler = nlp.add_pipe("entity_ruler", config={"ent_id_sep": ""})
    ruler.add_patterns([{"label": "ORG", "pattern": "Acme"}])
    assert (ruler.labels, ruler.ent_ids) == (("ORG",), ())
    assert ruler.patterns == [{"label": "ORG", "pattern": "Acme"}]
    assert [(ent.label_, ent.ent_id_) for ent in nlp("in Acme").ents] == [("ORG", "")]
    again = lexpool.blank("en").add_pipe("entity_ruler").from_bytes(ruler.to_bytes())
    assert again.labels == ("ORG",)
