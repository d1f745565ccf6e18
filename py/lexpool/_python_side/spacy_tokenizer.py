"""Conversion of spaCy's tokenizers and vocabs: their rules and attribute getters."""

from collections.abc import Mapping
from typing import Any

from .._core import Tokenizer, Vocab

PATTERNS = ("prefix_search", "suffix_search", "infix_finditer", "token_match", "url_match")

# Chunks that each worker caches. spaCy's own limit is much smaller, which makes it slow.
_MOST_CHUNKS = 1 << 18


def from_spacy(tokenizer: Any, vocab: Vocab | None = None) -> Tokenizer:
    """Returns a lexpool tokenizer with the rules of spaCy's.

    vocab: the vocab of its documents; by default a new one, with spaCy's attributes.
    """
    patterns: dict[str, Any] = {name: getattr(tokenizer, name, None) for name in PATTERNS}
    if not hasattr(tokenizer, "rules"):
        kind = type(tokenizer).__name__
        raise TypeError(
            f"expected spaCy's Tokenizer, not {kind}; only tokenizers of affix rules "
            "and special cases can be converted"
        )
    rules = {
        text: [names(attrs, tokenizer.vocab.strings) for attrs in tokens]
        for text, tokens in tokenizer.rules.items()
    }
    return Tokenizer(
        vocab_from_spacy(tokenizer.vocab) if vocab is None else vocab,
        rules,
        faster_heuristics=tokenizer.faster_heuristics,
        max_cache_size=_MOST_CHUNKS,
        **patterns,
    )


def vocab_from_spacy(vocab: Any) -> Vocab:
    """Returns an empty vocab with the attribute getters of spaCy's vocab."""
    return Vocab(dict(vocab.lex_attr_getters))


def names(attrs: Mapping[Any, Any], strings: Any) -> dict[Any, Any]:
    """Returns the attributes of a special case with strings as values; spaCy accepts ids too."""
    return {
        name: strings[value] if isinstance(value, int) else value for name, value in attrs.items()
    }
