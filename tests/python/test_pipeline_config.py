"""Configurations, and pipelines in files: spaCy's form, both ways."""

import json

import pytest
from hypothesis import given, strategies as st

import lexpool
from lexpool.config import Config
from lexpool.errors import ConfigError

SAMPLE = """
[paths]
train = null
base = "/data"

[system]
seed = 3

[nlp]
lang = "en"
pipeline = ["a", "b"]
# A note.
number = "12"
list = [1, 2.5,
    "three"]

[nlp.tokenizer]
@tokenizers = "spacy.Tokenizer.v1"

[training]
seed = ${system.seed}
path = ${paths.base}/train
whole = ${nlp.tokenizer}
colon = ${system:seed}
"""


def test_a_configuration_is_read():
    config = Config.from_str(SAMPLE)
    assert config["nlp"] == {
        "lang": "en",
        "pipeline": ["a", "b"],
        "number": "12",
        "list": [1, 2.5, "three"],
        "tokenizer": {"@tokenizers": "spacy.Tokenizer.v1"},
    }
    assert config["training"] == {
        "seed": 3,
        "path": "/data/train",
        "whole": {"@tokenizers": "spacy.Tokenizer.v1"},
        "colon": 3,
    }
    raw = Config.from_str(SAMPLE, interpolate=False)
    assert raw["training"]["seed"] == "${system.seed}"
    assert raw.interpolate() == config
    assert Config.from_str(raw.to_str(), interpolate=False) == raw


def test_values_are_overridden_by_name():
    overrides = {"system.seed": 7, "nlp.new": [1]}
    config = Config.from_str(SAMPLE, overrides=overrides)
    assert config["training"]["seed"] == 7 and config["nlp"]["new"] == [1]
    for name in ("seed", "none.seed", "nlp.none.seed"):
        with pytest.raises(ConfigError, match="overridden"):
            Config.from_str(SAMPLE, overrides={name: 1})


@pytest.mark.parametrize(
    "text, said",
    [
        ("a = 1", 'line 1: expected the name of a section.* before "a = 1"'),
        ("[a]\nb", 'line 2: in \\[a\\], expected .key = value., got "b"'),
        ("[a]\nb = 1\nb = 2", 'line 3: \\[a\\] has "b" twice'),
        ("[a]\n[a]", "line 2: a second section \\[a\\]"),
        ("[a.b]", "the section \\[a\\] is missing, which must come before \\[a.b\\]"),
        ("[a]\nb = 1\n[a.b]\nc = 1", '"b" as a value and as a section'),
        ("[a..b]", "not the name of a section"),
        ("[a]\nb = ${c.d}", 'a.b: \\$\\{c.d\\} refers to "c", which is missing'),
        ("[a]\nb = ${a.c}\nc = ${a.b}", "back to itself"),
        ("[a]\nb = x${c}\n[c]\nd = 1", "cannot be part of a text"),
    ],
)
def test_what_is_wrong_is_named_with_file_section_and_key(tmp_path, text, said):
    path = tmp_path / "some.cfg"
    path.write_text(text, encoding="utf8")
    with pytest.raises(ConfigError, match=said) as caught:
        Config.from_disk(path)
    assert "some.cfg" in str(caught.value)


def test_what_is_no_text_or_no_json_is_refused(tmp_path):
    path = tmp_path / "some.cfg"
    path.write_bytes(b"[a]\nb = \xff")
    with pytest.raises(ConfigError, match="UTF-8"):
        Config.from_disk(path)
    with pytest.raises(ConfigError, match="E961.*a.b"):
        Config({"a": {"b": {1, 2}}}).to_str()
    with pytest.raises(ConfigError, match='expected a section for "a"'):
        Config({"a": 1}).to_str()


def test_a_section_of_another_function_takes_the_place_of_one():
    config = Config({"a": {"f": {"@misc": "one", "x": 1}, "g": {"@misc": "one", "x": 1}, "y": 2}})
    merged = config.merge({"a": {"f": {"@misc": "two"}, "g": {"x": 3}}, "b": {}})
    assert merged == {"a": {"f": {"@misc": "two"}, "g": {"@misc": "one", "x": 3}, "y": 2}, "b": {}}
    assert config["a"]["g"]["x"] == 1


KEYS = st.text("abcXYZ_@019-", min_size=1, max_size=6).filter(lambda key: key[0] not in "-")
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**12), 10**12) | st.floats(allow_nan=False,
    allow_infinity=False) | st.text(max_size=8).filter(lambda text: "${" not in text),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=5,
)  # fmt: skip
SECTIONS = st.recursive(
    st.dictionaries(KEYS, VALUES, max_size=3),
    lambda inner: st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(KEYS, SECTIONS, max_size=3))
