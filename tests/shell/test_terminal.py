"""Characters that a terminal obeys do not reach it, from texts, names of files, arguments or
files.
"""

import json
import os
import re
import sys

import pytest

import lexpool
from lexpool.corpus import Corpus
from lexpool.tokens import DocBin

# An operating system command, DEL, CSI as one character, and overrides of the direction of text.
EVIL = "e\x1b]0;vil\x07\x7f\x9b31m\u061c\u200e\u200f\u202a\u202e\u2066\u2069"
# As a name of a file, with an end of line that would begin a message of its own.
NAME = f"{EVIL}\nlexpool: all is well"
OBEYED = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
TEXT = f"hello {EVIL} there.\nhello again\n"


@pytest.fixture
def folder(shell):
    """Files of all forms with such names and texts."""
    nlp = lexpool.blank("en")
    docs = [nlp(TEXT)]
    shell.write(f"{NAME}.txt", TEXT)
    shell.write(f"{NAME}.jsonl", json.dumps({"text": TEXT, EVIL: 1}) + "\n")
    shell.write("broken.jsonl", json.dumps({EVIL: TEXT}) + "\n")
    shell.write(f"{NAME}.bad.txt", b"fine\n\xff\n")
    shell.write(f"{NAME}.bad.jsonl", '{"text": "\\ud800"}\nno\n')
    shell.write(f"{NAME}.iob", f"{EVIL}|O\n")
    shell.write(f"{NAME}.bad.conllu", "1\tno\n")
    shell.write(f"{NAME}.bad.corpus", "no")
    shell.write(f"{NAME}.bad.spacy", "no")
    shell.write(f"{NAME}.bad.parquet", "no")
    shell.write(
        f"{NAME}.bad.toml",
        f'"{EVIL.encode("unicode_escape").decode().replace(chr(92) + "x", chr(92) + "u00")}" = 1\n',
    )
    shell.write("p.jsonl", json.dumps({"label": EVIL, "pattern": "hello", "id": EVIL}) + "\n")
    shell.write(f"{NAME}.bad.p.jsonl", json.dumps({"label": "A", "pattern": [{EVIL: 1}]}) + "\n")
    Corpus.write(shell.folder / f"{NAME}.corpus", docs, columns={EVIL: ["x"]})
    DocBin(docs=docs).to_disk(shell.folder / f"{NAME}.spacy")
    nlp.to_disk(shell.folder / "pipeline")
    nlp.to_disk(shell.folder / NAME)
    nlp.vocab.save(shell.folder / f"{NAME}.vocab")
    return shell


