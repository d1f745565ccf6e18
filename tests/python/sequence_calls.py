"""Calls of everything that takes a sequence, with sequences whose lengths are lies.

The parameters are read from the annotations of the native module's stub and of the package's
sources. A value is built for each place in an annotation where a sequence may be, with an untrue
sequence there and usual values everywhere else: `OBJECTS` has them by class, and `ARGUMENTS` by the
name of a parameter where its type says too little. What is in neither is an error, so a function
that is added has to be reachable, too.

As a program it makes the calls, from one number on, and prints a line before and after each; it
ends if one kills it.
"""

from __future__ import annotations

import ast
import faulthandler
import importlib
import os
import re
import signal
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).parents[2] / "py/lexpool"
BASES = {
    "lexpool._core",
    "lexpool._language.native",
    "lexpool._language.training_methods",
    "lexpool._loading.overrides",
    "lexpool.tokens._filters",
    *(f"lexpool._learning.{name}" for name in ("alignment", "annotations", "example", "iob_utils")),
    *(f"lexpool._components.{name}" for name in ("components", "names", "pipe", "registry")),
    *(f"lexpool._components.{name}" for name in ("factory", "frozen", "select", "settings")),
    *(f"lexpool._components.{name}_functions" for name in ("named", "registered")),
    "lexpool._components.factories",
    "lexpool._components.numerics",
}
"""Private modules with names for users, or with classes that are bases of theirs."""
SEQUENCES = {"Sequence", "Iterable", "Collection", "Container", "list"}
MEMORY = 1 << 30
"""Bytes beyond those of the process at its start: far less than a lie asks for."""
SECONDS = 0.01
"""After which a signal handler ends the reading of a range."""
LONGEST = 20
"""Seconds of a call that no signal ends."""


class Lie(Exception):
    """Raised by a sequence that is asked for its length."""


class Interrupt(Exception):
    """Raised by the handler of a signal."""


class Untrue:
    """A sequence of few items, with a length that has nothing to do with them."""

    def __init__(self, items: list[Any], length: int | None) -> None:
        self.items, self.length, self.is_read = items, length, False

    def __len__(self) -> int:
        if self.length is None:
            raise Lie
        return self.length

    __length_hint__ = __len__

    def __getitem__(self, key: Any) -> Any:
        self.is_read = True
        return self.items[key]

    def __contains__(self, item: object) -> bool:
        self.is_read = True
        return item in self.items

    def __iter__(self) -> Iterator[Any]:
        self.is_read = True
        return iter(UntrueIterator(self.items, self.length))


class UntrueIterator:
    """An iterator that announces as many items."""

    def __init__(self, items: list[Any], length: int | None) -> None:
        self.items, self.length = iter(items), length

    def __length_hint__(self) -> int:
        if self.length is None:
            raise Lie
        return max(self.length, 0)

    def __iter__(self) -> UntrueIterator:
        return self

    def __next__(self) -> Any:
        return next(self.items)


class UntrueList(list[Any]):
    """A list of a class of its own, for functions that take only lists."""

    length: int | None = 0
    is_read = False

    def __len__(self) -> int:
        if self.length is None:
            raise Lie
        return self.length

    def __iter__(self) -> Iterator[Any]:
        self.is_read = True
        return iter(UntrueIterator(list(super().__iter__()), self.length))


def untrue(items: list[Any], length: int | None, kind: str) -> Any:
    if kind != "list":
        return Untrue(items, length)
    sequence = UntrueList(items)
    sequence.length = length
    return sequence


def long_range(items: list[Any], length: int, kind: str) -> Any:
    return untrue(items, length, kind) if kind == "Container" else range(length)


LIES: dict[str, Callable[[list[Any], str], Any]] = {
    "2**40": lambda items, kind: untrue(items, 2**40, kind),
    "2**62": lambda items, kind: untrue(items, 2**62, kind),
    "-1": lambda items, kind: untrue(items, -1, kind),
    "raising": lambda items, kind: untrue(items, None, kind),
    "range(2**40)": lambda items, kind: long_range(items, 2**40, kind),
    "range(2**62)": lambda items, kind: long_range(items, 2**62, kind),
}


