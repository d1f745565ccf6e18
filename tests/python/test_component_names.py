"""Names of components, which are names of files: those that lead elsewhere are refused
everywhere.
"""

import pytest

import lexpool
from lexpool._components import names
from lexpool.config import Config
from lexpool.errors import ComponentNameError, ConfigError
from lexpool.language import Language
from lexpool.msgpack import packb, unpackb

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
    "a\nb": "'\\n'",
    "x]\n[corpora.evil]": "'\\n'",
    "\x1b[31m": "'\\x1b'",
    "a\x7f": "'\\x7f'",
    "a\u2028b": "'\\u2028'",
    "a\udcff": "'\\udcff'",
}
ALLOWED = [
    "tok2vec",
    "my ruler",
    " ruler",
    "meta_data",
    "vocabulary",
    "config",
    "n\u00e9",
    "\u540d\U0001f600",
    "-",
    "[x]",
    "x]",
    "#x",
    "a=b",
    "$x$$",
    "console",
    "com10",
    "x" * 200,
    "\u00e9" * 100,
]
# Names that are good in memory, as in spaCy, whose parts no folder has on all systems.
NO_FILES = {
    "rules:v2": "':'",
    "*": "'*'",
    "what?": "'?'",
    'a"b': "'\"'",
    "<lambda>": "'<'",
    "a|b": "'|'",
    "aux": "device",
    "CON": "device",
    "LPT\u00b9": "device",
    "x" * 201: "more than 200 bytes",
    "\u00e9" * 101: "more than 200 bytes",
}
# The same for those that `config.cfg` does not have; spaCy writes them, and cannot load what it
# wrote.
NO_SECTIONS = {
    "rules.v2": "a section within another",
    ".hidden": "a section within another",
    "a.": "a section within another",
    "a ": "in a space",
    "a\u00a0": "in a space",
    "a${nlp}": "begins a reference",
}
# Names of one file on macOS or Windows.
SAME = [
    ("ner", "NER"),
    ("caf\u00e9", "cafe\u0301"),
    ("CAFE\u0301", "caf\u00e9"),
    ("stra\u00dfe", "STRASSE"),
    ("k", "\u212a"),
    ("ruler", "ruler. "),
    ("rules.v1", "Rules.V1"),
]
# Names whose components have one file, for which they change the ending.
SAME_BUT_FOR_ENDINGS = [
    ("rules.v1", "rules.v2"),
    ("x", "x.jsonl"),
    ("X.json", "x"),
    ("..one", "..two"),
]
WITHOUT_CONFIG = ["config"]


def config_with(name: str) -> Config:
    return Config(
        {
            "nlp": {"lang": "en", "pipeline": [name]},
            "components": {name: {"factory": "sentencizer"}},
        }
    )


def is_name_of_a_section(name: str) -> bool:
    """Tells if a configuration in a file can hold the settings of such a component: dots are for
    sections within sections."""
    try:
        return Config.from_bytes(config_with(name).to_bytes())["components"].keys() == {name}
    except (ConfigError, UnicodeEncodeError):
        return False


def pipeline_with(*given: str, factory: str = "entity_ruler") -> Language:
    """Makes a pipeline of components in which nothing has been looked at."""
    nlp = lexpool.blank("en")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("lexpool._components.components.check_name", lambda name, others=(): None)
        for name in given:
            nlp.add_pipe(factory, name=name)
    return nlp


def files_of(folder) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.mark.parametrize(("name", "reason"), REFUSED.items())
def test_a_name_that_leads_elsewhere_is_refused_wherever_it_is_given(name, reason, tmp_path):
    nlp = lexpool.blank("en")
    nlp.add_pipe("sentencizer", name="fine")
    calls = {
        "add_pipe": lambda: nlp.add_pipe("sentencizer", name=name),
        "add_pipe, a function": lambda: nlp.add_pipe(lambda doc: doc, name=name or "/"),
        "add_pipe, from another": lambda: lexpool.blank("en").add_pipe(
            "fine", name=name, source=nlp
        ),
        "rename_pipe": lambda: nlp.rename_pipe("fine", name),
        "from_config": lambda: Language.from_config(config_with(name)),
        "blank": lambda: lexpool.blank("en", config=config_with(name)),
        "load": lambda: lexpool.load(tmp_path / "made"),
    }
    (tmp_path / "made").mkdir()
    if is_name_of_a_section(name):
        config_with(name).to_disk(tmp_path / "made/config.cfg")
    else:
        del calls["load"]
    if "\udcff" in name:
        # No configuration can have it.
        for where in ("from_config", "blank"):
            with pytest.raises(ConfigError, match="E961"):
                calls.pop(where)()
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
def test_a_component_that_has_such_a_name_nevertheless_is_not_saved_or_loaded(name, tmp_path):
    folder = tmp_path / "a" / "b"
    folder.parent.mkdir()
    nlp = pipeline_with(name)
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