# The command, and its exit code.
COMMANDS = {
    "tokenize": (["tokenize", f"{NAME}.txt"], 0),
    "tokenize to a file": (["tokenize", f"{NAME}.txt", "-o", f"{NAME}.out.jsonl"], 0),
    "tokenize, summed up": (["tokenize", f"{NAME}.txt", "-o", f"{NAME}.out.jsonl", "--json"], 0),
    "tokenize, not there": (["tokenize", f"{NAME}.absent"], 1),
    "tokenize, no UTF-8": (["tokenize", f"{NAME}.bad.txt"], 1),
    "tokenize, no such field": (["tokenize", f"{NAME}.jsonl", "--field", f"no {EVIL}"], 1),
    "tokenize, other fields": (["tokenize", "broken.jsonl", "--field", "text"], 1),
    "tokenize, broken lines": (["tokenize", f"{NAME}.bad.jsonl", "--field", "text"], 1),
    "tokenize, no Parquet": (["tokenize", f"{NAME}.bad.parquet"], 1),
    "tokenize, no such folder": (["tokenize", f"{NAME}.txt", "-o", f"{NAME}.absent/out.jsonl"], 1),
    "tokenize, form unknown": (["tokenize", f"{NAME}.txt", "-o", f"out.{NAME}"], 2),
    "annotate": (["annotate", "-p", "pipeline", f"{NAME}.txt"], 0),
    "annotate to a file": (
        ["annotate", "-p", "pipeline", f"{NAME}.txt", "-o", f"{NAME}.out.conllu"],
        0,
    ),
    "annotate, not there": (["annotate", "-p", "pipeline", f"{NAME}.absent"], 1),
    "annotate, no such pipeline": (["annotate", "-p", f"{NAME}.absent", f"{NAME}.txt"], 1),
    "annotate, form unknown": (
        ["annotate", "-p", "pipeline", f"{NAME}.txt", "-o", f"out.{NAME}"],
        2,
    ),
    "model info": (["model", "info", NAME], 0),
    "model info, JSON": (["model", "info", NAME, "--json"], 0),
    "model info, not there": (["model", "info", f"{NAME}.absent"], 1),
    "model check": (["model", "check", NAME], 0),
    "model check, not there": (["model", "check", f"{NAME}.absent"], 1),
    "model pack": (["model", "pack", NAME, "-o", f"{NAME}.packed"], 0),
    "model pack, not there": (["model", "pack", f"{NAME}.absent", "-o", f"{NAME}.packed"], 1),
    "match": (["match", "-p", "p.jsonl", f"{NAME}.txt"], 0),
    "match, text": (["match", "-p", "p.jsonl", f"{NAME}.txt", "--format", "text"], 0),
    "match, one document": (
        ["match", "-p", "p.jsonl", f"{NAME}.txt", "--format", "text", "--per", "file"],
        0,
    ),
    "match to a file": (["match", "-p", "p.jsonl", f"{NAME}.txt", "-o", f"{NAME}.out"], 0),
    "match, broken patterns": (["match", "-p", f"{NAME}.bad.p.jsonl", f"{NAME}.txt"], 1),
    "match, no patterns": (["match", "-p", f"{NAME}.absent", f"{NAME}.txt"], 1),
    "run": (["run", f"{NAME}.txt", "-o", NAME], 0),
    "run, summed up": (["run", f"{NAME}.txt", "-o", NAME, "--json"], 0),
    "run, dry": (["run", f"{NAME}.txt", "-o", NAME, "--dry-run"], 0),
    "run, one fails": (["run", f"{NAME}.txt", f"{NAME}.bad.txt", "-o", NAME], 1),
    "run, two of one name": (["run", f"{NAME}.txt", f"{NAME}.jsonl", "-o", NAME], 2),
    "run, not there": (["run", f"{NAME}.absent.txt", "-o", NAME], 1),
    "run, form unknown": (["run", f"{NAME}.vocab", "-o", NAME], 2),
    "run, broken pipeline": (["run", f"{NAME}.txt", "-o", NAME, "-p", f"{NAME}.bad.toml"], 1),
    "corpus info": (["corpus", "info", f"{NAME}.corpus"], 0),
    "corpus info, JSON": (["corpus", "info", f"{NAME}.corpus", "--json"], 0),
    "corpus info, broken": (["corpus", "info", f"{NAME}.bad.corpus"], 1),
    "corpus verify": (["corpus", "verify", f"{NAME}.corpus", f"{NAME}.spacy"], 0),
    "corpus verify, broken": (
        [
            "corpus",
            "verify",
            *(f"{NAME}.bad.{end}" for end in ("corpus", "spacy", "conllu", "jsonl", "txt")),
        ],
        1,
    ),
    "convert": (["convert", f"{NAME}.iob", f"{NAME}.out"], 0),
    "convert, no such converter": (["convert", f"{NAME}.txt", f"{NAME}.out"], 2),
    "convert, not there": (["convert", f"{NAME}.absent.iob", f"{NAME}.out"], 1),
    "convert, broken": (["convert", f"{NAME}.bad.conllu", f"{NAME}.out"], 1),
    "package": (["package", "pipeline", NAME, "-b", "none"], 0),
    "package, not there": (["package", f"{NAME}.absent", "."], 1),
    "pretrain, not there": (["pretrain", f"{NAME}.absent", f"{NAME}.out"], 1),
    "pretrain, no settings of it": (["pretrain", f"{NAME}/config.cfg", f"{NAME}.out"], 1),
    "train in Python": (
        ["train", f"{NAME}/config.cfg", "-o", f"{NAME}.out", "-c", f"{NAME}.absent"],
        1,
    ),
    "assemble": (["assemble", f"{NAME}/config.cfg", f"{NAME}.out"], 0),
    "assemble, not there": (["assemble", f"{NAME}.absent", f"{NAME}.out"], 1),
    "corpus convert": (["corpus", "convert", f"{NAME}.corpus", "-o", f"{NAME}.out.spacy"], 0),
    "corpus convert to JSON": (
        ["corpus", "convert", f"{NAME}.corpus", "-o", "-", "--format", "jsonl"],
        0,
    ),
    "corpus convert, unknown": (
        ["corpus", "convert", f"{NAME}.vocab", "-o", f"{NAME}.out.spacy"],
        2,
    ),
    "corpus head": (["corpus", "head", f"{NAME}.corpus"], 0),
    "corpus head, broken": (["corpus", "head", f"{NAME}.bad.conllu"], 1),
    "corpus merge": (
        ["corpus", "merge", f"{NAME}.corpus", f"{NAME}.corpus", "-o", f"{NAME}.out.corpus"],
        0,
    ),
    "corpus merge, broken": (
        ["corpus", "merge", f"{NAME}.bad.corpus", "-o", f"{NAME}.out.corpus"],
        1,
    ),
    "evaluate": (["evaluate", "pipeline", f"{NAME}.spacy"], 0),
    "evaluate, no such pipeline": (["evaluate", f"{NAME}.absent", f"{NAME}.spacy"], 1),
    "evaluate, not there": (["evaluate", "pipeline", f"{NAME}.absent"], 1),
    "evaluate, broken": (["evaluate", "pipeline", f"{NAME}.bad.spacy"], 1),
    "train, not there": (["train", f"{NAME}.absent", "-o", f"{NAME}.out"], 1),
    "train, broken": (["train", f"{NAME}.bad.txt", "-o", f"{NAME}.out"], 1),
    "train, no weights": (
        ["train", f"{NAME}.absent", "-o", f"{NAME}.out", "--resume=weights"],
        1,
    ),
    "train, no state": (["train", f"{NAME}.absent", "-o", f"{NAME}.out", "--resume"], 1),
    "init config": (["init", "config", "-"], 0),
    "init config, exists": (["init", "config", f"{NAME}.txt"], 2),
    "init config, unknown": (["init", "config", "-p", EVIL, "-"], 1),
    "init fill-config, broken": (["init", "fill-config", f"{NAME}.bad.txt"], 1),
    "init labels, not there": (["init", "labels", f"{NAME}.absent", f"{NAME}.out"], 1),
    "config check, not there": (["config", "check", f"{NAME}.absent"], 1),
    "config diff, broken": (["config", "diff", f"{NAME}.bad.txt"], 1),
    "debug data, not there": (["debug", "data", f"{NAME}.absent"], 1),
    "stats": (["stats", f"{NAME}.txt", "--top", "99"], 0),
    "stats, JSON": (["stats", f"{NAME}.txt", "--top", "99", "--json"], 0),
    "stats, not there": (["stats", f"{NAME}.absent"], 1),
    "vocab build": (["vocab", "build", f"{NAME}.txt", "-o", f"{NAME}.out.vocab"], 0),
    "vocab info": (["vocab", "info", f"{NAME}.vocab"], 0),
    "vocab info, JSON": (["vocab", "info", f"{NAME}.vocab", "--json"], 0),
    "vocab info, broken": (["vocab", "info", f"{NAME}.bad.corpus"], 1),
    "lookups build, not there": (["lookups", "build", f"{NAME}.absent"], 1),
    "lookups info, not there": (["lookups", "info", f"{NAME}.absent"], 1),
    "lookups info, broken": (["lookups", "info", f"{NAME}.bad.corpus"], 1),
    "struct": (["struct", "TokenC"], 0),
    "struct, unknown": (["struct", EVIL], 2),
    "ops": (["ops"], 0),
    "ops, unknown": (["ops", EVIL], 1),
    "languages": (["languages", "de"], 0),
    "languages, unknown": (["languages", EVIL], 2),
    "explain": (["explain", "E030"], 0),
    "explain, unknown": (["explain", EVIL], 2),
    "an unknown command": ([EVIL], 2),
    "an unknown option": (["tokenize", f"--{EVIL}"], 2),
    "an unknown value": (["tokenize", "-", "--errors", EVIL], 2),
}
# These print some of the text or the name; a test that saw neither would show nothing.
SHOWN = [
    name
    for name in COMMANDS
    if name
    not in (
        "evaluate",
        "init config",
        "struct",
        "ops",
        "explain",
        "languages",
        "vocab build",
        "vocab info",
        "vocab info, JSON",
    )
]


