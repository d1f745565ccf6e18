"""The pipelines that spaCy wrote into tests/files/pipelines: their annotation in Python.

core/tests/pipeline_folders.rs loads the same folders in Rust.
"""

import json
from pathlib import Path

import pytest

import lexpool

FOLDER = Path(__file__).parents[1] / "files" / "pipelines"
# The rule lemmatizer of the first pipeline sees words without a part of speech.
pytestmark = pytest.mark.filterwarnings("ignore:.*W108")
NAMES = sorted(path.name for path in FOLDER.iterdir())
# lexpool loads these in Rust only, since it lacks rules for their languages.
IN_RUST = {"other_language"}


def annotation(doc):
    return {
        "text": doc.text,
        "tokens": [
            [
                token.text, token.whitespace_, token.norm_, token.lemma_, token.pos_, token.tag_,
                str(token.morph), token.dep_, token.ent_type_, token.ent_iob_, token.ent_id_,
                token.is_sent_start,
            ]
            for token in doc
        ],
        "heads": [token.head.i for token in doc],
        "links": [token.ent_kb_id_ for token in doc],
        "cats": {label: round(score, 4) for label, score in doc.cats.items()},
        "spans": {
            name: [[span.start, span.end, span.label_, span.id_] for span in group]
            for name, group in doc.spans.items()
        },
    }  # fmt: skip


def expected(name):
    return json.loads((FOLDER / name / "expected.json").read_text("utf8"))


@pytest.mark.parametrize("name", [name for name in NAMES if name not in IN_RUST])
def test_a_pipeline_annotates_as_spacy_did(name):
    nlp = lexpool.load(FOLDER / name)
    for known in expected(name):
        assert annotation(nlp(known["text"])) == known


@pytest.mark.parametrize("name", NAMES)
def test_spacy_still_annotates_as_in_the_files(spacy, name):
    nlp = spacy.load(FOLDER / name)
    for known in expected(name):
        assert annotation(nlp(known["text"])) == known
