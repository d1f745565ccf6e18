"""Small files that lexpool and spaCy write, taken apart: src/data/files.json.

Each is written by the program that its page shows, in an empty folder, and then read as the page
says that it is laid out; what is laid out otherwise is an error.
"""

import contextlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dumps import bytes_of_docs, corpus, lookups, phrases, pipeline, vocab

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
LOOKUPS = """\
Path("de_lemma_lookup.json").write_text('{"ging": "gehen", "ist": "sein", "sind": "sein"}')
subprocess.run(
    [sys.executable, "-m", "lexpool", "lookups", "build", "."],
    check=True, stdout=subprocess.DEVNULL,
)
"""
DOC = 'data = nlp("We saw apples.").to_bytes()\n'
DOCBIN = "data = DocBin(docs=docs).to_bytes()\n"
MODEL = """\
tok2vec = {
    "@architectures": "spacy.HashEmbedCNN.v2", "pretrained_vectors": None,
    "width": 2, "depth": 1, "embed_size": 4,
    "window_size": 1, "maxout_pieces": 2, "subword_features": False,
}
spacy.util.fix_random_seed(0)
spacy_nlp = spacy.blank("en")
tagger = spacy_nlp.add_pipe("tagger", config={"model": {"tok2vec": tok2vec}})
for tag in ("ADJ", "NOUN", "VERB"):
    tagger.add_label(tag)
spacy_nlp.initialize()
data = tagger.model.to_bytes()
"""
MOVES = """\
actions = ArcEager.get_actions(left_labels=["nsubj"], right_labels=["obj"])
data = ArcEager(nlp.vocab.strings, actions).to_bytes(exclude=["strings"])
"""
TREES = """\
trees = EditTrees(spacy_nlp.vocab.strings)
trees.add("walked", "walk")
trees.add("ungeschickt", "schicken")
data = trees.to_bytes()
"""
KNOWLEDGE = """\
kb = InMemoryLookupKB(nlp.vocab, entity_vector_length=2)
kb.add_entity("Q42", freq=12, entity_vector=[0.5, 1])
kb.add_entity("Q5", freq=3, entity_vector=[1, 0])
kb.add_alias("Douglas", entities=["Q42", "Q5"], probabilities=[0.75, 0.25])
kb.write_contents("contents")
"""


def data() -> dict[str, dict[str, Any]]:
    import spacy
    from spacy.pipeline._edit_tree_internals.edit_trees import EditTrees

    import lexpool
    from lexpool.corpus import Corpus
    from lexpool.kb import InMemoryLookupKB
    from lexpool.matcher import PhraseMatcher
    from lexpool.parser import ArcEager
    from lexpool.tokens import DocBin

    names: dict[str, Any] = {
        "Path": Path,
        "subprocess": subprocess,
        "sys": sys,
        "lexpool": lexpool,
        "Corpus": Corpus,
        "PhraseMatcher": PhraseMatcher,
        "DocBin": DocBin,
        "ArcEager": ArcEager,
        "EditTrees": EditTrees,
        "InMemoryLookupKB": InMemoryLookupKB,
        "spacy": spacy,
    }
    with in_an_empty_folder():
        for program in (VOCAB, PHRASES, CORPUS, LOOKUPS):
            exec(program, names)
        dumps = {
            "vocab": vocab.vocab(Path("we.vocab").read_bytes(), VOCAB, "saw"),
            "phrases": phrases.phrases(Path("fruit.phrases").read_bytes(), PHRASES),
            "lookups": lookups.lookups(Path("de.lookups").read_bytes(), LOOKUPS),
            "corpus": corpus.corpus(Path("two.corpus").read_bytes(), CORPUS, TEXTS),
        }
        exec(DOC, names)
        dumps["doc"] = bytes_of_docs.doc(names["data"], DOC)
        exec(DOCBIN, names)
        dumps["docbin"] = bytes_of_docs.docbin(names["data"], DOCBIN)
        exec(MODEL, names)
        dumps["model"] = pipeline.model(names["data"], MODEL)
        exec(MOVES, names)
        dumps["moves"] = pipeline.moves(names["data"], MOVES)
        exec(TREES, names)
        dumps["trees"] = pipeline.trees(names["data"], TREES, names["spacy_nlp"].vocab.strings)
        exec(KNOWLEDGE, names)
        contents = Path("contents").read_bytes()
        dumps["knowledge"] = pipeline.knowledge(contents, KNOWLEDGE, names["nlp"].vocab.strings)
    return dumps


@contextlib.contextmanager
def in_an_empty_folder() -> Iterator[None]:
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)
