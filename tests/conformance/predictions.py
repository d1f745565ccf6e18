"""Predictions of spaCy's trained components, made by lexpool as well and compared.

spaCy itself is unchanged, and tests continue with its documents. A pipeline is converted before
each prediction, because training changes it. If lexpool cannot run the whole pipeline, each trained
component is converted by itself; so is one that a test calls without its pipeline.
"""

import contextlib
import ctypes
import functools
import gc
import weakref
from collections import deque
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

from annotations import Annotation
from converted import Conversions, ConvertedPipeline
from paired import annotated, differing_component, line_of, run_with, saved, text_of

from lexpool.errors import ConfigError

# The classes whose method `predict` is watched, and the factories of components that a test makes
# without a pipeline. Subclasses that inherit the method are watched with it.
CLASSES = {
    "tagger.Tagger": "tagger",
    "morphologizer.Morphologizer": "morphologizer",
    "senter.SentenceRecognizer": "senter",
    "edit_tree_lemmatizer.EditTreeLemmatizer": "trainable_lemmatizer",
    "textcat.TextCategorizer": "textcat",
    "textcat_multilabel.MultiLabel_TextCategorizer": "textcat_multilabel",
    "spancat.SpanCategorizer": "spancat",
    "span_finder.SpanFinder": "span_finder",
    "entity_linker.EntityLinker": "entity_linker",
    "tok2vec.Tok2Vec": "tok2vec",
    "transition_parser.Parser": "Parser",
    "dep_parser.DependencyParser": "parser",
    "ner.EntityRecognizer": "ner",
}
NOT_SETTINGS = ("nlp", "name", "factory", "@factories")
# The number of networks and components whose settings are remembered.
REMEMBERED = 16
# The number of predictions of single components that are compared in a test; loops make many.
MAX_ALONE = 40


