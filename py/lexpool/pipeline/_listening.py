"""Shared components, and the layers of other networks that listen to them."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from .._components.pipe import Pipe
    from .._core import SharedRows
    from .._learning.example import Example

__all__ = ["Listener", "SharedUpdate"]

# The lengths and first words of the documents of a batch.
_BatchId = tuple[int, ...]


def batch_id(examples: Sequence[Example]) -> _BatchId:
    """Returns what identifies the documents of a batch: their lengths and first words."""
    docs = [example.predicted for example in examples]
    return tuple(number for doc in docs for number in (len(doc), doc[0].orth if len(doc) else 0))


class Listener:
    """A layer of a component's network that gets the rows of a shared component in training.

    upstream_name: the name of the shared component; "*" for any.
    """

    name = "tok2vec-listener"

    def __init__(self, component: Pipe, upstream_name: str) -> None:
        self.component = component
        self.upstream_name = upstream_name
        self._heard: tuple[_BatchId, SharedUpdate, bool] | None = None

    def receive(self, batch: _BatchId, shared: SharedUpdate, *, is_last: bool) -> None:
        """Takes rows for the next update. After the update of the last listener the shared
        component learns.
        """
        self._heard = batch, shared, is_last

    def take(self, examples: Sequence[Example]) -> tuple[SharedRows, Callable[[], None]] | None:
        """Returns the rows for examples, once, with the function to call when they were learned
        from; None if there are none.

        Raises ValueError (E953) for rows of other documents.
        """
        if self._heard is None:
            return None
        (known, shared, is_last), self._heard = self._heard, None
        if known != batch_id(examples):
            raise ValueError(
                f"[E953] the component {self.component.name!r} is updated with other documents than "
                f"{shared.name!r}, which it listens to: update them with the same examples"
            )
        return shared.rows, shared.finish if is_last else shared.note

    def forget(self) -> None:
        """Drops rows that were not learned from."""
        self._heard = None

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_heard": None}

    def __repr__(self) -> str:
        return f"<Listener of {self.component.name!r} to {self.upstream_name!r}>"


class SharedUpdate:
    """The rows of a shared component for a batch, and what it does when its listeners have learned.

    name: of the shared component.
    learn: called once with the rows, after the last listener.
    losses: gets the loss of the shared component.
    """

    def __init__(
        self,
        name: str,
        rows: SharedRows,
        learn: Callable[[SharedRows], None],
        losses: dict[str, float],
    ) -> None:
        self.name = name
        self.rows = rows
        self._learn = learn
        self._losses = losses
        self._noted = 0.0
        self.is_open: bool = True

    def note(self) -> None:
        """Adds to the loss what the listeners have added since."""
        loss = self.rows.loss
        self._losses[self.name] += loss - self._noted
        self._noted = loss

    def finish(self) -> None:
        """Lets the shared component learn, once."""
        if self.is_open:
            self.note()
            self.is_open = False
            self._learn(self.rows)