# Modules that are not called.
LEFT_OUT = {
    "lexpool.ray": "needs Ray, which tests/engines has",
}


@dataclass(frozen=True)
class Place:
    """A place in a parameter's annotation where a sequence may be."""

    module: str
    owner: str
    """The class; empty for a function."""
    function: str
    parameter: str
    number: int
    """The position of the sequence among those of the annotation, the outermost first."""
    overload: int = 0

    def __str__(self) -> str:
        owner = f"{self.owner}." if self.owner else ""
        number = f"[{self.number}]" if self.number else ""
        return f"{self.module}.{owner}{self.function}({self.parameter}{number})"


def module_of(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts).removesuffix(".__init__")


@cache
def sources() -> dict[str, ast.Module]:
    """The stub of the native module, and the modules with public functions and methods."""
    paths = [PACKAGE / "_core.pyi", *sorted(PACKAGE.rglob("*.py"))]
    public = [path for path in paths if module_of(path) not in LEFT_OUT and is_public(path)]
    return {module_of(path): ast.parse(path.read_text("utf8")) for path in public}


def is_public(path: Path) -> bool:
    """Tells if a module has names for users; classes of some others are bases of theirs."""
    parts = module_of(path).split(".")
    return module_of(path) in BASES or (
        "compat" not in parts and not any(part.startswith("_") for part in parts)
    )


@cache
def aliases() -> dict[tuple[str, str], ast.expr]:
    """The types that modules name, by the module, and by no module for all others."""
    named: dict[tuple[str, str], ast.expr] = {}
    paths = [*sorted(PACKAGE.rglob("*.py")), PACKAGE / "_core.pyi"]
    for path in paths:
        for node in ast.parse(path.read_text("utf8")).body:
            if isinstance(node, ast.AnnAssign) and ast.unparse(node.annotation) == "TypeAlias":
                assert node.value is not None
                name = ast.unparse(node.target)
                named[module_of(path), name] = named["", name] = node.value
    return named


@cache
def functions() -> dict[tuple[str, str, str], list[ast.FunctionDef]]:
    """Functions and methods by module, class and name; several definitions for overloads."""
    named: dict[tuple[str, str, str], list[ast.FunctionDef]] = {}

    def visit(module: str, owner: str, body: list[ast.stmt]) -> None:
        for node in body:
            is_private = isinstance(node, ast.ClassDef | ast.FunctionDef) and (
                module != "lexpool._core" and re.match(r"_(?!_)", node.name)
            )
            if is_private:
                continue
            if isinstance(node, ast.ClassDef) and not owner:
                visit(module, node.name, node.body)
            elif isinstance(node, ast.FunctionDef):
                named.setdefault((module, owner, node.name), []).append(node)

    for module, tree in sources().items():
        visit(module, "", tree.body)
    return named


def parameters(function: ast.FunctionDef) -> dict[str, tuple[ast.expr | None, bool]]:
    """The parameters but for the receiver: the annotation of each, and if it may be left out."""
    of = function.args
    by_place = [*of.posonlyargs, *of.args]
    optional = [False] * (len(by_place) - len(of.defaults)) + [True] * len(of.defaults)
    listed = list(zip(by_place, optional, strict=True))
    listed += [
        (one, default is not None)
        for one, default in zip(of.kwonlyargs, of.kw_defaults, strict=True)
    ]
    return {
        one.arg: (one.annotation, is_optional)
        for one, is_optional in listed
        if one.arg not in ("self", "cls")
    }


def places() -> list[Place]:
    """Every place for a sequence in every parameter."""
    return [
        Place(*key, name, number, overload)
        for key, overloads in functions().items()
        for overload, function in enumerate(overloads)
        for name, (annotation, _) in parameters(function).items()
        if annotation is not None
        for number in range(Values(key[0]).count(annotation))
    ]


