"""For each class of the native module that holds objects: one of it that holds a given object."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import lexpool
from lexpool import Doc, Pool, Span, Vocab
from lexpool._core import Retokenization, Rows, StateClass, TrainingSteps
from lexpool.arrow import Annotator
from lexpool.corpus import Corpus
from lexpool.matcher import DependencyMatcher, Matcher, PhraseMatcher
from lexpool.parser import ArcEager
from lexpool.tokenizer import Tokenizer
from lexpool.tokens import DocBin, SpanGroup
from lexpool.training import read_conllu

TEMPORARY = TemporaryDirectory()
FOLDER = Path(TEMPORARY.name)
NLP = lexpool.blank("en")
VOCAB = NLP.vocab
DOC = NLP("one two three")
PHRASES = [DOC[0:1].as_doc()]
BIN = DocBin(docs=[DOC])
ANNOTATOR = Annotator(NLP.tokenizer, columns=["tokens"])
MOVES = ArcEager(VOCAB.strings, ArcEager.get_actions(left_labels=["a"], right_labels=["b"]))


def callback(held: Any, *_: Any) -> Any:
    """A function that holds an object once it is bound to it."""
    return held


def document(held: Any) -> Doc:
    doc = Doc(VOCAB, words=["a", "b"])
    doc.user_data["held"] = held
    return doc


def vocab(held: Any) -> Vocab:
    return Vocab(get_noun_chunks=partial(callback, held))


def pool(held: Any) -> Pool:
    made = Pool()
    made.own(held)
    return made


def tokenizer(held: Any) -> Tokenizer:
    made = Tokenizer(VOCAB)
    made.token_match = partial(callback, held)
    return made


def phrase_matcher(held: Any) -> PhraseMatcher:
    made = PhraseMatcher(VOCAB)
    made.add("KEY", PHRASES, on_match=partial(callback, held))
    return made


def matcher(held: Any) -> Matcher:
    made = Matcher(VOCAB)
    made.add("KEY", [[{}]], on_match=partial(callback, held))
    return made


def dependency_matcher(held: Any) -> DependencyMatcher:
    made = DependencyMatcher(VOCAB)
    pattern = [{"RIGHT_ID": "a", "RIGHT_ATTRS": {"DEP": "ROOT"}}]
    made.add("KEY", [pattern], on_match=partial(callback, held))
    return made


class Table:
    """An object that says it is Arrow data, and holds another."""

    def __init__(self, held: Any) -> None:
        self.held = held

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        raise NotImplementedError


class Batch(Table):
    def __arrow_c_array__(self, requested_schema: Any = None) -> Any:
        raise NotImplementedError


def beam(held: Any) -> Any:
    scores = lambda rows: np.zeros((len(rows), MOVES.n_moves), dtype=np.float32)
    return MOVES.beam_parse([document(held)], scores, 1)[0]


def corpus(held: Any) -> Corpus:
    path = FOLDER / "one.corpus"
    if not path.exists():
        Corpus.write(path, [DOC])
    made = Corpus.open(path)
    made.vocab.get_noun_chunks = partial(callback, held)
    return made


def conllu(held: Any) -> Any:
    path = FOLDER / "one.conllu"
    if not path.exists():
        path.write_text("1\ta\ta\tX\tX\t_\t0\troot\t_\t_\n\n", "utf8")
    return read_conllu(path, vocab(held))


Hold = Callable[[Any], Any]

# Cheap to make: chains of any length.
LIGHT: dict[str, Hold] = {
    "Span": lambda held: Span(DOC, 0, 1, vector=held),
    "SpanGroup": lambda held: SpanGroup(DOC, attrs={"held": held}),
    "Pool": pool,
    "Stream": lambda held: NLP.tokenizer.pipe(held if hasattr(held, "__next__") else [held]),
    "MemoryZone": lambda held: VOCAB.memory_zone(held),
    "Annotated": lambda held: ANNOTATOR(Table(held)),
    "AnnotatedBatch": lambda held: ANNOTATOR(Batch(held)),
    "TrainingSteps": lambda held: TrainingSteps(held, {}, [], 0),
}

# With a document, a matcher or a tokenizer to each.
HEAVY: dict[str, Hold] = {
    "Doc": document,
    "Token": lambda held: document(held)[0],
    "TokenIter": lambda held: iter(document(held)),
    "Handle": lambda held: document(held).c,
    "Lease": lambda held: document(held).c.writable(),
    "SpacyLease": lambda held: document(held).c.as_spacy(writable=True),
    "Retokenization": lambda held: Retokenization(document(held)),
    "StateClass": lambda held: StateClass(document(held)),
    "Rows": lambda held: Rows([document(held)]),
    "Tokenizer": tokenizer,
    "Annotator": lambda held: Annotator(tokenizer(held), "text"),
    "PhraseMatcher": phrase_matcher,
    "TokenMatcher": matcher,
    "Beam": beam,
}

# With a vocab to each.
HEAVIEST: dict[str, Hold] = {
    "Vocab": vocab,
    "Lexeme": lambda held: vocab(held)["a"],
    "Lexemes": lambda held: vocab(held).c,
    "MorphAnalysis": lambda held: lexpool.tokens.MorphAnalysis(vocab(held)),
    "Matches": lambda held: PhraseMatcher(vocab(held)).match_all([]),
    "Corpus": corpus,
    "CorpusStream": lambda held: corpus(held).tokens(["ORTH"]),
    "ConlluDocs": conllu,
    "DocBinDocs": lambda held: BIN.get_docs(vocab(held)),
}

HOLDERS = LIGHT | HEAVY | HEAVIEST

# Classes of Python's own that hold one of the module.
OF_PYTHON: dict[str, Hold] = {"DependencyMatcher": dependency_matcher}

# Classes whose objects hold none, or none of a class above.
BARE = {
    "AlignmentArray": "an array of its own numbers",
    "Augmenter": "",
    "AveragesInUse": "",
    "BloomFilter": "",
    "MatchColumn": "",
    "MappedLookups": "",
    "MappedTable": "",
    "DocBin": "",
    "DocIterator": "the documents of a batch, while a component is called with it",
    "EditTrees": "a string store, a class without subclasses that is bare itself",
    "EvaluationTable": "",
    "Field": "",
    "FilePart": "",
    "Gold": "",
    "GraphTable": "",
    "KnowledgeTable": "",
    "LanguageRules": "",
    "LemmaTables": "",
    "LexAttrGetter": "word lists, a class without subclasses that is bare itself",
    "MatchesIter": "",
    "Memory": "",
    "Morphology": "a string store, a class without subclasses that is bare itself",
    "Moves": "",
    "NativeComponent": "",
    "NounChunks": "",
    "NativeFunction": "what an op of native code keeps, which says nothing of it",
    "Numbers": "",
    "Op": "",
    "Learner": "",
    "PRFScore": "",
    "PackedPipeline": "",
    "ReadFolder": "",
    "Record": "",
    "RecordValue": "",
    "Registration": "what an op was; what it is now lies with all ops, which are never collected",
    "RuleNames": "",
    "SentenceMarks": "",
    "StringStore": "",
    "TreeMatcher": "",
    "VectorMemory": "",
    "VectorTable": "an array of its own numbers: those given are copied",
    "WordLists": "",
    "ScheduleSeries": "",
    "SharedRows": "",
    "StateScorer": "",
    "TokenGetter": "",
    "TensorObject": "the value of `Doc.tensor`, which Python code cannot reach",
    "TrainedModel": "a table of vectors, which is bare itself",
    "TrainingBatch": "",
}
