"""spaCy's data structures as plain records in arenas: many times faster, without the GIL.

>>> import lexpool
>>> nlp = lexpool.blank("en")
>>> [token.text for token in nlp("Let's go to N.Y., shall we?")]
['Let', "'s", 'go', 'to', 'N.Y.', ',', 'shall', 'we', '?']
"""

import os as _os

try:
    from . import _core
except ImportError:
    from ._interpreter import refuse_free_threaded

    refuse_free_threaded()
    raise
from ._core import (
    Doc,
    Lexeme,
    Pool,
    Span,
    StringStore,
    Token,
    Tokenizer,
    Vocab,
    __version__,
    languages,
)

# Like `typing.TYPE_CHECKING`; importing `typing` takes longer than all of this module.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from contextlib import AbstractContextManager
    from typing import Any, Literal, NoReturn, TextIO

    from . import (
        arrow as arrow,
        attrs as attrs,
        capi as capi,
        compat as compat,
        config as config,
        corpus as corpus,
        dask as dask,
        engines as engines,
        errors as errors,
        kb as kb,
        lex_attrs as lex_attrs,
        lexeme as lexeme,
        lookups as lookups,
        matcher as matcher,
        morphology as morphology,
        msgpack as msgpack,
        ops as ops,
        parser as parser,
        parts_of_speech as parts_of_speech,
        pipeline as pipeline,
        polars as polars,
        ray as ray,
        render as render,
        scorer as scorer,
        shards as shards,
        spark as spark,
        strings as strings,
        structs as structs,
        symbols as symbols,
        thinc as thinc,
        tokenizer as tokenizer,
        tokens as tokens,
        training as training,
        util as util,
        vectors as vectors,
        vocab as vocab,
    )
    from ._ops.profile import Profile
    from .language import Language, blank, load
    from .training._training_loop import Evaluation

__all__ = [
    "Doc",
    "Language",
    "Lexeme",
    "Pool",
    "Span",
    "StringStore",
    "Token",
    "Tokenizer",
    "Vocab",
    "__version__",
    "blank",
    "get_include",
    "languages",
    "load",
    "ops",
    "prefer_gpu",
    "profile",
    "require_cpu",
    "require_gpu",
    "train",
]


def get_include() -> str:
    """Returns the folder of the C headers `lexpool.h`, `lexpool_api.h` and `lexpool_spacy.h`."""
    return _os.path.join(_os.path.dirname(__file__), "include")


def prefer_gpu(gpu_id: int = 0) -> bool:
    """Returns False: pipelines run on the processor. For scripts written for spaCy."""
    return False


def require_cpu() -> bool:
    """Returns True: pipelines run on the processor. For scripts written for spaCy."""
    return True


def require_gpu(gpu_id: int = 0) -> "NoReturn":
    """Raises ValueError, as spaCy does on a machine that has only a processor."""
    raise ValueError(
        "lexpool runs pipelines on the processor only; call require_cpu() or leave the call out"
    )


def profile(
    trace: "str | _os.PathLike[str] | None" = None, file: "TextIO | None" = None
) -> "AbstractContextManager[Profile]":
    """Measures the calls of ops in a `with` block, in all threads, and prints a table at its end.

    trace: a file to write a trace for chrome://tracing to.
    file: a file to print to instead of stderr.
    """
    from ._ops.profile import profile

    return profile(trace, file)


def train(
    config: "str | _os.PathLike[str] | Mapping[str, Any]",
    output: "str | _os.PathLike[str] | None" = None,
    *,
    overrides: "Mapping[str, Any] | None" = None,
    threads: int = 0,
    memory: int | None = None,
    resume: 'bool | Literal["weights"]' = False,
    report: "Callable[[Evaluation], object] | None" = None,
) -> "Language":
    """Trains the pipeline of a configuration as the command `lexpool train` does, in Rust and
    without the GIL, and returns the best one; see `lexpool.training.train`.

    >>> nlp = lexpool.train("config.cfg", "out")  # doctest: +SKIP
    """
    from .training._train import train

    return train(
        config,
        output,
        overrides=overrides,
        threads=threads,
        memory=memory,
        resume=resume,
        report=report,
    )


# Names of `lexpool.language`, and modules, which are imported when they are first used.
_OF_LANGUAGE = frozenset(("Language", "blank", "load"))
_MODULES = frozenset(
    """arrow attrs capi compat config corpus dask engines errors kb language lex_attrs lexeme
    lookups matcher morphology msgpack ops parser parts_of_speech pipeline polars ray render scorer
    shards spark strings structs symbols thinc tokenizer tokens training util vectors vocab""".split()
)


def __getattr__(name: str) -> object:
    """Imports a module of the package, or a name of `language`, when it is first used (PEP 562)."""
    from importlib import import_module

    if name in _MODULES:
        return import_module(f".{name}", __name__)
    if name in _OF_LANGUAGE:
        globals()[name] = getattr(import_module(".language", __name__), name)
        return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES, *_OF_LANGUAGE})


# The best kernel that ops may call, such as `scalar`.
if _key := _os.environ.get("LEXPOOL_CPU"):
    _core.limit_kernels(_key)

if hasattr(_os, "register_at_fork"):
    _os.register_at_fork(
        before=_core.pause_for_fork,
        after_in_parent=_core.resume_after_fork,
        after_in_child=_core.resume_in_child,
    )