def test_what_is_written_is_what_spacy_reads(data):
    theirs = pytest.importorskip("confection")
    if any(not isinstance(section, dict) for section in data.values()):
        return
    written = Config(data).to_str()
    assert Config.from_str(written) == data
    assert theirs.Config().from_str(written) == data
    assert Config.from_str(theirs.Config(data).to_str(interpolate=False)) == data
    assert Config.from_str(Config.from_str(written, interpolate=False).to_str()) == data


# spaCy writes such keys so that it reads others, or none.
HARD_KEYS = st.text("ab.=:#;[] \n\r", max_size=4)
HARD = st.recursive(
    st.integers(0, 9), lambda inner: st.dictionaries(HARD_KEYS, inner, max_size=3), max_leaves=6
)


@given(st.dictionaries(KEYS, HARD, max_size=3))
def test_keys_that_cannot_begin_a_line_are_written_within_values(data):
    theirs = pytest.importorskip("confection")
    written = Config({"a": data}).to_str()
    assert Config.from_str(written) == {"a": data}
    assert theirs.Config().from_str(written) == {"a": data}


def test_sections_stay_sections_if_only_their_names_are_hard():
    text = "[a]\n\n[a.#x]\n\n[a. b=c]\nd = 1\n\n[a.[e:f]]\n\n[a. b=c.;g]\nh = 2"
    assert Config.from_str(text).to_str() == text


def test_keys_that_begin_lines_only_here_come_back():
    for text in ("[a]\n[x = [1\n\t]", "[a]\n[x:\ry = 1", "[a]\n\n[a.\tb]\n[x = 1"):
        assert Config.from_str(text).to_str() == text


@given(st.lists(st.text("${}.a=", max_size=8) | st.just("${a.x}"), max_size=4))
def test_dollar_signs_beside_references_come_back(texts):
    held = {"a": {"x": texts, "y": {"=": texts, "$": 1, **dict.fromkeys(texts)}}}
    written = Config(held).to_str()
    assert Config.from_str(written, interpolate=False) == held


@lexpool.Language.component("for_files")
def for_files(doc):
    doc.user_data["came by"] = True
    return doc


def saved(tmp_path):
    nlp = lexpool.blank("en", meta={"name": "mine", "version": "1.2.3"})
    nlp.add_pipe("for_files")
    nlp.add_pipe(lexpool.ops.doc.words, name="words")
    nlp.add_pipe("for_files", name="off")
    nlp.disable_pipe("off")
    nlp.tokenizer.add_special_case("gimme", [{"ORTH": "gim"}, {"ORTH": "me"}])
    nlp.batch_size = 17
    nlp("some strings")
    nlp.to_disk(tmp_path / "pipeline")
    return nlp


def same(one, other):
    assert one.component_names == other.component_names
    assert one.pipe_names == other.pipe_names
    assert one.pipe_factories == other.pipe_factories
    assert one.batch_size == other.batch_size == 17
    assert one.meta == other.meta
    text = "Let's go, gimme that. It's U.S. text!"
    assert [token.text for token in one(text)] == [token.text for token in other(text)]
    assert one(text).user_data == other(text).user_data


def test_a_pipeline_comes_back_from_a_folder(tmp_path):
    nlp = saved(tmp_path)
    folder = tmp_path / "pipeline"
    assert {path.name for path in folder.iterdir()} == {
        "meta.json", "config.cfg", "tokenizer", "vocab", "written-together",
    }  # fmt: skip
    same(nlp, lexpool.load(folder))
    assert json.loads((folder / "meta.json").read_text(encoding="utf8"))["name"] == "mine"
    assert lexpool.load(folder).disabled == ["off"]
    assert "strings" in lexpool.load(folder).vocab.strings


def test_a_pipeline_comes_back_from_bytes(tmp_path):
    nlp = saved(tmp_path)
    other = lexpool.Language.from_config(nlp.config)
    same(nlp, other.from_bytes(nlp.to_bytes()))
    with pytest.raises(ValueError):
        other.from_bytes(b"nothing of the kind")