def test_all_commands_are_in_the_table(shell):
    listed = shell.ok("--help").stdout.decode().partition("Commands:")[2].partition("Options:")[0]
    commands = re.findall(r"^  (\w+) ", listed, re.MULTILINE)
    assert len(commands) >= 8
    assert set(commands) - {"help"} <= {args[0] for args, _ in COMMANDS.values()}
    for outer in ("config", "corpus", "init", "lookups", "model", "vocab"):
        listed = (
            shell.ok(outer, "--help")
            .stdout.decode()
            .partition("Commands:")[2]
            .partition("Options:")[0]
        )
        inner = set(re.findall(r"^  ([\w-]+) ", listed, re.MULTILINE)) - {"help"}
        assert len(inner) >= 2
        assert inner == {args[1] for args, _ in COMMANDS.values() if args[0] == outer}


@pytest.mark.parametrize("command", COMMANDS)
def test_nothing_that_a_terminal_obeys_is_printed(folder, command):
    args, code = COMMANDS[command]
    done = folder.run(*args)
    assert done.returncode == code, (done.stdout, done.stderr)
    printed = done.stdout.decode() + done.stderr.decode()
    assert OBEYED.findall(printed) == []
    # An end of line in a name begins no line.
    assert not re.search("^lexpool: all is well", printed, re.MULTILINE)
    if command in SHOWN:
        assert re.search(r"\\u\{?00?9b|\\u\{9b\}|\\x9b", printed), printed


