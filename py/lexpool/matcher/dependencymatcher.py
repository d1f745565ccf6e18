"""`DependencyMatcher`: search for tokens whose places in the dependency tree fit a pattern."""

from __future__ import annotations

import warnings
from collections.abc import Callable

from .._core import TREE_OPERATORS, Doc, Span, TreeMatcher, levenshtein_compare
from .._errors import MatchPatternError
from .._narrow import is_dict, is_list, is_tuple
from .._typing import Any
from ._annotation import require
from ._keyed import KeyedMatcher
from ._patterns import Compiler, Element, Questions
from ._validation import problems

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    from .._core import Vocab

__all__ = ["DependencyMatcher"]

_Pattern: TypeAlias = list[dict[str, Any]]
_Matches: TypeAlias = list[tuple[int, list[int]]]
_OnMatch: TypeAlias = Callable[["DependencyMatcher", Doc, int, _Matches], Any]

_LINKED_FIELDS = ("LEFT_ID", "REL_OP", "RIGHT_ID", "RIGHT_ATTRS")


class DependencyMatcher(KeyedMatcher):
    """Finds trees by patterns: lists of nodes, each with conditions on a token.

    The first node is {"RIGHT_ID": name, "RIGHT_ATTRS": conditions}. Every other node also has a
    "LEFT_ID", the name of an earlier node, and a "REL_OP", the operator of its relation to it.

    vocab: the vocab of the documents.
    validate: whether `add` validates conditions in full.
    """

    def __init__(self, vocab: Vocab, *, validate: bool = False) -> None:
        self.vocab = vocab
        self._validate = validate
        self._patterns: dict[int, list[_Pattern]] = {}
        self._callbacks: dict[int, _OnMatch | None] = {}
        self._questions = Questions()
        self._compiler = Compiler(vocab, self._questions, levenshtein_compare)
        self._engine = TreeMatcher()

    def __reduce__(self) -> tuple[Any, ...]:
        rules = [(key, found, self._callbacks[key]) for key, found in self._patterns.items()]
        return _unpickle, (type(self), self.vocab, self._validate, rules)

    def add(
        self, key: str | int, patterns: list[_Pattern], *, on_match: _OnMatch | None = None
    ) -> None:
        """Adds patterns to those of a key.

        on_match: called for each match, with the matcher, the document, the position of the match
            and all matches; replaces the key's earlier callback.

        Raises ValueError: E171 if the callback is not callable, E948 if patterns are not a list,
        E012 for a pattern without nodes, E1008 if nodes are not dicts, E098 E099 E100 for missing
        fields, E101 for a repeated or unknown name, E1007 for an unknown operator, E1016 for a node
        that may match no token or several; the errors of `Matcher.add` for conditions.
        MatchPatternError: all errors of the conditions, if they are validated. Nothing is added
        then. Warns (W126) about other fields.
        """
        if on_match is not None and not callable(on_match):
            raise ValueError(f"[E171] expected a callable for on_match, not {on_match!r}")
        if not is_list(patterns):
            kind = type(patterns).__name__
            raise ValueError(f"[E948] expected a list of lists of dicts as patterns, not {kind}")
        for i, pattern in enumerate(patterns):
            _check(f"pattern {i} for {key!r}", pattern)
        if self._validate:
            self._check_conditions(key, patterns)
        with self._compiler.attempt():
            compiled = [self._compiled(pattern) for pattern in patterns]
            number = self._normalize_key(key)
            self._engine.add(number, compiled)
        self._patterns.setdefault(number, []).extend(patterns)
        self._callbacks[number] = on_match

    def remove(self, key: str | int) -> None:
        """Removes a key with its patterns. Raises ValueError (E175) for an unknown key."""
        number = self._known(key)
        self._engine.remove(number)
        del self._patterns[number], self._callbacks[number]

    def __call__(self, doclike: Doc | Span) -> _Matches:
        """Finds all matches: tuples of the key's id and the positions of the nodes' tokens, in the
        order of the nodes. A span is searched as a document of its own.

        Matches are sorted by key, by pattern, by tree, and by the tokens of the nodes in order.

        Raises ValueError: E195 if the argument is neither a Doc nor a Span, E155 for missing
        annotation, E125 for a comparison that returns neither True nor False, match-limit for too
        many matches or tested tokens. Warns about nodes that match several tokens, of which the
        first is used (W110), and about a matcher without patterns (W036).
        """
        given: Any = doclike
        if isinstance(given, Span):
            doc = given.as_doc(copy_user_data=True)
        elif isinstance(given, Doc):
            doc = given
        else:
            kind = type(given).__name__
            raise ValueError(f"[E195] expected a Doc or a Span, not {kind}")
        if len(self) == 0:
            text = "[W036] the matcher has no patterns, so it finds nothing"
            warnings.warn(text, UserWarning, stacklevel=2)
        require(doc, self._compiler.attrs)
        matches, wide = self._engine.find(doc, self._questions.answerer(doc))
        for key, pattern, node, start, end in wide:
            conditions = self._patterns[key][pattern][node]["RIGHT_ATTRS"]
            text = (
                f"[W110] the node with {conditions!r} fits several tokens at once, such as "
                f"{[token.text for token in doc[start:end]]!r}; only the first is taken"
            )
            warnings.warn(text, UserWarning, stacklevel=2)
        for i, (key, _) in enumerate(matches):
            on_match = self._callbacks.get(key)
            if on_match is not None:
                on_match(self, doc, i, matches)
        return matches

    def _compiled(self, pattern: _Pattern) -> list[tuple[int, str, list[Element]]]:
        names = [node["RIGHT_ID"] for node in pattern]
        return [
            (
                names.index(node["LEFT_ID"]) if i else 0,
                node["REL_OP"] if i else "",
                self._compiler.pattern([node["RIGHT_ATTRS"]]),
            )
            for i, node in enumerate(pattern)
        ]

    def _check_conditions(self, key: str | int, patterns: list[_Pattern]) -> None:
        wrong = {
            i: problems([node["RIGHT_ATTRS"] for node in pattern])
            for i, pattern in enumerate(patterns)
        }
        if any(wrong.values()):
            raise MatchPatternError(key, wrong)


