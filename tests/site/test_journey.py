"""The data of the site's page on a sentence's journey is what the package computes."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def generators(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "docs/generate"))
    import journey
    import matchers
    import schedules

    yield journey, matchers, schedules
    for name in ("journey", "matchers", "schedules"):
        sys.modules.pop(name, None)


def test_two_runs_of_the_journey_say_the_same(generators):
    journey, _, _ = generators
    assert journey.data() == journey.data()


def test_the_stations_of_the_journey_agree_with_each_other(generators):
    told = generators[0].data()
    words = [record["text"] for record in told["records"]]
    assert [piece["text"] for chunk in told["chunks"] for piece in chunk["pieces"]] == words
    assert [lexeme["ix"] for lexeme in told["lexemes"]] == [
        record["lex"] for record in told["records"]
    ]
    text = told["text"].encode()
    for record in told["records"]:
        assert text[record["byte"] :].startswith(record["text"].encode())
        fields = [record[name] for name in ("lex", "idx", "byte", "facts")]
        assert b"".join(field.to_bytes(4, "little") for field in fields).hex() == record["hex"]
    assert told["words"]["first"] == told["words"]["second"] != told["words"]["before"]
    joined = [piece["text"] for piece in told["across"]["after"]]
    assert told["across"]["case"] in joined
    assert " ".join(joined).split() == " ".join(told["across"]["before"]).split()


def test_what_is_under_way_in_the_matchers_run_ends_or_is_given_up(generators):
    run = generators[1].data()
    assert sum(len(row["ends"]) for row in run["rows"]) == 4
    before: set[tuple[str, str]] = set()
    for row in run["rows"]:
        now = {(way["key"], way["from"]) for way in row["under_way"]}
        begun = {way for way in now if way[1] == row["token"]}
        assert now - begun <= before
        before = now
    assert not before


def test_the_models_of_the_checker_are_named(generators):
    schedules = generators[2]
    assert schedules.sentences("#[test]\nfn a_thing_holds() {}\n") == ["A thing holds"]
    assert len(schedules.data()) >= 11
    with pytest.raises(ValueError, match="no tests"):
        schedules.sentences("")
