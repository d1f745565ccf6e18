"""Small files that lexpool writes, taken apart: src/data/files.json.

Each is written by the program that its page shows, in an empty folder, and then read as the page
says that it is laid out; what is laid out otherwise is an error.
"""

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dumps import bytes_of_docs, corpus, phrases, vocab

TEXTS = ["We saw apples.", "Apples fell."]
VOCAB = """\
nlp = lexpool.blank("en")
nlp("We saw apples.")
nlp.vocab.save("we.vocab")
"""
PHRASES = """\
matcher = PhraseMatcher(nlp.vocab, attr="LOWER")
matcher.add("FRUIT", [nlp("apples"), nlp("red apples")])
matcher.save("fruit.phrases")
"""
CORPUS = """\
docs = [nlp("We saw apples."), nlp("Apples fell.")]
Corpus.write("two.corpus", docs)
"""
DOC = 'data = nlp("We saw apples.").to_bytes()\n'
DOCBIN = "data = DocBin(docs=docs).to_bytes()\n"


def data() -> dict[str, dict[str, Any]]:
    import lexpool
    from lexpool.corpus import Corpus
    from lexpool.matcher import PhraseMatcher
    from lexpool.tokens import DocBin

    names: dict[str, Any] = {
        "lexpool": lexpool,
        "Corpus": Corpus,
        "PhraseMatcher": PhraseMatcher,
        "DocBin": DocBin,
    }
    with in_an_empty_folder():
        for program in (VOCAB, PHRASES, CORPUS):
            exec(program, names)
        found = {
            "vocab": vocab.vocab(Path("we.vocab").read_bytes(), VOCAB, "saw"),
            "phrases": phrases.phrases(Path("fruit.phrases").read_bytes(), PHRASES),
            "corpus": corpus.corpus(Path("two.corpus").read_bytes(), CORPUS, TEXTS),
        }
        exec(DOC, names)
        found["doc"] = bytes_of_docs.doc(names["data"], DOC)
        exec(DOCBIN, names)
        found["docbin"] = bytes_of_docs.docbin(names["data"], DOCBIN)
    return found


@contextlib.contextmanager
def in_an_empty_folder() -> Iterator[None]:
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)
