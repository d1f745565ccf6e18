"""The span ruler: groups of spans from rules."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Any, Self, TypeAlias

from .._components.pipe import does_as
from .._core import Doc, RuleNames, Span
from .._narrow import is_dict
from .._saving.form import expect, reading
from .._saving.json import loads
from .._saving.json_files import Path, read_jsonl, to_json, write_jsonl
from .._saving.packed import as_path
from ..matcher import levenshtein_compare
from ..matcher._patterns import FuzzyCompare
from ..msgpack import packb, unpackb
from ..tokens._filters import filter_chain_spans
from ._rules import PatternType, Ruler, Scorer, entries
from .scores import overlapping_labeled_spans_score

if TYPE_CHECKING:
    from .._core import NativeComponent
    from .._protocols import Pipeline

__all__ = [
    "DEFAULT_SPANS_KEY",
    "SpanRuler",
    "prioritize_existing_ents_filter",
    "prioritize_new_ents_filter",
]

DEFAULT_SPANS_KEY = "ruler"
# A function of the existing and the new spans that returns the spans to keep.
Filter: TypeAlias = Callable[[Iterable[Span], Iterable[Span]], Iterable[Span]]


def prioritize_new_ents_filter(entities: Iterable[Span], spans: Iterable[Span]) -> list[Span]:
    """Returns the new spans that do not overlap a longer or earlier new one, and the entities that
    no span overlaps.
    """
    taken: set[int] = set()
    new = _free(spans, taken)
    there = [ent for ent in entities if taken.isdisjoint(range(ent.start, ent.end))]
    return there + new


def prioritize_existing_ents_filter(entities: Iterable[Span], spans: Iterable[Span]) -> list[Span]:
    """Returns the entities, and the new spans that overlap neither an entity nor a longer or
    earlier new span.
    """
    there = list(entities)
    taken = {i for ent in there for i in range(ent.start, ent.end)}
    return there + _free(spans, taken)


def _free(spans: Iterable[Span], taken: set[int]) -> list[Span]:
    """Returns the spans whose tokens are free, longest first, and marks their tokens as taken."""
    free: list[Span] = []
    for span in sorted(spans, key=lambda span: (span.start - span.end, span.start)):
        tokens = range(span.start, span.end)
        if taken.isdisjoint(tokens):
            taken.update(tokens)
            free.append(span)
    return free


# Filters with a native equivalent, and its name; spaCy's by module and name.
_NATIVE: dict[Filter, str] = {
    filter_chain_spans: "longest",
    prioritize_new_ents_filter: "new",
    prioritize_existing_ents_filter: "existing",
}
_OF_SPACY = {
    ("spacy.util", "filter_chain_spans"): "longest",
    ("spacy.pipeline.span_ruler", "prioritize_new_ents_filter"): "new",
    ("spacy.pipeline.span_ruler", "prioritize_existing_ents_filter"): "existing",
}


def _native_name(chosen: Filter) -> str | None:
    """Returns the native ruler's name of a filter, or None if it has no equivalent."""
    for (module, name), own in _OF_SPACY.items():
        if getattr(sys.modules.get(module), name, None) is chosen:
            return own
    try:
        return _NATIVE.get(chosen)
    except TypeError:
        return None


