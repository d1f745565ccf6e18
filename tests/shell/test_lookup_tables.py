"""`lexpool lookups`: files of look-up tables, built and described."""

import json

import pytest

from lexpool.lookups import Lookups

TABLES = {
    "de": {"lemma_lookup": {"ging": "gehen", "Häuser": "Haus"}, "lexeme_norm": {"daß": "dass"}},
    "fr": {"lemma_lookup": {"allait": "aller"}},
}


@pytest.fixture
def tables(shell):
    (shell.folder / "in").mkdir()
    for code, own in TABLES.items():
        for name, table in own.items():
            shell.write(f"in/{code}_{name}.json", json.dumps(table))
    shell.write("in/readme.txt", "not a table")
    return shell


@pytest.fixture
def built(tables):
    tables.ok("lookups", "build", "in", "-o", "out")
    return tables


def test_a_folder_of_tables_becomes_a_file_for_each_language(tables):
    told = tables.ok("lookups", "build", "in", "-o", "new/out").stdout.decode().splitlines()
    assert [line.split(": ")[0] for line in told] == ["new/out/de.lookups", "new/out/fr.lookups"]
    assert told[0].endswith(", lemma_lookup, lexeme_norm")
    for code, own in TABLES.items():
        opened = Lookups.open(tables.folder / f"new/out/{code}.lookups")
        assert opened.tables == sorted(own)
        for name, table in own.items():
            found = opened.get_table(name)
            assert len(found) == len(table)
            assert {word: found[word] for word in table} == table


def test_files_are_written_beside_the_tables_unless_a_folder_is_named(tables):
    tables.ok("lookups", "build", "in", "--lang", "fr")
    assert [path.name for path in (tables.folder / "in").glob("*.lookups")] == ["fr.lookups"]


def test_what_was_built_is_told_in_json_too(tables):
    (own,) = json.loads(
        tables.ok("lookups", "build", "in", "-o", "out", "--lang", "de", "--json").stdout
    )
    assert own["path"] == "out/de.lookups" and own["lang"] == "de"
    assert own["bytes"] == (tables.folder / "out/de.lookups").stat().st_size
    shown = [(table["name"], table["words"], table["origin"]) for table in own["tables"]]
    assert shown == [
        ("lemma_lookup", 2, "de_lemma_lookup.json"),
        ("lexeme_norm", 1, "de_lexeme_norm.json"),
    ]
    assert json.loads(tables.ok("lookups", "info", "out/de.lookups", "--json").stdout) == own


def test_a_file_is_described_with_the_origins_of_its_tables(built):
    lines = built.ok("lookups", "info", "out/de.lookups").stdout.decode().splitlines()
    assert lines[0].split() == ["language", "de"]
    assert "the manifest only; see --verify" in lines[2]
    assert lines[-1].split()[::3] == ["lexeme_norm", "de_lexeme_norm.json"]
    verified = built.ok("lookups", "info", "out/de.lookups", "--verify").stdout.decode()
    assert "the whole file" in verified


def test_damage_is_found_by_verifying(built):
    path = built.folder / "out/de.lookups"
    content = bytearray(path.read_bytes())
    content[-9] ^= 1
    path.write_bytes(content)
    told = built.fails("lookups", "info", "out/de.lookups", "--verify")
    assert told.startswith("lexpool: [container-checksum]") and "out/de.lookups" in told


def test_wrong_folders_and_languages_are_told_and_nothing_is_written(tables):
    told = tables.fails("lookups", "build", "in", "-o", "out", "--lang", "nl")
    assert '[E955] in has no table of "nl"; it has de, fr' in told
    (tables.folder / "empty").mkdir()
    told = tables.fails("lookups", "build", "empty", "-o", "out")
    assert "expected files such as de_lemma_lookup.json" in told
    assert not (tables.folder / "out").exists()


def test_without_the_package_of_tables_a_folder_must_be_named(shell):
    # Python finds an empty file of this name first.
    shell.write("spacy_lookups_data.py", "raise ImportError")
    told = shell.fails("lookups", "build")
    assert "[E955] the package spacy-lookups-data is not installed" in told
