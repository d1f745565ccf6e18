"""Word types and their attributes."""

from typing import Any

from ._core import ATTRS, LexAttrGetter, Vocab, WordLists, base_norms
from .lex_attrs import LEX_ATTRS, Getter, add_lookups

__all__ = ["Vocab", "create_vocab"]


def create_vocab(lang: str | None, defaults: Any, vectors_name: str | None = None) -> Vocab:
    """Makes a vocab for a language.

    lang: the language's code, the value of LANG; None for no particular language.
    defaults: the language's data: `lex_attr_getters`, `stop_words`, `writing_system` and
        `syntax_iterators`, as in spaCy's `Language.Defaults`.
    vectors_name: the name of the word vectors.
    """
    norm, own = ATTRS["NORM"], dict(defaults.lex_attr_getters)
    norms = base_norms()
    words = WordLists(lang or "", stop_words=list(defaults.stop_words), norms=norms)
    getters: dict[int, Getter] = {**LEX_ATTRS, **own}
    for name in ("IS_STOP", "LANG"):
        getters[ATTRS[name]] = LexAttrGetter(name, words)
    getters[norm] = add_lookups(own[norm], norms) if norm in own else LexAttrGetter(norm, words)
    return Vocab(
        getters,
        vectors_name=vectors_name,
        writing_system=defaults.writing_system,
        get_noun_chunks=defaults.syntax_iterators.get("noun_chunks"),
    )
