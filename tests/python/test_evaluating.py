"""`Language.evaluate`; spaCy's figures of the same pipeline are the oracle."""

import numpy as np
import pytest

import lexpool
from lexpool.pipeline import Pipe
from lexpool.scorer import Scorer
from lexpool.training.references import docbin_files, examples_of_references, read_references

TEXTS = [
    ("Ada Lovelace met Babbage in London. It rained.", [(0, 12, "PER"), (28, 34, "GPE")]),
    ("Turing ran to London! He was late.", [(0, 6, "PER"), (14, 20, "ORG")]),
    ("Nothing is here.", []),
]


def build(blank, lang="xx"):
    """A pipeline of rules, in either library."""
    nlp = blank(lang)
    nlp.add_pipe("sentencizer")
    ents = nlp.add_pipe("entity_ruler")
    ents.add_patterns(
        [
            {"label": "PER", "pattern": "Ada Lovelace"},
            {"label": "PER", "pattern": "Turing"},
            {"label": "PER", "pattern": "London"},
            {"label": "GPE", "pattern": "late"},
        ]
    )
    scorer = {"@scorers": "spacy.overlapping_labeled_spans_scorer.v1", "spans_key": "sc"}
    spans = nlp.add_pipe("span_ruler", name="finder", config={"spans_key": "sc", "scorer": scorer})
    spans.add_patterns([{"label": "A", "pattern": [{"LOWER": {"IN": ["london", "it"]}}]}])
    rules = nlp.add_pipe("attribute_ruler")
    rules.add([[{"IS_PUNCT": True}]], {"TAG": ".", "POS": "PUNCT", "LEMMA": "."})
    rules.add([[{"ORTH": "London"}]], {"TAG": "NNP", "MORPH": "Number=Sing|Case=Nom"})
    return nlp


def references(nlp, doc_class):
    """Documents with annotation of which some agrees with the pipeline's."""
    for number, (text, ents) in enumerate(TEXTS):
        doc = nlp.make_doc(text)
        gold = doc_class(
            nlp.vocab,
            words=[token.text for token in doc],
            spaces=[bool(token.whitespace_) for token in doc],
            tags=["." if token.is_punct else "NN" for token in doc],
            pos=["PUNCT" if token.is_punct else "X" for token in doc],
            morphs=["Number=Sing" for _ in doc],
            lemmas=[token.lower_ for token in doc],
            sent_starts=[i == 0 or doc[i - 1].text in ("!", "in") for i in range(len(doc))],
        )
        gold.ents = [gold.char_span(start, end, label=label) for start, end, label in ents]
        if number:
            found = [token.idx for token in gold if token.text in ("London", "ran")]
            gold.spans["sc"] = [
                gold.char_span(at, at + 1, label="A", alignment_mode="expand") for at in found
            ]
        yield gold


@pytest.fixture
def evaluated(spacy):
    """spaCy's pipeline and lexpool's, each with examples."""
    theirs, ours = build(spacy.blank), build(lexpool.blank)
    return (
        theirs,
        [
            spacy.training.Example(theirs.make_doc(gold.text), gold)
            for gold in references(theirs, spacy.tokens.Doc)
        ],
        ours,
        list(examples_of_references(references(ours, lexpool.Doc), ours)),
    )


@pytest.mark.parametrize("per_component", [False, True])
def test_scores_of_a_pipeline_of_rules_are_spacys(evaluated, per_component):
    theirs, their_examples, ours, our_examples = evaluated
    expected = theirs.evaluate(their_examples, per_component=per_component)
    found = ours.evaluate(our_examples, per_component=per_component)
    assert found.pop("speed") > 0 and expected.pop("speed") > 0
    assert found == expected
    of_finder = found["finder"] if per_component else found
    assert 0 < of_finder["spans_sc_f"] < 1
    if not per_component:
        for name in ("ents_f", "tag_acc", "pos_acc", "lemma_acc", "morph_micro_p", "sents_f"):
            assert 0 < found[name] < 1, name


def test_examples_are_unchanged_and_may_be_a_stream(evaluated):
    _, _, nlp, examples = evaluated
    found = nlp.evaluate(iter(examples))
    assert all(not example.predicted.ents for example in examples)
    assert found["ents_f"] == nlp.evaluate(examples)["ents_f"]
    assert nlp.evaluate([])["ents_f"] is None