class Values:
    """Builds values of annotations; one place for a sequence gets the untrue one."""

    def __init__(
        self, module: str, number: int | None = None, lie: Callable[..., Any] | None = None
    ) -> None:
        self.module, self.number, self.lie, self.passed = module, number, lie, 0
        self.placed: Any = None
        self.is_searched = False
        """True if a call only asks by `in`. CPython itself looks for a string in a range number
        after number, whatever signals arrive.
        """

    def count(self, annotation: ast.expr) -> int:
        """The number of places for sequences."""
        self.passed = 0
        self.of(annotation, dry=True)
        return self.passed

    def of(self, annotation: ast.expr, dry: bool = False) -> Any:
        if isinstance(annotation, ast.Constant):
            if isinstance(annotation.value, str):
                return self.of(ast.parse(annotation.value, mode="eval").body, dry)
            return annotation.value
        if isinstance(annotation, ast.BinOp):
            return self.of(self.chosen(annotation), dry)
        if isinstance(annotation, ast.Subscript):
            name = ast.unparse(annotation.value)
            of = annotation.slice
            return self.generic(name, of.elts if isinstance(of, ast.Tuple) else [of], dry)
        name = ast.unparse(annotation)
        for key in ((self.module, name), ("", name)):
            if key in aliases():
                return self.of(aliases()[key], dry)
        return None if dry else usual(name)

    def chosen(self, union: ast.BinOp) -> ast.expr:
        """The part of a union that has sequences, else its first."""
        parts: list[ast.expr] = []
        rest: ast.expr = union
        while isinstance(rest, ast.BinOp):
            parts.insert(0, rest.right)
            rest = rest.left
        parts.insert(0, rest)
        return next((part for part in parts if Values(self.module).count(part)), parts[0])

    def generic(self, name: str, of: list[ast.expr], dry: bool) -> Any:
        if name in SEQUENCES:
            here, self.passed = self.passed, self.passed + 1
            items = [self.of(of[0], dry)]
            if here != self.number or self.lie is None:
                return items
            self.placed = self.lie(items, "Container" if self.is_searched else name)
            return self.placed
        if name == "tuple":
            return tuple(self.of(one, dry) for one in of if ast.unparse(one) != "...")
        if name in ("Mapping", "dict"):
            return {self.of(of[0], dry): self.of(of[1], dry)}
        if name == "Callable":
            result = self.of(of[1], dry)
            return lambda *args, **kwargs: result
        if name == "Literal":
            return self.of(of[0], dry)
        if name in ("Iterator", "set", "type"):
            return None if dry else usual(name)
        return None if dry else usual(f"{name}[{', '.join(map(ast.unparse, of))}]")


@cache
def folder() -> Path:
    """A folder for files that calls write."""
    return Path(tempfile.mkdtemp(prefix="lexpool-sequences-"))


@cache
def pipeline() -> Any:
    """A pipeline with a network of each kind."""
    import lexpool

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return lexpool.load(PACKAGE.parents[1] / "tests/files/pipelines/networks")


def document() -> Any:
    words = "Some words of a text".split()
    starts, entities = [True, *[False] * 4], ["B-X", *["O"] * 4]
    return native("Doc")(pipeline().vocab, words=words, sent_starts=starts, ents=entities)


@cache
def kept_document() -> Any:
    """A document for what does not keep its own."""
    return document()


def knowledge() -> Any:
    table = native("KnowledgeTable")(1)
    table.set_entities([("Q1", 1.0, [1.0]), ("Q2", 1.0, [1.0])])
    table.add_alias("Some", [("Q1", 0.5), ("Q2", 0.4)])
    return table


def native(name: str) -> Any:
    """A class of the native module."""
    return getattr(importlib.import_module("lexpool._core"), name)


def corpus() -> Any:
    native("Corpus").write(folder() / "docs.corpus", [document()], extensions=[])
    return native("Corpus").open(folder() / "docs.corpus")


def mapped_lookups() -> Any:
    return native("MappedLookups")(PACKAGE.parents[1] / "tests/files/xx.lookups", verify=False)


def learner() -> Any:
    pipe = pipeline().get_pipe("tagger")
    return native("Learner")("tagger", "tagger", pipe._learner_settings(), pipeline().vocab)