@pytest.mark.parametrize("name", [*ALLOWED, *NO_FILES, *NO_SECTIONS])
def test_other_names_are_taken(name):
    nlp = lexpool.blank("en")
    nlp.add_pipe("sentencizer", name=name)
    nlp.rename_pipe(name, f"{name} 2")
    nlp.rename_pipe(f"{name} 2", name)
    assert nlp.pipe_names == [name]
    assert len(list(nlp("One. Two.").sents)) == 2


@pytest.mark.parametrize("given", [5, None, 1.5, b"ner", ["ner"], {"ner": 1}], ids=repr)
def test_a_name_that_is_no_text_is_refused_wherever_it_is_given(given):
    nlp = lexpool.blank("en")
    nlp.add_pipe("sentencizer", name="fine")
    settings = {
        "nlp": {"lang": "en", "pipeline": [given]},
        "components": {"ner": {"factory": "sentencizer"}},
    }
    calls = [lambda: nlp.rename_pipe("fine", given)]
    if given is not None:
        calls.append(lambda: nlp.add_pipe("sentencizer", name=given))
    for call in calls:
        with pytest.raises(
            ComponentNameError, match=f"is a {type(given).__name__}, and expected is a text"
        ):
            call()
    for exclude in ([], ["ner"]):
        with pytest.raises(ValueError, match="nlp"):
            Language.from_config(settings, exclude=exclude)
    with pytest.raises(ValueError, match="nlp"):
        lexpool.blank("en", config=settings)
    assert nlp.pipe_names == ["fine"]


@pytest.mark.parametrize("given", [5, "ner", [5], [["ner"]], None], ids=repr)
def test_what_is_to_be_disabled_is_a_list_of_names(given):
    with pytest.raises(ConfigError, match=r'\[nlp\]: "disabled" is .*; expected a list of names'):
        Language.from_config({"nlp": {"lang": "en", "pipeline": [], "disabled": given}})


@pytest.mark.parametrize(("first", "second"), SAME)
def test_two_names_that_are_one_file_on_some_system_are_refused_wherever_they_are_given(
    first, second, tmp_path
):
    nlp = lexpool.blank("en")
    nlp.add_pipe("sentencizer", name=first)
    nlp.add_pipe("sentencizer", name="other")
    both = Config(
        {
            "nlp": {"lang": "en", "pipeline": [first, second]},
            "components": {first: {"factory": "sentencizer"}, second: {"factory": "sentencizer"}},
        }
    )
    calls = [
        lambda: nlp.add_pipe("sentencizer", name=second),
        lambda: nlp.add_pipe(lambda doc: doc, name=second),
        lambda: nlp.rename_pipe("other", second),
        lambda: Language.from_config(both),
    ]
    if is_name_of_a_section(first) and is_name_of_a_section(second):
        both.to_disk(tmp_path / "config.cfg")
        calls.append(lambda: lexpool.load(tmp_path))
    for call in calls:
        with pytest.raises(ComponentNameError, match="in the same file") as raised:
            call()
        assert repr(first) in str(raised.value)
        assert repr(second) in str(raised.value)
    assert nlp.pipe_names == [first, "other"]
    # The name of the component itself is not in the way.
    nlp.rename_pipe(first, second)
    assert nlp.pipe_names == [second, "other"]
    with pytest.raises(ValueError, match="E007"):
        nlp.add_pipe("sentencizer", name=second)


@pytest.mark.parametrize(("first", "second"), SAME)
def test_two_components_of_one_file_are_not_saved_or_loaded(first, second, tmp_path):
    nlp = pipeline_with(first, second)
    data = lexpool.blank("en").to_bytes()
    calls = [
        lambda: nlp.to_disk(tmp_path / "a"),
        nlp.to_bytes,
        lambda: nlp.from_disk(tmp_path),
        lambda: nlp.from_bytes(data),
    ]
    for call in calls:
        with pytest.raises(ComponentNameError, match="in the same file"):
            call()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("factory", ["sentencizer", "entity_ruler"])
@pytest.mark.parametrize(("first", "second"), SAME_BUT_FOR_ENDINGS)
def test_two_names_but_for_an_ending_are_taken_and_not_written_to_one_file(
    first, second, factory, tmp_path
):
    nlp = lexpool.blank("en")
    nlp.add_pipe(factory, name=first)
    nlp.add_pipe(factory, name=second)
    for call in (nlp.to_disk, nlp.from_disk):
        with pytest.raises(ComponentNameError, match="in the same file"):
            call(tmp_path, exclude=WITHOUT_CONFIG)
    assert list(tmp_path.iterdir()) == []
    nlp.to_disk(tmp_path, exclude=[*WITHOUT_CONFIG, second])
    nlp.from_disk(tmp_path, exclude=[*WITHOUT_CONFIG, second])