def _check(place: str, pattern: Any) -> None:
    """Raises ValueError unless a pattern consists of nodes, each linked to an earlier one."""
    if not is_list(pattern) and not is_tuple(pattern):
        raise ValueError(f"[E1008] {place}: expected a list of dicts, not {pattern!r}")
    if len(pattern) == 0:
        raise ValueError(f"[E012] {place} has no nodes")
    names: list[Any] = []
    for i, node in enumerate(pattern):
        where = f"{place}, node {i}"
        if not is_dict(node):
            raise ValueError(f"[E1008] {where}: expected a dict, not {node!r}")
        if i == 0:
            _check_anchor(where, node)
        else:
            _check_link(where, node, names)
        if not is_dict(node["RIGHT_ATTRS"]):
            text = f"[E154] {where}: expected a dict for RIGHT_ATTRS, not {node['RIGHT_ATTRS']!r}"
            raise ValueError(text)
        if node["RIGHT_ATTRS"].get("OP", "") in ("?", "*", "+"):
            text = f"[E1016] {where}: a node is one token, so OP may not be ?, * or +: {node!r}"
            raise ValueError(text)
        names.append(node["RIGHT_ID"])


def _check_anchor(where: str, node: dict[Any, Any]) -> None:
    if "RIGHT_ID" not in node and "RIGHT_ATTRS" not in node:
        raise ValueError(f"[E098] {where}: expected RIGHT_ID and RIGHT_ATTRS, but both are missing")
    if "RIGHT_ID" not in node or "REL_OP" in node or "LEFT_ID" in node:
        text = "the first node has a RIGHT_ID, and neither LEFT_ID nor REL_OP"
        raise ValueError(f"[E099] {where}: {text}: {node!r}")
    if "RIGHT_ATTRS" not in node:
        raise ValueError(f"[E098] {where}: expected RIGHT_ATTRS as well: {node!r}")


def _check_link(where: str, node: dict[Any, Any], names: list[Any]) -> None:
    if "RIGHT_ID" not in node and "RIGHT_ATTRS" not in node:
        raise ValueError(f"[E098] {where}: expected RIGHT_ID and RIGHT_ATTRS, but both are missing")
    missing = [field for field in _LINKED_FIELDS if field not in node]
    if missing:
        raise ValueError(f"[E100] {where}: expected {', '.join(missing)} as well: {node!r}")
    others = [field for field in node if field not in _LINKED_FIELDS]
    if others:
        fields = ", ".join(map(repr, others))
        warnings.warn(f"[W126] {where}: not used: {fields}", UserWarning, stacklevel=4)
    if node["RIGHT_ID"] in names:
        raise ValueError(f"[E101] {where}: an earlier node has the name {node['RIGHT_ID']!r}")
    if node["LEFT_ID"] not in names:
        raise ValueError(f"[E101] {where}: LEFT_ID {node['LEFT_ID']!r} is not an earlier node")
    if node["REL_OP"] not in TREE_OPERATORS:
        known = " ".join(TREE_OPERATORS)
        raise ValueError(
            f"[E1007] {where}: unknown operator {node['REL_OP']!r}; expected one of {known}"
        )


def _unpickle(
    cls: type[DependencyMatcher],
    vocab: Vocab,
    validate: bool,
    rules: list[tuple[int, list[_Pattern], _OnMatch | None]],
) -> DependencyMatcher:
    matcher = cls(vocab, validate=validate)
    for key, patterns, on_match in rules:
        matcher.add(key, patterns, on_match=on_match)
    return matcher