JSON = [
    "tokenize",
    "tokenize, summed up",
    "match",
    "run, summed up",
    "corpus info, JSON",
    "corpus convert to JSON",
]
JSON += ["corpus head", "stats, JSON"]


@pytest.mark.parametrize("command", JSON)
def test_json_says_what_the_text_or_the_name_is_nevertheless(folder, command):
    lines = folder.ok(*COMMANDS[command][0]).stdout.decode().splitlines()
    values = "\n".join(strings(json.loads(line) for line in lines))
    assert "\x9b31m" in values
    assert "\x1b]0;vil\x07\x7f" in values or command == "stats, JSON"


def strings(value):
    """All strings in a value of JSON."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.items():
            yield from strings(inner)
    elif not isinstance(value, int | float | None):
        for inner in value:
            yield from strings(inner)


def on_terminal(shell, *args: str) -> str:
    """Gives what a command prints if both of its outputs are a terminal."""
    terminal, end = os.openpty()
    with shell.start(*args, stdout=end, stderr=end, env=os.environ | {"TERM": "xterm"}) as running:
        os.close(end)
        running.stdin.close()
        seen = b""
        while True:
            try:
                part = os.read(terminal, 1 << 16)
            except OSError:
                # In Linux, the end of a terminal whose other side was closed.
                break
            if not part:
                break
            seen += part
        running.wait(60)
    os.close(terminal)
    return seen.decode()


ON_TERMINALS = {name: args for name, (args, _) in COMMANDS.items()}
# Forms that are binary, or cannot escape such characters where they go to a pipe.
ON_TERMINALS["CoNLL-U"] = ["tokenize", f"{NAME}.txt", "--format", "conllu"]
ON_TERMINALS["converted CoNLL-U"] = [
    "corpus",
    "convert",
    f"{NAME}.corpus",
    "-o",
    "-",
    "--format",
    "conllu",
]
ON_TERMINALS["a binary corpus"] = ["corpus", "merge", f"{NAME}.corpus", "-o", "-"]


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
@pytest.mark.parametrize("command", ON_TERMINALS)
def test_on_a_terminal_colours_and_bars_are_the_commands_own(folder, command):
    printed = on_terminal(folder, *ON_TERMINALS[command])
    assert printed
    # Colours, and what a progress bar moves by.
    own = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\r", "", printed)
    assert OBEYED.findall(own) == []
    assert "\x1b]" not in printed


def test_conllu_in_a_pipe_or_file_is_as_the_text_is(folder):
    written = folder.ok(*ON_TERMINALS["CoNLL-U"]).stdout.decode()
    assert "\x9b31m" in written
    assert "\u202e" in written
