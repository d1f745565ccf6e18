"""The attribute ruler: attributes of tokens from rules, such as parts of speech from tags."""

from __future__ import annotations

from .. import symbols
from .._components.pipe import does_as
from .._core import Span, attribute_ruler
from .._narrow import as_names
from .._saving.files import write_part
from .._saving.form import expect, reading
from .._saving.parts import parts_from_bytes, parts_from_disk, parts_to_bytes, parts_to_disk
from .._typing import Any
from ..matcher.matcher import Matcher
from ..msgpack import packb, unpackb
from ..tokens._retokenize import as_numbers, normalize_token_attrs, set_token_attrs
from ._handled import Handled
from .scores import attribute_ruler_score

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from os import PathLike
    from pathlib import Path
    from typing import Self, TypeAlias

    from .._core import Doc, NativeComponent, Vocab
    from .._learning.example import Example
    from .._protocols import Pipeline

__all__ = ["AttributeRuler"]

_TokenPattern: TypeAlias = list[dict[Any, Any]]
_Rule: TypeAlias = dict[str, Any]
# The number of a rule, the id of its key, start and end.
_Match: TypeAlias = tuple[int, int, int, int]


class AttributeRuler(Handled):
    """Sets attributes of tokens where patterns match; for each token the last rule takes
    precedence.

    vocab: the vocab of the documents.
    validate: whether patterns are validated when they are added.
    scorer: the function that `score` calls.

    >>> import lexpool
    >>> nlp = lexpool.blank("en")
    >>> ruler = AttributeRuler(nlp.vocab)
    >>> ruler.add([[{"LOWER": "the"}, {"LOWER": "who"}]], {"TAG": "NNP", "POS": "PROPN"}, index=1)
    >>> [token.pos_ for token in ruler(nlp("The Who who"))]
    ['', 'PROPN', '']
    """

    def __init__(
        self,
        vocab: Vocab,
        name: str = "attribute_ruler",
        *,
        validate: bool = False,
        scorer: Callable[..., dict[str, Any]] | None = attribute_ruler_score,
    ) -> None:
        self.vocab = vocab
        self.name = name
        self.validate = validate
        self.scorer = scorer
        self.clear()

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_native": None}

    def clear(self) -> None:
        """Removes all rules."""
        self.matcher: Matcher = Matcher(self.vocab, validate=self.validate)
        self.attrs: list[dict[Any, Any]] = []
        self._attrs_unnormed: list[Mapping[Any, Any]] = []
        self.indices: list[int] = []
        self._native: tuple[tuple[object, ...], NativeComponent | None] | None = None

    def initialize(
        self,
        get_examples: Callable[[], Iterable[Example]] | None = None,
        *,
        nlp: Pipeline | None = None,
        patterns: Iterable[_Rule] | None = None,
        tag_map: Mapping[str, Mapping[Any, Any]] | None = None,
        morph_rules: Mapping[str, Mapping[str, Mapping[Any, Any]]] | None = None,
    ) -> None:
        """Replaces all rules by rules in any of three formats: see `add_patterns`,
        `load_from_tag_map` and `load_from_morph_rules`.
        """
        self.clear()
        if patterns:
            self.add_patterns(patterns)
        if tag_map:
            self.load_from_tag_map(tag_map)
        if morph_rules:
            self.load_from_morph_rules(morph_rules)

    def native(self) -> NativeComponent | None:
        """The native component, which runs without the GIL; None if rules set or test extension
        attributes, or if a subclass overrides methods.
        """
        if not does_as(self, AttributeRuler, "__call__", "match", "set_annotations"):
            return None
        made_of = (self.matcher, len(self.matcher), len(self.attrs), len(self.indices))
        if self._native is None or self._native[0] != made_of:
            self._native = made_of, self._compiled()
        return self._native[1]

    def _compiled(self) -> NativeComponent | None:
        if any("_" in attrs for attrs in self.attrs):
            return None
        as_id = self.vocab.strings.as_int
        rules = [
            (as_id(str(number)), as_numbers(attrs), index)
            for number, (attrs, index) in enumerate(zip(self.attrs, self.indices, strict=True))
        ]
        return attribute_ruler(self.matcher, rules)

    def _annotated(self, doc: Doc) -> Doc:
        """Sets the attributes of a document's tokens, and returns it.

        Raises ValueError (E1001) if a rule is for a token outside of its match. Warns (W036) if
        there are no rules.
        """
        native = self.native() if self.attrs else None
        if native is not None:
            return native(doc)
        self.set_annotations(doc, self.match(doc))
        return doc

    def match(self, doc: Doc) -> list[_Match]:
        """Returns all matches of the patterns, in the order in which `set_annotations` applies
        them: the number of the rule, the id of its key, start and end.
        """
        found: list[tuple[int, int, int]] = self.matcher(doc, allow_missing=True, as_spans=False)
        strings = self.vocab.strings
        return sorted((int(strings[key]), key, start, end) for key, start, end in found)

    def set_annotations(self, doc: Doc, matches: Iterable[_Match]) -> None:
        """Sets the attributes for matches, in their order. Raises ValueError (E1001) as in a
        call.
        """
        for number, key, start, end in matches:
            span = Span(doc, start, end, label=key)
            index = self.indices[number]
            try:
                token = span[index]
            except IndexError:
                patterns = self.matcher.get(key)
                text = (
                    f"[E1001] rule {number} is for token {index} of what its patterns match, but "
                    f"{[token.text for token in span]} has {len(span)}; the patterns are {patterns}"
                )
                raise ValueError(text) from None
            set_token_attrs(token, self.attrs[number])

    def load_from_tag_map(self, tag_map: Mapping[str, Mapping[Any, Any]]) -> None:
        """Adds a rule for each tag, which sets further attributes of tokens with the tag. Names
        that are not attributes are fields of MORPH, unless MORPH is given.
        """
        for tag, given in tag_map.items():
            attrs, features = _split(given)
            self._unite(attrs, attrs.get("MORPH", features))
            self.add([[{"TAG": tag}]], attrs)

    def load_from_morph_rules(
        self, morph_rules: Mapping[str, Mapping[str, Mapping[Any, Any]]]
    ) -> None:
        """Adds a rule for each tag and word, as `load_from_tag_map` does for a tag."""
        for tag, words in morph_rules.items():
            for word, given in words.items():
                attrs, features = _split(given)
                if "MORPH" in attrs or features:
                    self._unite(attrs, attrs.get("MORPH", features))
                self.add([[{"ORTH": word, "TAG": tag}]], attrs)

    def _unite(self, attrs: dict[Any, Any], features: Any) -> None:
        """Moves features to MORPH, in their normal form."""
        morph = self.vocab.morphology.add(features)
        attrs["MORPH"] = self.vocab.strings[morph]

    def add(
        self, patterns: Iterable[_TokenPattern], attrs: Mapping[Any, Any], index: int = 0
    ) -> None:
        """Adds a rule.

        patterns: patterns as for `Matcher`.
        attrs: attributes by name or number, "_" with a dict of extension attributes.
        index: the position of the token in the match, counted from the end if negative.

        Raises ValueError for invalid attributes, and the errors of `Matcher.add`.
        """
        key = self.vocab.strings.add(str(len(self.attrs)))
        normed = normalize_token_attrs(self.vocab, attrs)
        self.matcher.add(key, list(patterns))
        self._attrs_unnormed.append(attrs)
        self.attrs.append(normed)
        self.indices.append(index)

    def add_patterns(self, patterns: Iterable[_Rule]) -> None:
        """Adds rules, each a dict of the arguments of `add`."""
        for rule in patterns:
            self.add(**rule)

    @property
    def patterns(self) -> list[_Rule]:
        """All rules, in the format of `add_patterns`."""
        rules: list[_Rule] = []
        for number, attrs in enumerate(self._attrs_unnormed):
            found = self.matcher.get(str(number))
            patterns: list[_TokenPattern] = [] if found is None else found[1]
            rules.append({"patterns": patterns, "attrs": attrs, "index": self.indices[number]})
        return rules

    def to_bytes(self, exclude: str | Iterable[str] = ()) -> bytes:
        """Returns rules and vocab as bytes. `exclude`: "vocab", "patterns", or parts of the
        vocab.
        """
        left_out = as_names(exclude)
        parts: dict[str, Callable[[], bytes | str]] = {
            "vocab": lambda: self.vocab.to_bytes(exclude=left_out),
            "patterns": lambda: packb(self.patterns),
        }
        return parts_to_bytes(parts, left_out)

    def from_bytes(self, bytes_data: bytes, exclude: str | Iterable[str] = ()) -> Self:
        """Adds the rules in the bytes of `to_bytes`, and loads the vocab."""
        left_out = as_names(exclude)
        parts_from_bytes(
            bytes_data,
            {
                "vocab": lambda part: self.vocab.from_bytes(part, exclude=left_out),
                "patterns": self._add_packed,
            },
            left_out,
        )
        return self

    def to_disk(self, path: str | PathLike[str], exclude: str | Iterable[str] = ()) -> None:
        """Writes rules and vocab into a folder."""
        left_out = as_names(exclude)

        def write(part: Path) -> None:
            write_part(part, packb(self.patterns))

        parts_to_disk(
            path,
            {
                "vocab": lambda part: self.vocab.to_disk(part, exclude=left_out),
                "patterns": write,
            },
            left_out,
        )

    def from_disk(self, path: str | PathLike[str], exclude: str | Iterable[str] = ()) -> Self:
        """Adds the rules that `to_disk` wrote, and loads the vocab."""
        left_out = as_names(exclude)
        parts_from_disk(
            path,
            {
                "vocab": lambda part: self.vocab.from_disk(part, exclude=left_out),
                "patterns": lambda part: self._add_packed(part.read_bytes()),
            },
            left_out,
        )
        return self

    def _add_packed(self, data: bytes) -> None:
        rules = expect(unpackb(data), list, "the list of an attribute ruler's rules")
        with reading("the rules of an attribute ruler"):
            for rule in rules:
                expect(rule["attrs"], dict, "the attributes of a rule")
                expect(rule.get("index", 0), int, "the index of a rule")
            self.add_patterns(rules)


def _split(attrs: Mapping[Any, Any]) -> tuple[dict[Any, Any], dict[Any, Any]]:
    """Splits attributes into those of tokens and the others, which are morphological features."""
    known = symbols.IDS
    numbers = set(known.values())
    own = {
        name: value
        for name, value in attrs.items()
        if name in ("_", "") or name in known or name in numbers
    }
    return own, {name: value for name, value in attrs.items() if name not in own}
