"""Pipelines: a tokenizer and components, called as spaCy's `Language` is."""

from __future__ import annotations

from ._components.components import Components
from ._components.numerics import Network, check_numerics
from ._components.pipe import ErrorHandler, raise_error
from ._core import Doc, NativeComponent, Tokenizer, Vocab, resolve_language, stream
from ._language.native import native as native, native_steps as native_steps
from ._language.training_methods import Training
from ._narrow import as_names
from ._typing import overload
from .config import Config

# Files and scorers are imported at first use, since a blank pipeline needs none of them.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from os import PathLike
    from pathlib import Path
    from typing import Any, Literal, TypeVar

    from ._components.numerics import Numerics
    from ._learning.example import Example
    from .scorer import Scorer

    _Context = TypeVar("_Context")

# The maximum number of characters of a document. spaCy's lower limit is for the memory that its
# parser and entity recognizer take for a document.
MAX_CHARS = (1 << 30) - 1


class Language(Components, Training):
    """A tokenizer and components that annotate its documents: `nlp(text)` returns a Doc.

    lang: the language's code.
    tokenizer: the tokenizer, or any function from a text to a Doc; can be replaced.
    max_length: the maximum number of characters of a text.
    batch_size: the default batch size of `pipe`.
    meta: the metadata of the pipeline, for its `meta.json`.
    """

    def __init__(
        self,
        lang: str,
        tokenizer: Tokenizer,
        *,
        max_length: int = MAX_CHARS,
        meta: Mapping[str, Any] | None = None,
        batch_size: int = 1000,
    ) -> None:
        super().__init__()
        self.lang = lang
        self._tokenizer: Any = tokenizer
        self.max_length = max_length
        self.batch_size = batch_size
        self.default_error_handler: ErrorHandler = raise_error
        self._vocab = tokenizer.vocab
        self._meta: dict[str, Any] = dict(meta or {})
        self._path: str | Path | None = None
        self._numerics: Numerics = "fast"
        # If None, the configuration of a blank pipeline is built when first used.
        self._config: Config | None = None

    @property
    def tokenizer(self) -> Tokenizer:
        """The tokenizer. Any function from a text to a Doc may replace it."""
        tokenizer: Tokenizer = self._tokenizer
        return tokenizer

    @tokenizer.setter
    def tokenizer(self, tokenizer: Callable[[str], Doc]) -> None:
        self._tokenizer = tokenizer

    @property
    def vocab(self) -> Vocab:
        """The vocab of the tokenizer, and of all documents of the pipeline."""
        vocab = getattr(self._tokenizer, "vocab", None)
        return vocab if isinstance(vocab, Vocab) else self._vocab

    @property
    def numerics(self) -> Numerics:
        """The order of additions in the networks of components: "fast", or "blis-generic",
        "blis-haswell", "blis-skx" for results with the bits of spaCy's on a kind of processor.

        Raises ValueError for another name, when it is set.
        """
        return self._numerics

    @numerics.setter
    def numerics(self, numerics: Numerics) -> None:
        self._numerics = check_numerics(numerics)
        for _, component in self.components:
            model = getattr(component, "model", None)
            if isinstance(model, Network):
                model.numerics = numerics

    def __call__(
        self,
        text: str | bytes | Doc,
        *,
        disable: str | Iterable[str] = (),
        component_cfg: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> Doc:
        """Runs the pipeline on a text or a document.

        disable: names of components to skip.
        component_cfg: further arguments of components, by name.

        Raises the errors of components, unless their error handlers ignore them; ValueError: E088
        for a text of more than `max_length` characters, E1041 for an argument that is neither text
        nor document, E109 instead of a component's KeyError, E005 if a component does not return a
        Doc, E003 if it is not callable.
        """
        doc = self._ensure_doc(text)
        settings = component_cfg or {}
        left_out = as_names(disable)
        for name, component in self.pipeline:
            if name in left_out:
                continue
            if not callable(component):
                raise ValueError(_no_callable(name, component))
            handled: Any = component
            try:
                result: Any = handled(doc, **settings.get(name, {}))
            except KeyError as error:
                raise ValueError(
                    f"[E109] the component {name!r} could not run: KeyError: {error}; was it "
                    "initialized?"
                ) from error
            except Exception as error:
                self._handler_of(handled)(name, handled, [doc], error)
                continue
            if not isinstance(result, Doc):
                kind = type(result).__name__
                raise ValueError(
                    f"[E005] the component {name!r} returned {kind} instead of a Doc; end it with "
                    "'return doc'"
                )
            doc = result
        return doc

    def make_doc(self, text: str) -> Doc:
        """Tokenizes a text. Raises ValueError (E088) for a text of more than `max_length`
        characters.
        """
        if len(text) > self.max_length:
            raise ValueError(
                f"[E088] a text of {len(text)} characters is longer than nlp.max_length, "
                f"{self.max_length}"
            )
        doc: Doc = self._tokenizer(text)
        return doc

    def _ensure_doc(self, item: object) -> Doc:
        if isinstance(item, Doc):
            return item
        if isinstance(item, str):
            return self.make_doc(item)
        if isinstance(item, bytes):
            return Doc(self.vocab).from_bytes(item)
        kind = type(item).__name__
        raise ValueError(f"[E1041] expected a text, a Doc or the bytes of one, got {kind}")

    @overload
    def pipe(
        self,
        texts: Iterable[str | bytes | Doc],
        *,
        as_tuples: Literal[False] = ...,
        batch_size: int | None = ...,
        n_threads: int = ...,
        n_process: int | None = ...,
        disable: str | Iterable[str] = ...,
        component_cfg: Mapping[str, Mapping[str, Any]] | None = ...,
    ) -> Iterator[Doc]: ...
    @overload
    def pipe(
        self,
        texts: Iterable[tuple[str | bytes | Doc, _Context]],
        *,
        as_tuples: Literal[True],
        batch_size: int | None = ...,
        n_threads: int = ...,
        n_process: int | None = ...,
        disable: str | Iterable[str] = ...,
        component_cfg: Mapping[str, Mapping[str, Any]] | None = ...,
    ) -> Iterator[tuple[Doc, _Context]]: ...
    @overload
    def pipe(
        self,
        texts: Iterable[Any],
        *,
        as_tuples: bool = ...,
        batch_size: int | None = ...,
        n_threads: int = ...,
        n_process: int | None = ...,
        disable: str | Iterable[str] = ...,
        component_cfg: Mapping[str, Mapping[str, Any]] | None = ...,
    ) -> Iterator[Any]: ...
    def pipe(
        self,
        texts: Iterable[Any],
        *,
        as_tuples: bool = False,
        batch_size: int | None = None,
        n_threads: int = 0,
        n_process: int | None = None,
        disable: str | Iterable[str] = (),
        component_cfg: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> Iterator[Any]:
        """Runs the pipeline on a stream of texts or documents, and yields documents in order.

        Native components run without the GIL, on all threads. A component in Python is called once
        per batch if it has a method `pipe`, else for each document; in the meantime the next batch
        is processed.

        texts: texts or documents, or with `as_tuples` pairs of one of them and a context, which are
            yielded as pairs of a document and its context.
        batch_size: the most documents per batch; two batches are in memory. By default
            `nlp.batch_size`. A batch ends earlier at 4 MB of text; with trained components, whose
            documents are large, at 32 KB for each thread, but not below 64 KB.
        n_threads: 0 for one per core, 1 for one thread at a time: the caller's, which waits while
            another one annotates a text of more than 8 KB (1 MB without components).
        n_process: spaCy's name for the number of workers, which are threads in lexpool.
        disable, component_cfg: as for a call.

        Errors of a component are passed to its error handler, or the pipeline's. The default
        handler raises the error after the documents before it were yielded, with a note
        (`__notes__`) with the component, the document's position and the beginning of its text;
        iteration can continue after that. If the handler does not raise, the document is left out.
        """
        settings: Mapping[str, Mapping[str, Any]] = component_cfg or {}
        left_out = as_names(disable)
        steps: list[tuple[str, Any, NativeComponent | None, dict[str, Any] | None]] = []
        for name, component in self.pipeline:
            if name in left_out:
                continue
            if not callable(component):
                raise ValueError(_no_callable(name, component))
            kwargs = dict(settings.get(name, {}))
            native_step = None if kwargs else native(component, self.vocab)
            steps.append((name, component, native_step, kwargs or None))
        cuts_natively = (
            isinstance(self._tokenizer, Tokenizer)
            and type(self._tokenizer).__call__ is Tokenizer.__call__
            and type(self).make_doc is Language.make_doc
            and "make_doc" not in vars(self)
        )
        handler = self.default_error_handler
        return stream(
            texts,
            tokenizer=self._tokenizer if cuts_natively else None,
            vocab=self.vocab,
            steps=steps,
            make_doc=self._ensure_doc,
            error_handler=None if handler is raise_error else handler,
            max_length=self.max_length,
            as_tuples=as_tuples,
            batch_size=self.batch_size if batch_size is None else batch_size,
            n_threads=n_threads if n_process is None else max(n_process, 0),
        )

    def set_error_handler(self, error_handler: ErrorHandler) -> None:
        """Sets the error handler of the pipeline and of all enabled components. It is called with
        the component's name, the component, the documents and the error.
        """
        self.default_error_handler = error_handler
        for _, component in self.pipeline:
            if hasattr(component, "set_error_handler"):
                component.set_error_handler(error_handler)

    def _handler_of(self, component: Any) -> ErrorHandler:
        if hasattr(component, "get_error_handler"):
            handler: ErrorHandler = component.get_error_handler()
            return handler
        return self.default_error_handler

    def evaluate(
        self,
        examples: Iterable[Example],
        *,
        batch_size: int | None = None,
        scorer: Scorer | None = None,
        component_cfg: Mapping[str, Mapping[str, Any]] | None = None,
        scorer_cfg: Mapping[str, Any] | None = None,
        per_component: bool = False,
    ) -> dict[str, Any]:
        """Runs the pipeline on copies of the predicted documents and returns their scores.

        batch_size, component_cfg: as for `pipe`.
        scorer: the scorer; by default a `Scorer` of this pipeline with the arguments `scorer_cfg`.
        per_component: whether to return scores by the name of their component.

        `speed` is the number of words per second of tokenizing and annotating. Raises TypeError
        (E978) for objects that are not examples, and the errors of `pipe`.
        """
        from ._language.evaluation import evaluate

        return evaluate(
            self,
            examples,
            batch_size=batch_size,
            scorer=scorer,
            component_cfg=component_cfg,
            scorer_cfg=scorer_cfg,
            per_component=per_component,
        )

    def memory_zone(self, mem: Any = None) -> Any:
        """Opens a memory zone of the vocab, as a context manager; see `Vocab.memory_zone`."""
        return self.vocab.memory_zone(mem)

    @property
    def meta(self) -> dict[str, Any]:
        """The metadata of the pipeline, with the keys of `meta.json`."""
        from ._loading import config as configs

        return configs.meta(self, self._meta)

    @meta.setter
    def meta(self, meta: dict[str, Any]) -> None:
        self._meta = meta

    @property
    def path(self) -> Path | None:
        """The folder that the pipeline was loaded from; None for other pipelines."""
        if isinstance(self._path, str):
            from pathlib import Path

            self._path = Path(self._path)
        return self._path

    @property
    def config(self) -> Config:
        """The configuration, as in `config.cfg`."""
        from ._loading import config as configs

        # Stored, since the caller may change it.
        self._config = self._settings()
        return configs.config(self, self._config)

    @config.setter
    def config(self, config: Mapping[str, Any]) -> None:
        self._config = Config(config).copy()

    @classmethod
    def from_config(
        cls,
        config: Mapping[str, Any],
        *,
        vocab: Vocab | Literal[True] | None = None,
        disable: str | Iterable[str] = (),
        enable: str | Iterable[str] = (),
        exclude: str | Iterable[str] = (),
        meta: Mapping[str, Any] | None = None,
    ) -> Language:
        """Returns a pipeline from its configuration, with lexpool's own rules for its language.

        vocab: the vocab of its documents; by default, and for True, a new one.
        disable: names of components that are created but do not run.
        enable: names of the only components that run.
        exclude: names of components that are not created.

        Raises ConfigError, a ValueError, for settings that lexpool does not support.
        """
        from ._loading import files

        return files.from_config(
            cls,
            dict(config),
            base=Language,
            vocab=vocab,
            disable=disable,
            enable=enable,
            exclude=exclude,
            meta=meta,
        )

    @classmethod
    def from_spacy(
        cls,
        nlp: Any,
        *,
        disable: str | Iterable[str] = (),
        enable: str | Iterable[str] = (),
        exclude: str | Iterable[str] = (),
    ) -> Language:
        """Returns a pipeline with the settings, rules and weights of a live pipeline of spaCy's,
        which is unchanged.

        disable, enable, exclude: names of components, as for `from_config`.

        Raises ConfigError, a ValueError, for components and settings that lexpool does not support.

        >>> nlp = lexpool.Language.from_spacy(spacy.load("en_core_web_sm"))  # doctest: +SKIP
        """
        from ._loading import files

        return files.from_spacy(
            cls, nlp, base=Language, disable=disable, enable=enable, exclude=exclude
        )

    def to_disk(self, path: str | PathLike[str], *, exclude: str | Iterable[str] = ()) -> None:
        """Writes the pipeline to a folder, in spaCy's format.

        exclude: names of components, or of "vocab", "tokenizer", "meta.json", "config.cfg".

        Raises ConfigError for a function that was added without a factory, since files cannot refer
        to it.
        """
        from ._loading import files

        files.to_disk(self, path, exclude)

    def from_disk(
        self,
        path: str | PathLike[str],
        *,
        exclude: str | Iterable[str] = (),
        overrides: Mapping[str, Any] | None = None,
    ) -> Language:
        """Loads a folder of `to_disk` into the existing components, and returns this pipeline."""
        from ._loading import files

        self._path = files.from_disk(self, path, exclude, overrides)
        return self

    def to_bytes(self, *, exclude: str | Iterable[str] = ()) -> bytes:
        """Returns the pipeline as bytes, in spaCy's format."""
        from ._loading import files

        return files.to_bytes(self, exclude)

    def from_bytes(self, bytes_data: bytes, *, exclude: str | Iterable[str] = ()) -> Language:
        """Loads the bytes of `to_bytes`, and returns this pipeline."""
        from ._loading import files

        return files.from_bytes(self, bytes_data, exclude)

    def _settings(self) -> Config:
        """Returns the configuration that the pipeline was made with, or that of a blank
        pipeline.
        """
        from ._loading import config as configs

        return configs.default_config(self.lang) if self._config is None else self._config

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.lang!r}>"


def _no_callable(name: str, component: object) -> str:
    return f"[E003] expected a callable as the component {name!r}, not {component!r}"


def blank(
    lang: str,
    *,
    vocab: Vocab | Literal[True] | None = None,
    config: Mapping[str, Any] | None = None,
    meta: Mapping[str, Any] | None = None,
    rules: str | PathLike[str] | None = None,
) -> Language:
    """Returns a pipeline without components, with lexpool's own rules for a language: "en", "de" or
    another code of `languages()`, or "xx" for any language.

    "ja" has the words of Sudachi's dictionary: that of the package `sudachidict_core`, or one by
    path, config={"nlp.tokenizer.dictionary": "system.dic"}. "ko" has rules; a dictionary of MeCab's
    comes with "spacy.ko.KoreanTokenizer" as the tokenizer of the config.

    vocab: the vocab of its documents, such as one of `Vocab.open`; by default, and for True, a
        new one.
    config: settings that differ from the defaults, nested or by dotted name ({"nlp.batch_size":
        10}).
    meta: the metadata of the pipeline.
    rules: a file with the rules of a language that lexpool lacks; see `Tokenizer.blank`.

    Raises UnknownLanguageError, an ImportError and a ValueError, for a language without rules
    (`Tokenizer.from_spacy` converts spaCy's rules); ValueError: lang-syntax for a wrong file of
    rules, segmenter-data for a dictionary that is not installed; ConfigError for settings that
    lexpool does not support.
    """
    if config:
        if rules is not None:
            raise ValueError(
                "rules of a file and a config exclude each other; set them on the pipeline"
            )
        from ._loading import config as configs, files
        from ._loading.overrides import updated

        defaults = configs.default_config(resolve_language(lang) or lang)
        merged = updated(defaults, config, "the configuration")
        return files.from_config(Language, merged, base=Language, vocab=vocab, meta=meta)
    text = None
    if rules is not None:
        with open(rules, encoding="utf-8") as file:
            text = file.read()
    tokenizer = Tokenizer.blank(lang, vocab=None if vocab is True else vocab, rules=text)
    if rules is None:
        lang = resolve_language(lang) or lang
    return Language(lang, tokenizer, meta=meta)


def load(
    path: str | PathLike[str],
    *,
    vocab: Vocab | Literal[True] | None = None,
    disable: str | Iterable[str] = (),
    enable: str | Iterable[str] = (),
    exclude: str | Iterable[str] = (),
    config: Mapping[str, Any] | None = None,
    numerics: Numerics = "fast",
) -> Language:
    """Returns a pipeline from a folder that `Language.to_disk` wrote, lexpool's or spaCy's, from a
    file of `lexpool model pack`, or from an installed package of a pipeline.

    path: the folder, the packed file, or the name of the package, such as "en_core_web_sm", which
        is not imported. A packed file is memory-mapped: processes that load it share its memory.
        While it is in use it must not be written to, but can be replaced. "blank:en" stands for
        `blank("en")`.
    vocab: the vocab of its documents; by default, and for True, a new one.
    disable, enable, exclude: names of components, as for `Language.from_config`.
    config: settings that override those in the file, nested or by dotted name ({"nlp.batch_size":
        10}). Their sections must exist.
    numerics: the order of additions in networks; see `Language.numerics`.

    Raises OSError: E050 if there is no such folder or package, E053 for one without `config.cfg`;
    ConfigError, a ValueError with file, section and key, for components and settings that lexpool
    does not support, all of them at once: `exclude` can leave them out; ValueError (model-file,
    model-structure and others) for damaged weights.
    """
    from ._loading import files

    if isinstance(path, str) and path.startswith("blank:"):
        nlp = blank(path.removeprefix("blank:"), vocab=vocab, config=config)
        nlp.numerics = numerics
        return nlp
    return files.load(
        Language,
        path,
        vocab=vocab,
        disable=disable,
        enable=enable,
        exclude=exclude,
        config=config,
        numerics=numerics,
    )
