"""Files of look-up tables: the results of tables in memory, from a file that is mapped."""

import copy
import gzip
import importlib.metadata
import json
import pickle
import sys

import pytest
import spacy.lookups
from hypothesis import given, strategies as st

import lexpool
from lexpool._core import main
from lexpool.lookups import Lookups, Table, load_lookups
from lexpool.strings import get_string_id

TABLES = {
    "lemma_lookup": {"went": "go", "mice": "mouse", "": "nothing", "NOUN": "noun", "is": "be"},
    "lemma_rules": {"noun": [["s", ""], ["ies", "y"]], "verb": [["ing", ""], ["ing", "e"]]},
    "lemma_exc": {"noun": {"mice": ["mouse"], "axes": ["axis", "ax"]}, "verb": {"went": ["go"]}},
    "lemma_index": {"noun": ["city", "mouse"], "verb": ["go", "bake"]},
    "lexeme_norm": {"gonna": "going to", "colour": "color"},
    "lexeme_prob": {"the": -3.25, "of": -4, "rare": -19.502029418945312},
    "empty": {},
}


def write_tables(folder, tables, lang="xx"):
    for name, table in tables.items():
        text = json.dumps(table).encode()
        if name.startswith("lemma"):
            (folder / f"{lang}_{name}.json.gz").write_bytes(gzip.compress(text))
        else:
            (folder / f"{lang}_{name}.json").write_bytes(text)


def build(*args):
    assert main(["lexpool", "lookups", "build", *map(str, args)], []) == 0


@pytest.fixture
def file(tmp_path):
    write_tables(tmp_path, TABLES)
    build(tmp_path)
    return tmp_path / "xx.lookups"


@pytest.mark.parametrize("name", TABLES)
def test_a_table_in_a_file_has_the_results_of_one_in_memory(file, name):
    expected = Table(name, TABLES[name])
    words = [*TABLES[name], "other", *(get_string_id(word) for word in TABLES[name]), 12345]

    def results(table):
        found = [(word in table, table.get(word), table.get(word, 5)) for word in words]
        return [*found, len(table), table.name, bool(table)]

    table = Lookups.open(file).get_table(name)
    assert isinstance(table, Table)
    # Before and after the entries are read into memory, by each way of reading them.
    for read in (lambda: None, lambda: list(table), table.items):
        read()
        assert results(table) == results(expected)
        with pytest.raises(KeyError, match=str(get_string_id("other"))):
            table["other"]
        assert all(table[word] == expected[word] for word in TABLES[name])
    assert list(table.items()) == list(expected.items()) and list(table) == list(expected)


WAYS = {
    "items": lambda table: list(table.items()),
    "keys": lambda table: list(table.keys()),
    "values": lambda table: list(table.values()),
    "reversed": lambda table: list(reversed(table)),
    "dict": dict,
    "unpacked": lambda table: {1: 2, **table},
    "copy": lambda table: dict(copy.copy(table).items()),
    "method copy": lambda table: dict(table.copy().items()),
    "deep copy": lambda table: dict(copy.deepcopy(table).items()),
    "pickle": lambda table: dict(pickle.loads(pickle.dumps(table)).items()),
    "json": lambda table: json.dumps(dict(table)),
    "bytes": lambda table: table.to_bytes(),
    "repr": lambda table: repr(table).replace("_FileTable", "Table"),
    "bloom": lambda table: table.bloom.to_bytes(),
    "union": lambda table: dict(table | {"new": 1}),
    "right union": lambda table: dict({"new": 1} | table),
    "pop": lambda table: (table.pop("went", None), dict(table)),
    "popitem": lambda table: (len(table) and table.popitem(), dict(table)),
    "set": lambda table: (table.set("went", 7), table["went"], dict(table)),
    "setdefault": lambda table: (table.setdefault(get_string_id("new"), 7), dict(table)),
    "update": lambda table: (table.update({"went": 1, "new": 2}), dict(table)),
    "clear": lambda table: (table.clear(), len(table), dict(table)),
}


