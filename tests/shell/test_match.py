"""`lexpool match`: the matches that Python's matchers find, as JSON and as text."""

import json
import os
import sys
from pathlib import Path

import pytest

RULES = [
    {"label": "ORG", "pattern": "Acme Corp.", "id": "acme"},
    {"label": "MONEY", "pattern": [{"TEXT": "$"}, {"LIKE_NUM": True, "OP": "+"}]},
    {
        "label": "WORDS",
        "pattern": [{"LOWER": "very", "OP": "*"}, {"LOWER": {"IN": ["good", "bad"]}}],
    },
]
TEXT = b"Acme Corp. paid $ 3.\nNothing.\n\nA very VERY good caf\xc3\xa9, bad $ 7 8.\n"

# Every attribute, operator and predicate that there is in JSON, in one pattern at least.
PATTERNS = [
    [{}],
    [{"ORTH": "the"}],
    [{"TEXT": "the"}, {"IS_ALPHA": True}],
    [{"lower": "the"}, {"is_alpha": True, "op": "?"}],
    [{"LOWER": {"REGEX": "^[st]"}}],
    [{"LOWER": {"REGEX": {"IN": ["^x", "e$"]}}, "OP": "{2}"}],
    [{"LOWER": {"REGEX": {"NOT_IN": ["e", "a"]}}}],
    [{"LOWER": {"REGEX": r"(.)\1"}}],
    [{"LOWER": {"REGEX": r"^(?!the)t"}}],
    [{"NORM": {"FUZZY": "whale"}}],
    [{"TEXT": {"FUZZY1": "hte"}}],
    [{"TEXT": {"FUZZY3": {"IN": ["thing", "other"]}}}],
    [{"TEXT": {"FUZZY2": {"NOT_IN": ["thing", "other"]}}, "IS_ALPHA": True}],
    [{"TEXT": {"FUZZY9": "the", "NOT_IN": ["the", "a"]}, "LENGTH": 3}],
    [{"SHAPE": "Xx"}, {"SHAPE": {"IN": ["xx", "xxxx"]}, "OP": "+"}],
    [{"LENGTH": {">=": 3, "<": 4.5}}],
    [{"LENGTH": {"IN": [1, 2, -1]}, "IS_PUNCT": False}],
    [{"LENGTH": {"NOT_IN": [1, 2]}}, {"LENGTH": {"==": 1}}],
    [{"LENGTH": {"!=": 4, "<=": 5, ">": 3}}],
    [{"LENGTH": {"IS_SUBSET": [3, -1]}}],
    [{"LENGTH": {"IS_SUPERSET": [3]}}],
    [{"LENGTH": {"IS_SUPERSET": [3, -1]}}],
    [{"LENGTH": {"INTERSECTS": [7, 9]}}],
    [{"ORTH": {"IS_SUBSET": ["of", "the"]}}, {"ORTH": {"NOT_IN": ["the"]}, "OP": "!"}],
    [{"ORTH": {"IS_SUPERSET": ["of"]}}, {"ORTH": {"INTERSECTS": ["the", "a"]}}],
    [{"ORTH": {"IS_SUPERSET": ["of", "the"]}}],
    [{"IS_TITLE": True, "OP": "{2,}"}],
    [{"IS_PUNCT": True}, {"IS_UPPER": True, "OP": "{,2}"}, {"IS_STOP": True}],
    [{"LIKE_NUM": True, "OP": "{1,3}"}],
    [{"IS_SENT_START": True}],
    [{"SENT_START": False}, {"IS_QUOTE": True}],
    [{"SPACY": False, "OP": "+"}, {"IS_RIGHT_PUNCT": True}],
    [{"ENT_IOB": ""}, {"ENT_TYPE": "", "LOWER": "of"}],
    [{"ENT_IOB": "B"}],
    [{"ENT_IOB": 0}, {"ENT_ID": {"IN": ["", "x"]}, "ENT_KB_ID": "", "LOWER": "in"}],
    [{"LOWER": "of", "TAG": ""}],
    [{"POS": "NOUN"}],
    [{"POS": {"NOT_IN": ["NOUN"]}, "LOWER": "a"}],
    [{"MORPH": {"IS_SUBSET": ["Number=Sing", "Case=Nom"]}, "LOWER": "is"}],
    [{"MORPH": {"NOT_IN": ["B=b|A=a", ""]}, "LOWER": "was"}],
    [{"MORPH": {"IS_SUPERSET": ["A=a"]}}],
    *(
        [{flag: True}, {}]
        for flag in (
            "IS_ASCII IS_DIGIT IS_LOWER IS_SPACE IS_BRACKET IS_LEFT_PUNCT IS_CURRENCY LIKE_URL "
            "LIKE_EMAIL"
        ).split()
    ),
]


def jsonl(rules) -> str:
    return "".join(json.dumps(rule) + "\n" for rule in rules)


