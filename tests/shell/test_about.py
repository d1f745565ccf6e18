"""`lexpool stats`, `lexpool struct` and the help."""

import json
import re
from collections import Counter

import pytest


def test_stats_counts_what_the_tokenizer_makes(shell, docs, lines):
    shell.write("in.txt", lines)
    found = json.loads(shell.ok("stats", "in.txt", "--json", "--top", "3").stdout)
    words = Counter(token.text for doc in docs for token in doc)
    assert found["documents"] == len(docs)
    assert found["tokens"] == words.total()
    assert found["types"] == len(words)
    assert found["characters"] == sum(len(doc.text) for doc in docs)
    assert found["bytes"] == len(lines)
    expected = sorted(words.items(), key=lambda item: (-item[1], item[0]))[:3]
    assert [(top["word"], top["count"]) for top in found["top"]] == expected
    assert found["seconds"] > 0
    assert found["vocab_bytes"] > 0


def test_stats_may_disregard_case(shell):
    found = json.loads(shell.ok("stats", "-", "--by", "lower", "--json", stdin=b"The the THE a").stdout)
    assert found["top"][0] == {"word": "the", "count": 3}
    assert found["types"] == 2


def test_stats_is_a_table_for_people(shell):
    table = shell.ok("stats", "-", "--top", "1", stdin=b"so so so good\n" * 1000).stdout.decode()
    rows = dict(re.split(" {2,}", line.strip(), maxsplit=1) for line in table.splitlines() if line)
    assert rows["documents"] == "1,000"
    assert rows["tokens"] == "4,000"
    assert rows["3,000"] == "75.00%  so"


def test_stats_of_nothing_is_nothing(shell):
    found = json.loads(shell.ok("stats", "-", "--json").stdout)
    assert (found["documents"], found["tokens"], found["top"]) == (0, 0, [])


def test_struct_shows_the_layout_that_python_sees(shell):
    lexpool = pytest.importorskip("lexpool")
    assert lexpool.__version__ in shell.ok("--version").stdout.decode()
    table = shell.ok("struct", "tokenc").stdout.decode()
    assert table.startswith("TokenC: 16 bytes, aligned to 4\n")
    records = json.loads(shell.ok("struct", "--json").stdout)
    assert [record["name"] for record in records][:2] == ["LexemeC", "TokenC"]
    for record in records:
        assert record["size"] == sum(field["size"] for field in record["fields"])
    everything = shell.ok("struct").stdout.decode()
    assert all(f"{record['name']}: " in everything for record in records)


@pytest.mark.parametrize("command", [[], ["tokenize"], ["stats"], ["struct"]])
def test_the_help_has_examples_and_exit_codes(shell, command):
    text = shell.ok(*command, "--help").stdout.decode()
    assert "130  interrupted" in text
    if command:
        assert "Examples:" in text
        assert f"lexpool {command[0]} " in text
