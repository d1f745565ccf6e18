"""The callbacks of spaCy's that configurations name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._components.registered_functions import (
    callback,
    corpus_reader,
    is_registered,
    logger,
    resolve_callback,
    resolve_function,
)
from .._errors import ConfigError
from ..language import Language, load

__all__ = [
    "callback",
    "corpus_reader",
    "is_registered",
    "logger",
    "resolve_callback",
    "resolve_function",
]


@callback("spacy.copy_from_base_model.v1")
def copy_from_base_model(
    tokenizer: str | None = None, vocab: str | None = None
) -> Callable[[Language], Language]:
    """Returns a callback that gives a pipeline the rules of the tokenizer of another one, or what
    the vocab of another one has: strings, vectors and lookups.

    tokenizer, vocab: the folders, or names of installed packages, of these pipelines.
    """

    def copy(nlp: Language) -> Language:
        if tokenizer is not None:
            base = load(tokenizer)
            ours, theirs = nlp.config["nlp"]["tokenizer"], base.config["nlp"]["tokenizer"]
            if ours != theirs:
                raise ValueError(
                    f"[E872] the tokenizer of {tokenizer!r} has the settings {theirs}, and that of "
                    f"the pipeline {ours}: rules are copied between tokenizers of one kind"
                )
            nlp.tokenizer.from_bytes(base.tokenizer.to_bytes(exclude=["vocab"]), exclude=["vocab"])
        if vocab is not None:
            nlp.vocab.from_bytes(load(vocab).vocab.to_bytes())
        return nlp

    return copy


@callback("spacy.models_and_pipes_with_nvtx_range.v1")
@callback("spacy.models_with_nvtx_range.v1")
def refuse_ranges(**_: Any) -> Callable[..., Any]:
    """Refuses callbacks that mark ranges for the profiler of NVIDIA's GPUs."""
    raise ConfigError(
        "[training-unsupported] callbacks with 'nvtx_range' mark ranges for the profiler of "
        "NVIDIA's GPUs, on which lexpool does not run; set the callback to null"
    )
