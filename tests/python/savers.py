"""Every saver of the package, for tests of what they leave on the disk.

A saver writes something in the state of a number to a path.
"""

import random
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import lexpool
from lexpool import render
from lexpool.config import Config
from lexpool.corpus import Corpus
from lexpool.kb import InMemoryLookupKB
from lexpool.lookups import Lookups
from lexpool.matcher import PhraseMatcher
from lexpool.parser import ArcEager, BiluoPushDown
from lexpool.pipeline import EditTrees
from lexpool.tokens import Doc, DocBin, Span
from lexpool.training import write_conllu
from lexpool.vectors import Vectors

Saver = Callable[[Path, int], Any]

# Folders all of whose files appear and change together.
WHOLE = {
    "AttributeRuler.to_disk",
    "EntityRuler.to_disk",
    "InMemoryLookupKB.to_disk",
    "Language.to_disk",
    "Lemmatizer.to_disk",
    "TrainablePipe.to_disk",
    "Vectors.to_disk",
    "Vocab.to_disk",
}

# By class and method; what stands behind a comma tells two ways of one method apart.
FILES: dict[str, Saver] = {}
FOLDERS: dict[str, Saver] = {}


def file(name: str) -> Callable[[Saver], Saver]:
    """Enters a saver of one file."""
    return lambda saver: FILES.setdefault(name, saver)


def folder(name: str) -> Callable[[Saver], Saver]:
    """Enters a saver of a folder."""
    return lambda saver: FOLDERS.setdefault(name, saver)


def words(state: int) -> list[str]:
    """Words that zlib makes little of, other ones for each state."""
    rng = random.Random(state)
    return [f"w{rng.getrandbits(64):x}" for _ in range(600)]


@cache
def doc(state: int) -> Doc:
    made = lexpool.blank("en")(" ".join(words(state)))
    made.ents = [Span(made, 0, 3, "A")]
    return made


def patterns(state: int) -> list[dict[str, Any]]:
    return [{"label": "A", "pattern": word} for word in words(state)]


def component(name: str, state: int) -> Any:
    """A component whose settings hold the words of a state, where it has a place for them."""
    nlp = lexpool.blank("en")
    if name == "lemmatizer":
        made = nlp.add_pipe(name, config={"mode": "lookup"})
        lookups = Lookups()
        lookups.add_table("lemma_lookup", dict.fromkeys(words(state), "lemma"))
        made.initialize(lookups=lookups)
        return made
    settings: dict[str, dict[str, Any]] = {
        "sentencizer": {"punct_chars": words(state)},
        "doc_cleaner": {"attrs": dict.fromkeys(words(state))},
        "token_splitter": {"min_length": 20 + state},
    }
    made = nlp.add_pipe(name, config=settings.get(name, {}))
    if name in ("entity_ruler", "span_ruler"):
        made.add_patterns(patterns(state))
    if name == "attribute_ruler":
        for word in words(state):
            made.add([[{"ORTH": word}]], {"LEMMA": "x"})
    return made


@file("Doc.to_disk")
def _doc(path: Path, state: int) -> None:
    doc(state).to_disk(path)


@file("DocBin.to_disk")
def _docbin(path: Path, state: int) -> None:
    DocBin(docs=[doc(state)]).to_disk(path)


@file("Tokenizer.to_disk")
def _tokenizer(path: Path, state: int) -> None:
    tokenizer = lexpool.Tokenizer.blank("en")
    for word in words(state):
        tokenizer.add_special_case(word, [{"ORTH": word}])
    tokenizer.to_disk(path)


@file("StringStore.to_disk")
def _strings(path: Path, state: int) -> None:
    lexpool.StringStore(words(state)).to_disk(path)


@file("Vocab.save")
def _vocab_image(path: Path, state: int) -> None:
    doc(state).vocab.save(path)


@file("Config.to_disk")
def _config(path: Path, state: int) -> None:
    Config({"nlp": {"words": words(state)}}).to_disk(path)


@file("PhraseMatcher.save")
def _phrases(path: Path, state: int) -> None:
    matcher = PhraseMatcher(doc(state).vocab)
    matcher.add("A", [doc(state)[i : i + 1].as_doc() for i in range(len(doc(state)))])
    matcher.save(path)


@file("Corpus.write")
def _corpus(path: Path, state: int) -> None:
    Corpus.write(path, [doc(state)] * 3, columns={"n": range(3)})


@file("Corpus.write, extensions")
def _corpus_with_extensions(path: Path, state: int) -> None:
    Doc.set_extension("savers_year", default=1, force=True)
    Corpus.write(path, [doc(state)] * 3, extensions=["savers_year"])


@file("Corpus.append")
def _longer_corpus(path: Path, state: int) -> None:
    Doc.set_extension("savers_year", default=1, force=True)
    Corpus.append(path, [doc(state)] * 3, extensions=["savers_year"])


@file("Corpus.save")
def _corpus_slice(path: Path, state: int) -> None:
    other = path.with_name("for-corpus-save")
    if not other.exists():
        Corpus.write(other, [doc(i) for i in range(3)])
    Corpus.open(other)[state : state + 1].save(path)


@file("Corpus.merge")
def _merged(path: Path, state: int) -> None:
    other = path.with_name("for-corpus-merge")
    if not other.exists():
        Corpus.write(other, [doc(i) for i in range(3)])
    Corpus.merge([Corpus.open(other)[state:]], path)


