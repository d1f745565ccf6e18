"""Components that pass errors of a call to their error handlers, as some of spaCy's do."""

from __future__ import annotations

from .._components.pipe import Pipe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .._core import Doc


class Handled(Pipe):
    """A component whose subclasses implement `_annotated`, which may raise."""

    def _annotated(self, doc: Doc) -> Doc:
        raise NotImplementedError

    def __call__(self, doc: Doc) -> Doc:
        """Annotates a document and returns it; errors are passed to the error handler."""
        try:
            return self._annotated(doc)
        except Exception as error:
            self.get_error_handler()(self.name, self, [doc], error)
        return doc

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 128) -> Iterator[Doc]:
        """Annotates a stream of documents; documents that fail are passed to the error handler and
        left out.
        """
        if type(self).__call__ is not Handled.__call__:
            yield from super().pipe(stream, batch_size=batch_size)
            return
        for doc in stream:
            try:
                done = self._annotated(doc)
            except Exception as error:
                self.get_error_handler()(self.name, self, [doc], error)
            else:
                yield done
