"""The configuration that Dask, Polars, Ray and Spark send to their workers.

An `Annotator` is a few words of configuration. It can be hashed, compared and pickled, and goes to
workers, where each process builds its tokenizer when the first batch comes. No vocab is shipped:
ids are hashes, the same everywhere, and each row brings the strings that its ids stand for.

    >>> from lexpool.engines import Annotator
    >>> annotator = Annotator("en", text="body", columns=["n_tokens", "lower_"])
    >>> import pickle
    >>> pickle.loads(pickle.dumps(annotator)) == annotator
    True

Then `pyarrow.table(annotator(table))` is the table with two more columns. What a row gets depends
on its text and the configuration, and on nothing else: not on how rows are dealt out to workers.

`lexpool.ray`, `lexpool.spark`, `lexpool.dask` and `lexpool.polars` bring an annotator to the
engines of these names; each comes with an extra, as in `pip install lexpool[ray]`.
"""

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, field
from importlib import import_module
from os import PathLike, fspath
from pathlib import Path
from typing import Any, cast

from ._core import Annotated, Annotator as Kernel, Tokenizer

__all__ = ["Annotator", "altered", "needed"]

# A vocab keeps every word; at this size (a gigabyte or less) a worker replaces it by an empty one,
# which changes no row.
MAX_WORDS = 1 << 22

# Tokenizers that a process caches, and annotators for each of them. The oldest are dropped and
# built again when they are used.
MAX_CACHED = 8


@dataclass(frozen=True, repr=False)
class Annotator:
    """Tables of texts in, the same with columns of tokens out: on any worker, from this
    configuration.

    lang: the language whose rules of lexpool's own are taken, "en" or "xx". rules: a file that
    `Tokenizer.to_disk` wrote, with other rules; workers find it under the same path,
        and refuse one with other content.
    text: the column of the texts; None for the only one that has strings.
    columns: what to add, by name; see `lexpool.arrow.annotate`.
    prefix: what to put before the names of what is added.
    threads: how many are at work on one batch; 0 for one a core, 1 where there is a process a core.
    signed: whether numbers have a sign, for engines that know no others.

    Raises ValueError for a language or column that there is not, OSError for a file that cannot be
    read.
    """

    lang: str = "en"
    rules: str | PathLike[str] | None = None
    text: str | None = None
    columns: Sequence[str] = ("tokens", "strings")
    prefix: str = ""
    threads: int = 1
    signed: bool = False
    # The digest of the rules, computed where the annotator is made and checked on the workers.
    digest: str | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        if isinstance(self.columns, str):
            raise TypeError(f"columns is a list of names, not the string {self.columns!r}")
        put = object.__setattr__
        put(self, "columns", tuple(self.columns))
        if self.rules is not None:
            put(self, "rules", fspath(self.rules))
            put(self, "digest", _digest(Path(self.rules).read_bytes()))
        # Here as well as on the workers, so that a mistake shows where it was made. Many are made
        # and never used, so what this gives is not kept.
        _made(self, _built(self).tokenizer)

    def __call__(self, data: Any) -> Annotated:
        """A table or batch with the added columns, for any library that reads Arrow.

        data: any object with an Arrow stream or array. Raises what `lexpool.arrow.annotate` does,
        and ValueError if the file of rules has changed since this was made.
        """
        return self._kernel()(data)

    def tokenizer(self) -> Tokenizer:
        """The tokenizer of this process for these rules. It is exchanged when its vocab is
        large.
        """
        return _built(self).tokenizer

    def fields(self) -> list[Any]:
        """The fields of what is added, as pyarrow has them; needs pyarrow."""
        pa = needed("pyarrow", "arrow")
        name = "text" if self.text is None else self.text
        nothing = pa.table({name: pa.array([], pa.string())})
        return list(pa.table(self(nothing)).schema)[1:]

    def _kernel(self) -> Kernel:
        built = _built(self)
        kernel = built.kernels.get(self)
        if kernel is None:
            kernel = _made(self, built.tokenizer)
            _keep(built.kernels, self, kernel)
        return kernel

    def __repr__(self) -> str:
        plain = {"text": None, "rules": None, "prefix": "", "signed": False}
        named = {name: getattr(self, name) for name in ("rules", "text", "columns", "prefix")}
        named |= {"threads": self.threads, "signed": self.signed}
        given = [
            f"{name}={value!r}" for name, value in named.items() if plain.get(name, 0) != value
        ]
        return f"Annotator({self.lang!r}, {', '.join(given)})"