def example() -> Any:
    from lexpool.training import Example

    return Example(document(), document().copy())


def gold() -> Any:
    size = len(document())
    labels, starts = ["dep"] * size, [None] * size
    return native("Gold").arc_eager(moves(), [0] * size, labels, starts)


def moves() -> Any:
    system = native("Moves")("arc_eager")
    system.initialize([(0, [("", 1)]), (1, [("", 1)]), (2, [("dep", 1)]), (3, [("dep", 1)])])
    return system


def matches() -> Any:
    return phrase_matcher().match_all([document()])


def phrase_matcher() -> Any:
    from lexpool.matcher import PhraseMatcher

    matcher = PhraseMatcher(pipeline().vocab)
    matcher.add("x", [pipeline().make_doc("words")])
    return matcher


def token_matcher() -> Any:
    from lexpool.matcher import Matcher

    matcher = Matcher(pipeline().vocab)
    matcher.add("x", [[{"ORTH": "words"}]])
    return matcher


def pipe(name: str) -> Callable[[], Any]:
    """A component of the pipeline."""
    return lambda: pipeline().get_pipe(name)


def added(name: str) -> Callable[[], Any]:
    """A component without a network."""

    def add() -> Any:
        import lexpool

        return lexpool.blank("en").add_pipe(name)

    return add


def of_module(module: str, name: str, *args: Callable[[], Any]) -> Callable[[], Any]:
    """An object of a class of the package."""

    def make() -> Any:
        of = getattr(importlib.import_module(f"lexpool.{module}"), name)
        return of(*(each() for each in args))

    return make


