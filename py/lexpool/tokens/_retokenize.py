"""Merging and splitting tokens of a document."""

from __future__ import annotations

from operator import index

from .. import attrs as _attrs
from .._core import Retokenization, Token, has_vectors, set_attrs
from .._narrow import is_dict
from .underscore import is_writable_attr

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from types import TracebackType
    from typing import Any

    from .._core import Doc, Span, Vocab

_MORPH: int = _attrs.IDS["MORPH"]
_EXTENSIONS = "_"


class Retokenizer:
    """The context manager of `doc.retokenize()`: collects merges and splits, and applies them at
    the end of its block.

    All of them are validated before the document changes; if the block or a check raises, the
    document stays as it was. `Token` objects that are neither merged nor split are updated to their
    new positions, spans and span groups by their characters; an extension value is kept at the
    first character of its token.
    """

    def __init__(self, doc: Doc) -> None:
        self._doc = doc
        self._begin()

    def merge(self, span: Span, attrs: Mapping[Any, Any] = {}) -> None:
        """Merges a span into one token. Repeated merges of the same span are ignored.

        attrs: attributes of the token, by name or number, and of its word type if that has the
            attribute (except NORM); by default those of the root of the span. "_" has a dict of
            extension attributes.

        Raises ValueError: E199 for an empty span, E102 if it overlaps another one, E118, E119 and
        E120 for extensions that are unknown, read-only, or not in a dict, E982, E1021 and E1025 for
        invalid values.
        """
        values = normalize_token_attrs(self._doc.vocab, attrs)
        extensions = values.pop(_EXTENSIONS, {})
        self._plan.merge(span, as_numbers(values))
        if extensions:
            self._extensions.append((span.start_char, extensions))

    def split(
        self,
        token: Token,
        orths: Sequence[str],
        heads: Sequence[Token | tuple[Token, int]],
        attrs: Mapping[Any, Sequence[Any]] = {},
    ) -> None:
        """Splits a token into several.

        orths: the texts of the parts, which concatenate to the token's text.
        heads: the head of each part: a token, or a pair of a token that is split too and the number
            of its part.
        attrs: as for `merge`, with a list of one value per part instead of a value. By default the
            parts have the attributes of the token; a lemma is replaced by the part's text.

        Raises ValueError: E117 if the parts do not concatenate to the text, E115 unless there is
        one head per part, split-attrs for more values than parts; and the errors of `merge`. At the
        end of the block raises IndexError: E122 if the token is merged, E123 if a head is merged;
        ValueError (E190) if a head lacks the part.
        """
        if len(heads) != len(orths):
            raise ValueError(
                f"[E115] {len(heads)} heads for {len(orths)} parts; there is one a part"
            )
        values = [
            normalize_token_attrs(self._doc.vocab, part) for part in _by_part(attrs, len(orths))
        ]
        extensions = [part.pop(_EXTENSIONS, {}) for part in values]
        # The number of a part may come as a float, as it does from spaCy's token splitter.
        placed = [
            (head, 0) if isinstance(head, Token) else (head[0], int(head[1])) for head in heads
        ]
        self._plan.split(token, list(zip(orths, placed, map(as_numbers, values), strict=True)))
        at = token.idx
        for orth, part_extensions in zip(orths, extensions, strict=True):
            if part_extensions:
                self._extensions.append((at, part_extensions))
            at += len(orth)

    def __enter__(self) -> Retokenizer:
        self._begin()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if kind is None:
            self._apply()
        self._begin()

    def _begin(self) -> None:
        self._plan = Retokenization(self._doc)
        self._extensions: list[tuple[int, dict[str, Any]]] = []

    def _apply(self) -> None:
        carry_out(self._doc, self._plan)
        if self._extensions:
            by_start = {token.idx: token for token in self._doc}
            for start, extensions in self._extensions:
                _set_extensions(by_start[start], extensions)


