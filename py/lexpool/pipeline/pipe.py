"""What all components of lexpool's own have."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from .._core import Doc, NativeComponent
    from ..language import Language
    from ..training import Example

# Called with the name of a component, the component, the documents that it failed on, and the
# error.
ErrorHandler = Callable[[str, Callable[["Doc"], "Doc"], list["Doc"], Exception], Any]


class Pipe:
    """A component: takes a document, annotates it and gives it back.

    One that is native says so by `native`; a pipeline then runs it without the GIL, together with
    the native components beside it.
    """

    name: str = ""
    scorer: Callable[..., dict[str, Any]] | None = None
    _error_handler: ErrorHandler | None = None

    def native(self) -> NativeComponent | None:
        """What annotates documents without the GIL, as it is set up now; None for a component that
        needs Python."""
        return None

    def __call__(self, doc: Doc) -> Doc:
        """Annotate a document, and return it."""
        native = self.native()
        if native is None:
            raise NotImplementedError(f"[E931] {type(self).__name__} has no __call__ of its own")
        return native(doc)

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 128) -> Iterator[Doc]:
        """Annotate a stream of documents; those that fail go to the error handler and are left
        out.
        """
        handler = self.get_error_handler()
        # A class that has changed what a call does is called.
        native = self.native() if type(self).__call__ is Pipe.__call__ else None
        apply: Callable[[Doc], Doc] = self if native is None else native
        for doc in stream:
            try:
                done = apply(doc)
            except Exception as error:
                handler(self.name, self, [doc], error)
            else:
                yield done

    def initialize(
        self, get_examples: Callable[[], Iterable[Example]], *, nlp: Language | None = None
    ) -> None:
        """Prepare the component; those without anything to learn have nothing to do."""

    def score(self, examples: Iterable[Example], **kwargs: Any) -> dict[str, Any]:
        """What the component's scorer says of examples; nothing without one."""
        return {} if self.scorer is None else self.scorer(examples, **kwargs)

    @property
    def is_trainable(self) -> bool:
        """Whether the component learns."""
        return False

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels that the component may set."""
        return ()

    @property
    def hide_labels(self) -> bool:
        """Whether the labels are no concern of a pipeline's description."""
        return False

    @property
    def label_data(self) -> Any:
        """What `initialize` would need to have the same labels again."""
        return None

    def set_error_handler(self, error_handler: ErrorHandler) -> None:
        """Set what is called when a document cannot be annotated."""
        self._error_handler = error_handler

    def get_error_handler(self) -> ErrorHandler:
        """What is called when a document cannot be annotated; by default it raises."""
        return self._error_handler or raise_error


def does_as(component: Pipe, base: type[Pipe], *methods: str) -> bool:
    """Whether methods of a component are still those of a class of lexpool's, so that native code
    may stand for them. A subclass may have changed them, or who has set them on the component
    itself."""
    own = type(component)
    if not vars(component).keys().isdisjoint(methods):
        return False
    return own is base or all(getattr(own, name) is getattr(base, name) for name in methods)


def raise_error(proc_name: str, proc: Any, docs: list[Doc], e: Exception) -> NoReturn:
    """An error handler that raises what a component raised."""
    raise e


def ignore_error(proc_name: str, proc: Any, docs: list[Doc], e: Exception) -> None:
    """An error handler that passes over the documents that a component failed on."""
