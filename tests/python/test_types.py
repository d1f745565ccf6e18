"""The type stubs say what the binary has."""

import subprocess
import sys
from pathlib import Path

import pytest

import lexpool

PACKAGE = Path(lexpool.__file__).parent
ALLOWED = Path(__file__).parent / "stubtest-allowlist.txt"

USE = """
import re
from typing import assert_type
import lexpool
from lexpool import attrs

nlp = lexpool.blank("en")
doc = nlp("text")
assert_type(doc[0], lexpool.Token)
assert_type(doc[:1], lexpool.Span)
assert_type(doc[:1][0], lexpool.Token)
assert_type(doc[:1][:1], lexpool.Span)
assert_type(doc.char_span(0, 1, alignment_mode="expand"), lexpool.Span | None)
assert_type(nlp.vocab.strings["text"], int)
assert_type(nlp.vocab.strings[b"text"], int)
assert_type(nlp.vocab.strings[429], str)
assert_type(nlp.vocab["text"], lexpool.Lexeme)
assert_type(attrs.LOWER, int)
assert_type([token.is_alpha for token in doc], list[bool])
assert_type([doc.text for doc in nlp.tokenizer.pipe(["a"], n_threads=2)], list[str])
patterns = re.compile("x")
tokenizer = lexpool.Tokenizer(
    nlp.vocab,
    {"ab": [{"ORTH": "a"}, {"ORTH": "b", "NORM": "c"}]},
    prefix_search=patterns.search,
    infix_finditer=patterns.finditer,
    token_match=patterns,
    url_match="http.*",
)
lexpool.Tokenizer(lexpool.Vocab({"LOWER": str.lower, attrs.IS_STOP: str.isalpha}), tokenizer.rules)
memoryview(doc.c)
with nlp.vocab.memory_zone():
    pass
"""


WRONG_USE = """
import lexpool

nlp = lexpool.blank("en")
doc = nlp("text")
doc["a"]
doc.char_span(0, 1, alignment_mode="loose")
nlp.tokenizer.pipe(3)
nlp(3)
doc[0].lower = 3
"""


@pytest.fixture(scope="module")
def mypy(tmp_path_factory):
    """Runs mypy in a folder of its own, and gives its exit code and output."""
    pytest.importorskip("mypy", reason="mypy is not installed")
    folder = tmp_path_factory.mktemp("mypy")

    def run(*arguments: str, program: str | None = None) -> tuple[int, str]:
        if program is not None:
            (folder / "program.py").write_text(program)
        command = [sys.executable, "-m", *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
        return done.returncode, done.stdout + done.stderr

    return run


def test_the_stubs_are_those_of_the_binary(mypy):
    code, output = mypy("mypy.stubtest", "lexpool", "--allowlist", str(ALLOWED))
    assert code == 0, output


def test_the_package_is_typed_throughout(mypy):
    code, output = mypy("mypy", "--strict", str(PACKAGE))
    assert code == 0, output


def test_ordinary_use_is_well_typed(mypy):
    code, output = mypy("mypy", "--strict", "program.py", program=USE)
    assert code == 0, output


def test_wrong_use_is_ill_typed(mypy):
    code, output = mypy("mypy", "--strict", "program.py", program=WRONG_USE)
    assert code == 1
    wrong = WRONG_USE[: WRONG_USE.index('doc["a"]')].count("\n") + 1
    for line in range(wrong, WRONG_USE.count("\n") + 1):
        assert f"program.py:{line}: error" in output
