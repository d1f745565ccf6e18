"""Lookup tables: spaCy's answers and bytes, both ways."""

import copy
import gzip
import importlib.metadata
import json
import pickle
import subprocess
import sys

import preshed.bloom
import pytest
import spacy.lookups
import spacy.util
import srsly
from hypothesis import given, strategies as st

from lexpool import Vocab
from lexpool.lookups import BloomFilter, Lookups, Table, load_lookups
from lexpool.strings import get_string_id

IDS = st.integers(0, 2**64 - 1)
ENTRIES = st.dictionaries(st.text(max_size=8) | IDS, st.none() | st.text() | st.floats(0, 1))
WORDS = {"foo": "bar", "hello": "world", "": 0, "ORTH": [1, 2], 7: {"a": None}}


@pytest.fixture(params=[Table, spacy.lookups.Table], ids=["lexpool", "spacy"])
def table_class(request):
    """Tests with this fixture hold for spaCy's tables too."""
    return request.param


# --- Bloom filters


@given(st.integers(1, 3000), st.floats(1e-12, 0.2), st.lists(IDS, max_size=20))
def test_the_bytes_of_a_filter_are_those_of_preshed(members, error_rate, ids):
    ours = BloomFilter.from_error_rate(members + 5, error_rate)
    theirs = preshed.bloom.BloomFilter.from_error_rate(members + 5, error_rate)
    ours.update(ids)
    for id in ids:
        theirs.add(id)
    assert ours.to_bytes() == theirs.to_bytes()
    assert BloomFilter().from_bytes(theirs.to_bytes()).to_bytes() == theirs.to_bytes()
    others = [id ^ 1 for id in ids] + list(range(50))
    assert [id in ours for id in ids + others] == [id in theirs for id in ids + others]


def test_sizes_of_the_users_own_are_those_of_preshed():
    for args in [(), (100,), (2**10, 3), (64, 1, 9)]:
        ours, theirs = BloomFilter(*args), preshed.bloom.BloomFilter(*args)
        ours.add(5)
        theirs.add(5)
        assert ours.to_bytes() == theirs.to_bytes()


@pytest.mark.skipif(sys.platform != "linux", reason="a limit of memory as Linux has it")
def test_a_filter_whose_bytes_have_no_memory_says_so():
    script = """if True:
        import resource
        from lexpool.lookups import BloomFilter

        bloom = BloomFilter(2**31, 1)
        resource.setrlimit(resource.RLIMIT_AS, (2**31, 2**31))
        try:
            bloom.to_bytes()
        except MemoryError:
            print("refused")
        """
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout == "refused\n", done.stderr


def test_what_is_no_filter_is_refused():
    bloom = BloomFilter(64)
    bloom.add(3)
    before = bloom.to_bytes()
    for data in (b"", b"x" * 40, before[:-8], before + bytes(8), b"\xff" * 8 + before[8:]):
        with pytest.raises(ValueError, match="bloom-"):
            bloom.from_bytes(data)
    for members, rate in [(0, 0.1), (1, 0), (1, 1), (float("nan"), 0.1), (1e300, 0.1)]:
        with pytest.raises(ValueError, match="bloom-size"):
            BloomFilter.from_error_rate(members, rate)
    with pytest.raises(ValueError, match="bloom-size"):
        BloomFilter(2**40)
    with pytest.raises(OverflowError):
        bloom.add(-1)
    with pytest.raises(TypeError):
        bloom.update([1, "foo"])
    assert bloom.from_bytes(before) is bloom and 3 in bloom


# --- tables