def test_functions_have_no_files_and_may_have_names_of_one(tmp_path):
    Language.component("as_it_is", func=as_it_is)
    nlp = lexpool.blank("en")
    for name in ("rules.v1", "rules.v2"):
        nlp.add_pipe("as_it_is", name=name)
    nlp.to_disk(tmp_path, exclude=WITHOUT_CONFIG)
    assert nlp.from_disk(tmp_path, exclude=WITHOUT_CONFIG).pipe_names == ["rules.v1", "rules.v2"]
    nlp.remove_pipe("rules.v1")
    nlp.rename_pipe("rules.v2", "rules:v2")
    nlp.to_disk(tmp_path)
    assert lexpool.load(tmp_path).pipe_names == ["rules:v2"]


def as_it_is(doc):
    return doc


@pytest.mark.parametrize(("name", "reason"), [*NO_FILES.items(), *NO_SECTIONS.items()])
def test_a_name_that_no_folder_has_is_refused_before_a_file_is_replaced(name, reason, tmp_path):
    good = lexpool.blank("en")
    good.add_pipe("entity_ruler", name="fine").add_patterns([{"label": "A", "pattern": "x"}])
    good.to_disk(tmp_path)
    before = files_of(tmp_path)
    nlp = lexpool.blank("en", config={"nlp.batch_size": 7})
    nlp.add_pipe("entity_ruler", name=name)
    with pytest.raises(ComponentNameError, match=reason) as raised:
        nlp.to_disk(tmp_path)
    assert "rename_pipe" in str(raised.value)
    assert files_of(tmp_path) == before


@pytest.mark.parametrize("name", NO_SECTIONS)
def test_a_name_that_no_configuration_has_is_saved_only_without_it(name, tmp_path):
    nlp = lexpool.blank("en")
    nlp.add_pipe("entity_ruler", name=name).add_patterns([{"label": "A", "pattern": "x"}])
    for exclude in ([], ["meta.json"], [name]):
        for write in (nlp.to_bytes, lambda exclude: nlp.to_disk(tmp_path, exclude=exclude)):
            with pytest.raises(ComponentNameError):
                write(exclude=exclude)
    assert list(tmp_path.iterdir()) == []
    back = pipeline_with(name).from_bytes(nlp.to_bytes(exclude=WITHOUT_CONFIG))
    assert [span.label_ for span in back("x").ents] == ["A"]
    if name[-1].isalnum():
        nlp.to_disk(tmp_path, exclude=WITHOUT_CONFIG)
        back = pipeline_with(name).from_disk(tmp_path, exclude=WITHOUT_CONFIG)
        assert [span.label_ for span in back("x").ents] == ["A"]


@pytest.mark.parametrize("name", NO_FILES)
def test_bytes_have_names_that_no_file_has(name):
    nlp = lexpool.blank("en")
    nlp.add_pipe("entity_ruler", name=name).add_patterns([{"label": "A", "pattern": "x"}])
    back = pipeline_with(name).from_bytes(nlp.to_bytes())
    assert [span.label_ for span in back("x").ents] == ["A"]


@pytest.mark.parametrize(
    ("part", "invalidate"),
    {
        "meta.json": lambda nlp: nlp.meta.update(made={1, 2}),
        "config.cfg": lambda nlp: nlp.config["nlp"].update(made={1, 2}),
        "config.cfg, in UTF-8": lambda nlp: nlp.config["nlp"].update({"a\udcff": 1}),
    }.items(),
)
def test_what_cannot_be_written_fails_before_a_file_is_replaced(part, invalidate, tmp_path):
    lexpool.blank("en").to_disk(tmp_path)
    before = files_of(tmp_path)
    nlp = lexpool.blank("en", config={"nlp.batch_size": 7}, meta={"name": "another"})
    nlp.tokenizer.add_special_case("gimme", [{"ORTH": "gim"}, {"ORTH": "me"}])
    invalidate(nlp)
    with pytest.raises((TypeError, ValueError)):
        nlp.to_disk(tmp_path)
    assert files_of(tmp_path) == before


@pytest.mark.parametrize("name", ALLOWED)
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
    back.from_bytes(nlp.to_bytes(exclude=["config"]), exclude=["config"])
    assert [span.label_ for span in back("x").ents] == ["A"]


def test_all_parts_of_a_pipeline_beside_its_components_are_reserved(tmp_path):
    nlp = lexpool.blank("en")
    nlp.to_disk(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == set(names.RESERVED)
    assert set(unpackb(nlp.to_bytes())) == set(names.RESERVED) - {"written-together"}
    # Bytes that have a part of another name are read without it.
    assert lexpool.blank("en").from_bytes(packb({"../escaped": b"x"})).pipe_names == []
