"""The configuration that Dask, Polars, Ray and Spark send to their workers.

An `Annotator` is a small configuration that can be hashed, compared and pickled. It is sent to
workers, where each process builds its tokenizer or loads its pipeline at the first batch. No vocab
and no weights are sent: a pipeline is loaded by its path, and ids are hashes, the same everywhere,
with their strings in each row.

    >>> from lexpool.engines import Annotator
    >>> annotator = Annotator("en", text="body", columns=["n_tokens", "lower_"])
    >>> import pickle
    >>> pickle.loads(pickle.dumps(annotator)) == annotator
    True

Then `pyarrow.table(annotator(table))` is the table with two more columns. A trained pipeline adds
annotation:

    Annotator(pipeline="/models/en_core_web_sm", columns=["tag_", "lemma_", "head", "ent_type_"])

The values of a row depend only on its text and the configuration, not on the distribution of rows
to workers.

`lexpool.ray`, `lexpool.spark`, `lexpool.dask` and `lexpool.polars` run an annotator on the engines
of these names; each requires an extra, as in `pip install lexpool[ray]`.
"""

from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, field
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ._core import Annotated, Annotator as Kernel, Doc, NativeComponent, Tokenizer
from ._extras import needed
from ._loading.places import digest, located
from .language import load, native_steps

if TYPE_CHECKING:
    from ._components.numerics import Numerics
    from .language import Language

__all__ = ["Annotator", "altered", "needed"]

# A vocab keeps every word; at this size (a gigabyte or less) a worker replaces it by an empty
# one, which does not change the values of rows.
MAX_WORDS = 1 << 22

# Tokenizers and pipelines that a process caches, and annotators for each of them. The oldest are
# dropped and built again when they are used.
MAX_CACHED = 8


@dataclass(frozen=True, repr=False)
class Annotator:
    """A configuration that adds columns of tokens and annotation to tables of texts, on any worker.

    lang: the language of lexpool's own rules, a code such as "en"; set to that of the pipeline.
    rules: a file of other rules that `Tokenizer.to_disk` wrote; workers need it under the same
        path, and reject a file with different content.
    text: the column of the texts; None for the only column of strings.
    columns: the names of the columns to add; see `lexpool.arrow.annotate`.
    prefix: a prefix of the names of the added columns.
    threads: the number of threads per batch; 0 for one per core, 1 if there is a process per core.
    signed: whether numbers are signed, for engines without unsigned types.
    pipeline: a path or a name that `lexpool.load` accepts, for columns of annotation. Workers need
        the same pipeline under the same path, load it once a process, and reject one with different
        files. A packed file is mapped: the processes of a machine share its memory. Its components
        must run natively.
    exclude: names of components of the pipeline that are not loaded.
    numerics: the order of additions in networks, as for `lexpool.load`. "fast" gives the same
        bits on processors of one kind; another order gives them on all kinds.

    Raises ValueError for an unknown language or column, and for a column that no component of the
    pipeline sets; OSError if a file cannot be read; the errors of `lexpool.load`.
    """

    lang: str = "en"
    rules: str | PathLike[str] | None = None
    text: str | None = None
    columns: Sequence[str] = ("tokens", "strings")
    prefix: str = ""
    threads: int = 1
    signed: bool = False
    pipeline: str | PathLike[str] | None = None
    exclude: Sequence[str] = ()
    numerics: "Numerics" = "fast"
    # The digest of the rules or the pipeline, computed where the annotator is made and checked on
    # the workers.
    digest: str | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        put = object.__setattr__
        for name, given in (("columns", self.columns), ("exclude", self.exclude)):
            if isinstance(given, str):
                raise TypeError(f"{name} is a list of names, not the string {given!r}")
            put(self, name, tuple(given))
        if self.pipeline is not None:
            if self.rules is not None:
                raise ValueError("a pipeline has rules of its own; give it or `rules`, not both")
            put(self, "pipeline", fspath(self.pipeline))
            put(self, "digest", _pipeline_digest(self.pipeline))
            put(self, "lang", _built(self).lang)
        elif self.exclude or self.numerics != "fast":
            raise ValueError("exclude and numerics are about a pipeline, and none is given")
        if self.rules is not None:
            put(self, "rules", fspath(self.rules))
            put(self, "digest", _digest(Path(self.rules).read_bytes()))
        # Validated here as well as on the workers, so that errors appear where the mistake was
        # made. The result is not cached, since many annotators are made and never used.
        _made(self, _built(self))

    def __call__(self, data: Any) -> Annotated:
        """Returns a table or batch with the added columns, for any library that reads Arrow.

        data: any object with an Arrow stream or array.

        Raises the errors of `lexpool.arrow.annotate`, and ValueError if the file of rules or the
        pipeline has changed since the annotator was made.
        """
        return self._kernel()(data)

    def tokenizer(self) -> Tokenizer:
        """Returns the tokenizer of this process for these rules; it is replaced when its vocab is
        large.
        """
        return _built(self).tokenizer

    def pipe(self, texts: Iterable[str]) -> Iterator[Doc]:
        """Yields the documents of texts in order, annotated by all components of the pipeline."""
        built = _built(self)
        if built.nlp is None:
            return built.tokenizer.pipe(texts, n_threads=self.threads)
        return built.nlp.pipe(texts, n_threads=self.threads)

    def fields(self) -> list[Any]:
        """Returns the fields of the added columns as pyarrow fields; requires pyarrow."""
        pa = needed("pyarrow", "arrow")
        name = "text" if self.text is None else self.text
        nothing = pa.table({name: pa.array([], pa.string())})
        return list(pa.table(self(nothing)).schema)[1:]

    def _kernel(self) -> Kernel:
        built = _built(self)
        kernel = built.kernels.get(self)
        if kernel is None:
            kernel = _made(self, built)
            _keep(built.kernels, self, kernel)
        return kernel

    def __repr__(self) -> str:
        plain: dict[str, object] = {"text": None, "rules": None, "prefix": "", "signed": False}
        plain |= {"pipeline": None, "exclude": (), "numerics": "fast"}
        names = ("rules", "pipeline", "exclude", "numerics", "text", "columns", "prefix")
        named = {name: getattr(self, name) for name in (*names, "threads", "signed")}
        arguments = [
            f"{name}={value!r}" for name, value in named.items() if plain.get(name, 0) != value
        ]
        return f"Annotator({self.lang!r}, {', '.join(arguments)})"