@pytest.mark.parametrize("way", WAYS)
def test_whatever_uses_a_whole_table_sees_all_of_it(file, way):
    for name, entries in TABLES.items():
        found = WAYS[way](Lookups.open(file).get_table(name))
        assert found == WAYS[way](Table(name, entries)), name


def test_tables_are_equal_to_those_in_memory_from_both_sides(file):
    for name, entries in TABLES.items():
        open_table = Lookups.open(file).get_table
        table = Table(name, entries)
        assert open_table(name) == table and table == open_table(name)
        assert not (open_table(name) != table) and open_table(name) == open_table(name)
        assert open_table(name) != Table(name, {"other": 1})


def test_a_value_with_parts_that_is_changed_stays_changed(file):
    table = Lookups.open(file).get_table("lemma_exc")
    table["noun"]["dice"] = ["die"]
    assert table["noun"]["dice"] == ["die"] and table.get("noun")["mice"] == ["mouse"]
    assert Lookups.open(file).get_table("lemma_exc")["noun"].keys() == {"mice", "axes"}


def test_the_bytes_of_opened_lookups_are_those_that_spacy_reads(file, tmp_path):
    lookups, own = Lookups.open(file), Lookups()
    for name in lookups.tables:
        own.add_table(name, TABLES[name])
    assert lookups.to_bytes() == own.to_bytes()
    assert spacy.lookups.Lookups().from_bytes(lookups.to_bytes()).tables == lookups.tables
    lookups.to_disk(tmp_path / "bin")
    assert Lookups().from_disk(tmp_path / "bin").get_table("lexeme_prob")["the"] == -3.25


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False)
    | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(st.dictionaries(st.text(max_size=4), JSON, max_size=12))
def test_any_json_comes_back_as_python_reads_it(tmp_path_factory, entries):
    folder = tmp_path_factory.mktemp("tables")
    (folder / "xx_t.json").write_text(json.dumps(entries), encoding="utf8")
    build(folder)
    expected = Table("t", json.loads(json.dumps(entries)))
    lookups = Lookups.open(folder / "xx.lookups", verify=True)
    # The written form tells 1 from 1.0 and True, which are equal in Python.
    assert lookups.get_table("t").to_bytes() == expected.to_bytes()


def test_a_damaged_file_is_refused_by_a_code(file):
    data = file.read_bytes()
    for changed, verify, code in [
        (b"", False, "container-truncated"),
        (b"x" + data[1:], False, "container-kind"),
        (data[:20] + b"\2" + data[21:], False, "container-version"),
        (data[:-1], False, "container-truncated"),
        (data[:-2] + b"!" + data[-1:], False, "container-checksum"),
        (data[:64] + bytes([data[64] ^ 1]) + data[65:], True, "container-checksum"),
    ]:
        file.write_bytes(changed)
        with pytest.raises(ValueError, match=rf"\[{code}\].*xx\.lookups|{code}"):
            Lookups.open(file, verify=verify)
    with pytest.raises(FileNotFoundError):
        Lookups.open(file.with_name("none"))


