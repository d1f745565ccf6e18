"""The lemmatizer: lemmas looked up by word, or made by rules for each part of speech."""

from __future__ import annotations

import warnings
from collections.abc import Sized

from .._core import LemmaTables
from .._narrow import as_names
from .._saving.parts import parts_from_bytes, parts_from_disk, parts_to_bytes, parts_to_disk
from .._typing import Any
from ..lookups import Lookups, load_lookups
from ._handled import Handled
from .scores import lemmatizer_score

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from os import PathLike
    from typing import ClassVar, Self

    from .._core import Doc, NativeComponent, Token, Vocab
    from .._learning.example import Example
    from .._protocols import Pipeline

__all__ = ["EnglishLemmatizer", "Lemmatizer"]

_TABLES = ("lemma_lookup", "lemma_rules", "lemma_exc", "lemma_index")
# A table with its number of changes and the sizes of its values.
_State = list[tuple[Any, int, list[int]]]


class Lemmatizer(Handled):
    """Sets the lemmas of tokens that have none, or of all tokens if `overwrite` is set.

    vocab: the vocab of the documents; lemmas of words of other vocabs are not cached.
    model: ignored, for compatibility with spaCy.
    mode: "lookup", "rule", or a mode with a method `<mode>_lemmatize` in a subclass, which takes a
        token and returns a list of lemmas, of which the first one is used.
    overwrite: whether existing lemmas are replaced.
    scorer: the function that `score` calls.

    The tables are compiled for the first document, and again after `table[key] = value`, after a
    table is replaced, and after entries are added within a value. Replacements within a value, as
    by `table["noun"]["data"] = ["datum"]`, are not detected, since that would take a walk over all
    entries in each call: set the value again afterwards (`table["noun"] = table["noun"]`), or call
    `initialize(lookups=lemmatizer.lookups)`.

    Raises ValueError (E1003) for a mode without a method.

    >>> import lexpool
    >>> from lexpool.lookups import Lookups
    >>> nlp, lookups = lexpool.blank("en"), Lookups()
    >>> table = lookups.add_table("lemma_lookup", {"went": "go"})
    >>> lemmatizer = Lemmatizer(nlp.vocab, None)
    >>> lemmatizer.initialize(lookups=lookups)
    >>> [token.lemma_ for token in lemmatizer(nlp("They went"))]
    ['They', 'go']
    """

    lemmatize: Callable[[Token], list[str]]
    """Returns the lemmas of a token: the method of the mode."""

    # Tables that the native methods of a subclass read, besides those in `_TABLES`.
    _more_tables: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def get_lookups_config(cls, mode: str) -> tuple[list[str], list[str]]:
        """Returns the names of the tables that a mode requires, and of its optional tables."""
        if mode == "lookup":
            return ["lemma_lookup"], []
        if mode == "rule":
            return ["lemma_rules"], ["lemma_exc", "lemma_index"]
        return [], []

    def __init__(
        self,
        vocab: Vocab,
        model: object,
        name: str = "lemmatizer",
        *,
        mode: str = "lookup",
        overwrite: bool = False,
        scorer: Callable[..., dict[str, Any]] | None = lemmatizer_score,
    ) -> None:
        self.vocab = vocab
        self.model = model
        self.name = name
        self._mode = mode
        self.lookups: Lookups = Lookups()
        self.overwrite = overwrite
        self.scorer = scorer
        self.cache: dict[tuple[int, int, int], list[str]] = {}
        self._validated = False
        self._made: tuple[_State, LemmaTables] | None = None
        self._native: tuple[tuple[object, ...], NativeComponent] | None = None
        method = getattr(self, f"{mode}_lemmatize", None)
        if method is None:
            raise ValueError(
                f"[E1003] the lemmatizer has no mode {mode!r}; expected 'lookup' or 'rule', or a "
                f"subclass with the method {mode}_lemmatize"
            )
        self.lemmatize = method

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_made": None, "_native": None}

    @property
    def mode(self) -> str:
        """The method by which lemmas are found: "lookup", "rule" or a subclass's own."""
        return self._mode

    def native(self) -> NativeComponent | None:
        """The native component, which runs without the GIL; None while a table is missing, or if a
        subclass overrides methods.
        """
        make = self._native_method()
        if make is None or any(name not in self.lookups for name in self._required()):
            return None
        made_of = (self._tables(), self.vocab, self.overwrite)
        if self._native is None or not _same(self._native[0], made_of):
            self._native = made_of, make(bool(self.overwrite))
        return self._native[1]

    def _annotated(self, doc: Doc) -> Doc:
        """Sets the lemmas of a document and returns it. Raises ValueError (E1004) if a table is
        missing.
        """
        if not self._validated:
            self._validate_tables()
        native = self.native()
        if native is not None:
            return native(doc)
        for token in doc:
            if self.overwrite or token.lemma == 0:
                token.lemma_ = self.lemmatize(token)[0]
        return doc

    def initialize(
        self,
        get_examples: Callable[[], Iterable[Example]] | None = None,
        *,
        nlp: Pipeline | None = None,
        lookups: Lookups | None = None,
    ) -> None:
        """Copies the current tables; by default those of packages such as spacy-lookups-data.

        Raises ValueError: E955 if no package has a table that the mode requires, E1004 if `lookups`
        lacks it, lemma-table if a table has an invalid format.
        """
        required, optional = self.get_lookups_config(self._mode)
        if lookups is None:
            lang = self.vocab.lang or ""
            lookups = load_lookups(lang, required)
            more = load_lookups(lang, optional, strict=False)
            for name in more.tables:
                lookups.set_table(name, more.get_table(name))
        self.lookups = lookups
        self.cache = {}
        self._made = None
        self._validate_tables()
        self._compile()

    def lookup_lemmatize(self, token: Token) -> list[str]:
        """Returns the lemmas of a token's text in the table lemma_lookup, or the text itself if it
        is missing.
        """
        found: str | list[str] = self.lookups.get_table("lemma_lookup", {}).get(
            token.text, token.text
        )
        return [found] if isinstance(found, str) else found

    def rule_lemmatize(self, token: Token) -> list[str]:
        """Returns the lemmas of a token from rules and exceptions for its part of speech.

        Warns (W108) about a token without one; its lemma is its text in lower case.
        """
        key = (token.orth, token.pos, token.morph.key)
        if key in self.cache:
            return self.cache[key]
        pos = token.pos_.lower()
        if pos == "":
            text = (
                f"[W108] {token.text!r} has no part of speech, which the lemmatizer's rules go by"
            )
            warnings.warn(text, UserWarning, stacklevel=2)
        if pos in ("", "eol", "space") or self.is_base_form(token):
            return [token.text.lower()]
        forms = self.cache[key] = self._tables().forms(token.text, pos)
        return forms

    def is_base_form(self, token: Token) -> bool:
        """Returns whether a token's lower-cased text is its lemma, before any rule is tried."""
        return False

    def to_bytes(self, *, exclude: str | Iterable[str] = ()) -> bytes:
        """Returns tables and vocab as bytes. `exclude`: "vocab", "lookups", or parts of the
        vocab.
        """
        left_out = as_names(exclude)
        parts: dict[str, Callable[[], bytes | str]] = {
            "vocab": lambda: self.vocab.to_bytes(exclude=left_out),
            "lookups": self.lookups.to_bytes,
        }
        return parts_to_bytes(parts, left_out)

    def from_bytes(self, bytes_data: bytes, *, exclude: str | Iterable[str] = ()) -> Self:
        """Loads the bytes of `to_bytes`. Raises ValueError (E912) if a table of the mode is
        missing.
        """
        left_out = as_names(exclude)
        parts_from_bytes(
            bytes_data,
            {
                "vocab": lambda part: self.vocab.from_bytes(part, exclude=left_out),
                "lookups": self.lookups.from_bytes,
            },
            left_out,
        )
        return self._loaded()

    def to_disk(self, path: str | PathLike[str], *, exclude: str | Iterable[str] = ()) -> None:
        """Writes tables and vocab into a folder."""
        left_out = as_names(exclude)
        parts_to_disk(
            path,
            {
                "vocab": lambda part: self.vocab.to_disk(part, exclude=left_out),
                "lookups": lambda part: self.lookups.to_disk(part),
            },
            left_out,
        )

    def from_disk(self, path: str | PathLike[str], *, exclude: str | Iterable[str] = ()) -> Self:
        """Loads what `to_disk` wrote. Raises ValueError (E912) if a table of the mode is
        missing.
        """
        left_out = as_names(exclude)
        parts_from_disk(
            path,
            {
                "vocab": lambda part: self.vocab.from_disk(part, exclude=left_out),
                "lookups": self.lookups.from_disk,
            },
            left_out,
        )
        return self._loaded()

    def _loaded(self) -> Self:
        self.cache = {}
        self._validate_tables("[E912] the lemmatizer mode")
        return self

    def _required(self) -> list[str]:
        return self.get_lookups_config(self._mode)[0]

    def _validate_tables(self, error_message: str = "[E1004] the lemmatizer mode") -> None:
        required = self._required()
        if any(name not in self.lookups for name in required):
            raise ValueError(
                f"{error_message} {self._mode!r} needs the tables {required}, but only "
                f"{self.lookups.tables} are loaded; `initialize` loads those of spacy-lookups-data"
            )
        self._validated = True

    def _tables(self) -> LemmaTables:
        """Returns the current tables, compiled again if they have changed."""
        names = (*_TABLES, *self._more_tables)
        tables: list[Any] = [self.lookups.get_table(name, None) for name in names]
        state = [(table, getattr(table, "_changes", 0), _sizes(table)) for table in tables]
        if self._made is None or not _unchanged(self._made[0], state):
            more = dict(zip(self._more_tables, tables[len(_TABLES) :], strict=True))
            groups = more.pop("lemma_rules_groups", None)
            by_pos = {
                name.removeprefix("lemma_lookup_"): table
                for name, table in more.items()
                if table is not None
            }
            lookup, rules, exceptions, index = tables[: len(_TABLES)]
            present = [table for table in tables if table is not None]
            mapped = [getattr(table, "_mapped", None) for table in present]
            in_file = [own for own in mapped if own is not None]
            if present and len(in_file) == len(present):
                made = LemmaTables.from_mapped(in_file)
            else:
                made = LemmaTables(
                    lookup, rules, exceptions, index, groups=groups, pos_lookups=by_pos
                )
            self._made = state, made
            self.cache = {}
        return self._made[1]

    def _compile(self) -> None:
        """Compiles the tables. Raises ValueError (lemma-table) if one has an invalid format."""
        if self._mode in ("lookup", "rule"):
            self._tables()

    def _native_method(self) -> Callable[[bool], NativeComponent] | None:
        """Returns the function that makes the native component, given `overwrite`; None if a
        subclass overrides a method.
        """
        if self._mode == "lookup" and self._keeps(Lemmatizer):
            return lambda overwrite: self._tables().by_lookup(self.vocab, overwrite)
        english = self._base_forms_are_english()
        if self._mode != "rule" or not self._keeps(Lemmatizer) or english is None:
            return None
        return lambda overwrite: self._tables().by_rule(self.vocab, overwrite, english)

    def _keeps(self, cls: type[Lemmatizer]) -> bool:
        """Returns whether the method of the mode is that of a class, as is `__call__`."""
        own, name = type(self), f"{self._mode}_lemmatize"
        method = getattr(cls, name, None)
        return (
            own.__call__ is Lemmatizer.__call__
            and getattr(own, name) is method
            and getattr(self.lemmatize, "__func__", None) is method
        )

    def _base_forms_are_english(self) -> bool | None:
        """Returns whether base forms follow English rules; None if a subclass overrides them."""
        own = type(self).is_base_form
        if "is_base_form" in vars(self):
            return None
        if own is Lemmatizer.is_base_form:
            return False
        return True if own is EnglishLemmatizer.is_base_form else None