class SpanRuler(Ruler):
    """Adds spans where patterns match to a group of the document, and optionally to its entities.

    nlp: the pipeline that tokenizes phrases; its earlier components annotate them.
    spans_key: the name of the group; None to set no group.
    spans_filter: called with the spans of the group and the new ones; returns the spans to add.
    annotate_ents: whether entities are set.
    ents_filter: called with the document's entities and the new spans; returns the entities.
    phrase_matcher_attr: the attribute that phrases are compared by; by default the text.
    matcher_fuzzy_compare: the comparison of FUZZY in token patterns.
    validate: whether patterns are validated in full.
    overwrite: whether existing spans and entities of the document are replaced.
    scorer: the function that `score` calls.

    >>> import lexpool
    >>> nlp = lexpool.blank("en")
    >>> ruler = SpanRuler(nlp)
    >>> ruler.add_patterns([{"label": "ORG", "pattern": "Acme"}])
    >>> doc = ruler(nlp("Acme and Acme"))
    >>> [span.text for span in doc.spans["ruler"]]
    ['Acme', 'Acme']
    """

    def __init__(
        self,
        nlp: Pipeline,
        name: str = "span_ruler",
        *,
        spans_key: str | None = DEFAULT_SPANS_KEY,
        spans_filter: Filter | None = None,
        annotate_ents: bool = False,
        ents_filter: Filter = filter_chain_spans,
        phrase_matcher_attr: int | str | None = None,
        matcher_fuzzy_compare: FuzzyCompare = levenshtein_compare,
        validate: bool = False,
        overwrite: bool = False,
        scorer: Scorer | None = partial(
            overlapping_labeled_spans_score, spans_key=DEFAULT_SPANS_KEY
        ),
    ) -> None:
        self.nlp = nlp
        self.name = name
        self.spans_key = spans_key
        self.spans_filter = spans_filter
        self.annotate_ents = annotate_ents
        self.ents_filter = ents_filter
        self.phrase_matcher_attr = phrase_matcher_attr
        self.matcher_fuzzy_compare = matcher_fuzzy_compare
        self.validate = validate
        self.overwrite = overwrite
        self.scorer = scorer
        self.clear()

    def __len__(self) -> int:
        """Returns the number of patterns."""
        return len(self._patterns)

    def __contains__(self, label: str) -> bool:
        """Returns whether a label has patterns."""
        return bool(self._keys["label"].get(label))

    @property
    def key(self) -> str | None:
        """The name of the group."""
        return self.spans_key

    def native(self) -> NativeComponent | None:
        if not does_as(self, SpanRuler, "__call__", "match", "set_annotations", "key"):
            return None
        in_group = self.key and self.spans_filter is not None
        of_spans = _native_name(self.spans_filter) if in_group and self.spans_filter else None
        of_ents = _native_name(self.ents_filter) if self.annotate_ents else None
        lacks_filter = (in_group and of_spans is None) or (self.annotate_ents and of_ents is None)
        if lacks_filter or not self._is_plain():
            return None
        self._require_patterns()
        return self._names.span_ruler(
            self.matcher,
            self.phrase_matcher,
            self.matcher.required(),
            bool(self.overwrite),
            self.key or None,
            of_spans,
            of_ents,
        )

    def match(self, doc: Doc) -> list[Span]:
        """Returns the spans where patterns match, sorted, with labels and ids."""
        names = self._match_label_id_map
        spans = {
            Span(doc, start, end, label=names[key]["label"], span_id=names[key]["id"])
            for key, start, end in self._matches(doc)
        }
        return sorted(spans)

    def set_annotations(self, doc: Doc, matches: Iterable[Span]) -> None:
        """Adds spans to the group, and to the entities if `annotate_ents` is set.

        Raises ValueError (E854) if the filter returns overlapping entities.
        """
        new = list(matches)
        if self.key:
            is_there = self.key in doc.spans and not self.overwrite
            there: Any = doc.spans[self.key] if is_there else []
            there.extend(self.spans_filter(there, new) if self.spans_filter else new)
            doc.spans[self.key] = there
        if self.annotate_ents:
            ents = sorted(self.ents_filter([] if self.overwrite else list(doc.ents), new))
            try:
                doc.ents = tuple(ents)
            except ValueError as error:
                text = f"[E854] the ents_filter of {self.name!r} leaves spans that overlap"
                raise ValueError(text) from error

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of all patterns, sorted."""
        return tuple(sorted(self._keys["label"]))

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of all patterns, sorted."""
        ids = (pattern.get("id") for pattern in self._patterns.values())
        return tuple(sorted({own_id for own_id in ids if own_id is not None}))

    @property
    def patterns(self) -> list[PatternType]:
        """All patterns in their original form."""
        return list(self._patterns.values())

    def add_patterns(self, patterns: Iterable[PatternType]) -> None:
        """Adds patterns: dicts with "label" and "pattern", which is a phrase or a list of tokens as
        for `Matcher`, and optionally "id".

        Raises ValueError (E097) for invalid patterns, with all errors; the errors of
        `Matcher.add` for token patterns, and of `PhraseMatcher.add` for phrases. Nothing is added
        then.
        """
        rules = [(repr((entry.label, entry.id)), entry) for entry in entries(patterns)]
        self._add_rules(rules)
        strings = self.nlp.vocab.strings
        names: dict[int, tuple[int, int, int]] = {}
        for key, entry in rules:
            number = strings.add(key)
            if number not in self._match_label_id_map:
                self._match_label_id_map[number] = {"label": entry.label, "id": entry.id}
                names[number] = (number, strings.add(entry.label), strings.add(entry.id))
                self._places[number] = []
                for part, value in (("label", entry.label), ("id", entry.id)):
                    self._keys[part].setdefault(value, {})[number] = None
            self._places[number].append(self._next_place)
            self._patterns[self._next_place] = entry.given
            self._next_place += 1
        self._names.update(list(names.values()))

    def clear(self) -> None:
        """Removes all patterns."""
        # The patterns by their places in the order of adding, which removed ones leave empty.
        self._patterns: dict[int, PatternType] = {}
        self._next_place = 0
        self._match_label_id_map: dict[int, dict[str, str]] = {}
        # The places of the patterns of each key of the matchers, and the keys with each label and
        # with each id, in the order of adding.
        self._places: dict[int, list[int]] = {}
        self._keys: dict[str, dict[str, dict[int, None]]] = {"label": {}, "id": {}}
        self._names = RuleNames()
        self._new_matchers(self.validate)

    def remove(self, label: str) -> None:
        """Removes all patterns with a label. Raises ValueError (E1024) for an unknown label."""
        if label not in self:
            raise self._unknown("label", label)
        self._remove_keys("label", label)

    def remove_by_id(self, pattern_id: str) -> None:
        """Removes all patterns with an id. Raises ValueError (E1024) for an unknown id."""
        keys = self._keys["id"].get(pattern_id, {})
        places = (place for key in keys for place in self._places[key])
        # The keys of patterns without an id have an empty one.
        if not any(self._patterns[place].get("id") == pattern_id for place in places):
            raise self._unknown("ID", pattern_id)
        self._remove_keys("id", pattern_id)

    def _remove_keys(self, part: str, value: str) -> None:
        numbers = list(self._keys[part][value])
        for number in numbers:
            key = self.nlp.vocab.strings[number]
            if key in self.matcher:
                self.matcher.remove(key)
            if key in self.phrase_matcher:
                self.phrase_matcher.remove(key)
            for place in self._places.pop(number):
                del self._patterns[place]
            for own_part, own_value in self._match_label_id_map.pop(number).items():
                keys = self._keys[own_part][own_value]
                del keys[number]
                if not keys:
                    del self._keys[own_part][own_value]
        self._names.forget(numbers)

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """Returns the patterns as bytes."""
        return packb({} if "patterns" in exclude else {"patterns": to_json(self.patterns)})

    def from_bytes(self, bytes_data: bytes, *, exclude: Iterable[str] = ()) -> Self:
        """Replaces all patterns by those of `to_bytes`. Raises ValueError (E972) for other
        bytes.
        """
        given = unpackb(bytes_data)
        if not is_dict(given):
            raise ValueError(f"[E972] expected the bytes of a span ruler, not of {given!r:.80}")
        packed = given.get("patterns", "[]")
        expect(packed, (str, bytes), "the patterns of a span ruler")
        with reading("the patterns of a span ruler"):
            patterns: Any = [] if "patterns" in exclude else loads(packed)
            self.clear()
            self.add_patterns(patterns)
        return self

    def to_disk(self, path: Path, *, exclude: Iterable[str] = ()) -> None:
        """Writes a directory with a file of patterns, one per line."""
        folder = as_path(path)
        folder.mkdir(parents=True, exist_ok=True)
        write_jsonl(folder / "patterns", self.patterns)

    def from_disk(self, path: Path, *, exclude: Iterable[str] = ()) -> Self:
        """Replaces all patterns by those of a directory that `to_disk` wrote."""
        source = as_path(path) / "patterns"
        patterns = read_jsonl(source)
        self.clear()
        with reading(f"the patterns of {source}"):
            self.add_patterns(patterns)
        return self