def test_strings_are_keys_by_their_ids(table_class):
    table = table_class("words", WORDS)
    assert (table.name, len(table), table.default_size) == ("words", 5, 1e6)
    assert list(table) == [get_string_id("foo"), get_string_id("hello"), 0, 65, 7]
    assert list(table.values()) == list(WORDS.values())
    assert table["foo"] == "bar" == table[get_string_id("foo")] == table.get("foo")
    assert (table["ORTH"], table[65], table[""]) == ([1, 2], [1, 2], 0)
    assert "hello" in table and get_string_id("hello") in table and 8 not in table
    assert table.get("missing") is None and table.get("missing", 3) == 3 == table.get(9, default=3)
    with pytest.raises(KeyError):
        table["missing"]
    table["foo"] = 1
    table.set("new", 2)
    table.update({"newer": 3})
    table.update([("newest", 4)])
    assert table.setdefault("other", 5) == 5 == table.setdefault("other", 6)
    assert list(table.values()) == [1, *list(WORDS.values())[1:], 2, 3, 4, 5]


def test_what_is_no_key_is_refused(table_class):
    for bloom in (False, True):
        table = table_class(data={"foo": 1})
        assert not bloom or get_string_id("foo") in table.bloom
        for wrong, error in [(None, TypeError), (-1, OverflowError), (2**64, OverflowError)]:
            with pytest.raises(error):
                table[wrong] = 2
            with pytest.raises(error):
                _ = wrong in table
            assert table.get(wrong, 3) in (2, 3)  # spaCy's has taken it in before it complains
    table = Table()
    with pytest.raises(TypeError):
        table[None] = 2
    assert not table


def test_entries_are_taken_out_by_their_strings():
    table = Table(data={"a": 1, "b": 2, "c": 3})
    del table["a"]
    assert table.pop("b") == 2 and table.pop("b", None) is None
    with pytest.raises(KeyError):
        del table["b"]
    with pytest.raises(KeyError):
        table.pop("b")
    table["d"] = 4
    assert table.popitem(last=False) == (get_string_id("c"), 3)
    assert table.popitem() == (get_string_id("d"), 4) and not table
    with pytest.raises(KeyError):
        table.popitem()


@pytest.mark.parametrize("change", ["del", "pop", "popitem", "clear", "none"])
def test_the_filter_keeps_what_was_taken_out_as_spacys_does(change):
    key = get_string_id("c")
    written = []
    for kind in (Table, spacy.lookups.Table):
        table = kind("name", {"a": 1, "b": 2, "c": 3})
        if change == "del":
            del table[key]
        elif change == "pop":
            table.pop(key)
        elif change != "none":
            getattr(table, change)()
        table["d"] = 4
        written.append(table.to_bytes())
    assert written[0] == written[1]


@given(ENTRIES, ENTRIES)
def test_the_bytes_of_a_table_are_those_of_spacy(data, more):
    ours, theirs = Table("name", data), spacy.lookups.Table("name", data)
    assert ours.to_bytes() == theirs.to_bytes()
    ours.update(more)
    theirs.update(more)
    written = theirs.to_bytes()
    assert ours.to_bytes() == written
    assert list(Table().from_bytes(written).items()) == list(theirs.items())
    assert Table().from_bytes(written).to_bytes() == written
    back = spacy.lookups.Table().from_bytes(ours.to_bytes())
    assert (back, back.name) == (ours, "name")


def test_a_table_of_unknown_size_has_spacys_bytes_and_little_memory():
    written = Table.from_dict({"a": 1}, name="t").to_bytes()
    assert len(written) > 19_170_136
    assert written == spacy.lookups.Table.from_dict({"a": 1}, name="t").to_bytes()
    script = (
        "import resource; from lexpool.lookups import Table\n"
        "peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "Table('warm', {'a': 1}); before = peak()\n"
        "tables = [Table.from_dict({'foo': 1}) for _ in range(100)]\n"
        "assert 'foo' in tables[0] and 'bar' not in tables[0]\n"
        "print(peak() - before)"
    )
    grown = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    assert int(grown.stdout) < 2000  # KiB