class EnglishLemmatizer(Lemmatizer):
    """A lemmatizer that recognizes base forms by their morphology, like spaCy's."""

    def is_base_form(self, token: Token) -> bool:
        """Returns whether the token is a singular noun, an infinitive, a finite verb in the present
        tense without a number, or an adjective or adverb in the positive degree.
        """
        said: Mapping[str, str] = token.morph.to_dict()
        if said.get("VerbForm") in ("Inf", "None") or said.get("Degree") == "Pos":
            return True
        if token.pos_ == "NOUN":
            return said.get("Number") == "Sing"
        finite = said.get("VerbForm") == "Fin" and said.get("Tense") == "Pres"
        return token.pos_ == "VERB" and finite and said.get("Number") is None


def _sizes(table: Any) -> list[int]:
    """Returns the sizes of a table and of its parts by part of speech, which change without a
    count of changes.
    """
    if table is None:
        return []
    sizes = [len(table)]
    # Only tables by part of speech are this short. The values of a mapped table do not change.
    if len(table) < 100 and getattr(table, "_mapped", None) is None:
        sizes += [len(value) for value in table.values() if isinstance(value, Sized)]
    return sizes


def _unchanged(before: _State, now: _State) -> bool:
    return all(
        old[0] is new[0] and old[1:] == new[1:] for old, new in zip(before, now, strict=True)
    )


def _same(before: tuple[object, ...], now: tuple[object, ...]) -> bool:
    return all(old is new for old, new in zip(before, now, strict=True))
