"""Base class of matchers: keys with patterns and callbacks."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .._core import Vocab


class KeyedMatcher:
    """The look-ups by key. Derived classes store patterns and callbacks by the id of the key."""

    vocab: Vocab
    _patterns: Any
    _callbacks: Any

    def __len__(self) -> int:
        """The number of keys."""
        return len(self._patterns)

    def __contains__(self, key: str | int) -> bool:
        return self.has_key(key)

    def has_key(self, key: str | int) -> bool:
        """Returns whether a key has patterns."""
        return self._normalize_key(key) in self._patterns

    def get(self, key: str | int, default: Any = None) -> Any:
        """Returns the callback and the patterns of a key, or the default for an unknown key."""
        number = self._normalize_key(key)
        if number not in self._patterns:
            return default
        return self._callbacks[number], self._patterns[number]

    def _known(self, key: str | int) -> int:
        """Returns the id of a key. Raises ValueError (E175) if the key has no patterns."""
        number = self._normalize_key(key)
        if number not in self._patterns:
            raise ValueError(f"[E175] unknown key {key!r}: it has no patterns")
        return number

    def _normalize_key(self, key: str | int) -> int:
        return self.vocab.strings.add(key) if isinstance(key, str) else key