def test_what_is_no_table_leaves_the_table_as_it_was():
    bloom = BloomFilter().to_bytes()
    table = Table("mine", {"a": 1})
    for message, error in [
        ([1], ValueError),
        ({"name": "x", "dict": {}}, KeyError),
        ({"dict": {}, "bloom": bloom}, KeyError),
        ({"name": "x", "dict": {}, "bloom": b"1"}, ValueError),
        ({"name": "x", "dict": {}, "bloom": None}, TypeError),
        ({"name": "x", "dict": [1], "bloom": bloom}, ValueError),
        ({"name": "x", "dict": {None: 1}, "bloom": bloom}, TypeError),
        ({"name": "x", "dict": {-1: 1}, "bloom": bloom}, OverflowError),
    ]:
        with pytest.raises(error):
            table.from_bytes(srsly.msgpack_dumps(message))
    with pytest.raises(ValueError, match="msgpack"):
        table.from_bytes(table.to_bytes()[:-1])
    assert (table.name, dict(table)) == ("mine", {get_string_id("a"): 1})


def test_copies_and_pickles_are_tables_with_the_same_bytes():
    for asked in (False, True):
        table = Table("name", {"a": [1], "b": 2})
        assert not asked or get_string_id("a") in table.bloom
        for other in (pickle.loads(pickle.dumps(table)), copy.deepcopy(table), copy.copy(table)):
            assert type(other) is Table and other == table
            assert other.to_bytes() == table.to_bytes()


def test_tables_with_the_filter_of_another():
    table = Table(data={"a": 1})
    table.bloom = BloomFilter.from_error_rate(50)
    assert "a" in table  # the table, not the filter, knows
    table["b"] = 2
    assert get_string_id("b") in table.bloom and get_string_id("a") not in table.bloom


# --- lookups


@pytest.fixture(params=[Lookups, spacy.lookups.Lookups], ids=["lexpool", "spacy"])
def lookups(request):
    return request.param()


def test_tables_are_added_got_set_and_removed(lookups):
    table = lookups.add_table("t", {"a": 1})
    assert lookups.tables == ["t"] and len(lookups) == 1
    assert "t" in lookups and lookups.has_table("t") and "u" not in lookups
    assert lookups.get_table("t") is table is lookups.get_table("t", None)
    assert len(table.to_bytes()) < 100  # the filter is made for what is there
    assert len(lookups.add_table("empty").to_bytes()) < 100
    with pytest.raises(ValueError, match="E158"):
        lookups.add_table("t", {"a": 2})
    for ask in (lookups.get_table, lookups.remove_table):
        with pytest.raises(KeyError, match="E159"):
            ask("u")
    assert lookups.get_table("u", None) is None and lookups.get_table("u", 3) == 3
    other = type(table)("other")
    lookups.set_table("t", other)
    assert lookups.remove_table("t") is other and lookups.tables == ["empty"]


@given(st.dictionaries(st.text(), ENTRIES, max_size=4))
def test_the_bytes_of_lookups_are_those_of_spacy(tables):
    ours, theirs = Lookups(), spacy.lookups.Lookups()
    for name, data in tables.items():
        ours.add_table(name, data)
        theirs.add_table(name, data)
    written = theirs.to_bytes(exclude=["anything"])
    assert ours.to_bytes(exclude=["anything"]) == written
    again = Lookups().from_bytes(written)
    assert again.tables == list(tables) and again.to_bytes() == written
    assert [again.get_table(name).name for name in tables] == list(tables)
    assert spacy.lookups.Lookups().from_bytes(ours.to_bytes()).to_bytes() == written


def test_lookups_are_written_to_and_read_from_a_folder(tmp_path):
    lookups = Lookups()
    lookups.add_table("t", {"a": 1})
    lookups.to_disk(tmp_path / "new")
    lookups.to_disk(str(tmp_path), filename="other.bin")
    for path, name in [(tmp_path / "new", "lookups.bin"), (str(tmp_path), "other.bin")]:
        for kind in (Lookups, spacy.lookups.Lookups):
            assert kind().from_disk(path, filename=name).get_table("t")["a"] == 1
    assert lookups.from_disk(tmp_path / "missing") is lookups and lookups.tables == ["t"]


