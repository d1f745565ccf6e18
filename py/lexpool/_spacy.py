"""Taking over the rules of a spaCy tokenizer, and the attribute getters of its vocab."""

from collections.abc import Mapping
from typing import Any

from ._core import Tokenizer, Vocab

PATTERNS = ("prefix_search", "suffix_search", "infix_finditer", "token_match", "url_match")

# How many chunks a worker remembers. spaCy's bound on its own cache is much smaller, and slow.
_MOST_CHUNKS = 1 << 18


def from_spacy(tokenizer: Any, vocab: Vocab | None = None) -> Tokenizer:
    """A lexpool tokenizer with the rules of a spaCy one.

    vocab: the vocab of its documents; by default a new one, with spaCy's attributes.
    """
    patterns: dict[str, Any] = {name: getattr(tokenizer, name, None) for name in PATTERNS}
    if not hasattr(tokenizer, "rules"):
        kind = type(tokenizer).__name__
        raise TypeError(
            f"expected spaCy's Tokenizer, not {kind}; tokenizers that are not made of affix "
            "rules and special cases cannot be taken over"
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
    """An empty vocab that gives new words the attributes that this spaCy vocab would give."""
    return Vocab(dict(vocab.lex_attr_getters))


def names(attrs: Mapping[Any, Any], strings: Any) -> dict[Any, Any]:
    """A special case's attributes with strings for values; spaCy also takes ids."""
    return {
        name: strings[value] if isinstance(value, int) else value for name, value in attrs.items()
    }