def altered(annotator: Annotator, **changes: Any) -> Annotator:
    """Returns an annotator with other values for some fields and the same rules and pipeline.

    Unlike `dataclasses.replace`, it does not read the files again: on a worker, a changed file
    would then be accepted. Raises the errors of `Annotator`, ValueError if the files have changed,
    and TypeError for other rules or another pipeline.
    """
    if not changes.keys() <= {"text", "columns", "prefix", "threads", "signed"}:
        raise TypeError(
            f"the fields to alter are {', '.join(sorted(changes))}, which are not all free"
        )
    new = copy(annotator)
    for name, value in changes.items():
        object.__setattr__(new, name, value)
    _made(new, _built(new))
    return new


@dataclass(frozen=True)
class _Built:
    """A tokenizer or a pipeline, and all its users, so that its whole vocab is freed when it is
    replaced.
    """

    lang: str
    tokenizer: Tokenizer
    steps: Sequence[tuple[str, NativeComponent | None]] = ()
    nlp: "Language | None" = None
    kernels: dict[Annotator, Kernel] = field(default_factory=dict[Annotator, Kernel])


# The cache of this process. A forked child inherits it, and its contents remain valid there.
_known: dict[tuple[Any, ...], _Built] = {}


def _built(annotator: Annotator) -> _Built:
    """Returns the tokenizer or pipeline, and so the vocab, that all annotators with the same rules
    or the same pipeline share.
    """
    key: tuple[Any, ...] = (annotator.lang, annotator.digest)
    if annotator.pipeline is not None:
        key = (None, annotator.digest, annotator.exclude, annotator.numerics)
    built = _known.get(key)
    if built is None or len(built.tokenizer.vocab) > MAX_WORDS:
        built = _blank(annotator) if annotator.pipeline is None else _loaded(annotator)
        # A crafted word with the id of another word is an error. Otherwise its treatment would
        # depend on which of the two came first.
        built.tokenizer.vocab.strings.set_strict(True)
        _keep(_known, key, built)
    return built


def _blank(annotator: Annotator) -> _Built:
    """Builds the tokenizer of a language or of a file of rules."""
    tokenizer = Tokenizer.blank(annotator.lang)
    if annotator.rules is not None:
        data = Path(annotator.rules).read_bytes()
        if _digest(data) != annotator.digest:
            raise ValueError(
                f"the rules in {annotator.rules} are not those that this annotator was made with"
            )
        # The words of the vocab that the rules were saved with are not needed.
        tokenizer.from_bytes(data, exclude=["vocab"])
    return _Built(annotator.lang, tokenizer)


def _loaded(annotator: Annotator) -> _Built:
    """Loads the pipeline, whose files must be those that the annotator was made with."""
    path = cast(str, annotator.pipeline)
    if _pipeline_digest(path) != annotator.digest:
        raise ValueError(f"the pipeline in {path} is not the one that this annotator was made with")
    nlp = load(path, exclude=annotator.exclude, numerics=annotator.numerics)
    return _Built(nlp.lang, nlp.tokenizer, native_steps(nlp), nlp)


def _made(annotator: Annotator, built: _Built) -> Kernel:
    """Builds the native annotator. Raises the error of an invalid configuration."""
    return Kernel(
        built.tokenizer,
        annotator.text,
        annotator.columns,
        annotator.prefix,
        threads=annotator.threads,
        signed=annotator.signed,
        steps=built.steps,
    )


def _keep(cache: dict[Any, Any], key: Any, value: Any) -> None:
    """Adds a value to a cache, and drops the oldest one if there are too many.

    There is no lock, since a forked child could inherit it locked forever; so threads may make the
    same value twice.
    """
    cache[key] = value
    for oldest in list(cache)[:-MAX_CACHED]:
        cache.pop(oldest, None)


def _digest(data: bytes) -> str:
    from hashlib import sha256

    return sha256(data).hexdigest()


def _pipeline_digest(path: str | PathLike[str]) -> str:
    return digest(located(path))