def test_what_is_no_lookups_leaves_them_as_they_were():
    lookups = Lookups()
    lookups.add_table("t", {"a": 1})
    for message in ([1], {"t": [1]}, {"t": None}, None):
        with pytest.raises(ValueError, match="saved-form"):
            lookups.from_bytes(srsly.msgpack_dumps(message))
    with pytest.raises(ValueError, match="saved-form"):
        lookups.from_bytes(srsly.msgpack_dumps({"u": {}, "t": {None: 1}}))
    assert lookups.tables == ["t"] and lookups.get_table("t")["a"] == 1


# --- lookups of a vocab


def test_a_vocab_is_given_its_lookups():
    lookups = Lookups()
    lookups.add_table("lexeme_norm", {"apple": "fruit"})
    lookups.add_table("lexeme_prob", {"apple": -3.5})
    lookups.add_table("lexeme_cluster", {"apple": 12})
    lookups.add_table("lexeme_settings", {"oov_prob": -15.0})
    assigned = Vocab()
    assigned.lookups = lookups
    read = Vocab().from_bytes(assigned.to_bytes(exclude=["vectors"]))
    for vocab in (Vocab(lookups=lookups), assigned, read, pickle.loads(pickle.dumps(assigned))):
        apple, pear = vocab["apple"], vocab["pear"]
        assert (apple.norm_, apple.prob, apple.cluster) == ("fruit", -3.5, 12)
        assert (pear.norm_, pear.prob, pear.cluster) == ("pear", -15.0, 0)


# --- tables of languages


@pytest.fixture
def language(tmp_path, monkeypatch):
    """A package with tables of a language, as spacy-lookups-data is."""
    (tmp_path / "plain.json").write_text(json.dumps({"apple": "Apfel"}), encoding="utf8")
    (tmp_path / "packed.json.gz").write_bytes(gzip.compress(b'{"pear": "Birne"}'))
    (tmp_path / "some_tables.py").write_text(
        f"xx = {{name: f'{tmp_path}/{{name}}.json' for name in ('plain', 'packed', 'gone')}}"
    )
    info = tmp_path / "some_tables-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Name: some_tables\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[spacy_lookups]\nxx_new = some_tables:xx\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    importlib.metadata.MetadataPathFinder().invalidate_caches()
    yield "xx_new"
    sys.modules.pop("some_tables", None)


def test_tables_of_a_language_come_from_packages(language):
    lookups = load_lookups(language, ["plain", "packed"])
    assert lookups.tables == ["plain", "packed"]
    assert lookups.get_table("plain")["apple"] == "Apfel"
    assert lookups.get_table("packed")["pear"] == "Birne"
    with pytest.raises(ValueError, match="E955.*unknown"):
        load_lookups(language, ["plain", "unknown"])
    lookups = load_lookups(language, ["plain", "unknown"], strict=False)
    assert [len(lookups.get_table(name)) for name in lookups.tables] == [1, 0]
    with pytest.raises(ValueError, match="E160"):
        load_lookups(language, ["gone"])


def test_a_language_that_nobody_has_tables_of(lookups):
    load = sys.modules[type(lookups).__module__].load_lookups
    with pytest.raises(ValueError, match="E955"):
        load("nobody", ["a"])
    assert load("nobody", []).tables == [] == load("nobody", ["a"], strict=False).tables


def test_tables_registered_with_spacy_count(tmp_path):
    (tmp_path / "t.json").write_text('{"a": 1}')
    spacy.util.registry.lookups.register("xx_registered", func={"t": tmp_path / "t.json"})
    for load in (load_lookups, spacy.lookups.load_lookups):
        assert load("xx_registered", ["t"]).get_table("t")["a"] == 1


def test_tables_of_a_language_are_loaded_without_spacy(language, tmp_path):
    script = (
        "import sys; from lexpool.lookups import load_lookups\n"
        f"assert load_lookups({language!r}, ['packed']).get_table('packed')['pear'] == 'Birne'\n"
        "assert 'spacy' not in sys.modules and 'numpy' not in sys.modules"
    )
    path = [str(tmp_path), *sys.path]
    script = f"import sys; sys.path[:] = {path!r}\n{script}"
    subprocess.run([sys.executable, "-c", script], check=True)