@pytest.fixture
def matching(shell):
    """Runs the command on a text, with rules."""
    shell.write("p.jsonl", jsonl(RULES))

    def run(*args: str, text: bytes = TEXT):
        done = shell.ok("match", "-p", "p.jsonl", *args, "-", stdin=text)
        return done.stdout.decode()

    return run


def found(lines: str):
    return [
        (m["line"], m["label"], m["id"], m["text"]) for m in map(json.loads, lines.splitlines())
    ]


def test_matches_of_phrases_and_tokens_are_json_lines(matching):
    lines = matching()
    assert found(lines) == [
        (1, "ORG", "acme", "Acme Corp."),
        (1, "MONEY", None, "$ 3"),
        (4, "WORDS", None, "very VERY good"),
        (4, "WORDS", None, "VERY good"),
        (4, "WORDS", None, "good"),
        (4, "WORDS", None, "bad"),
        (4, "MONEY", None, "$ 7"),
        (4, "MONEY", None, "$ 7 8"),
    ]
    first, *_, last = map(json.loads, lines.splitlines())
    assert first == {
        "file": "standard input",
        "line": 1,
        "label": "ORG",
        "id": "acme",
        "start": 0,
        "end": 2,
        "start_char": 0,
        "end_char": 10,
        "text": "Acme Corp.",
    }
    text = TEXT.decode().splitlines()[3]
    assert text[last["start_char"] : last["end_char"]] == last["text"] == "$ 7 8"


def test_greedy_keeps_one_of_those_that_overlap(matching):
    longest = ["Acme Corp.", "$ 3", "very VERY good", "bad", "$ 7 8"]
    for choice in ("longest", "first"):
        assert [text for *_, text in found(matching("--greedy", choice))] == longest


def test_every_kind_of_pattern_finds_what_pythons_matcher_finds(shell):
    lexpool = pytest.importorskip("lexpool")
    matchers = pytest.importorskip("lexpool.matcher")
    text = (Path(__file__).parents[2] / "LICENSE-APACHE").read_text("utf8")
    text += "\nThe thing of 12 whales was a hte in 7 letters.\n\u20ac 5 (see http://a.org or a@b.org) \u201cYes,\u201d said A.\tB\n"
    shell.write("in.txt", text)
    shell.write("p.jsonl", jsonl({"label": str(i), "pattern": p} for i, p in enumerate(PATTERNS)))
    lines = shell.ok("match", "--patterns", "p.jsonl", "in.txt", "--per", "file").stdout
    ours = {
        (m["label"], m["start"], m["end"], m["text"]) for m in map(json.loads, lines.splitlines())
    }
    assert len(ours) == len(lines.splitlines())
    nlp = lexpool.blank("en")
    matcher = matchers.Matcher(nlp.vocab)
    for i, pattern in enumerate(PATTERNS):
        matcher.add(str(i), [pattern])
    doc = nlp(text)
    found = matcher(doc, allow_missing=True)
    theirs = {
        (nlp.vocab.strings[key], start, end, doc[start:end].text) for key, start, end in found
    }
    assert ours == theirs
    # Conditions that no token of a text without annotation fulfils.
    empty = {
        str(i)
        for i, p in enumerate(PATTERNS)
        if p[0]
        in (
            {"ENT_IOB": "B"},
            {"POS": "NOUN"},
            {"MORPH": {"IS_SUPERSET": ["A=a"]}},
            {"LENGTH": {"IS_SUPERSET": [3, -1]}},
            {"ORTH": {"IS_SUPERSET": ["of", "the"]}},
        )
    }
    assert {str(i) for i in range(len(PATTERNS))} - {label for label, *_ in ours} <= empty


def test_files_come_in_order_whatever_the_threads(shell):
    shell.write("p.jsonl", jsonl(RULES))
    names = [f"{i}.txt" for i in range(30)]
    for i, name in enumerate(names):
        shell.write(name, f"good {i}\nvery bad\n" * (400 - 10 * i))
    one, all_cores = (
        shell.ok("match", "-p", "p.jsonl", *names, "--threads", threads).stdout
        for threads in ("1", "0")
    )
    assert one == all_cores
    assert json.loads(one.splitlines()[-1])["file"] == "29.txt"


def test_text_marks_matches_in_brackets_where_there_is_no_terminal(matching):
    assert matching("--format", "text") == (
        "standard input:1: [Acme Corp.](ORG) paid [$ 3](MONEY).\n"
        "standard input:4: A [very VERY good](WORDS) caf\u00e9, [bad](WORDS) [$ 7 8](MONEY).\n"
    )
    assert matching("--format", "text", "--per", "file") == matching("--format", "text")


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
@pytest.mark.parametrize("no_colour", [None, "", "1"])
def test_a_terminal_gets_text_in_colours_unless_it_wants_none(shell, no_colour):
    shell.write("p.jsonl", jsonl(RULES))
    shell.write("in.txt", "so bad\n")
    env = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    env |= {"TERM": "xterm"} | ({} if no_colour is None else {"NO_COLOR": no_colour})
    terminal, end = os.openpty()
    with shell.start("match", "-p", "p.jsonl", "in.txt", stdout=end, env=env) as running:
        os.close(end)
        seen = b""
        while not seen.endswith(b"\n"):
            seen += os.read(terminal, 4096)
        assert running.wait(60) == 0
    os.close(terminal)
    coloured = b"in.txt:1: so \x1b[1;33mbad\x1b[0m\x1b[2m WORDS\x1b[0m\r\n"
    assert seen == (b"in.txt:1: so [bad](WORDS)\r\n" if no_colour else coloured)


