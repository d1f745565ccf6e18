"""Trained pipelines in files and bytes: what is kept, and what happens when it fails."""

import json
import shutil
from pathlib import Path

import numpy
import pytest

import lexpool
from lexpool._components.names import RESERVED
from lexpool.language import Language
from lexpool.vectors import Vectors

FOLDER = Path(__file__).parents[1] / "files" / "pipelines" / "networks"
TEXT = "Ada Lovelace wrote programs in London. She liked it."
PARTS = ("tagger", "parser", "beam_ner", "textcat", "spancat", "entity_linker")


@pytest.fixture
def nlp():
    return lexpool.load(FOLDER)


@pytest.fixture
def folder(tmp_path):
    return Path(shutil.copytree(FOLDER, tmp_path / "saved"))


def contents(folder):
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


class Unsaved:
    """A component of the user whose files cannot be written."""

    def __call__(self, doc):
        return doc

    def to_disk(self, path, exclude=()):
        raise RuntimeError("the disk is full")


@Language.factory("test-unsaved")
def unsaved(nlp, name):
    return Unsaved()


def test_a_failed_save_leaves_the_files_of_an_intact_folder(nlp, folder, monkeypatch):
    def failing(*_, **__):
        raise ValueError("[E109] no weights")

    before = contents(folder)
    monkeypatch.setattr(nlp.add_pipe("senter"), "to_disk", failing)
    with pytest.raises(ValueError, match="E109"):
        nlp.to_disk(folder)
    assert contents(folder) == before


def test_a_component_of_the_user_that_fails_leaves_a_folder_that_loads(nlp, folder):
    nlp.add_pipe("test-unsaved")
    nlp.remove_pipe("tagger")
    with pytest.raises(RuntimeError, match="disk is full"):
        nlp.to_disk(folder)
    again = lexpool.load(folder)
    assert "tagger" in again.pipe_names and "test-unsaved" not in again.pipe_names
    assert again(TEXT).to_json() == lexpool.load(FOLDER)(TEXT).to_json()


@pytest.mark.parametrize("part", PARTS)
def test_one_name_leaves_one_component_out(nlp, part, tmp_path):
    assert part not in nlp.config["nlp"]["disabled"]
    nlp.to_disk(tmp_path / "saved", exclude=part)
    assert {path.name for path in (tmp_path / "saved").iterdir()} == {
        *RESERVED, *nlp.component_names,
    } - {part}  # fmt: skip
    found = lexpool.msgpack.unpackb(nlp.to_bytes(exclude=part))
    assert set(nlp.component_names) - set(found) == {part}


def test_one_name_disables_one_component(nlp):
    for name in ("tagger", "textcat", "spancat"):
        calls = []
        for other, component in nlp.pipeline:
            # A method of its own has the component called from Python.
            own = type(component).set_annotations
            component.set_annotations = lambda docs, scores, other=other, own=own: calls.append(
                (other, own(nlp.get_pipe(other), docs, scores))
            )
        nlp(TEXT, disable=name)
        assert name not in dict(calls) and len(calls) == len(nlp.pipe_names) - 1
        calls.clear()
        list(nlp.pipe([TEXT], disable=name))
        assert name not in dict(calls) and len(calls) == len(nlp.pipe_names) - 1


@pytest.mark.parametrize("name", ["tagger", "entity_linker"])
def test_one_name_leaves_one_part_of_a_component_out(nlp, name, tmp_path):
    component = nlp.get_pipe(name)
    assert "vocab" not in lexpool.msgpack.unpackb(component.to_bytes(exclude="vocab"))
    component.to_disk(tmp_path / "saved", exclude="vocab")
    assert not (tmp_path / "saved" / "vocab").exists()
    component.from_disk(tmp_path / "saved", exclude="vocab")
    component.from_bytes(component.to_bytes(exclude="model"), exclude="cfg")


@pytest.mark.parametrize("name", ["tagger", "entity_linker"])
@pytest.mark.parametrize("damaged", [b"[1]", b"{", b"5", b"\xff", b"[" * 100_000, b""])
def test_damaged_settings_are_refused_by_file_and_component(folder, name, damaged):
    file = folder / name / "cfg"
    file.write_bytes(damaged)
    with pytest.raises(ValueError, match=r"\[model-cfg\]") as caught:
        lexpool.load(folder)
    assert name in str(caught.value) and str(file) in str(caught.value)
    component = lexpool.load(FOLDER).get_pipe(name)
    parts = lexpool.msgpack.unpackb(component.to_bytes(exclude=["vocab"]))
    with pytest.raises(ValueError, match=rf"\[model-cfg\].*{name}"):
        component.from_bytes(lexpool.msgpack.packb({**parts, "cfg": damaged}))
    with pytest.raises(ValueError, match=rf"\[model-files\].*{name}.* got a int"):
        component.from_bytes(lexpool.msgpack.packb({**parts, "model": 5}))