def test_components_are_chosen_when_a_pipeline_is_loaded(tmp_path):
    saved(tmp_path)
    folder = str(tmp_path / "pipeline")
    assert lexpool.load(folder, exclude="words").component_names == ["for_files", "off"]
    assert lexpool.load(folder, exclude=["words", "off"]).component_names == ["for_files"]
    assert lexpool.load(folder, disable="words").pipe_names == ["for_files"]
    assert lexpool.load(folder, enable="words").pipe_names == ["words"]
    with pytest.raises(ValueError, match="E1042"):
        lexpool.load(folder, enable=["words"], disable=["words"])
    # The configuration disables "off".
    with pytest.raises(ValueError, match=r"\[E1042\] off .*nlp\.disabled"):
        lexpool.load(folder, enable=["words", "off"])
    enabled = lexpool.load(folder, enable=["words", "off"], config={"nlp.disabled": []})
    assert enabled.pipe_names == ["words", "off"]
    assert lexpool.load(folder, config={"nlp": {"batch_size": 3}}).batch_size == 3
    assert lexpool.load(folder, config={"nlp.batch_size": 4}).batch_size == 4


def test_a_folder_that_holds_no_pipeline_is_refused(tmp_path):
    with pytest.raises(OSError, match="E050"):
        lexpool.load(tmp_path / "none")
    with pytest.raises(OSError, match="E053"):
        lexpool.load(tmp_path)
    with pytest.raises(OSError, match="E052"):
        lexpool.blank("en").from_disk(tmp_path / "none")


@pytest.mark.parametrize(
    "update, said",
    [
        ({"components": {"words": {"factory": "transformer"}}}, "components.words.*E002.*exclude="),
        ({"components": {"words": {"factory": "op", "op": "doc.words", "x": 1}}}, "'x'"),
        ({"nlp": {"pipeline": ["none"]}}, 'E956.*"none"'),
        ({"nlp": {"lang": 3}}, '"lang" is 3'),
        ({"nlp": {"before_creation": {"@callbacks": "x"}}}, "before_creation"),
        ({"nlp": {"tokenizer": {"@tokenizers": "other.v1"}}}, "nlp.tokenizer.*other.v1"),
    ],
)
def test_what_lexpool_does_not_have_is_named(tmp_path, update, said):
    saved(tmp_path)
    with pytest.raises(ValueError, match=said):
        lexpool.load(tmp_path / "pipeline", config=update)


@pytest.mark.parametrize(
    ("update", "missing"),
    [
        ({"components": {"wordz": {"op": "doc.words"}}}, "components.wordz"),
        ({"components.wordz.op": "doc.words"}, "components.wordz"),
        ({"batch_size": 3}, "expected a section and a key"),
    ],
)
def test_settings_of_missing_sections_are_refused_nested_or_dotted(tmp_path, update, missing):
    saved(tmp_path)
    with pytest.raises(ConfigError, match=missing):
        lexpool.load(tmp_path / "pipeline", config=update)


def test_settings_without_end_are_refused(tmp_path):
    saved(tmp_path)
    endless = {}
    endless["nlp"] = endless
    with pytest.raises(ConfigError, match="more than 100 levels"):
        lexpool.load(tmp_path / "pipeline", config=endless)


def test_a_function_among_nested_settings_replaces_its_section(tmp_path):
    saved(tmp_path)
    tokenizer = {"@tokenizers": "spacy.Tokenizer.v1"}
    nlp = lexpool.load(
        tmp_path / "pipeline", config={"nlp": {"batch_size": 3, "tokenizer": tokenizer}}
    )
    assert nlp.batch_size == 3
    assert nlp.config["nlp"]["tokenizer"] == tokenizer


def test_a_blank_pipeline_is_loaded_by_its_language():
    nlp = lexpool.load("blank:de", config={"nlp": {"batch_size": 3}})
    assert (nlp.lang, nlp.batch_size, nlp.pipe_names) == ("de", 3, [])
    assert lexpool.load("blank:de", numerics="blis-skx").numerics == "blis-skx"


def test_a_configuration_makes_a_pipeline():
    config = lexpool.blank("en", config={"nlp": {"batch_size": 5}}).config
    config["components"] = {"mine": {"factory": "for_files"}}
    config["nlp"]["pipeline"] = ["mine"]
    nlp = lexpool.Language.from_config(config)
    assert nlp.pipe_names == ["mine"] and nlp.batch_size == 5
    assert nlp.config["components"]["mine"]["factory"] == "for_files"
    with pytest.raises(ConfigError, match="E985"):
        lexpool.Language.from_config({})
    with pytest.raises(ConfigError, match="E984"):
        lexpool.Language.from_config(
            config.merge({"components": {"mine": {"factory": None}}}) | {"components": {"mine": {}}}
        )


def test_a_component_is_taken_from_another_folder(tmp_path):
    saved(tmp_path)
    nlp = lexpool.Language.from_config(
        {
            "nlp": {"lang": "en", "pipeline": ["mine"]},
            "components": {"mine": {"source": str(tmp_path / "pipeline"), "component": "words"}},
        }
    )
    assert nlp("a b").user_data == {"mine": ["a", "b"]}


