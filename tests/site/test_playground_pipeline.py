"""The pipeline that the site ships for its playground is the one that its script describes."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

import lexpool

ROOT = Path(__file__).parents[2]
PIPELINE = ROOT / "docs" / "public" / "playground.lexpool"
NOTICE = ROOT / "docs" / "public" / "playground.licence.txt"
LARGEST = 4 * 1024 * 1024


@pytest.fixture(scope="module")
def script() -> ModuleType:
    pytest.importorskip("spacy")
    path = ROOT / "tests" / "tools" / "playground_pipeline.py"
    spec = importlib.util.spec_from_file_location("playground_pipeline", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def nlp() -> lexpool.Language:
    return lexpool.load(PIPELINE)


def test_the_pipeline_has_at_most_four_megabytes() -> None:
    assert PIPELINE.stat().st_size <= LARGEST


def test_components_and_networks_are_those_of_the_script(
    nlp: lexpool.Language, script: ModuleType
) -> None:
    rules = ["attribute_ruler", "lemmatizer"]
    trained = [name for name, _ in script.TRAINED]
    at = trained.index("ner")
    assert nlp.pipe_names == [*trained[:at], *rules, *trained[at:]]
    for name, settings in script.TRAINED:
        section = nlp.config["components"][name]
        for key, value in settings.items():
            given = section[key]
            assert contains(given, value), (name, key, given)


def contains(given: object, expected: object) -> bool:
    """Returns whether a section has the expected values, with defaults perhaps."""
    if isinstance(expected, dict):
        return isinstance(given, dict) and all(
            key in given and contains(given[key], value) for key, value in expected.items()
        )
    return given == expected


def test_licence_sources_and_figures_are_those_of_the_script(
    nlp: lexpool.Language, script: ModuleType
) -> None:
    for key, value in script.META.items():
        assert nlp.meta[key] == value
    assert sorted(nlp.meta["performance"]) == sorted(script.FIGURES)
    notice = NOTICE.read_text()
    for source in script.META["sources"]:
        assert source["url"] in notice
        assert source["license"] in notice


def test_words_of_the_training_texts_are_left_out(nlp: lexpool.Language) -> None:
    assert len(nlp.vocab.strings) < 10_000
    assert "nsubj" in nlp.vocab.strings
