"""The common base of the entity ruler and the span ruler: their patterns and matchers."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from .._components.pipe import Pipe
from .._core import Doc
from .._narrow import is_dict, is_list
from ..matcher import Matcher, PhraseMatcher
from ..matcher._annotation import require
from ..matcher._patterns import FuzzyCompare

if TYPE_CHECKING:
    from .._learning.example import Example
    from .._protocols import Pipeline

__all__ = ["Entry", "PatternType", "Ruler", "entries"]

# A pattern as users write it: a dict of "label", "pattern" (a phrase or a list of tokens) and,
# optionally, "id".
PatternType: TypeAlias = dict[str, Any]
Scorer: TypeAlias = Callable[..., dict[str, Any]]
MatchedKey: TypeAlias = tuple[int, int, int]


class Entry(NamedTuple):
    """A validated ruler pattern."""

    label: str
    pattern: str | list[dict[Any, Any]]
    id: str
    given: PatternType


def entries(patterns: Iterable[PatternType]) -> list[Entry]:
    """Validates patterns together.

    Raises ValueError (E097) with all errors, each with the position of its pattern.
    """
    found: list[Entry] = []
    wrong: list[str] = []
    for i, given in enumerate(patterns):
        if not is_dict(given):
            wrong.append(f"{i}: expected a dict with label and pattern, not {given!r}")
            continue
        label, pattern, own_id = given.get("label"), given.get("pattern"), given.get("id")
        if not isinstance(label, str):
            wrong.append(f"{i}: the label is a string, not {label!r}")
        elif not isinstance(pattern, str) and not is_list(pattern):
            wrong.append(f"{i}: the pattern is a string or a list of dicts, not {pattern!r}")
        elif own_id is not None and not isinstance(own_id, str):
            wrong.append(f"{i}: the id is a string, not {own_id!r}")
        else:
            found.append(Entry(label, pattern, own_id or "", given))
    if wrong:
        raise ValueError(f"[E097] patterns that cannot be used; {'; '.join(wrong)}")
    return found


class Ruler(Pipe, ABC):
    """A component with two matchers: for patterns of tokens, and for phrases."""

    nlp: Pipeline
    matcher: Matcher
    phrase_matcher: PhraseMatcher
    phrase_matcher_attr: int | str | None
    matcher_fuzzy_compare: FuzzyCompare

    @abstractmethod
    def __len__(self) -> int:
        """Returns the number of patterns."""

    @abstractmethod
    def add_patterns(self, patterns: Iterable[PatternType]) -> None:
        """Adds patterns to the existing ones."""

    @abstractmethod
    def clear(self) -> None:
        """Removes all patterns."""

    @abstractmethod
    def match(self, doc: Doc) -> Any:
        """Returns the matches of the patterns, for `set_annotations`."""

    @abstractmethod
    def set_annotations(self, doc: Doc, matches: Any) -> None:
        """Annotates a document with the matches of `match`."""

    def __call__(self, doc: Doc) -> Doc:
        """Annotates a document with the matches of the patterns, and returns it."""
        native = self.native()
        if native is not None:
            return native(doc)
        self.set_annotations(doc, self.match(doc))
        return doc

    def initialize(
        self,
        get_examples: Callable[[], Iterable[Example]],
        *,
        nlp: Pipeline | None = None,
        patterns: Sequence[PatternType] | None = None,
    ) -> None:
        """Replaces all patterns."""
        self.clear()
        if patterns:
            self.add_patterns(patterns)

    def _new_matchers(self, validate: bool) -> None:
        vocab = self.nlp.vocab
        self.matcher = Matcher(vocab, validate=validate, fuzzy_compare=self.matcher_fuzzy_compare)
        self.phrase_matcher = PhraseMatcher(vocab, attr=self.phrase_matcher_attr, validate=validate)

    def _add_rules(self, rules: list[tuple[str, Entry]]) -> list[Doc]:
        """Adds rules under keys, and returns the phrases among them. Adds none if one is
        invalid.
        """
        phrases = [(key, entry.pattern) for key, entry in rules if isinstance(entry.pattern, str)]
        docs = self._phrases([text for _, text in phrases])
        for doc in docs:
            require(doc, (self.phrase_matcher.attr,))
        of_tokens = [
            (key, entry.pattern) for key, entry in rules if not isinstance(entry.pattern, str)
        ]
        self.matcher.add_rules(of_tokens)
        for (key, _), doc in zip(phrases, docs, strict=True):
            self.phrase_matcher.add(key, [doc])
        return docs

    def _phrases(self, texts: list[str]) -> list[Doc]:
        """Returns phrases as documents, annotated by the components before this one; later
        components may not be ready yet.
        """
        if not texts:
            return []
        # Other threads may run the same pipeline, so its components are not disabled.
        pipeline = self.nlp.pipeline
        at = next((i for i, (_, pipe) in enumerate(pipeline) if pipe is self), -1)
        return list(self.nlp.pipe(texts, disable=[name for name, _ in pipeline[at:]]))

    def _matches(self, doc: Doc) -> list[MatchedKey]:
        """Returns the matches of both matchers, those of token patterns first."""
        self._require_patterns()
        found: list[MatchedKey] = list(self.matcher(doc)) if len(self.matcher) else []
        return found + list(self.phrase_matcher(doc))

    def _is_plain(self) -> bool:
        """Returns whether the matchers have lexpool's own classes, not derived ones."""
        return type(self.matcher) is Matcher and type(self.phrase_matcher) is PhraseMatcher

    def _require_patterns(self) -> None:
        if len(self) == 0:
            text = f"[W036] the component {self.name!r} has no patterns, so it finds nothing"
            warnings.warn(text, UserWarning, stacklevel=4)

    def _unknown(self, kind: str, value: str) -> ValueError:
        return ValueError(
            f"[E1024] the component {self.name!r} has no pattern with the {kind} {value!r}"
        )
