"""Lemmatizers with the rules of particular languages, as spaCy's classes of the same names."""

from __future__ import annotations

from .lemmatizer import Lemmatizer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, ClassVar

    from .._core import LanguageRules, LemmaTables, NativeComponent, Token

__all__ = [
    "CatalanLemmatizer",
    "DutchLemmatizer",
    "FrenchLemmatizer",
    "GreekLemmatizer",
    "HaitianCreoleLemmatizer",
    "IrishLemmatizer",
    "ItalianLemmatizer",
    "MacedonianLemmatizer",
    "PolishLemmatizer",
    "SpanishLemmatizer",
]

_FOUR_TABLES = ("lemma_lookup", "lemma_rules", "lemma_exc", "lemma_index")


def _named(*names: str) -> tuple[str, ...]:
    return tuple(f"lemma_lookup_{name}" for name in names)


class _OfLanguage(Lemmatizer):
    """A lemmatizer whose method of one mode is that of a language."""

    # The code of the language in lexpool's core.
    _language: ClassVar[str]
    _own_mode: ClassVar[str] = "rule"
    # The tables that the mode requires; () if they are those of `Lemmatizer`.
    _required_tables: ClassVar[tuple[str, ...]] = ()
    _rules_made: tuple[LemmaTables, LanguageRules] | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_rules_made": None}

    @classmethod
    def get_lookups_config(cls, mode: str) -> tuple[list[str], list[str]]:
        """Returns the names of the tables that a mode requires, and of its optional tables."""
        if mode == cls._own_mode and cls._required_tables:
            return list(cls._required_tables), []
        return super().get_lookups_config(mode)

    def _compile(self) -> None:
        if self._mode == self._own_mode:
            self._rules()
        else:
            super()._compile()

    def _rules(self) -> LanguageRules:
        """Returns the rules with the current tables."""
        tables = self._tables()
        if self._rules_made is None or self._rules_made[0] is not tables:
            self._rules_made = tables, tables.of_language(self._language)
        return self._rules_made[1]

    def _forms(self, token: Token) -> list[str]:
        return self._rules().forms(
            token.vocab,
            token.text,
            token.pos,
            token.morph.key,
            is_sent_start=token.is_sent_start is True,
        )

    def _native_method(self) -> Callable[[bool], NativeComponent] | None:
        if self._mode != self._own_mode:
            return super()._native_method()
        if not any(self._keeps(cls) for cls in (_Ruled, _PosLookup, FrenchLemmatizer)):
            return None
        return lambda overwrite: self._rules().component(self.vocab, overwrite)


class _Ruled(_OfLanguage):
    def rule_lemmatize(self, token: Token) -> list[str]:
        """Returns the lemmas of a token by the rules of the language."""
        return self._forms(token)


class _PosLookup(_OfLanguage):
    _own_mode = "pos_lookup"

    def pos_lookup_lemmatize(self, token: Token) -> list[str]:
        """Returns the lemmas of a token in the look-up table of its part of speech."""
        return self._forms(token)


class FrenchLemmatizer(_Ruled):
    """A lemmatizer for French, where a word in the index is its own lemma, and the words that no
    rule fits are looked up in the table lemma_lookup.

    If a value of that table is a string, spaCy takes its first character in such a case; this class
    takes the string.
    """

    _language = "fr"
    _required_tables = _FOUR_TABLES

    def rule_lemmatize(self, token: Token) -> list[str]:
        """Returns the lemmas of a token by the rules of the language; without the table
        lemma_rules those of `lookup_lemmatize`.
        """
        if "lemma_rules" not in self.lookups and token.pos_ not in ("", "EOL", "SPACE"):
            return self.lookup_lemmatize(token)
        return self._forms(token)


class CatalanLemmatizer(FrenchLemmatizer):
    """A lemmatizer for Catalan, with the rules of `FrenchLemmatizer`."""

    _language = "ca"


class SpanishLemmatizer(_Ruled):
    """A lemmatizer for Spanish, where morphology selects the rules by the table
    lemma_rules_groups, and pronouns are split off verbs.

    The first part of a rule is a regular expression; references to groups in the second one are
    refused (lemma-table).
    """

    _language = "es"
    _required_tables = ("lemma_rules", "lemma_rules_groups", "lemma_index", "lemma_exc")
    _more_tables = ("lemma_rules_groups",)


class MacedonianLemmatizer(_Ruled):
    """A lemmatizer for Macedonian, where a form counts only if the index has it."""

    _language = "mk"


class GreekLemmatizer(_Ruled):
    """A lemmatizer for Greek, where a word in the index is its own lemma."""

    _language = "el"


class HaitianCreoleLemmatizer(_Ruled):
    """A lemmatizer for Haitian Creole: the lemma is the word in lower case."""

    _language = "ht"
    _required_tables = _FOUR_TABLES

    def is_base_form(self, token: Token) -> bool:
        """Returns whether the token lacks features or has only those of a base form."""
        said, pos = token.morph.to_dict(), token.pos_
        if pos not in ("NOUN", "VERB", "ADJ", "ADV"):
            return False
        base = {"NOUN": ("Number", "Sing"), "VERB": ("VerbForm", "Inf"), "ADJ": ("Degree", "Pos")}
        return not said or (pos in base and said.get(base[pos][0]) == base[pos][1])


class DutchLemmatizer(_Ruled):
    """A lemmatizer for Dutch, which looks words up in lower case."""

    _language = "nl"
    _required_tables = _FOUR_TABLES

    def lookup_lemmatize(self, token: Token) -> list[str]:
        """Returns the lemmas of a token's text in lower case in the table lemma_lookup, or that
        text.
        """
        word = token.text.lower()
        found: str | list[str] = self.lookups.get_table("lemma_lookup", {}).get(word, word)
        return [found] if isinstance(found, str) else found

    def _native_method(self) -> Callable[[bool], NativeComponent] | None:
        if self._mode == "lookup" and self._keeps(DutchLemmatizer):
            return lambda overwrite: self._tables().by_lookup(self.vocab, overwrite, lower=True)
        return super()._native_method()


class IrishLemmatizer(_PosLookup):
    """A lemmatizer for Irish, which looks words up without their initial mutation in the table of
    their part of speech.
    """

    _language = "ga"
    _required_tables = _more_tables = _named("adj", "adp", "noun", "verb")


class ItalianLemmatizer(_PosLookup):
    """A lemmatizer for Italian, which looks words up in the table of their part of speech, then in
    those of all words.
    """

    _language = "it"
    _more_tables = _named("num", "det", "adp", "adj", "noun", "pron", "verb", "aux", "adv", "other")
    _required_tables = (*_more_tables, "lemma_lookup")


class PolishLemmatizer(_PosLookup):
    """A lemmatizer for Polish, which looks words up in the table of their part of speech, some of
    them without a prefix.
    """

    _language = "pl"
    _required_tables = _more_tables = _named(
        "adj", "adp", "adv", "aux", "noun", "num", "part", "pron", "verb"
    )