def test_the_summary_counts_matches(shell):
    shell.write("p.jsonl", jsonl(RULES))
    shell.write("in.txt", "so bad\n" * 1200)
    done = shell.ok("match", "-p", "p.jsonl", "in.txt", "-o", "out.jsonl")
    assert done.stdout == b""
    said = b"out.jsonl: 1,200 matches in 1,200 documents, 2,400 tokens from 0.0 MB in "
    assert done.stderr.startswith(said)
    assert len((shell.folder / "out.jsonl").read_bytes().splitlines()) == 1200
    done = shell.ok("match", "-p", "p.jsonl", "in.txt", "-o", "out.jsonl", "--quiet")
    assert (done.stdout, done.stderr) == (b"", b"")


def test_patterns_may_come_from_several_files(shell):
    for i, rule in enumerate(RULES):
        shell.write(f"{i}.jsonl", jsonl([rule]))
    files = [arg for i in range(3) for arg in ("-p", f"{i}.jsonl")]
    done = shell.ok("match", *files, "-", stdin=TEXT)
    assert len(done.stdout.splitlines()) == 8


def test_all_faults_of_a_pattern_file_are_named(shell):
    shell.write("in.txt", "text\n")
    shell.write(
        "p.jsonl",
        jsonl(
            [
                RULES[0],
                {"label": "X", "pattern": [{}, {"LOWER": {"REGEX": "("}, "OP": "many"}]},
                {"label": "X", "pattern": [{"_": {"own": True}}]},
            ]
        )
        + "{\n",
    )
    said = shell.fails("match", "-p", "p.jsonl", "in.txt", "-o", "out.jsonl").splitlines()
    assert said[0] == "lexpool: [pattern-syntax] p.jsonl: 4 errors in patterns"
    starts = [
        "line 2, [1] OP: ",
        "line 2, [1] LOWER REGEX: ",
        "line 3, [0] _: ",
        "line 4: not JSON",
    ]
    assert [
        line.startswith(f"  {start}") for line, start in zip(said[1:], starts, strict=True)
    ] == [True] * 4
    assert shell.names() == ["in.txt", "p.jsonl"]


def test_what_cannot_be_read_is_named(shell):
    said = shell.fails("match", "-p", "absent.jsonl", "-")
    assert "[file-not-found] cannot read absent.jsonl" in said
    shell.write("p.jsonl", "\n")
    assert "[no-patterns] p.jsonl: the file has no patterns" in shell.fails(
        "match", "-p", "p.jsonl", "-"
    )
    shell.write("p.jsonl", b"\xff")
    assert "p.jsonl" in shell.fails("match", "-p", "p.jsonl", "-")
    shell.write("p.jsonl", jsonl(RULES))
    said = shell.fails("match", "-p", "p.jsonl", "-", stdin=b"fine\n\xff\n")
    assert "[not-utf8] standard input, line 2" in said


def test_too_much_to_find_is_an_error_with_its_place(shell):
    shell.write("p.jsonl", jsonl([{"label": "X", "pattern": [{"OP": "+"}]}]))
    said = shell.fails("match", "-p", "p.jsonl", "-", stdin=b"one\n" + b"a " * 20_000)
    assert "[match-limit] standard input, line 2: " in said


def test_annotation_that_texts_have_not_is_told(shell):
    shell.write("p.jsonl", jsonl([{"label": "X", "pattern": [{"POS": "NOUN"}, {"LEMMA": "be"}]}]))
    done = shell.ok("match", "-p", "p.jsonl", "-", "-q", stdin=b"one\n")
    assert b"the patterns use LEMMA, POS" in done.stderr or b"POS, LEMMA" in done.stderr
    assert done.stdout == b""


def test_usage_is_explained_with_an_example(shell):
    said = shell.ok("match", "--help").stdout.decode()
    assert "lexpool match --patterns drugs.jsonl notes.txt" in said
    rules = [line.strip() for line in said.splitlines() if line.strip().startswith('{"label": "')]
    shell.write("p.jsonl", "\n".join(rules))
    done = shell.ok("match", "-p", "p.jsonl", "-", stdin=b"5 mg of acetylsalicylic acid")
    assert [text for *_, text in found(done.stdout.decode())] == ["5 mg", "acetylsalicylic acid"]
    assert "--patterns" in shell.fails("match", "-", code=2)
    assert "longest" in shell.fails("match", "-p", "p.jsonl", "-", "--greedy", "most", code=2)