# A usual value of each class that an annotation or a method names.
OBJECTS: dict[str, Callable[[], Any]] = {
    "int": lambda: 1,
    "SupportsIndex": lambda: 1,
    "SupportsFloat": lambda: 1.0,
    "float": lambda: 0.5,
    "bool": lambda: True,
    "str": lambda: "a",
    "bytes": lambda: b"a",
    "None": lambda: None,
    "object": lambda: 1,
    "Any": lambda: 1,
    "_Cell": lambda: 1,
    "_Tag": lambda: "O",
    "_Head": lambda: 0,
    "_Label": lambda: "dep",
    "_Item": lambda: "a",
    "set[Any]": set,
    "PathLike[str]": folder,
    "NDArray[float32]": lambda: [[0.5]],
    "lexpool.engines.Annotator": of_module("engines", "Annotator", lambda: "xx"),
    "AlignmentArray": lambda: native("AlignmentArray")([[0]]),
    "Annotator": lambda: native("Annotator")(pipeline().tokenizer),
    "BloomFilter": lambda: native("BloomFilter")(),
    "Corpus": corpus,
    "Doc": document,
    "DocBin": lambda: native("DocBin")(),
    "EditTrees": lambda: native("EditTrees")(pipeline().vocab.strings),
    "EvaluationTable": lambda: native("EvaluationTable")([], []),
    "Example": example,
    "Gold": gold,
    "GraphTable": lambda: native("GraphTable")(),
    "KnowledgeTable": knowledge,
    "Learner": learner,
    "TrainingSteps": lambda: native("TrainingSteps")(object(), {}, [], 0),
    "LemmaTables": lambda: native("LemmaTables")(),
    "MappedTable": lambda: mapped_lookups().tables[0],
    "Matches": matches,
    "Moves": moves,
    "NativeComponent": lambda: native("SentenceMarks")(["."], False).component(),
    "PRFScore": lambda: native("PRFScore")(),
    "PhraseMatcher": phrase_matcher,
    "Retokenization": lambda: native("Retokenization")(document()),
    "RuleNames": lambda: native("RuleNames")(),
    "SentenceMarks": lambda: native("SentenceMarks")(["."], False),
    "Span": lambda: document()[0:2],
    "SpanGroup": lambda: native("SpanGroup")(kept_document(), name="x"),
    "StateClass": lambda: native("StateClass")(document()),
    "StringStore": lambda: native("StringStore")(),
    "Token": lambda: document()[1],
    "TokenMatcher": token_matcher,
    "Tokenizer": lambda: pipeline().tokenizer,
    "TrainedModel": lambda: pipeline().get_pipe("tagger").model.native(pipeline().vocab),
    "TrainingBatch": lambda: native("TrainingBatch")([(document(), document().copy())]),
    "TreeMatcher": lambda: native("TreeMatcher")(),
    "VectorTable": lambda: native("VectorTable")([[1.0, 2.0]], mode="default"),
    "Vocab": lambda: pipeline().vocab,
    "AttributeRuler": added("attribute_ruler"),
    "BaseVectors": lambda: pipeline().vocab.vectors,
    "Beam": lambda: None,
    "Components": pipeline,
    "DependencyMatcher": of_module("matcher", "DependencyMatcher", lambda: pipeline().vocab),
    "DependencyParser": pipe("parser"),
    "EditTreeLemmatizer": pipe("trainable_lemmatizer"),
    "EntityLinker": pipe("entity_linker"),
    "EntityRecognizer": pipe("beam_ner"),
    "EntityRuler": added("entity_ruler"),
    "Exception": Exception,
    "Graph": of_module("tokens.graph", "Graph", document),
    "InMemoryLookupKB": of_module("kb", "InMemoryLookupKB", lambda: pipeline().vocab, lambda: 1),
    "CandidateSource": of_module("kb", "InMemoryLookupKB", lambda: pipeline().vocab, lambda: 1),
    "KnowledgeBase": of_module("kb", "InMemoryLookupKB", lambda: pipeline().vocab, lambda: 1),
    "Language": pipeline,
    "Pipeline": pipeline,
    "ComponentSwitch": pipeline,
    "Learning": pipe("tagger"),
    "Lemmatizer": added("lemmatizer"),
    "Matcher": token_matcher,
    "Model": lambda: pipeline().get_pipe("tagger").model,
    "Morphologizer": pipe("morphologizer"),
    "MultiLabel_TextCategorizer": pipe("textcat_multilabel"),
    "Parser": pipe("parser"),
    "Pipe": pipe("tagger"),
    "Run": lambda: None,
    "RunResult": lambda: None,
    "Scorer": of_module("scorer", "Scorer"),
    "SentenceRecognizer": added("senter"),
    "Sentencizer": added("sentencizer"),
    "SpanCategorizer": pipe("spancat"),
    "SpanFinder": pipe("span_finder"),
    "SpanRuler": added("span_ruler"),
    "T": lambda: 1,
    "Tagger": pipe("tagger"),
    "TextCategorizer": pipe("textcat"),
    "Tok2Vec": pipe("tok2vec"),
    "TrainablePipe": pipe("tagger"),
    "Training": pipeline,
    "TransitionSystem": lambda: pipeline().get_pipe("parser").moves,
    "Vectors": lambda: pipeline().vocab.vectors,
    "_Context": lambda: 1,
}


def saved_bytes(place: Place) -> Any:
    return receiver(place).to_bytes()


def saved_files(place: Place) -> Path:
    path = folder() / place.owner
    if not path.exists():
        receiver(place).to_disk(path)
    return path


# Values of parameters, by class, function and name, by function and name, or by name alone. A
# parameter that may be left out has one if the first or the second is here.
ARGUMENTS: dict[str, Callable[[Place], Any]] = {
    "path": lambda _: folder() / "file",
    "to_disk.path": lambda place: folder() / f"{place.owner} written",
    "from_disk.path": saved_files,
    "from_bytes.bytes_data": saved_bytes,
    "load.path": lambda _: PACKAGE.parents[1] / "tests/files/pipelines/rules",
    "replace_listeners.tok2vec_name": lambda _: "tok2vec",
    "replace_listeners.pipe_name": lambda _: "tagger",
    "roc_auc_score.y_true": lambda _: [0.0, 1.0],
    "score_deps.attr": lambda _: "dep",
    "score_token_attr.attr": lambda _: "tag",
    "score_token_attr_per_feat.attr": lambda _: "morph",
    "step_learners.method": lambda _: "adam",
    "train_many.configs": lambda _: folder() / "missing.cfg",
    "Corpus.append.path": lambda _: folder() / "appended.corpus",
    "Doc.__new__.words": lambda _: ["a"],
    "Doc.from_dict.msg": lambda _: document().to_dict(),
    "EntityLinker.__init__.model": lambda _: pipeline().get_pipe("entity_linker").model,
    "Language.from_config.config": lambda _: pipeline().config,
}