def test_a_blank_pipeline_of_spacys_loads_here_and_one_of_lexpools_there(tmp_path):
    spacy = pytest.importorskip("spacy")
    theirs = spacy.blank("en")
    theirs.tokenizer.add_special_case("gimme", [{"ORTH": "gim"}, {"ORTH": "me"}])
    theirs.to_disk(tmp_path / "theirs")
    text = "Let's go, gimme that: it's U.S. text (I've read it)!"
    words = [token.text for token in theirs(text)]
    ours = lexpool.load(tmp_path / "theirs")
    assert [token.text for token in ours(text)] == words
    ours.to_disk(tmp_path / "ours")
    assert [token.text for token in spacy.load(tmp_path / "ours")(text)] == words
    nlp = lexpool.blank("en")
    nlp.tokenizer.add_special_case("gimme", [{"ORTH": "gim"}, {"ORTH": "me"}])
    nlp.to_disk(tmp_path / "blank")
    loaded = spacy.load(tmp_path / "blank")
    assert [token.text for token in loaded(text)] == [token.text for token in nlp(text)]


def test_what_is_changed_in_a_configuration_in_place_stays(tmp_path):
    nlp = lexpool.blank("en")
    nlp.config["training"]["seed"] = 7
    nlp.config["initialize"]["components"]["entity_ruler"] = {
        "patterns": [{"label": "A", "pattern": "b"}]
    }
    nlp.add_pipe("entity_ruler")
    assert nlp.config["training"]["seed"] == 7
    assert nlp.config["nlp"]["pipeline"] == ["entity_ruler"]
    nlp.initialize()
    assert [ent.label_ for ent in nlp("a b").ents] == ["A"]
    nlp.to_disk(tmp_path)
    assert lexpool.load(tmp_path).config["training"]["seed"] == 7
    assert lexpool.blank("en").config["training"]["seed"] != 7


def test_settings_of_a_blank_pipeline_are_given_by_dotted_name():
    config = {"nlp.batch_size": 7, "training.seed": 3, "system": {"seed": 5}}
    nlp = lexpool.blank("en", config=config)
    assert nlp.batch_size == 7
    assert nlp.config["nlp"]["batch_size"] == 7
    assert nlp.config["training"]["seed"] == 3
    assert nlp.config["system"]["seed"] == 5
    with pytest.raises(ConfigError, match="no_such"):
        lexpool.blank("en", config={"no_such.section.key": 1})


@pytest.mark.parametrize(
    "factory, key, value",
    [
        ("entity_ruler", "overwrite_ents", "maybe"),
        ("entity_ruler", "validate", None),
        ("entity_ruler", "ent_id_sep", 1),
        ("entity_ruler", "phrase_matcher_attr", ["LOWER"]),
        ("sentencizer", "punct_chars", "abc"),
        ("sentencizer", "punct_chars", ["a", 1]),
        ("lemmatizer", "mode", None),
        ("token_splitter", "min_length", "long"),
        ("token_splitter", "min_length", True),
    ],
)
def test_a_setting_of_another_kind_is_named_with_its_section(factory, key, value, spacy):
    with pytest.raises(ConfigError, match=rf"\[components.own\]: '{key}' is .* not of the kind"):
        lexpool.blank("en").add_pipe(factory, name="own", config={key: value})
    parts = {
        "nlp": {"lang": "en", "pipeline": ["own"]},
        "components": {"own": {"factory": factory}},
    }
    parts["components"]["own"][key] = value
    with pytest.raises(ConfigError, match=rf"components.own.*{key}"):
        lexpool.Language.from_config(parts)
    if value is not True:
        with pytest.raises(ValueError):
            spacy.blank("en").add_pipe(factory, name="own", config={key: value})


def test_settings_of_all_kinds_that_there_are_may_be_given():
    nlp = lexpool.blank("en")
    nlp.add_pipe("sentencizer", config={"punct_chars": ["!"], "overwrite": True})
    nlp.add_pipe("entity_ruler", config={"phrase_matcher_attr": "LOWER"})
    nlp.add_pipe("future_entity_ruler", config={"phrase_matcher_attr": 65})
    nlp.add_pipe("span_ruler", config={"spans_key": None, "annotate_ents": True})
    assert len(nlp.pipe_names) == 4


@pytest.mark.parametrize("value", ["x", True, 1.5, [7]])
def test_a_batch_size_that_is_no_number_is_refused(value):
    with pytest.raises(ConfigError, match=r"\[nlp\].*batch_size"):
        lexpool.blank("en", config={"nlp": {"batch_size": value}})
    assert lexpool.blank("en", config={"nlp": {"batch_size": None}}).batch_size == 1000
