"""Descriptions of pipelines: their factories, folder, and what their components assign."""

from pathlib import Path

import pytest

import lexpool

FOLDER = Path(__file__).parents[1] / "files" / "pipelines" / "networks"
KEYS = ("summary", "problems", "attrs")


@pytest.mark.parametrize("names", [[], ["entity_linker", "parser"], ["tok2vec", "beam_ner"]])
def test_a_pipeline_is_analyzed_as_by_spacy(spacy, names):
    ours, theirs = lexpool.load(FOLDER, enable=names), spacy.load(FOLDER, enable=names)
    found, expected = ours.analyze_pipes(), theirs.analyze_pipes()
    assert tuple(found) == KEYS
    assert found == expected


def test_an_analysis_has_the_fields_that_were_asked_for():
    nlp = lexpool.blank("en")
    nlp.add_pipe("sentencizer")
    assert nlp.analyze_pipes(keys=["factory"])["summary"] == {
        "sentencizer": {"factory": "sentencizer"}
    }


def test_an_analysis_is_printed_with_its_problems(capsys):
    nlp = lexpool.blank("en")
    nlp.add_pipe("entity_linker")
    nlp.add_pipe(lambda doc: doc, name="own")
    nlp.analyze_pipes()
    assert capsys.readouterr().out == ""
    found = nlp.analyze_pipes(pretty=True)
    assert found["problems"]["own"] == []
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["#", "component", "assigns", "requires", "scores", "retokenizes"]
    assert lines[1].split()[:4] == ["0", "entity_linker", "token.ent_kb_id", "doc.ents"]
    assert lines[-1] == f"'entity_linker' requires {', '.join(found['problems']['entity_linker'])}"
    nlp.remove_pipe("entity_linker")
    nlp.analyze_pipes(pretty=True)
    assert capsys.readouterr().out.splitlines()[-1] == "No problems found."
    lexpool.blank("en").analyze_pipes(pretty=True)
    assert capsys.readouterr().out == "No problems found.\n"


def test_the_folder_of_a_pipeline_is_known():
    assert lexpool.load(FOLDER).path == FOLDER
    assert lexpool.load(str(FOLDER)).path == FOLDER
    assert lexpool.blank("en").path is None


def test_factories_are_listed_and_not_changed():
    nlp = lexpool.blank("en")
    assert list(nlp.factories) == list(nlp.factory_names)
    assert nlp.factories["sentencizer"](nlp, "own").name == "own"
    with pytest.raises(TypeError):
        nlp.factories["sentencizer"] = None


@pytest.mark.parametrize("names", [("tagger", "parser"), (["tagger", "parser"],)])
def test_components_are_disabled_by_the_old_name(names):
    nlp = lexpool.load(FOLDER)
    before = list(nlp.pipe_names)
    with pytest.warns(DeprecationWarning, match="W096"), nlp.disable_pipes(*names) as disabled:
        assert disabled == ["tagger", "parser"]
        assert nlp.pipe_names == [name for name in before if name not in ("tagger", "parser")]
    assert nlp.pipe_names == before


def test_the_parts_of_a_network_are_those_of_thinc(spacy, tmp_path):
    ours, theirs = lexpool.load(FOLDER), spacy.load(FOLDER)
    checked = 0
    for name, component in ours.components:
        model, other = component.model, theirs.get_pipe(name).model
        assert component.is_resizable == bool(theirs.get_pipe(name).is_resizable)
        pairs = [(model, other), *zip(model.walk(), other.walk(), strict=True)]
        for own, node in pairs:
            assert own.name == node.name
            assert own.dim_names == node.dim_names
            assert own.param_names == node.param_names
            assert own.ref_names == node.ref_names
            for dim in (*own.dim_names, "missing"):
                assert own.has_dim(dim) == node.has_dim(dim)
                assert own.maybe_get_dim(dim) == node.maybe_get_dim(dim)
            for param in (*own.param_names, "missing"):
                assert own.has_param(param) == node.has_param(param)
                values, expected = own.maybe_get_param(param), node.maybe_get_param(param)
                assert (values is None) == (expected is None)
                assert values is None or (values == expected).all()
            for ref in (*own.ref_names, "missing"):
                assert own.has_ref(ref) == node.has_ref(ref)
                found, expected = own.maybe_get_ref(ref), node.maybe_get_ref(ref)
                assert (found and found.name) == (expected and expected.name)
            checked += 1
        assert list(model.to_dict()) == list(other.to_dict())
        assert len(model.to_dict()["nodes"]) == len(pairs) - 1
        model.to_disk(tmp_path / "model")
        other.from_disk(tmp_path / "model")
        assert model.from_disk(tmp_path / "model").to_bytes() == other.to_bytes()
    assert checked > 50


def test_unknown_parts_of_a_network_are_errors():
    model = lexpool.load(FOLDER).get_pipe("textcat").model
    for get in (model.get_dim, model.get_param, model.get_ref):
        with pytest.raises(KeyError):
            get("missing")


@pytest.mark.parametrize(
    "name",
    "doc.ents token.tag doc._.own span._.own token._ doc span span.label tok.x doc.x.y "
    "doc._.a.b token.tag_ token.nope doc.to_json".split(),
)
def test_attributes_of_components_are_those_that_spacy_takes(spacy, name):
    outcomes = []
    for index, module in enumerate((spacy, lexpool)):
        for key in ("assigns", "requires"):
            try:
                module.language.Language.component(
                    f"own {name} {key} {index}".replace(".", " "), func=len, **{key: [name]}
                )
                outcomes.append("taken")
            except ValueError as error:
                outcomes.append(str(error)[:6])
    assert len(set(outcomes)) == 1, outcomes
