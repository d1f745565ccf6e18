"""Keys with patterns and callbacks, as the matchers have them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .._core import Vocab


class Keyed:
    """What a matcher says of its keys. Who derives from it keeps patterns and callbacks by id."""

    vocab: Vocab
    _patterns: Any
    _callbacks: Any

    def __len__(self) -> int:
        """How many keys there are."""
        return len(self._patterns)

    def __contains__(self, key: str | int) -> bool:
        return self.has_key(key)

    def has_key(self, key: str | int) -> bool:
        """Whether there are patterns for a key."""
        return self._normalize_key(key) in self._patterns

    def get(self, key: str | int, default: Any = None) -> Any:
        """The callback and the patterns of a key, or the default if it is unknown."""
        number = self._normalize_key(key)
        if number not in self._patterns:
            return default
        return self._callbacks[number], self._patterns[number]

    def _known(self, key: str | int) -> int:
        """The id of a key. ValueError (E175) if it has no patterns."""
        number = self._normalize_key(key)
        if number not in self._patterns:
            raise ValueError(f"[E175] there are no patterns for {key!r}")
        return number

    def _normalize_key(self, key: str | int) -> int:
        return self.vocab.strings.add(key) if isinstance(key, str) else key
