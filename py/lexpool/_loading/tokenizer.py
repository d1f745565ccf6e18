"""Tokenizers of pipelines: with the rules or the segmenter that the plan of a pipeline names."""

from __future__ import annotations

import warnings

from .._core import Tokenizer, Vocab, languages, vocab_of_language, vocab_of_saved

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Languages whose tokenizer has a segmenter unless a configuration asks for rules.
_SEGMENTED = ("ja", "th")


def blank_tokenizer(
    lang: str,
    vocab: Vocab | None,
    has_tokenizer: bool,
    segmenter: dict[str, Any] | None,
) -> Tokenizer:
    """Returns a tokenizer with the rules or the segmenter of a language, or one without rules for a
    pipeline that has a file of its own. For such a pipeline, lexpool may lack the language, with a
    warning.
    """
    if segmenter is not None:
        # A model is read with the other files of the pipeline.
        if vocab is None:
            saved = vocab_of_saved(lang) if has_tokenizer else None
            vocab = vocab_of_language(lang) if saved is None else saved
        return Tokenizer.with_segmenter(vocab, **segmenter)
    if not has_tokenizer:
        if lang in _SEGMENTED:
            # Rules by request: those of any language.
            vocab = vocab_of_language(lang) if vocab is None else vocab
            return Tokenizer.blank("xx", vocab=vocab)
        return Tokenizer.blank(lang, vocab=vocab)
    if vocab is not None and lang in languages():
        return Tokenizer(vocab)
    own = vocab_of_saved(lang)
    if own is None:
        warnings.warn(
            f"lexpool lacks the data of the language {lang!r}: the rules of its tokenizer come from "
            "the pipeline's files, but its stop words, number words, norms and noun chunks are "
            "missing, which may change attributes and predictions",
            UserWarning,
            stacklevel=4,
        )
        own = vocab_of_language("xx")
    return Tokenizer(own if vocab is None else vocab)