@file("write_conllu")
def _conllu(path: Path, state: int) -> None:
    write_conllu(path, [doc(state)])


@file("render.to_file")
def _picture(path: Path, state: int) -> None:
    render.to_file(doc(state), path, style="ent")


@file("Profile.save")
def _profile(path: Path, state: int) -> None:
    from lexpool._ops.profile import Profile

    Profile(trace={"traceEvents": words(state)}).save(path)


@file("TransitionSystem.to_disk")
def _moves(path: Path, state: int) -> None:
    moves = {0: {}, 1: {"": 1}, 2: dict.fromkeys(words(state), 1), 3: {}, 4: {}}
    ArcEager(lexpool.StringStore(), moves).to_disk(path)


@file("EditTrees.to_disk")
def _edit_trees(path: Path, state: int) -> None:
    trees = EditTrees(lexpool.StringStore())
    for word in words(state):
        trees.add(word, "lemma")
    trees.to_disk(path)


@file("TransitionSystem.to_disk, entities")
def _entity_moves(path: Path, state: int) -> None:
    labels = dict.fromkeys(words(state), 1)
    BiluoPushDown(lexpool.StringStore(), {1: labels, 2: labels, 3: labels, 4: labels}).to_disk(path)


@file("EntityRuler.to_disk, a file")
def _entity_patterns(path: Path, state: int) -> None:
    component("entity_ruler", state).to_disk(path)


@folder("Vocab.to_disk")
def _vocab(path: Path, state: int) -> None:
    vocab = lexpool.Vocab(strings=words(state))
    vocab.vectors = Vectors(strings=vocab.strings, data=vectors(state), keys=range(1, 201))
    vocab.to_disk(path)


def vectors(state: int) -> np.ndarray:
    return np.random.default_rng(state).random((200, 8), "f")


@folder("Vectors.to_disk")
def _vectors(path: Path, state: int) -> None:
    Vectors(data=vectors(state), keys=range(1, 201)).to_disk(path)


@folder("Lookups.to_disk")
def _lookups(path: Path, state: int) -> None:
    lookups = Lookups()
    lookups.add_table("t", {word: word for word in words(state)})
    lookups.to_disk(path)


@cache
def pipeline(state: int) -> lexpool.Language:
    """A pipeline of rules and a tagger that never learned, whose labels are those of the state."""
    nlp = lexpool.blank("en", meta={"description": " ".join(words(state))})
    embedding = {
        "@architectures": "spacy.HashEmbedCNN.v2",
        "pretrained_vectors": None,
        "width": 4,
        "depth": 1,
        "embed_size": 20,
        "window_size": 1,
        "maxout_pieces": 2,
        "subword_features": False,
    }
    model = {"@architectures": "spacy.Tagger.v2", "tok2vec": embedding}
    tagger = nlp.add_pipe("tagger", config={"model": model})
    for word in words(state)[: 40 + state]:
        tagger.add_label(word)
    nlp.initialize()
    for word in words(state):
        nlp.tokenizer.add_special_case(word, [{"ORTH": word}])
    nlp.add_pipe("sentencizer", config={"punct_chars": words(state)})
    nlp.add_pipe("entity_ruler").add_patterns(patterns(state))
    return nlp


@folder("Language.to_disk")
def _language(path: Path, state: int) -> None:
    pipeline(state).to_disk(path)


@folder("TrainablePipe.to_disk")
def _trained(path: Path, state: int) -> None:
    path.mkdir(exist_ok=True)
    pipeline(state).get_pipe("tagger").to_disk(path / "part")


@file("Model.to_disk")
def _model(path: Path, state: int) -> None:
    # A model writes the bytes that it was given, which are not read before.
    model = lexpool.blank("en").add_pipe("tagger").model
    model.from_bytes(" ".join(words(state)).encode()).to_disk(path)


@folder("InMemoryLookupKB.to_disk")
def _knowledge_base(path: Path, state: int) -> None:
    kb = InMemoryLookupKB(lexpool.Vocab(), 1)
    kb.set_entities(words(state), [1] * len(words(state)), [[state]] * len(words(state)))
    kb.to_disk(path)


def _of_component(factory: str) -> Saver:
    def save(path: Path, state: int) -> None:
        path.mkdir(exist_ok=True)
        component(factory, state).to_disk(path / "part")

    return save


for _name, _factory in {
    "AttributeRuler.to_disk": "attribute_ruler",
    "EntityRuler.to_disk": "entity_ruler",
    "SpanRuler.to_disk": "span_ruler",
    "Sentencizer.to_disk": "sentencizer",
    "Lemmatizer.to_disk": "lemmatizer",
    "DocCleaner.to_disk": "doc_cleaner",
    "TokenSplitter.to_disk": "token_splitter",
}.items():
    FOLDERS[_name] = _of_component(_factory)


# Names are of a kind that every saver takes.
NAME = "saved.jsonl"
SAVERS = FILES | FOLDERS
# All but the one that reads what it is to write behind.
REPLACING = [name for name in FILES if name != "Corpus.append"]


def contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def saved(name: str, folder: Path, state: int) -> None:
    SAVERS[name](folder / NAME, state)


def same(name: str, one: bytes, other: bytes) -> bool:
    """Compares two files; one of phrases has a seed in it, which is another one each time."""
    return len(one) == len(other) if name == "PhraseMatcher.save" else one == other