# Functions that read a sequence after a setter has only kept it.
READERS: dict[str, Callable[[Any], Any]] = {
    "Doc.noun_chunks_iterator": lambda doc: list(doc.noun_chunks),
}


# Places whose sequence no call reads, by the beginning of their names.
UNREAD = {
    "lexpool._core.docs_as_json(docs)": "takes the items of a list where they are",
    "lexpool._core.step_learners(learners)": "takes the items of a list where they are",
    "lexpool.kb.kb_in_memory.InMemoryLookupKB.": "compares lengths first",
    "lexpool.tokens.graph.Graph.__init__(": "compares lengths first",
    "lexpool.language.Language.from_spacy": "takes spaCy's pipelines, which are not loaded",
    "lexpool.pipeline.attributeruler.AttributeRuler.initialize(get_examples)": "has no use for it",
    "lexpool.pipeline.entityruler.EntityRuler.": "ignores `exclude`, as spaCy",
    "lexpool.pipeline.sentencizer.Sentencizer.": "ignores `exclude`, as spaCy",
    "lexpool.pipeline.learning.Learning.rehearse": "needs a copy that it has not",
    "lexpool.pipeline.lemmatizer.Lemmatizer.initialize(get_examples)": "has no use for it",
    "lexpool._components.pipe.": "raises or ignores an error",
    "lexpool._components.factory.": "keeps what it takes",
    "lexpool._components.registry.": "keeps what it takes",
    "lexpool.pipeline.span_ruler.SpanRuler.__init__(": "keeps the function",
    "lexpool.pipeline.span_ruler.SpanRuler.to_disk": "ignores `exclude`, as spaCy",
    "lexpool.pipeline.span_ruler.SpanRuler.from_disk": "ignores `exclude`, as spaCy",
    "lexpool.pipeline.tok2vec.Tok2Vec.get_loss": "is not defined, as in spaCy",
    "lexpool.pipeline.transition_parser.Parser.get_loss": "is not defined, as in spaCy",
    "lexpool.pipeline.transition_parser.Parser.__init__": "keeps what it takes",
    "lexpool.training.converters.json_to_docs(": "takes the items of a list where they are",
    "lexpool.training.many.collected": "needs results of trainings",
}


def receiver(place: Place) -> Any:
    """The object whose method is called."""
    if (place.owner, place.function) == ("Doc", "from_dict"):
        return native("Doc")(pipeline().vocab)
    return usual(f"{place.module}.{place.owner}", place.owner)


def usual(*names: str) -> Any:
    """The usual value of a class, by the first of its names that is known."""
    for name in names:
        if name in OBJECTS:
            return OBJECTS[name]()
    raise LookupError(f"OBJECTS has no value of the class {names[-1]}")


def argument(place: Place, name: str, annotation: ast.expr | None, is_optional: bool) -> Any:
    """The usual value of a parameter; None if it is left out."""
    function = f"{place.owner}.{place.function}" if place.owner else place.function
    for key in (f"{function}.{name}", f"{place.function}.{name}"):
        if key in ARGUMENTS:
            return ARGUMENTS[key](place)
    if is_optional:
        return None
    if name in ARGUMENTS:
        return ARGUMENTS[name](place)
    if annotation is None:
        raise LookupError(f"{place.module}.{function} has a parameter {name} without a type")
    return Values(place.module).of(annotation)


