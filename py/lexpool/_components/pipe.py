"""`Pipe`: the base class of lexpool's components."""

from __future__ import annotations

from .._narrow import is_dict
from .._typing import Any, Callable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import NoReturn

    from .._core import Doc, NativeComponent
    from .._learning.example import Example
    from .._protocols import Pipeline

# Called with the name of a component, the component, the documents that it failed on, and the
# error.
ErrorHandler = Callable[[str, Callable[["Doc"], "Doc"], list["Doc"], Exception], Any]


class Pipe:
    """A component: takes a document, annotates it and returns it.

    If `native` returns a native component, pipelines run it without the GIL, together with adjacent
    native components.
    """

    name: str = ""
    scorer: Callable[..., dict[str, Any]] | None = None
    _error_handler: ErrorHandler | None = None

    def native(self) -> NativeComponent | None:
        """The native component with the current settings, which runs without the GIL; None for a
        component that needs Python.
        """
        return None

    def __call__(self, doc: Doc) -> Doc:
        """Annotates a document and returns it."""
        native = self.native()
        if native is None:
            raise NotImplementedError(f"[E931] {type(self).__name__} has no __call__ of its own")
        return native(doc)

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 128) -> Iterator[Doc]:
        """Annotates a stream of documents; documents that fail are passed to the error handler and
        left out.
        """
        handler = self.get_error_handler()
        # A class that overrides `__call__` is called from Python.
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
        self, get_examples: Callable[[], Iterable[Example]], *, nlp: Pipeline | None = None
    ) -> None:
        """Prepares the component; by default does nothing."""

    def score(self, examples: Iterable[Example], **kwargs: Any) -> dict[str, Any]:
        """Returns the scores of examples by the component's scorer; empty without one.

        The scorer is called with the settings in `cfg`, if the component has such a dict, with
        `labels`, and with the further arguments, which come first.
        """
        if self.scorer is None:
            return {}
        cfg: object = getattr(self, "cfg", None)
        settings = cfg if is_dict(cfg) else {}
        return self.scorer(examples, **{**settings, "labels": self.labels, **kwargs})

    @property
    def is_trainable(self) -> bool:
        """True for components that can be trained."""
        return False

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels that the component may set."""
        return ()

    @property
    def hide_labels(self) -> bool:
        """True if `meta.json` must not list the labels."""
        return False

    @property
    def label_data(self) -> Any:
        """The data from which `initialize` restores the labels."""
        return None

    def set_error_handler(self, error_handler: ErrorHandler) -> None:
        """Sets the handler of documents that cannot be annotated."""
        self._error_handler = error_handler

    def get_error_handler(self) -> ErrorHandler:
        """Returns the handler of documents that cannot be annotated; by default it raises."""
        return self._error_handler or raise_error


def does_as(component: Pipe, base: type[Pipe], *methods: str) -> bool:
    """Returns whether a component has the methods of a class, so that native code can replace them.

    False if a subclass overrides one of them, or if one was set on the component itself.
    """
    component_class = type(component)
    if not vars(component).keys().isdisjoint(methods):
        return False
    return component_class is base or all(
        getattr(component_class, name) is getattr(base, name) for name in methods
    )


def raise_error(proc_name: str, proc: Any, docs: list[Doc], e: Exception) -> NoReturn:
    """Raises the error of a component: an error handler."""
    raise e


def ignore_error(proc_name: str, proc: Any, docs: list[Doc], e: Exception) -> None:
    """Skips the documents that a component failed on: an error handler."""
