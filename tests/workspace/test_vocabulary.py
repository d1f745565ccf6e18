"""The repository has one vocabulary: renamed terms and private words do not come back.

`renamed.txt` beside this file has a line for each renamed type, function, file or folder: the old
name and the new one. The glossary in ARCHITECTURE.md defines the terms.
"""

import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = (".cargo", ".ci", ".github", "core", "docs", "pool", "py", "structs", "tests")
SUFFIXES = {".rs", ".py", ".pyi", ".pxd", ".h", ".c", ".md", ".mdx", ".astro", ".mjs", ".ts"}
SUFFIXES |= {".json", ".toml", ".yml", ".txt"}
# Folders of generated files, and files that contain old names on purpose.
GENERATED = re.compile(
    r"/(node_modules|target|dist|data|api|__pycache__|\.venv)/|package-lock|proptest-regressions"
)
EXEMPT = {"tests/workspace/renamed.txt", "tests/workspace/test_vocabulary.py"}
# Stubs are generated from docstrings in sources that are checked.
EXEMPT |= {"py/lexpool/_core.pyi", "py/lexpool/ops.pyi"}
# Paths of files as they are.
EXEMPT |= {"docs/measured/coverage.json"}

# Private words, each with the standard terms.
PRIVATE = {
    r"[Jj]udg(?:e|es|ed|ing)": "validate, check",
    r"[Mm]end(?:s|ed|ing)?": "fix, repair",
    r"[Ww]hoever": "the caller, the reader",
    r"[Pp]umps?": "batch pipeline",
    r"[Tt]all(?:y|ies)": "counts",
    r"[Rr]eceipts?": "ticket",
    r"[Ss]poil(?:s|t|ed|ing)?": "invalidate",
    r"[Bb]lam(?:e|es|ed|ing)": "attribute the error",
    r"MOST_[A-Z_]+": "MAX_...",
    r"(?:at )?most so many": "at most n",
}
# Names that stay, with the reason.
ALLOWED = {
    ("core/src/tokenizer/lang/rules/en.toml", "whoever"): "a stop word of English",
}
# A type named by a bare participle, pronoun or adverb says nothing about its values.
VAGUE = re.compile(
    r"^\s*(?:pub(?:\(\w+\))? )?(?:struct|enum|trait|union|type|class) "
    r"(Kept|Given|Said|What|Of|Own|Held|Lent|Taken|Here|There|More|Due|Wanted|Meant|Asked|Met|Told"
    r"|Found|Made|Whole|Gone|Alive|Refused|Overgrown)\b",
    re.MULTILINE,
)


@cache
def sources() -> dict[str, str]:
    """The text of each source file and document, by its path."""
    paths = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*")]
    paths += ROOT.glob("*")
    found = {}
    for path in paths:
        name = path.relative_to(ROOT).as_posix()
        if GENERATED.search(f"/{name}") or name in EXEMPT or not path.is_file():
            continue
        if path.suffix in SUFFIXES or path.name in ("Makefile", "run"):
            found[name] = path.read_text(encoding="utf-8")
    return found


@cache
def renamed() -> dict[str, str]:
    """The new name of each old one."""
    lines = (ROOT / "tests/workspace/renamed.txt").read_text().splitlines()
    return dict(line.split(" ", 1) for line in lines)


def old_names(text: str) -> list[str]:
    """Returns the renamed terms that occur in a text as whole words or parts of paths."""
    some = re.compile("|".join(map(re.escape, sorted(renamed(), key=len, reverse=True))))
    found = []
    for match in some.finditer(text):
        before, after = text[match.start() - 1 : match.start()], text[match.end() : match.end() + 1]
        is_word = not re.match(r"\w", before) and (
            match[0].endswith("/") or not re.match(r"\w", after)
        )
        if is_word and not (after == "." and re.match(r"\.rs\b", text[match.end() :])):
            found.append(match[0])
    return found


def private_words(name: str, text: str) -> list[str]:
    """Returns the private words of a file, except for allowed ones."""
    some = re.compile(rf"\b(?:{'|'.join(PRIVATE)})\b")
    return [word for word in some.findall(text) if (name, word) not in ALLOWED]


def test_no_renamed_term_is_left():
    found = {name: old_names(text) for name, text in sources().items()}
    assert {
        name: {old: renamed()[old] for old in some} for name, some in found.items() if some
    } == {}


def test_no_private_word_is_left():
    found = {name: private_words(name, text) for name, text in sources().items()}
    assert {name: words for name, words in found.items() if words} == {}, PRIVATE


def test_no_type_is_named_by_a_bare_participle():
    found = {
        name: VAGUE.findall(text)
        for name, text in sources().items()
        if name.endswith((".rs", ".py", ".pyi"))
    }
    assert {name: names for name, names in found.items() if names} == {}


def test_many_sources_are_read_and_every_allowed_word_is_used():
    assert len(sources()) > 900
    assert all(word in sources()[name] for name, word in ALLOWED)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("see `core/src/shell`", ["core/src/shell"]),
        ("struct Pump;", ["Pump"]),
        ("a Shelf of documents", ["Shelf"]),
        ("PumpHandle, Shelfs", []),
    ],
)
def test_a_renamed_term_is_noticed(text, names):
    assert old_names(text) == names


@pytest.mark.parametrize("word", ["judged", "Whoever", "MOST_WORDS", "receipt", "spoilt", "blames"])
def test_a_private_word_is_noticed(word):
    assert private_words("some.rs", f"// {word}") == [word]


@pytest.mark.parametrize(
    "line", ["struct " + "Kept {", "pub(crate) enum " + "What {", "class " + "Given:"]
)
def test_a_vague_type_is_noticed(line):
    assert VAGUE.search(line)