def prepared(place: Place, lie: Callable[..., Any]) -> tuple[Callable[[], Any], Any]:
    """The call with an untrue sequence in one place, and that sequence."""
    function = functions()[place.module, place.owner, place.function][place.overload]
    values = Values(place.module, place.number, lie)
    arguments: dict[str, Any] = {}
    for name, (annotation, is_optional) in parameters(function).items():
        if name == place.parameter:
            values.is_searched = name == "exclude"
            assert annotation is not None
            arguments[name] = values.of(annotation)
        elif (value := argument(place, name, annotation, is_optional)) is not None or (
            not is_optional
        ):
            arguments[name] = value
    return call_of(place, function, arguments), values.placed


def call_of(
    place: Place, function: ast.FunctionDef, arguments: dict[str, Any]
) -> Callable[[], Any]:
    """The call of a function, a method, a setter or a class with these arguments."""
    decorators = [ast.unparse(one) for one in function.decorator_list]
    module = importlib.import_module(place.module)
    if not place.owner:
        return lambda: finished(getattr(module, place.function)(**arguments))
    owner = getattr(module, place.owner)
    if place.function in ("__new__", "__init__"):
        return lambda: owner(**arguments)
    if "staticmethod" in decorators or "classmethod" in decorators:
        return lambda: finished(getattr(owner, place.function)(**arguments))
    of = receiver(place)
    if any(one.endswith(".setter") for one in decorators):
        read = READERS.get(f"{place.owner}.{place.function}", lambda _: None)
        return lambda: (setattr(of, place.function, arguments[place.parameter]), read(of))
    method = getattr(of, place.function)
    if place.function.startswith("__"):
        by_name = {one.arg for one in function.args.kwonlyargs}
        by_place = [value for name, value in arguments.items() if name not in by_name]
        named = {name: value for name, value in arguments.items() if name in by_name}
        return lambda: method(*by_place, **named)
    return lambda: finished(method(**arguments))


def finished(result: Any) -> Any:
    """Reads an iterator to its end, which some functions wait for."""
    return list(result) if isinstance(result, Iterator) else result


class Alarm:
    """A signal whose handler raises, again and again in case that something swallows it."""

    def __init__(self) -> None:
        self.is_set = False
        signal.signal(signal.SIGALRM, self.ring)

    def ring(self, *_: Any) -> None:
        if self.is_set:
            raise Interrupt

    def start(self) -> None:
        self.is_set = True
        signal.setitimer(signal.ITIMER_REAL, SECONDS, 10 * SECONDS)

    def stop(self) -> None:
        self.is_set = False
        signal.setitimer(signal.ITIMER_REAL, 0)


def outcome(place: Place, name: str, alarm: Alarm) -> str:
    """Makes one call; says what went wrong, or whether the sequence was read."""
    call, sequence = prepared(place, LIES[name])
    faulthandler.dump_traceback_later(LONGEST, exit=True)
    try:
        try:
            if isinstance(sequence, range):
                alarm.start()
            call()
        finally:
            alarm.stop()
    except BaseException as raised:
        # The alarm may ring while a panic is on its way.
        error: BaseException | None = raised
        while error is not None:
            if not isinstance(error, Exception) or isinstance(error, SystemError):
                return f"raises {error!r}"
            error = error.__context__
    finally:
        alarm.stop()
        faulthandler.cancel_dump_traceback_later()
    return "read" if getattr(sequence, "is_read", False) else "not read"


def calls() -> list[tuple[Place, str]]:
    """All calls: each lie to native code, two to what reaches it through Python."""
    return [
        (place, name)
        for place in places()
        for name in LIES
        if place.module == "lexpool._core" or name in ("2**40", "range(2**62)")
    ]


def main(first: int) -> None:
    """Makes all calls from one number on."""
    import resource

    faulthandler.enable()
    # The command writes to the standard output, too.
    report = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    warnings.simplefilter("ignore")
    # Threads begin with the alarm blocked: CPython's main thread may not see that another took it.
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})
    list(pipeline().pipe(["a text"] * 8, n_threads=2))
    os.chdir(folder())
    for name in OBJECTS:
        usual(name)
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, used + MEMORY))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGALRM})
    alarm = Alarm()
    for number, (place, name) in enumerate(calls()[first:], first):
        print(f"{number}\t{place}\t{name}", end="\t", file=report, flush=True)
        print(outcome(place, name, alarm), file=report, flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]))
