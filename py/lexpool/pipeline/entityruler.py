"""The entity ruler: entities from rules."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Self

from .._components.pipe import does_as
from .._core import Doc, RuleNames, entity_order
from .._narrow import is_dict
from .._saving.files import update_by
from .._saving.form import expect, reading
from .._saving.json_files import Path, read_json, read_jsonl, write_json, write_jsonl
from .._saving.packed import as_path
from ..matcher import levenshtein_compare
from ..matcher._patterns import FuzzyCompare
from ..msgpack import packb, unpackb
from ._rules import MatchedKey, PatternType, Ruler, Scorer, entries
from .scores import entity_ruler_score

if TYPE_CHECKING:
    from .._core import NativeComponent
    from .._protocols import Pipeline

__all__ = ["DEFAULT_ENT_ID_SEP", "EntityRuler"]

DEFAULT_ENT_ID_SEP = "||"


class EntityRuler(Ruler):
    """Sets entities where patterns match. Longer matches take precedence, then earlier ones.

    nlp: the pipeline that tokenizes phrases; its earlier components annotate them.
    phrase_matcher_attr: the attribute that phrases are compared by; by default the text.
    matcher_fuzzy_compare: the comparison of FUZZY in token patterns.
    validate: whether patterns are validated in full.
    overwrite_ents: whether new entities replace overlapping ones of the document.
    ent_id_sep: the separator between label and id in keys.
    patterns: dicts with "label" and "pattern", which is a phrase or a list of tokens as for
        `Matcher`, and optionally "id".
    scorer: the function that `score` calls.

    >>> import lexpool
    >>> nlp = lexpool.blank("en")
    >>> ruler = EntityRuler(nlp, patterns=[{"label": "ORG", "pattern": "Acme Corp.", "id": "acme"}])
    >>> [(ent.text, ent.label_, ent.id_) for ent in ruler(nlp("Acme Corp. is here")).ents]
    [('Acme Corp.', 'ORG', 'acme')]
    """

    def __init__(
        self,
        nlp: Pipeline,
        name: str = "entity_ruler",
        *,
        phrase_matcher_attr: int | str | None = None,
        matcher_fuzzy_compare: FuzzyCompare = levenshtein_compare,
        validate: bool = False,
        overwrite_ents: bool = False,
        ent_id_sep: str = DEFAULT_ENT_ID_SEP,
        patterns: Iterable[PatternType] | None = None,
        scorer: Scorer | None = entity_ruler_score,
    ) -> None:
        self.nlp = nlp
        self.name = name
        self.overwrite: bool = overwrite_ents
        self.phrase_matcher_attr = phrase_matcher_attr
        self.matcher_fuzzy_compare = matcher_fuzzy_compare
        self.ent_id_sep: str = ent_id_sep
        self.scorer = scorer
        self._validate = validate
        self.clear()
        if patterns is not None:
            self.add_patterns(patterns)

    def __len__(self) -> int:
        """Returns the number of patterns."""
        of_tokens = sum(len(patterns) for patterns in self.token_patterns.values())
        return of_tokens + sum(len(phrases) for phrases in self.phrase_patterns.values())

    def __contains__(self, label: str) -> bool:
        """Returns whether a label has patterns; with ids, label and id are combined."""
        return label in self.token_patterns or label in self.phrase_patterns

    def native(self) -> NativeComponent | None:
        if not does_as(self, EntityRuler, "__call__", "match", "set_annotations"):
            return None
        if not self._is_plain():
            return None
        self._require_patterns()
        return self._names.entity_ruler(
            self.matcher, self.phrase_matcher, self.matcher.required(), bool(self.overwrite)
        )

    def match(self, doc: Doc) -> list[MatchedKey]:
        """Returns all matches in order of precedence: the id of the key, start and end."""
        return entity_order(self._matches(doc))

    def set_annotations(self, doc: Doc, matches: Iterable[MatchedKey]) -> None:
        """Sets matches as entities, in their order. Skips matches that overlap an earlier one, and
        without `overwrite_ents` also those that overlap an entity of the document.
        """
        self._names.set_ents(doc, list(matches), bool(self.overwrite))

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of all patterns, sorted."""
        return tuple(sorted({self._split_label(key)[0] for key in self._keys()}))

    @property
    def ent_ids(self) -> tuple[str | None, ...]:
        """The ids of all patterns, sorted."""
        ids = (self._split_label(key)[1] for key in self._keys())
        return tuple(sorted({own_id for own_id in ids if own_id is not None}))

    @property
    def patterns(self) -> list[PatternType]:
        """All patterns in their original form: token patterns first, then phrases, each sorted by
        label.
        """
        of_tokens = ((key, own) for key, many in self.token_patterns.items() for own in many)
        phrases = ((key, own.text) for key, many in self.phrase_patterns.items() for own in many)
        return [self._as_given(key, own) for key, own in of_tokens] + [
            self._as_given(key, own) for key, own in phrases
        ]

    def add_patterns(self, patterns: Iterable[PatternType]) -> None:
        """Adds patterns.

        Raises ValueError (E097) for invalid patterns, with all errors; the errors of
        `Matcher.add` for token patterns, and of `PhraseMatcher.add` for phrases. Nothing is added
        then.
        """
        rules = [(self._create_label(entry.label, entry.id), entry) for entry in entries(patterns)]
        phrases = iter(self._add_rules(rules))
        strings = self.nlp.vocab.strings
        names: list[tuple[int, int, int]] = []
        for key, entry in rules:
            if isinstance(entry.pattern, str):
                self.phrase_patterns[key].append(next(phrases))
            else:
                self.token_patterns[key].append(entry.pattern)
            if entry.id:
                number = strings.add(key)
                self._ent_ids.setdefault(entry.id, {})[number] = entry.label
                names.append((number, strings.add(entry.label), strings.add(entry.id)))
        self._names.update(names)

    def clear(self) -> None:
        """Removes all patterns."""
        self.token_patterns: defaultdict[str, list[list[dict[Any, Any]]]] = defaultdict(list)
        self.phrase_patterns: defaultdict[str, list[Doc]] = defaultdict(list)
        # For each id the labels that it has, by the numbers of their keys.
        self._ent_ids: dict[str, dict[int, str]] = {}
        self._names = RuleNames()
        self._new_matchers(self._validate)

    def remove(self, ent_id: str) -> None:
        """Removes all patterns with an id. Raises ValueError (E1024) for an unknown id."""
        labels = self._ent_ids.get(ent_id)
        if not labels:
            raise self._unknown("ID", ent_id)
        for label in labels.values():
            key = self._create_label(label, ent_id)
            if self.token_patterns.pop(key, None):
                self.matcher.remove(key)
            if self.phrase_patterns.pop(key, None):
                self.phrase_matcher.remove(key)
        self._names.forget(list(labels))
        del self._ent_ids[ent_id]

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """Returns settings and patterns as bytes."""
        return packb({**self._settings(), "patterns": self.patterns})

    def from_bytes(self, patterns_bytes: bytes, *, exclude: Iterable[str] = ()) -> Self:
        """Loads the bytes of `to_bytes`, or of a list of patterns."""
        given = unpackb(patterns_bytes)
        if is_dict(given):
            self._take(given)
            given = given.get("patterns", [])
        else:
            self.clear()
        with reading("the patterns of an entity ruler"):
            self.add_patterns(given)
        return self

    def to_disk(self, path: Path, *, exclude: Iterable[str] = ()) -> None:
        """Writes a file of patterns, if the path ends in .jsonl, or else a directory with settings
        and patterns."""
        target = as_path(path)
        if target.suffix == ".jsonl":
            write_jsonl(target, self.patterns, is_part=False)
            return

        def fill(folder: Any) -> None:
            write_jsonl(folder / "patterns.jsonl", self.patterns)
            write_json(folder / "cfg", self._settings())

        update_by(target, fill)

    def from_disk(self, path: Path, *, exclude: Iterable[str] = ()) -> Self:
        """Loads what `to_disk` wrote: a file of patterns, named with or without .jsonl, or a
        directory.

        Raises ValueError: E1023 for a missing file or a line that is not valid JSON, E146 if
        the path is neither a file nor a directory.
        """
        source = as_path(path)
        file = source.with_suffix(".jsonl")
        if file.is_file():
            patterns = read_jsonl(file)
            self.clear()
        elif source.suffix == ".jsonl":
            raise ValueError(f"[E1023] the file of patterns {source} does not exist")
        elif source.is_dir():
            settings = read_json(source / "cfg")
            patterns = read_jsonl(source / "patterns.jsonl")
            self._take(expect(settings, dict, f"{source / 'cfg'}"))
        else:
            raise ValueError(f"[E146] {source} is neither a file of patterns nor a directory")
        with reading(f"the patterns of {source}"):
            self.add_patterns(patterns)
        return self

    def _settings(self) -> dict[str, Any]:
        return {
            "overwrite": self.overwrite,
            "ent_id_sep": self.ent_id_sep,
            "phrase_matcher_attr": self.phrase_matcher_attr,
        }

    def _take(self, settings: dict[str, Any]) -> None:
        attr, separator = settings.get("phrase_matcher_attr"), settings.get("ent_id_sep")
        if attr is not None:
            expect(attr, (str, int), "the setting phrase_matcher_attr")
        if separator is None:
            separator = DEFAULT_ENT_ID_SEP
        self.ent_id_sep = expect(separator, str, "the setting ent_id_sep")
        self.overwrite = bool(settings.get("overwrite", False))
        self.phrase_matcher_attr = attr
        self.clear()

    def _keys(self) -> set[str]:
        return {*self.token_patterns, *self.phrase_patterns}

    def _as_given(self, key: str, pattern: str | list[dict[Any, Any]]) -> PatternType:
        label, own_id = self._split_label(key)
        given: PatternType = {"label": label, "pattern": pattern}
        return {**given, "id": own_id} if own_id else given

    def _split_label(self, label: str) -> tuple[str, str | None]:
        """Returns the label and the id of a key. An empty separator separates nothing."""
        if not self.ent_id_sep or self.ent_id_sep not in label:
            return label, None
        own, _, own_id = label.rpartition(self.ent_id_sep)
        return own, own_id

    def _create_label(self, label: str, ent_id: str | None) -> str:
        """Returns the key of a label and an id."""
        return f"{label}{self.ent_id_sep}{ent_id}" if ent_id else label
