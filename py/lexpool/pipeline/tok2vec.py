"""Token vectors that several components share."""

from __future__ import annotations

from .._learning.example import validate_examples
from .._learning.example_batch import native_batch
from ._listening import Listener, SharedUpdate, batch_id
from .learning import Learning
from .model import Model, vector_table
from .trainable_pipe import TrainablePipe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any, ClassVar, NoReturn

    from numpy import float32
    from numpy.typing import NDArray

    from .._core import Doc, Learner
    from .._learning.example import Example
    from .._protocols import Pipeline
    from ..vocab import Vocab

__all__ = ["Tok2Vec"]


class Tok2Vec(TrainablePipe):
    """Sets the tensor of documents, which the listeners of other components read.

    model: the section `model` of the settings.

    In an update it gives its rows to its listeners, and learns when the last of them has learned.
    """

    factory: ClassVar[str] = "tok2vec"

    def __init__(
        self, vocab: Vocab, model: Mapping[str, Any] | Model, name: str = "tok2vec"
    ) -> None:
        super().__init__(vocab, model, name)
        self.listener_map: dict[str, list[Listener]] = {}
        self._shared: SharedUpdate | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_shared": None}

    @property
    def listeners(self) -> list[Listener]:
        """The layers of other components that listen to this one, in the order of the pipeline."""
        return [listener for own in self.listener_map.values() for listener in own]

    @property
    def listening_components(self) -> list[str]:
        """The names of the components with such layers."""
        return list(self.listener_map)

    def add_listener(self, listener: Listener, component_name: str) -> None:
        """Adds a layer of a component."""
        own = self.listener_map.setdefault(component_name, [])
        if listener not in own:
            own.append(listener)

    def remove_listener(self, listener: Listener, component_name: str) -> bool:
        """Removes a layer of a component. Returns False if it was not there."""
        own = self.listener_map.get(component_name, [])
        if listener not in own:
            return False
        own.remove(listener)
        if not own:
            del self.listener_map[component_name]
        return True

    def find_listeners(self, component: Any) -> None:
        """Adds the layers of a component that listen to this one, by its name or to any."""
        if not isinstance(component, Learning):
            return
        for listener in component.listeners_of_network():
            if listener.upstream_name in ("*", self.name):
                self.add_listener(listener, component.name)

    def set_annotations(self, docs: Iterable[Doc], scores: Iterable[NDArray[float32]]) -> None:
        """Sets the tensors of documents."""
        for doc, tensor in zip(docs, scores, strict=True):
            doc.tensor = tensor

    def initialize(  # type: ignore[override]  # there are no labels to give
        self, get_examples: Callable[[], Iterable[Example]], *, nlp: Pipeline | None = None
    ) -> None:
        """Makes new weights from the numbers of NumPy's global generator: the same as spaCy's.

        Raises TypeError (E930, E978) for another argument than a function that returns examples.
        """
        self._initialize(get_examples, {})

    def update(
        self,
        examples: Iterable[Example],
        *,
        drop: float = 0.0,
        sgd: Any = None,
        losses: dict[str, float] | None = None,
    ) -> dict[str, float]:
        """Computes the rows of a batch of examples, for the updates of the listeners. The component
        learns after the last of them, and by `finish_update` at the latest.

        The parameters and errors are those of other components. The loss is the sum of the squares
        of the gradients of the rows.
        """
        losses = {} if losses is None else losses
        losses.setdefault(self.name, 0.0)
        validate_examples(examples, "Tok2Vec.update")
        given = list(examples)
        self.finish_shared()
        self._shared = None
        learner = self._with_weights()
        batch = native_batch(examples)
        rows = learner.share(batch, float(drop), vector_table(self.vocab))
        listeners = self.listeners
        if rows is None or not listeners:
            return losses

        def learn(rows: Any) -> None:
            learner.learn_from(rows)
            if sgd is not None and sgd is not False:
                super(Tok2Vec, self).finish_update(sgd)

        shared = SharedUpdate(self.name, rows, learn, losses)
        of_batch = batch_id(given)
        for listener in listeners:
            listener.receive(of_batch, shared, is_last=listener is listeners[-1])
        self._shared = shared
        return losses

    def finish_shared(self) -> None:
        """Learns from what the listeners have learned of the last rows, unless that was done."""
        shared = self._shared
        if shared is not None and shared.is_open and shared.rows.loss > 0.0:
            shared.finish()

    def finish_update(self, sgd: Any) -> None:
        """Changes the weights by the gradients of the updates since the last call."""
        self.finish_shared()
        super().finish_update(sgd)

    def learner_to_step(self) -> Learner | None:
        """Returns the native component whose weights `finish_update` changes, after it has learned
        from the last rows.
        """
        self.finish_shared()
        return self._learner_of(Tok2Vec)

    def forget_rows(self) -> None:
        """Drops the rows of the last update, also those of listeners that have not learned."""
        self._shared = None
        for listener in self.listeners:
            listener.forget()

    def forget_update(self) -> None:
        """Drops the rows of the last update, and the gradients since the last `finish_update`."""
        self.forget_rows()
        super().forget_update()

    def get_loss(self, examples: Iterable[Example], scores: Any) -> Any:
        """Returns None: the loss is that of the listeners."""
        return None

    def add_label(self, label: str) -> NoReturn:
        """Raises NotImplementedError: the component has no labels."""
        raise NotImplementedError("[E931] Tok2Vec.add_label: the component has no labels")

    def _trained_as(self) -> str:
        return "tok2vec"

    def _label_files(self) -> dict[str, bytes]:
        return {}

    def _take_labels(self, learner: Any) -> None:
        pass
