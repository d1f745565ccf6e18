"""`Matcher`: search for sequences of tokens by patterns of their attributes."""

from __future__ import annotations

import warnings
from collections.abc import Callable

from .._core import TokenMatcher, levenshtein_compare
from .._errors import MatchPatternError
from .._narrow import is_list
from .._typing import Any
from ._annotation import SET_BY, require
from ._keyed import KeyedMatcher
from ._patterns import Compiler, FuzzyCompare, Questions
from ._streams import match_stream
from ._validation import problems

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import TypeAlias

    from .._core import Doc, Vocab

__all__ = ["Matcher"]

_Patterns: TypeAlias = list[list[dict[Any, Any]]]
_OnMatch: TypeAlias = Callable[["Matcher", "Doc", int, list[tuple[Any, ...]]], Any]


class Matcher(TokenMatcher, KeyedMatcher):
    """Finds sequences of tokens by patterns: lists of dicts from attributes to conditions.

    vocab: the vocab of the documents.
    validate: whether `add` validates patterns in full.
    fuzzy_compare: the comparison of FUZZY: a function of a token's string, a pattern's string and
        the maximum number of edits (-1 for the default at that length).
    """

    def __init__(
        self,
        vocab: Vocab,
        validate: bool = True,
        *,
        fuzzy_compare: FuzzyCompare = levenshtein_compare,
    ) -> None:
        self.vocab = vocab
        self.validate = validate
        self._fuzzy_compare = fuzzy_compare
        self._patterns: dict[int, _Patterns] = {}
        self._callbacks: dict[int, _OnMatch | None] = {}
        self._greedy: dict[int, str | None] = {}
        self._calls_back = False
        self._questions = Questions()
        self._compiler = Compiler(vocab, self._questions, fuzzy_compare)

    def __reduce__(self) -> tuple[Any, ...]:
        rules = [
            (key, patterns, self._callbacks[key], self._greedy[key])
            for key, patterns in self._patterns.items()
        ]
        return _unpickle, (type(self), self.vocab, self.validate, self._fuzzy_compare, rules)

    def add(
        self,
        key: str | int,
        patterns: _Patterns,
        *,
        on_match: _OnMatch | None = None,
        greedy: str | None = None,
    ) -> None:
        """Adds patterns to those of a key.

        on_match: called for each match, with the matcher, the document, the position of the match
            and all matches; replaces the key's earlier callback.
        greedy: "FIRST" or "LONGEST" to keep only matches of the key that do not overlap; None to
            keep all.

        Raises ValueError: E948 if patterns are not a list, E178 if a pattern is not a list, E012
        for a pattern without elements, E171 if the callback is not callable, E947 for another
        greedy, E011 for an unknown operator, E152 E153 E154 for invalid elements.
        MatchPatternError: all errors of the patterns, if they are validated. Nothing is added then.
        """
        self._check(key, patterns, on_match, greedy)
        with self._compiler.attempt():
            compiled = [self._compiler.pattern(pattern) for pattern in patterns]
            number = self._normalize_key(key)
            self._compile(number, compiled, greedy)
        self._patterns.setdefault(number, []).extend(patterns)
        self._callbacks[number] = on_match
        self._calls_back = self._calls_back or on_match is not None
        self._greedy[number] = greedy
        self._note_calls()

    def add_rules(self, rules: list[tuple[str, list[dict[Any, Any]]]]) -> None:
        """Adds patterns, each under its key, and keeps all their matches.

        Raises the errors of `add` for the first invalid pattern; nothing is added then."""
        for key, pattern in rules:
            self._check(key, [pattern], None, None)
        with self._compiler.attempt():
            compiled = [
                (self._normalize_key(key), [self._compiler.pattern(pattern)])
                for key, pattern in rules
            ]
            self._compile_all(compiled)
        for (number, _), (_, pattern) in zip(compiled, rules, strict=True):
            self._patterns.setdefault(number, []).append(pattern)
            self._callbacks[number] = self._greedy[number] = None
        self._note_calls()

    def required(self) -> list[int]:
        """Returns the numbers of the tested attributes that only pipeline components set."""
        return sorted(self._compiler.attrs & SET_BY.keys())

    def remove(self, key: str | int) -> None:
        """Removes a key with its patterns. Raises ValueError (E175) for an unknown key."""
        number = self._known(key)
        self._forget(number)
        del self._patterns[number], self._callbacks[number], self._greedy[number]

    def pipe(
        self,
        docs: Iterable[Any],
        batch_size: int = 1000,
        return_matches: bool = False,
        as_tuples: bool = False,
        *,
        n_threads: int | None = None,
        as_spans: bool = False,
    ) -> Iterator[Any]:
        """Matches each of a stream of documents and yields it, in order.

        return_matches: yield pairs of a document and the result of a call with it. as_tuples: the
            stream consists of pairs of a document and a context; the pairs of a result and its
            context are yielded.
        n_threads: match `batch_size` documents at a time on this many threads (0: one for each
            core). Without it this is spaCy's method, which is deprecated (W105): it calls the
            matcher for each document.
        as_spans: as for a call; sets n_threads to 1 if it is not given.
        """
        return match_stream(self, docs, batch_size, return_matches, as_tuples, n_threads, as_spans)

    def _require_annotation(self, doc: Doc) -> None:
        require(doc, self._compiler.attrs)

    def _answerer(self, doc: Doc) -> Callable[[int, int, str | None], bool]:
        return self._questions.answerer(doc)

    def _call_back(self, doc: Doc, found: list[tuple[Any, ...]]) -> None:
        for i, (key, *_) in enumerate(found):
            on_match = self._callbacks.get(key)
            if on_match is not None:
                on_match(self, doc, i, found)

    def _check(self, key: str | int, patterns: Any, on_match: Any, greedy: Any) -> None:
        if on_match is not None and not callable(on_match):
            raise ValueError(f"[E171] expected a callable for on_match, not {on_match!r}")
        if not is_list(patterns):
            kind = type(patterns).__name__
            raise ValueError(f"[E948] expected a list of lists of dicts as patterns, not {kind}")
        if greedy is not None and greedy not in ("FIRST", "LONGEST"):
            raise ValueError(f"[E947] expected greedy='FIRST', 'LONGEST' or None, not {greedy!r}")
        wrong: dict[int, list[str]] = {}
        for i, pattern in enumerate(patterns):
            if len(pattern) == 0:
                raise ValueError(f"[E012] pattern {i} for {key!r} has no elements")
            if not is_list(pattern):
                text = f"[E178] pattern {i} for {key!r}: expected a list of dicts, not {pattern!r}"
                raise ValueError(text)
            if self.validate:
                wrong[i] = problems(pattern)
        if any(wrong.values()):
            raise MatchPatternError(key, wrong)

    def _require_patterns(self) -> None:
        if len(self) == 0:
            text = "[W036] the matcher has no patterns, so it finds nothing"
            warnings.warn(text, UserWarning, stacklevel=3)

    def _note_calls(self) -> None:
        wants_annotation = not self._compiler.attrs.isdisjoint(SET_BY)
        self._note(wants_annotation, self._calls_back)


def _unpickle(
    cls: type[Matcher],
    vocab: Vocab,
    validate: bool,
    fuzzy_compare: FuzzyCompare,
    rules: list[tuple[int, _Patterns, _OnMatch | None, str | None]],
) -> Matcher:
    matcher = cls(vocab, validate, fuzzy_compare=fuzzy_compare)
    for key, patterns, on_match, greedy in rules:
        matcher.add(key, patterns, on_match=on_match, greedy=greedy)
    return matcher
