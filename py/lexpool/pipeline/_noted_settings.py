"""The settings of thinc's models, noted by the patch of spaCy while architectures make them."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["note_settings", "settings_of"]

# Models are few, and each is asked for soon after it was made.
_MAX_NOTED = 4096
_noted: dict[int, dict[str, Any]] = {}


def note_settings(number: int, settings: dict[str, Any]) -> None:
    """Notes the settings of a model by its id."""
    _noted[number] = settings
    if len(_noted) > _MAX_NOTED:
        del _noted[next(iter(_noted))]


def settings_of(model: Any) -> dict[str, Any] | None:
    """Returns the settings of a model of thinc; None for one that no architecture has made, or one
    that was made of other models than such.
    """
    number: object = getattr(model, "id", None)
    return _noted.get(number) if isinstance(number, int) else None