# --- tables of an installed package


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package as spacy-lookups-data is, which cannot be imported."""
    folder = tmp_path / "spacy_lookups_data"
    (folder / "data").mkdir(parents=True)
    (folder / "__init__.py").write_text("raise AssertionError('the package was imported')")
    write_tables(folder / "data", TABLES)
    write_tables(folder / "data", {"lemma_lookup": {"ging": "gehen"}}, lang="de")
    info = tmp_path / "spacy_lookups_data-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Name: spacy_lookups_data\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[spacy_lookups]\nxx = spacy_lookups_data:xx\nde = spacy_lookups_data:de\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    importlib.metadata.MetadataPathFinder().invalidate_caches()
    monkeypatch.delitem(sys.modules, "spacy_lookups_data", raising=False)
    return folder / "data"


def is_in_file(table):
    return getattr(table, "_mapped", None) is not None


def test_tables_of_the_usual_package_are_found_without_an_import(package):
    for built in (False, True):
        if built:
            build()
        lookups = load_lookups("xx", TABLES)
        for name, entries in TABLES.items():
            assert is_in_file(lookups.get_table(name)) == built
            assert lookups.get_table(name) == Table(name, entries)
        with pytest.raises(ValueError, match="E955.*other"):
            load_lookups("xx", ["other"])
        assert load_lookups("xx", ["other"], strict=False).tables == ["other"]
    assert sorted(path.name for path in package.glob("*.lookups")) == ["de.lookups", "xx.lookups"]


def test_a_file_is_left_out_once_its_package_is_updated_or_it_is_damaged(package):
    build()
    write_tables(package, {"lexeme_norm": {"gonna": "gone to", "colour": "color"}})
    table = load_lookups("xx", ["lexeme_norm"]).get_table("lexeme_norm")
    assert not is_in_file(table) and table["gonna"] == "gone to"
    assert is_in_file(load_lookups("de", ["lemma_lookup"]).get_table("lemma_lookup"))
    (package / "de.lookups").write_bytes(b"lexpool\0lookups")
    table = load_lookups("de", ["lemma_lookup"]).get_table("lemma_lookup")
    assert not is_in_file(table) and table["ging"] == "gehen"


def test_a_lemmatizer_looks_words_up_in_the_file(package):
    build()
    nlp = lexpool.blank("de")
    lemmatizer = nlp.add_pipe("lemmatizer")
    nlp.initialize()
    table = lemmatizer.lookups.get_table("lemma_lookup")
    assert [token.lemma_ for token in nlp("Er ging weg")] == ["Er", "gehen", "weg"]
    assert lemmatizer.lookup_lemmatize(nlp("ging")[0]) == ["gehen"]
    assert is_in_file(table)
    table["weg"] = "fort"
    assert not is_in_file(table)
    assert [token.lemma_ for token in nlp("Er ging weg")] == ["Er", "gehen", "fort"]


@pytest.mark.parametrize("words", ["cities axes mice dogs", "baking went dishes"])
def test_rules_of_a_file_are_those_in_memory(file, words):
    made = []
    for opened in (False, True):
        lookups = Lookups.open(file) if opened else Lookups()
        for name in TABLES if not opened else ():
            lookups.add_table(name, TABLES[name])
        nlp = lexpool.blank("en")
        nlp.add_pipe("lemmatizer", config={"mode": "rule"}).initialize(lookups=lookups)
        doc = nlp.make_doc(words)
        for token in doc:
            token.pos_ = "NOUN" if "axes" in words else "VERB"
        made.append([token.lemma_ for token in nlp(doc)])
        if opened:
            assert is_in_file(lookups.get_table("lemma_exc"))
    assert made[0] == made[1]


def test_a_pipeline_is_initialized_with_the_tables_that_its_configuration_names(package):
    build()
    block = {"@misc": "spacy.LookupsDataLoader.v1", "lang": "xx"}
    config = {"initialize": {"lookups": {**block, "tables": ["lexeme_norm", "lexeme_prob"]}}}
    nlp = lexpool.blank("en", config=config)
    assert nlp.vocab["gonna"].prob == -20
    nlp.initialize()
    assert (nlp.vocab["colour"].norm_, nlp.vocab["the"].prob) == ("color", -3.25)
    assert is_in_file(nlp.vocab.lookups.get_table("lexeme_prob"))
    for wrong in ({**block, "tables": ["none"]}, {"@misc": "mine.v1"}):
        nlp = lexpool.blank("en", config={"initialize": {"lookups": wrong}})
        with pytest.raises(ValueError, match=r"E955|config-value"):
            nlp.initialize()


def test_a_build_without_tables_says_what_is_missing(tmp_path, capfd, package):
    for args, said in [
        ([tmp_path], "lemma_lookup.json"),
        ([package, "--lang", "xx,tlh"], "tlh"),
        ([tmp_path / "none"], "file-not-found"),
    ]:
        assert main(["lexpool", "lookups", "build", *map(str, args)], []) == 1
        assert said in capfd.readouterr().err
    assert not list(package.glob("*.lookups"))
