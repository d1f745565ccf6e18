"""`lexpool stats`, `lexpool struct`, `lexpool ops` and the help."""

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
    found = json.loads(
        shell.ok("stats", "-", "--by", "lower", "--json", stdin=b"The the THE a").stdout
    )
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


def test_ops_are_listed_with_what_they_take_and_do(shell):
    listed = shell.ok("ops").stdout.decode()
    signature = "text.edit_distance(a: str, b: str, bound: int | None = None) -> int\n    Returns the Levenshtein"
    assert signature in listed
    assert "doc.count_by(doc: Doc, attr: int)" in listed
    assert "doc." not in shell.ok("ops", "text").stdout.decode()
    alone = shell.ok("ops", "vectors.cosines").stdout.decode()
    assert re.search(r"kernels\n  \* parallel +\S+vectors.rs:\d+\n", alone), alone
    assert "some hundred thousand numbers" in alone


def test_ops_are_json_for_programs(shell):
    ops = {op["name"]: op for op in json.loads(shell.ok("ops", "--json").stdout)}
    distance = ops["text.edit_distance"]
    assert [param["name"] for param in distance["params"]] == ["a", "b", "bound"]
    assert distance["params"][2] == {
        "name": "bound",
        "type": "int | None",
        "default": "None",
        "keyword_only": False,
    }
    for op in ops.values():
        assert sum(kernel["current"] for kernel in op["kernels"]) == 1
        assert op["doc"]


def test_an_unknown_op_is_answered_with_the_nearest_ones(shell):
    said = shell.fails("ops", "text.edit_distanse")
    assert 'no op is named "text.edit_distanse"' in said
    assert "text.edit_distance" in said


@pytest.mark.parametrize(
    "command",
    [
        [],
        ["tokenize"],
        ["run"],
        ["corpus"],
        ["evaluate"],
        ["train"],
        ["pretrain"],
        ["init"],
        ["config"],
        ["debug"],
        ["stats"],
        ["vocab"],
        ["struct"],
        ["ops"],
        ["explain"],
        ["languages"],
        ["lookups"],
    ],
)
def test_the_help_has_examples_and_exit_codes(shell, command):
    text = shell.ok(*command, "--help").stdout.decode()
    assert "130  interrupted" in text
    if command:
        assert "Examples:" in text
        assert f"lexpool {command[0]} " in text


@pytest.mark.parametrize("given", ["E030", "e030", "[E030]"])
def test_a_code_is_explained_by_its_meaning_and_what_to_do(shell, given):
    text = shell.ok("explain", given).stdout.decode()
    assert text.startswith("E030 (ValueError)\n")
    assert "sentence starts are not set" in text and "sentencizer" in text


def test_all_codes_are_listed_and_are_json_for_programs(shell):
    import lexpool.errors

    rows = json.loads(shell.ok("explain", "--json").stdout)
    assert {row["code"]: tuple(row["raised"]) for row in rows} == {
        code: entry.raised for code, entry in lexpool.errors.codes().items()
    }
    lines = shell.ok("explain").stdout.decode().splitlines()
    assert [line.split()[0] for line in lines] == [row["code"] for row in rows]


def test_an_unknown_code_is_answered_with_similar_ones(shell):
    said = shell.fails("explain", "file-not-fond", code=2)
    assert "similar codes: file-not-found" in said
    assert "lexpool explain" in shell.fails("explain", "nonsense-of-no-kind", code=2)


def test_languages_are_listed_with_what_each_has(shell):
    import lexpool

    rows = {row["code"]: row for row in json.loads(shell.ok("languages", "--json").stdout)}
    assert list(rows) == lexpool.languages()
    german = rows["de"]
    nlp = lexpool.blank("de")
    assert (german["name"], german["aliases"]) == ("German", ["deu", "ger"])
    assert german["special_cases"] == len(nlp.tokenizer.rules)
    assert {code for code, row in rows.items() if row["direction"] == "rtl"} == {
        *("ar", "fa", "he", "ur")
    }
    # Japanese needs a dictionary, which is not everywhere.
    known = [code for code in rows if code != "ja"]
    assert {code for code, row in rows.items() if row["noun_chunks"]} == {
        *("ja", *(code for code in known if lexpool.blank(code).vocab.get_noun_chunks is not None))
    }
    assert {code: row["segmenters"] for code, row in rows.items() if row["segmenters"]} == {
        "ja": ["sudachi"],
        "ko": ["mecab"],
        "th": ["newmm"],
        "zh": ["jieba", "pkuseg"],
    }
    for code in known:
        assert rows[code]["segmenter"] == lexpool.blank(code).tokenizer.segmenter, code
    assert rows["ja"]["segmenter"] == "sudachi"
    assert shell.ok("languages", "zh").stdout.decode().rstrip().endswith("optional: jieba, pkuseg")
    lines = shell.ok("languages").stdout.decode().splitlines()
    assert [line.split()[0] for line in lines[1:]] == list(rows)
    assert shell.ok("languages", "fra").stdout.decode().splitlines()[1].startswith("fr   French")


def test_an_unknown_language_is_answered_with_the_nearest_codes(shell):
    said = shell.fails("languages", "dex", code=2)
    assert "the nearest are da, de, dsb" in said


def test_a_vocab_is_built_of_texts_and_said_what_is_in_it(shell):
    import lexpool

    shell.write("in.txt", "The cat and the dog.\nThe cat isn't here :)\n")
    said = shell.ok("vocab", "build", "in.txt", "-o", "en.vocab").stderr.decode()
    assert "words kept of 10 in 12 tokens" in said
    assert shell.names() == ["en.vocab", "in.txt"]
    vocab = lexpool.Vocab.open(shell.folder / "en.vocab", verify="full")
    # The most frequent words come first, and those of rules are there in any case.
    assert [lexeme.text for lexeme in vocab][:4] == ["The", "cat", ".", ":)"]
    vocab.freeze()
    nlp = lexpool.blank("en", vocab=vocab)
    assert [token.norm_ for token in nlp("the cat isn't")] == ["the", "cat", "is", "not"]
    shell.ok("vocab", "build", "in.txt", "-o", "few.vocab", "--min-count", "2", "--quiet")
    few = lexpool.Vocab.open(shell.folder / "few.vocab")
    assert "cat" in few and "dog" not in few and "n't" in few
    table = shell.ok("vocab", "info", "en.vocab").stdout.decode()
    assert f"words             {len(vocab):,}" in table.replace("  \n", "\n") and "slots" in table
    found = json.loads(shell.ok("vocab", "info", "en.vocab", "--verify", "--json").stdout)
    assert (found["words"], found["lang"], found["verified"]) == (len(vocab), "en", "full")
    assert sum(part["bytes"] for part in found["sections"]) <= found["bytes"]
    assert found["vectors"] is None and found["functions"] == [] and "SHAPE" in found["getters"]


def test_a_vocab_that_was_changed_is_found_out(shell):
    shell.write("in.txt", "some words")
    shell.ok("vocab", "build", "in.txt", "-o", "en.vocab")
    data = bytearray((shell.folder / "en.vocab").read_bytes())
    data[data.rindex(b"words")] ^= 4
    shell.write("changed.vocab", bytes(data))
    shell.ok("vocab", "info", "changed.vocab")
    said = shell.fails("vocab", "info", "changed.vocab", "--verify")
    assert "changed.vocab" in said and "container-checksum" in said and "at byte" in said
    assert "in.txt" in shell.fails("vocab", "info", "in.txt")
    assert "absent" in shell.fails("vocab", "build", "absent", "-o", "x.vocab")
    assert "x.vocab" not in shell.names()