def altered(annotator: Annotator, **changes: Any) -> Annotator:
    """An annotator with other values for some fields, and the rules that the given one was made
    with.

    Not `dataclasses.replace`, which makes a new one of the file of rules as it is now: on a worker,
    a file that has changed would then pass. Raises what `Annotator` does, ValueError if the file
    has changed, and TypeError for other rules.
    """
    if not changes.keys() <= {"text", "columns", "prefix", "threads", "signed"}:
        raise TypeError(
            f"the fields to alter are {', '.join(sorted(changes))}, which are not all free"
        )
    new = copy(annotator)
    for name, value in changes.items():
        object.__setattr__(new, name, value)
    _made(new, _built(new).tokenizer)
    return new


@dataclass(frozen=True)
class _BuiltTokenizer:
    """A tokenizer and all that holds it, so that its vocab is let go of whole when it is
    exchanged.
    """

    tokenizer: Tokenizer
    kernels: dict[Annotator, Kernel] = field(default_factory=dict[Annotator, Kernel])


# The cache of this process. A forked child inherits it, and its contents stay valid there.
_known: dict[tuple[str, str | None], _BuiltTokenizer] = {}


def _built(annotator: Annotator) -> _BuiltTokenizer:
    """One tokenizer, and so one vocab, for all annotators with the same rules."""
    key = (annotator.lang, annotator.digest)
    built = _known.get(key)
    if built is None or len(built.tokenizer.vocab) > MAX_WORDS:
        tokenizer = Tokenizer.blank(annotator.lang)
        # A crafted word with the id of another is an error, rather than taken for that other or not
        # by which of them came first.
        tokenizer.vocab.strings.set_strict(True)
        if annotator.rules is not None:
            data = Path(annotator.rules).read_bytes()
            if _digest(data) != annotator.digest:
                raise ValueError(
                    f"the rules in {annotator.rules} are not those that this annotator was made with"
                )
            # The words of the vocab that the rules were saved with are not needed.
            tokenizer.from_bytes(data, exclude=["vocab"])
        built = _BuiltTokenizer(tokenizer)
        _keep(_known, key, built)
    return built


def _made(annotator: Annotator, tokenizer: Tokenizer) -> Kernel:
    """Builds the native annotator. Raises the error of an invalid configuration."""
    return Kernel(
        tokenizer,
        annotator.text,
        annotator.columns,
        annotator.prefix,
        threads=annotator.threads,
        signed=annotator.signed,
    )


def _keep(kept: dict[Any, Any], key: Any, value: Any) -> None:
    """Adds a value to those that are kept, of which the oldest goes if there are too many.

    Without a lock, which a child of a fork might find taken for good: threads may make a thing
    twice.
    """
    kept[key] = value
    for oldest in list(kept)[:-MAX_CACHED]:
        kept.pop(oldest, None)


def _digest(data: bytes) -> str:
    from hashlib import sha256

    return sha256(data).hexdigest()


def needed(module: str, extra: str) -> Any:
    """A module of a package that comes with an extra, imported when it is used.

    Raises ImportError with what to install.
    """
    try:
        return cast(Any, import_module(module))
    except ModuleNotFoundError as error:
        package = module.partition(".")[0]
        if error.name is None or error.name.partition(".")[0] != package:
            raise
        text = f"this needs the package {package}: pip install 'lexpool[{extra}]'"
        raise ImportError(text, name=module) from error