def test_the_parts_of_a_linker_are_loaded_from_the_bytes_and_files_of_both(spacy, tmp_path):
    theirs = spacy.load(FOLDER).get_pipe("entity_linker")
    linker = lexpool.load(FOLDER).get_pipe("entity_linker")
    linker.cfg["overwrite"] = False
    linker.kb.add_entity("Q99", 3, [0.5] * linker.kb.entity_vector_length)
    theirs.from_bytes(linker.to_bytes())
    assert "Q99" in theirs.kb.get_entity_strings() and theirs.cfg["overwrite"] is False
    again = lexpool.load(FOLDER).get_pipe("entity_linker").from_bytes(theirs.to_bytes())
    assert set(again.kb.get_entity_strings()) == set(linker.kb.get_entity_strings())
    linker.to_disk(tmp_path / "linker")
    theirs.from_disk(tmp_path / "linker")
    theirs.to_disk(tmp_path / "theirs")
    again.from_disk(tmp_path / "theirs")
    assert set(again.kb.get_entity_strings()) == set(linker.kb.get_entity_strings())
    assert again.cfg == linker.cfg == theirs.cfg


@pytest.fixture
def named(spacy, tmp_path):
    """A folder of spaCy's whose vectors have a name."""
    nlp = spacy.blank("en")
    data = numpy.eye(2, 3, dtype="float32")
    nlp.vocab.vectors = spacy.vectors.Vectors(
        strings=nlp.vocab.strings, data=data, keys=["a", "b"], name="made_vectors"
    )
    nlp.to_disk(tmp_path / "named")
    return tmp_path / "named"


def test_the_name_of_vectors_is_loaded_and_saved(spacy, named, tmp_path):
    nlp = lexpool.load(named)
    nlp.to_disk(tmp_path / "again")
    loaded = (
        nlp,
        lexpool.load(tmp_path / "again"),
        lexpool.blank("en").from_bytes(nlp.to_bytes()),
        Language.from_spacy(spacy.load(named)),
        spacy.load(tmp_path / "again"),
    )
    for found in loaded:
        assert found.vocab.vectors.name == "made_vectors"
        assert found.meta["vectors"]["name"] == "made_vectors"
    assert json.loads((tmp_path / "again" / "meta.json").read_text())["vectors"]["name"]


def test_a_sourced_component_is_saved_without_references(folder, tmp_path):
    file = folder / "config.cfg"
    text = file.read_text()
    assert "overwrite = false" in text
    text = text.replace("overwrite = false", "overwrite = ${paths.overwrite}", 1)
    file.write_text(text.replace("[paths]", "[paths]\noverwrite = false", 1))
    source = lexpool.load(folder)
    nlp = lexpool.blank("xx")
    for name in source.pipe_names:
        nlp.add_pipe(name, source=source)
    nlp.to_disk(tmp_path / "sourced")
    assert lexpool.load(tmp_path / "sourced")(TEXT).to_json() == source(TEXT).to_json()


def test_a_component_from_a_pipeline_with_other_vectors_is_warned_about(nlp):
    blank = lexpool.blank("xx")
    blank.add_pipe("tok2vec", source=nlp)
    blank.vocab.vectors = Vectors(strings=blank.vocab.strings, shape=(2, 3))
    with pytest.warns(UserWarning, match=r"\[W113\] the component 'tagger'"):
        blank.add_pipe("tagger", source=nlp)
    assert blank.pipe_names == ["tok2vec", "tagger"]


def test_true_stands_for_a_new_vocab(nlp):
    for made in (
        lexpool.load(FOLDER, vocab=True),
        lexpool.blank("en", vocab=True),
        lexpool.blank("en", vocab=True, config={"nlp.batch_size": 5}),
        Language.from_config(nlp.config, vocab=True),
    ):
        assert len(made.vocab.strings) > 0
    with pytest.raises(TypeError):
        lexpool.blank("en", vocab=False)