def test_annotation_is_by_the_pipeline_with_settings_of_components(evaluated):
    _, _, nlp, examples = evaluated
    seen = []

    def note(doc, *, mark="none"):
        seen.append(mark)
        return doc

    nlp.add_pipe(note, name="note")
    nlp.evaluate(examples, component_cfg={"note": {"mark": "set"}}, batch_size=2)
    assert seen == ["set"] * 3


def test_a_document_that_fails_leaves_the_others_with_their_references(evaluated):
    _, _, nlp, examples = evaluated

    def fail(doc):
        if doc.text.startswith("Turing"):
            raise ValueError("on purpose")
        return doc

    nlp.add_pipe(fail, name="fail", last=True)
    with pytest.raises(ValueError, match="on purpose"):
        nlp.evaluate(examples)
    expected = [nlp.evaluate([example])["token_acc"] for example in (examples[0], examples[2])]
    nlp.set_error_handler(lambda *_: None)
    found = nlp.evaluate(examples)
    assert found["token_acc"] == expected[0] == expected[1] == 1.0


def test_another_scorer_may_be_given(evaluated):
    _, _, nlp, examples = evaluated
    found = nlp.evaluate(examples, scorer=Scorer(lexpool.blank("en")))
    assert sorted(found) == ["speed", "token_acc", "token_f", "token_p", "token_r"]


def test_numbers_of_numpy_become_pythons(evaluated):
    _, _, nlp, examples = evaluated

    class Odd(Pipe):
        scorer = staticmethod(lambda examples, **_: {"odd": {"inner": np.float32(0.5)}})

        def __call__(self, doc):
            return doc

    nlp.add_pipe(Odd(), name="odd")
    assert type(nlp.evaluate(examples)["odd"]["inner"]) is float


@pytest.mark.parametrize("wrong", [None, 1, [1], ["text"], [("a", {})]])
def test_what_are_not_examples_is_refused(wrong):
    with pytest.raises(TypeError, match=r"E978.*Language\.evaluate"):
        lexpool.blank("en").evaluate(wrong)


def test_a_future_entity_ruler_is_scored_as_an_entity_ruler(evaluated):
    _, _, _, examples = evaluated
    nlp = lexpool.blank("xx")
    nlp.add_pipe("future_entity_ruler").add_patterns([{"label": "PER", "pattern": "Turing"}])
    assert nlp.evaluate(examples)["ents_p"] == 1.0


@pytest.fixture
def folder(tmp_path, evaluated):
    """A folder of DocBins, some of which are not to be read."""
    nlp = evaluated[2]
    docs = list(references(nlp, lexpool.Doc))
    unspaced = lexpool.Doc(nlp.vocab, words=["a.", "b"])
    for name, content in {
        "b.spacy": [docs[0], lexpool.Doc(nlp.vocab)],
        "a/z.spacy": docs[1:],
        "a/y.spacy": [unspaced],
        ".hidden/x.spacy": docs,
        "a/.w.spacy": docs,
        "a/other.txt": docs,
    }.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        lexpool.tokens.DocBin(docs=content, store_user_data=True).to_disk(path)
    return tmp_path


@pytest.mark.parametrize("gold_preproc", [False, True])
def test_examples_of_files_are_spacys(spacy, evaluated, folder, gold_preproc):
    theirs, _, ours, _ = evaluated
    expected = spacy.training.Corpus(folder, gold_preproc=gold_preproc)(theirs)
    found = examples_of_references(
        read_references(docbin_files(folder), ours), ours, gold_preproc=gold_preproc
    )
    facts = [
        [
            ([token.text for token in example.x], [token.text for token in example.y])
            for example in examples
        ]
        for examples in (expected, found)
    ]
    assert facts[0] == facts[1]
    assert len(facts[1]) == (6 if gold_preproc else 4)


def test_a_missing_file_and_a_folder_without_documents_are_errors(tmp_path):
    for path, message in ((tmp_path, "has no files"), (tmp_path / "none", "does not exist")):
        with pytest.raises(FileNotFoundError, match=rf"file-not-found.*{message}"):
            docbin_files(path)
    (tmp_path / "some.bin").write_bytes(b"")
    assert docbin_files(tmp_path / "some.bin") == [tmp_path / "some.bin"]
