"""Kinds of files: small samples, how checksums are put right, how files are opened and used.

This module has the table and what the kinds have in common; importing `kinds_of_*` fills the table.
"""

import functools
import os
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from arguments import ROOT

import lexpool
from lexpool import _core
from lexpool.tokens import Doc, Span

FILES = ROOT / "tests/files"
SEEDS = ROOT / "tests/fuzz/seeds"


TEXTS = [
    "Apple bought some company. They went to the U.S. in 1990, for 2 3 words!",
    "",
    " a\n",
    "the whale , the white whale don't \u00e9t\u00e9 \U0001f600 " * 3,
]
Sample = dict[str, bytes]
"""Files of a folder by their paths; that of a single file is its name."""


class CommandError(Exception):
    """The error output of a command that failed."""


@dataclass(frozen=True)
class Kind:
    """A kind of file: `use` opens what is in a folder, and does what can be done with it. `changed`
    are endings of the names of files that are changed, all by default.
    """

    name: str
    samples: Callable[[], list[Sample]]
    use: Callable[[Path], object]
    repair: Callable[[bytes], bytes]
    changed: tuple[str, ...]

    @functools.cached_property
    def sample_list(self) -> list[Sample]:
        """The samples, which are made once a process."""
        return self.samples()


KINDS: dict[str, Kind] = {}


def kind(
    name: str,
    samples: Callable[[], list[Sample]],
    repair: Callable[[bytes], bytes] = bytes,
    changed: tuple[str, ...] = ("",),
) -> Callable[[Callable[[Path], object]], Callable[[Path], object]]:
    """Enters a kind under its name, with the function that uses its files."""

    def enter(use: Callable[[Path], object]) -> Callable[[Path], object]:
        KINDS[name] = Kind(name, samples, use, repair, changed)
        return use

    return enter


def folder_content(folder: Path) -> Sample:
    """Returns the files of a folder."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def written(save: Callable[[Path], object], name: str) -> Sample:
    """Returns what a saver writes to a path of this name."""
    place = Path(tempfile.mkdtemp(prefix="lexpool-fuzz-"))
    try:
        save(place / name)
        return folder_content(place)
    finally:
        shutil.rmtree(place)


def files(*paths: str) -> Callable[[], list[Sample]]:
    """Samples that are in tests."""
    return lambda: [{(FILES / path).name: (FILES / path).read_bytes()} for path in paths]


def command(*arguments: object) -> None:
    """Runs a command within this process."""
    with tempfile.TemporaryFile("w+", encoding="utf8", errors="replace") as printed:
        before = os.dup(2)
        os.dup2(printed.fileno(), 2)
        try:
            status = _core.main(["lexpool", *map(str, arguments)], [])
        finally:
            os.dup2(before, 2)
            os.close(before)
        if status:
            printed.seek(0)
            raise CommandError(printed.read())


@functools.cache
def nlp() -> Any:
    """A pipeline that all kinds share."""
    return lexpool.blank("en")


@functools.cache
def documents() -> list[Doc]:
    """Documents with every kind of annotation."""
    Doc.set_extension("year", default=1, force=True)
    docs = []
    for text in TEXTS:
        words = nlp()(text)
        if len(words) > 5:
            n = len(words)
            heads = [max(i - 1, 0) for i in range(n)]
            values: dict[str, Any] = {
                "tags": ["N", "V"] * n, "pos": ["NOUN", "VERB"] * n, "lemmas": ["a", "b"] * n,
                "deps": ["ROOT", "dep"] * n, "morphs": ["Number=Sing", ""] * n,
            }  # fmt: skip
            values = {name: column[:n] for name, column in values.items()}
            spaces = [bool(token.whitespace_) for token in words]
            texts = [token.text for token in words]
            words = Doc(words.vocab, texts, spaces, heads=heads, **values)
            words.ents = [Span(words, 0, 1, "ORG", kb_id="Q1"), Span(words, 2, 4, "LOC")]
            words.spans["sc"] = [Span(words, 0, 3, "A"), Span(words, 1, 2, "B")]
            words.cats = {"x": 0.5, "y": 1.0}
            words.user_data["key"] = {"a": [1, 2.5, None, "x"]}
            words.tensor = np.ones((n, 3), "f")
        docs.append(words)
    return docs


def parsed() -> list[Doc]:
    """The documents that have trees."""
    return [doc for doc in documents() if doc.has_annotation("DEP")]


def read(doc: Doc) -> None:
    """Read all annotation of a document."""
    doc.to_json()
    list(doc.noun_chunks) if doc.has_annotation("DEP") and doc.lang == "en" else None
    for token in doc:
        _ = (token.lemma_, token.tag_, token.morph, token.head.i, token.ent_type_, token.norm_)
        _ = (token.lex.prob, token.has_vector, token.left_edge, token.ent_kb_id_)
    for spans in doc.spans.values():
        _ = [(span.label_, span.text) for span in spans]
    _ = (doc.cats, doc.user_data, doc.tensor, [span.kb_id_ for span in doc.ents])
    doc.to_array(["HEAD", "TAG", "ENT_IOB", "SENT_START"])


def only(place: Path) -> Path:
    """The only file of a folder."""
    (path,) = place.iterdir()
    return path


def hash_of(path: Path, parts: int) -> int:
    """A number below `parts` that follows from what is in a folder or file."""
    paths = path.rglob("*") if path.is_dir() else [path]
    return sum(part.stat().st_size for part in paths) % parts


def seeds(folder: str, name: str, *chosen: str, skip: int = 0) -> list[Sample]:
    """Seeds of a fuzz target; `skip` leading bytes of each are for the target, before the file."""
    paths = [SEEDS / folder / each for each in chosen] or sorted((SEEDS / folder).glob("*"))
    return [{name: path.read_bytes()[skip:]} for path in paths]


def text(place: Path) -> str:
    """Returns the text of the only file of a folder, whose encoding may be damaged."""
    return only(place).read_bytes().decode("utf8", "replace")