class Predictions:
    """The predictions that spaCy has made since this was created.

    compared: the number of documents that are equal.
    differing: for each document that differs, the component and the first value.
    unsupported: for each prediction that lexpool cannot make, the component and the reason.
    alone: the number of predictions of components without their pipeline; to be set to 0 for
        each test.

    exact: whether numbers must have the same bits.
    alter: changes each of lexpool's documents before it is compared, to test the comparison.
    """

    def __init__(self, exact: bool, alter: Callable[[Any], None] | None = None) -> None:
        self.compared = 0
        self.differing: list[str] = []
        self.unsupported: list[str] = []
        self.alone = 0
        self.exact = exact
        self.alter = alter
        self._conversions = Conversions()
        self._pipelines: weakref.WeakSet[Any] = weakref.WeakSet()
        self._resolved: deque[tuple[Any, Any]] = deque(maxlen=REMEMBERED)
        # True while a prediction runs that includes others, or a comparison.
        self._is_inside = False
        self._wrap()

    def _wrap(self) -> None:
        language = import_module("spacy.language").Language
        registry = import_module("spacy.util").registry
        _replace(language, "__init__", self._init)
        _replace(language, "__call__", self._call)
        _replace(language, "pipe", self._pipe)
        registry.resolve = functools.partial(self._resolve, registry.resolve)
        for place in CLASSES:
            module, _, name = place.partition(".")
            cls = getattr(import_module(f"spacy.pipeline.{module}"), name)
            if "predict" in vars(cls):
                _replace(cls, "predict", self._predict)

    def _init(self, init: Any, nlp: Any, *args: Any, **named: Any) -> None:
        init(nlp, *args, **named)
        self._pipelines.add(nlp)

    def _resolve(self, resolve: Any, *args: Any, **named: Any) -> Any:
        made = resolve(*args, **named)
        config = args[0] if args else named["config"]
        if isinstance(made, dict):
            self._resolved.extend((value, config[key]) for key, value in made.items())
        return made

    def _call(self, call: Any, nlp: Any, text: Any, **named: Any) -> Any:
        ours = self._pipeline(nlp, named)
        if ours is None:
            return call(nlp, text, **named)
        with self._inside():
            given = self._saved(text)
            doc = call(nlp, text, **named)
            if given is None:
                return doc
            made = [annotated(ours.live, given, named), *run_with(ours.loaded, [given], named)]
            self.compared += self._equal(
                Annotation(doc), made, lambda: differing_component(nlp, ours.live, given, named)
            )
        return doc

    def _pipe(self, pipe: Any, nlp: Any, texts: Any, **named: Any) -> Iterator[Any]:
        # With contexts, spaCy calls itself without them.
        ours = None if named.get("as_tuples") else self._pipeline(nlp, named)
        if ours is None:
            yield from pipe(nlp, texts, **named)
            return
        own = {key: named[key] for key in ("disable", "component_cfg") if key in named}
        waiting: deque[Any] = deque()
        done: list[tuple[Any, Annotation]] = []

        def taken() -> Iterator[Any]:
            for text in texts:
                waiting.append(self._saved(text))
                yield text

        def where(given: Any) -> Callable[[], str]:
            return lambda: differing_component(nlp, ours.live, given, own)

        docs = pipe(nlp, taken(), **named)
        try:
            while True:
                with self._inside():
                    doc = next(docs, None)
                    if doc is None:
                        break
                    given = waiting.popleft()
                    while given is not None and text_of(given) != doc.text:
                        given = waiting.popleft()  # an error handler has left out some
                    expected = Annotation(doc)
                    if given is not None and self._equal(
                        expected, [annotated(ours.live, given, own)], where(given)
                    ):
                        done.append((given, expected))
                yield doc
        finally:  # tests need not read all documents
            with self._inside():
                batch = run_with(ours.loaded, [given for given, _ in done], own)
                for (given, expected), made in zip(done, batch, strict=True):
                    self.compared += self._equal(expected, [made], where(given))

    def _saved(self, given: Any) -> str | bytes | None:
        """Returns a text or the bytes of a document; None for another object, and for a document
        that spaCy cannot write.
        """
        try:
            return saved(given)
        except (AttributeError, TypeError):
            return None  # spaCy refuses other objects
        except Exception as error:
            self.unsupported.append(f"pipeline: {line_of(error)}")
            return None

    def _pipeline(self, nlp: Any, named: dict[str, Any]) -> ConvertedPipeline | None:
        """Converts a pipeline. Returns None if it is part of another prediction, has no trained
        components, or cannot be converted as a whole.
        """
        left_out = set(named.get("disable", ()))
        names = [name for name, own in nlp.pipeline if _is_trained(own)]
        if self._is_inside or left_out.issuperset(names):
            return None
        with self._inside():
            try:
                return self._conversions.pipeline(nlp)
            except ConfigError:
                return None  # each component says whether it is the reason
            except Exception as error:
                self.unsupported.append(f"pipeline: {line_of(error)}")
                return None

    def _predict(self, predict: Any, component: Any, docs: Any) -> Any:
        if self._is_inside or self.alone >= MAX_ALONE:
            return predict(component, docs)
        docs = list(docs) if isinstance(docs, list | tuple) else [docs]
        name = type(component).__name__
        with self._inside():
            try:
                given = [saved(doc) for doc in docs]
                ours = self._component(component)
            except Exception as error:
                self.unsupported.append(f"{name}: {line_of(error)}")
                return predict(component, docs)
            found = predict(component, docs)
            theirs = [type(doc)(doc.vocab).from_bytes(data) for doc, data in zip(docs, given)]
            component.set_annotations(theirs, found)
            for doc, data in zip(theirs, given, strict=True):
                made = [annotated(ours, data, {})]
                self.compared += self._equal(Annotation(doc), made, lambda: name)
            self.alone += 1
        return found

    def _component(self, component: Any) -> Any:
        """Converts a component, with the settings of its pipeline or of its network."""
        for nlp in list(self._pipelines):
            for name, own in nlp.components:
                if own is component:
                    settings = nlp.config.interpolate()["components"][name]
                    return self._converted(component, settings, settings["factory"])
        for made, settings in self._resolved:
            if made is component:
                return self._converted(component, settings, settings["@factories"])
            if made is component.model:
                kind = type(component)
                factory = CLASSES[f"{kind.__module__.rpartition('.')[2]}.{kind.__name__}"]
                return self._converted(component, {"model": settings}, factory)
        raise ValueError("the settings of the component are unknown")

    def _converted(self, component: Any, settings: dict[str, Any], factory: str) -> Any:
        own = {key: settings[key] for key in settings if key not in NOT_SETTINGS}
        return self._conversions.component(component, factory, own)

    def _equal(self, expected: Annotation, made: list[Any], where: Callable[[], str]) -> bool:
        """Returns whether documents of lexpool's are equal to spaCy's, and notes a difference."""
        for doc in made:
            if isinstance(doc, Exception):
                found: str | None = f"lexpool raises {line_of(doc)}"
            else:
                if self.alter:
                    self.alter(doc)
                found = expected.difference(Annotation(doc), self.exact)
            if found:
                self.differing.append(f"{where()}: {found}")
                return False
        return True

    @contextlib.contextmanager
    def _inside(self) -> Iterator[None]:
        before, self._is_inside = self._is_inside, True
        try:
            yield
        finally:
            self._is_inside = before


def _replace(cls: type, name: str, wrapper: Callable[..., Any]) -> None:
    """Replaces a method, also of a compiled class, by one that is called with it."""
    method = vars(cls)[name]

    @functools.wraps(method)
    def wrapped(self: Any, *args: Any, **named: Any) -> Any:
        return wrapper(method, self, *args, **named)

    try:
        setattr(cls, name, wrapped)
    except TypeError:
        (attributes,) = gc.get_referents(vars(cls))
        attributes[name] = wrapped
        ctypes.pythonapi.PyType_Modified(ctypes.py_object(cls))


def _is_trained(component: Any) -> bool:
    return hasattr(component, "model") and hasattr(component, "predict")
