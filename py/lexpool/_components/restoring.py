"""Components that stay as they were if an exception ends what changes them."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from .._protocols import Pipeline


class Restorable:
    """A component that can go back to its settings, labels and weights."""

    def restorer(self) -> Callable[[], None]:
        """Returns a function that gives the component its present state back."""
        raise NotImplementedError


class restoring:
    """A block whose exception, such as that of Ctrl-C, gives trained components back their
    settings, labels and weights. Others are left alone.

    Cost: copies of settings and labels; weights that an update has changed are written once.
    """

    # Not by `contextlib`, which takes a tenth of the time of loading a pipeline to import.
    def __init__(self, components: Iterable[Any]) -> None:
        self._restorers: list[Callable[[], None]] = [
            one.restorer() for one in components if isinstance(one, Restorable)
        ]

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            for restore in self._restorers:
                restore()


class restoring_pipeline(restoring):
    """A block whose exception gives a pipeline back its settings, metadata and trained components.
    What was read of the vocab, of the tokenizer and of other components stays.
    """

    def __init__(self, nlp: Pipeline) -> None:
        super().__init__(component for _, component in nlp.components)
        attributes = vars(nlp)
        before = {"_config": attributes["_config"], "_meta": dict(attributes["_meta"])}
        # First, for it cannot fail.
        self._restorers.insert(0, lambda: attributes.update(before))