def carry_out(doc: Doc, plan: Retokenization) -> None:
    """Applies planned changes to a document and its tensor, and sets vectors of merged words if the
    vocab has vectors.

    As for `Retokenizer`, nothing is changed if the plan is invalid.
    """
    vectors = _new_vectors(doc.vocab, plan.merged())
    tensor = doc.tensor
    origins = plan.apply()
    # Rows that native code can read have moved already, and are another array now. The document
    # cleaner sets None.
    if tensor is not None and len(tensor) and doc.tensor is tensor:
        doc.tensor = _rows(tensor, origins)
    for text, vector in vectors:
        doc.vocab.set_vector(text, vector)


def normalize_token_attrs(vocab: Vocab, attrs: Mapping[Any, Any]) -> dict[Any, Any]:
    """Returns attributes with numbers for names and ids for strings, without unknown names.

    Features under MORPH are entered in the vocab's morphology; "_" has a dict of extensions.
    Raises ValueError: E120 if that is not a dict, E118 for an unknown extension, E119 for a
    read-only one.
    """
    extensions = attrs.get(_EXTENSIONS)
    if _EXTENSIONS in attrs:
        _check_extensions(extensions)
    named = {name: value for name, value in attrs.items() if name != _EXTENSIONS}
    values: dict[Any, Any] = _attrs.intify_attrs(named, strings_map=vocab.strings)
    if _MORPH in values:
        feats: int = values[_MORPH]
        values[_MORPH] = vocab.morphology.add(vocab.strings.as_string(feats))
    if _EXTENSIONS in attrs:
        values[_EXTENSIONS] = extensions
    return values


def set_token_attrs(token: Token, attrs: Mapping[Any, Any]) -> None:
    """Sets normalized attributes (see `normalize_token_attrs`) on a token and on its word type."""
    values = dict(attrs)
    extensions = values.pop(_EXTENSIONS, {})
    set_attrs(token, as_numbers(values))
    _set_extensions(token, extensions)


def _by_part(attrs: Mapping[Any, Sequence[Any]], parts: int) -> list[dict[Any, Any]]:
    """Returns the attributes of each part; lists may be shorter than the number of parts."""
    part_attrs: list[dict[Any, Any]] = [{} for _ in range(parts)]
    for name, values in attrs.items():
        if isinstance(values, str) or len(values) > parts:
            text = f"[split-attrs] {name!r} has a list of values, one for each of {parts} parts"
            raise ValueError(f"{text}, not {values!r}")
        for part, value in zip(part_attrs, values, strict=False):
            part[name] = value
    return part_attrs


def as_numbers(values: Mapping[int, Any]) -> list[tuple[int, int]]:
    """Returns the values as unsigned 64-bit numbers, negative ones as two's complement."""
    return [(number, index(value) & 0xFFFF_FFFF_FFFF_FFFF) for number, value in values.items()]


def _check_extensions(extensions: Any) -> None:
    if not is_dict(extensions):
        raise ValueError(f"[E120] '_' has a dict of extension attributes, not {extensions!r}")
    for name in extensions:
        extension = Token.get_extension(name)
        if extension is None:
            raise ValueError(f"[E118] Token has no extension attribute {name!r}")
        if not is_writable_attr(extension):
            raise ValueError(f"[E119] the extension attribute {name!r} of Token cannot be written")


def _set_extensions(token: Token, extensions: Mapping[str, Any]) -> None:
    for name, value in extensions.items():
        token._.set(name, value)


def _new_vectors(vocab: Vocab, spans: Iterable[Span]) -> list[tuple[str, Any]]:
    """Returns vectors of spans that become words without a vector; empty if the vocab has no
    vectors.
    """
    if not has_vectors(vocab):
        return []
    return [(span.text, span.vector) for span in spans if not vocab.get_vector(span.text).any()]


def _rows(tensor: Any, origins: Sequence[int | None]) -> Any:
    """Returns the tensor's rows of the new tokens; zeros for parts of a token and for missing
    rows.
    """
    origin_rows = [None if i is None or i >= len(tensor) else i for i in origins]
    rows = tensor[[i or 0 for i in origin_rows]]
    rows[[i is None for i in origin_rows]] = 0
    return rows
