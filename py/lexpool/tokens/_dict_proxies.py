"""The span groups of a document, by name."""

from __future__ import annotations

import warnings
import weakref
from collections import UserDict

from .._core import SpanGroup
from .._narrow import is_dict, is_list
from .._saving.form import expect
from ..msgpack import packb, unpackb

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, Self

    from .._core import Doc, Span


class SpanGroups(UserDict[str, SpanGroup]):
    """The type of `doc.spans`: a dict of the document's span groups.

    It refers to the document weakly and raises ValueError (E866) after the document was freed.
    """

    data: dict[str, SpanGroup]

    _EMPTY_BYTES = packb([])

    def __init__(self, doc: Doc, items: Iterable[tuple[str, SpanGroup]] = ()) -> None:
        self.doc_ref: weakref.ref[Doc] = weakref.ref(doc)
        super().__init__(items)

    def __setitem__(self, key: str, value: SpanGroup | Iterable[Span]) -> None:
        """Sets a group. Spans become a group that is named after the key.

        Raises Raises AssertionError for a group of another document, ValueError (E855) for a span
        of another one.
        """
        if not isinstance(value, SpanGroup):
            value = self._make_span_group(key, value)
        if value.doc is not self.doc_ref():
            raise AssertionError(f"the span group for {key!r} belongs to another document")
        super().__setitem__(key, value)

    def __ior__(self, other: Any) -> Self:  # type: ignore[override,misc]
        """Sets all groups of another mapping, each validated as by `groups[key] = group`."""
        self.update(other)
        return self

    def copy(self, doc: Doc | None = None) -> SpanGroups:
        """Returns a copy of all groups, for the same document or, by character offsets, for
        another.

        Raises ValueError (E1052) if a span does not begin and end with tokens of the other one.
        """
        target = self._ensure_doc() if doc is None else doc
        groups = list(self.data.items())
        return SpanGroups(target, ((key, group.copy(doc=target)) for key, group in groups))

    def setdefault(self, key: str, default: SpanGroup | Iterable[Span] | None = None) -> SpanGroup:
        """Returns the group under a key; a missing one is first set to `default` (no spans)."""
        if key not in self:
            self[key] = () if default is None else default
        return self[key]

    def to_bytes(self) -> bytes:
        """Returns all groups as bytes: a MessagePack map from each group to its keys."""
        if not self:
            return self._EMPTY_BYTES
        keys_of: dict[bytes, list[str]] = {}
        for key, group in list(self.data.items()):
            keys_of.setdefault(group.to_bytes(), []).append(key)
        return packb(keys_of)

    def from_bytes(self, bytes_data: bytes) -> SpanGroups:
        """Replaces all groups by those in the bytes of `to_bytes`, and returns the groups.

        The format of spaCy before 3.3.1, a list of groups, is read as well; of several groups with
        the same name the last one is kept, with a warning (W120). Raises ValueError for bytes that
        are not groups of this document; nothing is changed then.
        """
        doc = self._ensure_doc()
        loaded = SpanGroups(doc)
        packed = unpackb(bytes_data or self._EMPTY_BYTES)
        if is_dict(packed):
            for group_bytes, keys in packed.items():
                expect(group_bytes, bytes, "a span group")
                group = SpanGroup(doc).from_bytes(group_bytes)
                for i, key in enumerate(expect(keys, list, "the list of a span group's keys")):
                    # Each key has a separate group, as before serialization.
                    key = expect(key, str, "the key of a span group")
                    loaded[key] = group if i == 0 else group.copy()
        elif is_list(packed):
            for group_bytes in packed:
                group = SpanGroup(doc).from_bytes(expect(group_bytes, bytes, "a span group"))
                if group.name in loaded:
                    text = (
                        f"[W120] several span groups are named {group.name!r}; the last one is kept"
                    )
                    warnings.warn(text, stacklevel=2)
                loaded[group.name] = group
        else:
            raise ValueError(
                f"[span-group] span groups are a map or a list, not {type(packed).__name__}"
            )
        self.data = loaded.data
        return self

    def _make_span_group(self, name: str, spans: Iterable[Span]) -> SpanGroup:
        return SpanGroup(self._ensure_doc(), name=name, spans=spans)

    def _ensure_doc(self) -> Doc:
        doc = self.doc_ref()
        if doc is None:
            raise ValueError(
                "[E866] the document of these span groups no longer exists; keep a reference to it"
            )
        return doc
