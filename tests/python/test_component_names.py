"""Names of components, which are names of files: those that lead elsewhere are refused everywhere."""

import pytest

import lexpool
from lexpool.config import Config
from lexpool.errors import ComponentNameError, ConfigError
from lexpool.language import Language
from lexpool.msgpack import packb, unpackb
from lexpool.pipeline import names

REFUSED = {
    "../escaped": "'/'",
    "../../escaped": "'/'",
    "/absolute": "'/'",
    "a/b": "'/'",
    "a\\b": "'\\\\'",
    "..\\escaped": "'\\\\'",
    "\\\\host\\share": "'\\\\'",
    "a\0b": "'\\x00'",
    "": "empty",
    ".": "dots and spaces",
    "..": "dots and spaces",
    ". .": "dots and spaces",
    "   ": "dots and spaces",
    "C:": "drive letter",
    "c:escaped": "drive letter",
    "tokenizer": "taken by another part",
    "Tokenizer": "taken by another part",
    "vocab": "taken by another part",
    "VOCAB. ": "taken by another part",
    "config.cfg": "taken by another part",
    "meta.json": "taken by another part",
    "Meta.JSON": "taken by another part",
    # A sentencizer adds `.json`, or has it for the ending that is there.
    "meta": "taken by another part",
    "meta.old": "taken by another part",
}
ALLOWED = ["tok2vec", "my ruler", "rules.v2", ".hidden", "..two", "ab:c", "meta_data", "vocabulary", "config", "n\u00e9", "<lambda>", "-"]


def config_with(name: str) -> Config:
    return Config(
        {"nlp": {"lang": "en", "pipeline": [name]}, "components": {name: {"factory": "sentencizer"}}}
    )


def is_name_of_a_section(name: str) -> bool:
    """Tells if a configuration in a file can hold the settings of such a component: dots are for sections
    within sections."""
    try:
        return Config.from_str(config_with(name).to_str())["components"].keys() == {name}
    except ConfigError:
        return False


@pytest.mark.parametrize(("name", "reason"), REFUSED.items())
def test_a_name_that_leads_elsewhere_is_refused_wherever_it_is_given(name, reason, tmp_path):
    nlp = lexpool.blank("en")
    nlp.add_pipe("sentencizer", name="fine")
    calls = {
        "add_pipe": lambda: nlp.add_pipe("sentencizer", name=name),
        "add_pipe, a function": lambda: nlp.add_pipe(lambda doc: doc, name=name or "/"),
        "add_pipe, from another": lambda: lexpool.blank("en").add_pipe("fine", name=name, source=nlp),
        "rename_pipe": lambda: nlp.rename_pipe("fine", name),
        "from_config": lambda: Language.from_config(config_with(name)),
        "blank": lambda: lexpool.blank("en", config=config_with(name)),
        "load": lambda: lexpool.load(tmp_path / "made"),
    }
    (tmp_path / "made").mkdir()
    config_with(name).to_disk(tmp_path / "made/config.cfg")
    if not is_name_of_a_section(name):
        del calls["load"]
    for where, call in calls.items():
        with pytest.raises(ComponentNameError, match=r"\[component-name\]") as raised:
            call()
        if name or where != "add_pipe, a function":
            assert repr(name) in str(raised.value), where
            assert reason in str(raised.value), where
        assert "give it another one" in str(raised.value)
    assert isinstance(raised.value, ValueError)
    assert nlp.pipe_names == ["fine"]


@pytest.mark.parametrize("name", REFUSED)
def test_a_component_that_has_such_a_name_nevertheless_is_not_saved_or_loaded(name, tmp_path, monkeypatch):
    folder = tmp_path / "a" / "b"
    folder.parent.mkdir()
    nlp = lexpool.blank("en")
    with monkeypatch.context() as patched:
        patched.setattr("lexpool.pipeline.components.check_name", lambda name: None)
        nlp.add_pipe("sentencizer", name=name)
    calls = [
        lambda: nlp.to_disk(folder),
        nlp.to_bytes,
        lambda: nlp.from_disk(tmp_path),
        lambda: nlp.from_bytes(lexpool.blank("en").to_bytes()),
    ]
    for call in calls:
        with pytest.raises(ComponentNameError):
            call()
    assert list(tmp_path.rglob("*")) == [folder.parent]


@pytest.mark.parametrize("name", ALLOWED)
def test_other_names_are_taken(name):
    nlp = lexpool.blank("en")
    nlp.add_pipe("sentencizer", name=name)
    nlp.rename_pipe(name, f"{name} 2")
    nlp.rename_pipe(f"{name} 2", name)
    assert nlp.pipe_names == [name]


@pytest.mark.parametrize("name", [name for name in ALLOWED if is_name_of_a_section(name)])
def test_other_names_are_saved_and_loaded_as_they_are(name, tmp_path):
    nlp = lexpool.blank("en")
    nlp.tokenizer.add_special_case("gimme", [{"ORTH": "gim"}, {"ORTH": "me"}])
    nlp.add_pipe("entity_ruler", name=name).add_patterns([{"label": "A", "pattern": "gim"}])
    nlp.to_disk(tmp_path / "made")
    loaded = lexpool.load(tmp_path / "made")
    other = lexpool.blank("en")
    other.add_pipe("entity_ruler", name=name)
    for back in (loaded, other.from_bytes(nlp.to_bytes())):
        assert back.pipe_names == [name]
        doc = back("gimme")
        assert [token.text for token in doc] == ["gim", "me"]
        assert [span.label_ for span in doc.ents] == ["A"]


def test_a_component_called_like_what_is_left_out_is_still_loaded(tmp_path):
    """`exclude=["config"]` stands for `config.cfg`, and for no component whose name begins so."""
    nlp = lexpool.blank("en")
    nlp.add_pipe("entity_ruler", name="config.old").add_patterns([{"label": "A", "pattern": "x"}])
    back = lexpool.blank("en")
    back.add_pipe("entity_ruler", name="config.old")
    back.from_bytes(nlp.to_bytes(), exclude=["config"])
    assert [span.label_ for span in back("x").ents] == ["A"]


def test_all_parts_of_a_pipeline_beside_its_components_are_reserved(tmp_path):
    nlp = lexpool.blank("en")
    nlp.to_disk(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == set(names.RESERVED)
    assert set(unpackb(nlp.to_bytes())) == set(names.RESERVED)
    # Bytes that have a part of another name are read without it.
    assert lexpool.blank("en").from_bytes(packb({"../escaped": b"x"})).pipe_names == []
