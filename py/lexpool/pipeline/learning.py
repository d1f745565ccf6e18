"""`Learning`: the methods by which components learn from examples."""

from __future__ import annotations

from .._components.pipe import Pipe, does_as
from .._components.restoring import restoring
from .._components.settings import settings_with
from .._core import BusyError, Learner, graft
from .._learning.example import validate_examples, validate_get_examples
from .._learning.example_batch import ExampleBatch, native_batch
from .._learning.numpy_state import numpy_state, set_numpy_state
from .._learning.optimizer import Averages, Optimizer, step
from .._narrow import is_dict
from .._saving.json import dumps, loads
from ..config import deep_copy
from ._listening import Listener
from .model import RESIZABLE, Model, vector_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any, ClassVar

    from .._core import SharedRows, TrainingBatch, Vocab
    from .._learning.example import Example
    from .._protocols import Pipeline

_LISTS: tuple[type[Any], ...] = (list, tuple, set, frozenset)
_LABELS = ("labels", "labels_morph", "labels_pos")


class Learning(Pipe):
    """A component with a network that learns from examples."""

    vocab: Vocab
    model: Model
    cfg: dict[str, Any]
    # The names of the settings in `cfg` that matter to learning.
    _learned_settings: ClassVar[tuple[str, ...]] = ()
    # True if a copy of the network can teach it.
    _rehearses: ClassVar[bool] = False
    # The native component that learns, with the settings that it was made with.
    _learner: tuple[dict[str, Any], Learner] | None = None
    # The listeners of the network, which shared components give their rows to.
    _listeners: list[Listener] | None = None
    _has_tutor: bool = False

    @property
    def is_trainable(self) -> bool:
        """True: the component learns from examples."""
        return True

    @property
    def is_resizable(self) -> bool:
        """True if labels can be added to a network with weights."""
        architecture = str(self.model.settings.get("@architectures", ""))
        return architecture.rpartition("spacy.")[2] in RESIZABLE

    def initialize(
        self,
        get_examples: Callable[[], Iterable[Example]],
        *,
        nlp: Pipeline | None = None,
        labels: Any = None,
    ) -> None:
        """Finds the labels in examples, and makes new weights from the numbers of NumPy's global
        generator: the same as spaCy's.

        get_examples: a function that returns examples.
        labels: labels instead of those of the examples, as `label_data` has them.

        Raises TypeError (E930, E978) for other arguments; ValueError: E143 without labels, and
        others for examples that the component cannot learn from.
        """
        # As in spaCy, a text is a list of its characters.
        given = list(labels) if isinstance(labels, str) else labels
        settings = {} if labels is None else {"labels": _plain(given)}
        self._initialize(get_examples, settings)

    def _initialize(
        self, get_examples: Callable[[], Iterable[Example]], settings: dict[str, Any]
    ) -> None:
        validate_get_examples(get_examples, f"{self._own_name()}.initialize")
        given = get_examples()
        examples = given if isinstance(given, ExampleBatch) else ExampleBatch(given)
        if not examples:
            raise TypeError(
                f"[E930] {self._own_name()}.initialize needs at least one example, but was given none"
            )
        with restoring([self]):
            self._before_initialize(examples)
            made, learner = self._new_learner(self._label_files())
            table = vector_table(self.vocab)
            state = learner.initialize(examples.native(), settings, table, numpy_state())
            set_numpy_state(state)
            learner.set_seed(_seed(self.name))
            self._take_labels(learner)
            self._adopt(made, learner)
            self._has_tutor = False

    def _before_initialize(self, examples: list[Example]) -> None:
        """Checks examples, before labels are found in them."""

    def _own_name(self) -> str:
        return type(self).__name__

    def add_label(self, label: str) -> int:
        """Adds a label. Returns 0 if the component has it, else 1.

        Raises ValueError: E187 for a label that is not a string, E922 if the network has weights
        whose number of outputs cannot change.
        """
        check_label(label)
        if label in self.labels:
            return 0
        self._allow_extra_label()
        if not self.model.is_initialized:
            self._append_label(label)
            self.vocab.strings.add(label)
            self._drop_learner()
            return 1

        with restoring([self]):
            self._append_label(label)
            self.vocab.strings.add(label)
            self._fit_outputs()
        return 1

    def _append_label(self, label: str) -> None:
        self.cfg["labels"].append(label)

    def _allow_extra_label(self) -> None:
        if self.is_resizable:
            return
        outputs = self._n_outputs() if self.model.is_initialized else self.model.settings.get("nO")
        if outputs is not None and outputs == self._n_outputs():
            raise ValueError(
                f"[E922] the network of {self.name!r} has {outputs} outputs, and their number cannot "
                "change: add labels before initialize"
            )

    def _n_outputs(self) -> int:
        return len(self.labels)

    def _fit_outputs(self) -> None:
        """Gives the network an output for each label, once it has weights."""
        if not self.model.is_initialized:
            self._drop_learner()
            return
        learner = self._learn()
        learner.restore(self._label_files())
        learner.fit_outputs()

    def set_output(self, nO: int) -> None:
        """Raises NotImplementedError (E921): labels are added by `add_label`."""
        raise NotImplementedError(
            f"[E921] {self._own_name()}.set_output: add labels by add_label, which gives the network "
            "outputs for them"
        )

    def update(
        self,
        examples: Iterable[Example],
        *,
        drop: float = 0.0,
        sgd: Any = None,
        losses: dict[str, float] | None = None,
    ) -> dict[str, float]:
        """Learns from a batch of examples, without the GIL. Returns the losses by component.

        drop: the rate of dropout.
        sgd: an optimizer that changes the weights at once. By default gradients are kept until
            `finish_update`.
        losses: the losses to add to.

        After an error nothing is learned of the batch. Raises TypeError (E978) for objects that are
        not examples; ValueError: E109 without weights, E203 without the rows that the network
        listens to, E910 for a loss that is not finite.
        """
        losses = {} if losses is None else losses
        losses.setdefault(self.name, 0.0)
        validate_examples(examples, f"{self._own_name()}.update")
        examples = examples if isinstance(examples, list) else list(examples)
        if not any(len(example.predicted) for example in examples):
            return losses
        with _Forgetting(self):
            losses[self.name] += self._update(examples, float(drop))
            if sgd is not None and sgd is not False:
                self.finish_update(sgd)
        return losses

    def _update(self, examples: list[Example], drop: float) -> float:
        learner = self._with_weights()
        batch = native_batch(examples)
        heard = self._heard(examples)
        rows = None if heard is None else heard[0]
        loss = self._update_by(learner, batch, drop, rows, examples)
        if heard is not None:
            heard[1]()
        return loss

    def _update_by(
        self,
        learner: Learner,
        batch: TrainingBatch,
        drop: float,
        rows: SharedRows | None,
        examples: list[Example],
    ) -> float:
        return learner.update(batch, drop, vector_table(self.vocab), shared=rows)

    def _heard(self, examples: list[Example]) -> tuple[SharedRows, Callable[[], None]] | None:
        """Returns the rows that the network listens to, with the function to call when they were
        learned from; None if it reads the tensors of documents, or listens to nothing.
        """
        listeners = self.listeners_of_network()
        for listener in listeners:
            heard = listener.take(examples)
            if heard is not None:
                return heard
        if listeners and any(example.predicted.tensor.size == 0 for example in examples):
            raise ValueError(
                f"[E203] {self.name!r} listens to {listeners[0].upstream_name!r}, which is not updated "
                "and has set no tensor: put its name into annotates"
            )
        return None

    def listeners_of_network(self) -> list[Listener]:
        """The layers of the network that get the rows of a shared component."""
        if self._listeners is None:
            found = _listening(self.model.settings)
            self._listeners = [Listener(self, name) for name in found]
        return self._listeners

    def finish_update(self, sgd: Any) -> None:
        """Changes the weights by the gradients of the updates since the last call.

        sgd: an optimizer of lexpool, or one of thinc, whose numbers are read.
        """
        if self.model.is_initialized:
            step(sgd, [(self.name, self._learn())])

    def learner_to_step(self) -> Learner | None:
        """Returns the native component whose weights `finish_update` changes, to change those of
        several components at once. None without weights, and for a subclass or a component with
        another `finish_update`.
        """
        return self._learner_of(Learning)

    def _learner_of(self, owner: type[Learning]) -> Learner | None:
        if not self.model.is_initialized or not does_as(self, owner, "finish_update"):
            return None
        return self._learn()

    def forget_update(self) -> None:
        """Drops the gradients of the updates since the last `finish_update`."""
        if self._learner is not None:
            self._learner[1].forget()

    def get_loss(self, examples: Iterable[Example], scores: Any) -> tuple[float, Any]:
        """Returns the loss of scores of the network for examples, and its gradient.

        scores: an array for each document with a row for each token.
        """
        import numpy

        validate_examples(examples, f"{self._own_name()}.get_loss")
        arrays = [numpy.ascontiguousarray(array, "float32") for array in scores]
        whole = [array for array in arrays if array.size]
        if not whole:
            return 0.0, arrays
        joined = numpy.concatenate(whole)
        gradient, loss = self._loss(native_batch(examples), joined)
        ends = numpy.cumsum([len(array) for array in arrays])[:-1]
        return loss, numpy.split(gradient, ends)

    def _loss(self, batch: TrainingBatch, scores: Any, spans: Any = None) -> tuple[Any, float]:
        import numpy

        gradient, loss = self._learn().loss(batch, scores.tobytes(), scores.shape[-1], spans)
        if not numpy.isfinite(loss):
            raise ValueError(f"[E910] the loss of the component {self.name!r} is {loss}")
        return numpy.frombuffer(gradient, "float32").reshape(scores.shape).copy(), loss

    def rehearse(
        self,
        examples: Iterable[Example],
        *,
        drop: float = 0.0,
        sgd: Any = None,
        losses: dict[str, float] | None = None,
        **kwargs: Any,
    ) -> dict[str, float]:
        """Learns to predict as the component did when `nlp.resume_training` was called, so that it
        does not forget while it learns from other examples. Does nothing before that, and for
        components that spaCy has no such update for.
        """
        losses = {} if losses is None else losses
        if self._rehearses:
            losses.setdefault(self.name, 0.0)
        if not self._has_tutor:
            return losses
        validate_examples(examples, f"{self._own_name()}.rehearse")
        learner = self._with_weights()
        with _Forgetting(self):
            loss = learner.rehearse(native_batch(examples), float(drop), vector_table(self.vocab))
            if loss is None:
                return losses
            if sgd is not None and sgd is not False:
                self.finish_update(sgd)
        losses[self.name] += loss
        return losses

    def keep_tutor(self) -> None:
        """Keeps a copy of the network, for `rehearse`."""
        if self._rehearses and self.model.is_initialized:
            self._learn().keep_tutor()
            self._has_tutor = True

    def create_optimizer(self) -> Any:
        """Returns an optimizer with spaCy's default settings."""
        return Optimizer(0.001, L2=0.01, use_averages=False)

    def use_params(self, params: Any) -> Iterator[None]:
        """Uses the running means of an optimizer as weights, to predict and to save, until the
        generator is resumed or dropped. Updates go on with the weights. `nlp.use_params` calls it.
        """
        is_own = isinstance(params, Averages) and (self.name, "averages") in params
        if not is_own or not self.model.is_initialized:
            yield
            return
        # Ends with the generator's frame, whatever exception was raised where.
        with self._learn().use_averages(params.key):
            yield

    def _trained_as(self) -> str:
        """Returns the factory by which native code knows the component in training."""
        raise NotImplementedError

    def _training_settings(self) -> dict[str, Any]:
        """Returns the settings of the factory that matter to learning."""
        return {name: self.cfg[name] for name in self._learned_settings if name in self.cfg}

    def _label_files(self) -> dict[str, bytes]:
        """Returns the files with the labels."""
        labels = {name: self.cfg[name] for name in _LABELS if name in self.cfg}
        return {"cfg": dumps(labels).encode("utf8")}

    def _take_labels(self, learner: Learner) -> None:
        """Takes the labels that a learner has found."""
        cfg: object = loads(learner.files()["cfg"])
        if is_dict(cfg):
            self.cfg.update({name: cfg[name] for name in _LABELS if name in cfg})

    def _with_weights(self) -> Learner:
        if not self.model.is_initialized:
            raise ValueError(self.model.uninitialized())
        return self._learn()

    def _learn(self) -> Learner:
        """Returns the native component that learns, made of the present labels and weights."""
        known = self._learner
        if known is not None and self.model.learner is known[1]:
            if known[0] == self._learner_settings():
                return known[1]
        files = self._label_files()
        if self.model.is_initialized:
            files["model"] = self.model.to_bytes()
        made, learner = self._new_learner(files)
        learner.set_seed(_seed(self.name))
        self._adopt(made, learner)
        return learner

    def _learner_settings(self) -> dict[str, Any]:
        # A copy, since the caller may change the settings.
        settings: dict[str, Any] = deep_copy(
            {**self._training_settings(), "model": self.model.settings}
        )
        return settings

    def _new_learner(self, files: dict[str, bytes]) -> tuple[dict[str, Any], Learner]:
        settings = self._learner_settings()
        learner = Learner(self._trained_as(), self.name, settings, self.vocab)
        learner.restore(files)
        return settings, learner

    def _adopt(self, settings: dict[str, Any], learner: Learner) -> None:
        self._learner = settings, learner
        self.model.attach(learner)

    def own_shared(self, shared: Learning, paths: Iterable[str]) -> None:
        """Puts copies of the network of a shared component in the place of listeners.

        paths: the sections of the listeners, such as "model.tok2vec".
        """
        settings = self.model.settings
        for path in paths:
            settings = settings_with(settings, path, shared.model.settings)
        model = Model(settings, self.model.section)
        model.numerics = self.model.numerics
        if self.model.is_initialized and shared.model.is_initialized:
            own, theirs = self.model, shared.model
            model.from_bytes(
                graft(
                    settings,
                    own.settings,
                    own.to_bytes(),
                    theirs.settings,
                    theirs.to_bytes(),
                    own.section,
                )
            )
        # In one step, which no interrupt divides.
        vars(self).update(model=model, _learner=None, _listeners=None)

    def _drop_learner(self) -> None:
        """Forgets the native component that learns; the network takes its weights over."""
        if self._learner is not None:
            self.model.detach()
            self._learner = None


def _listening(settings: object) -> list[str]:
    """Returns the names of the components that the listeners in a section listen to."""
    if not is_dict(settings):
        return []
    found: list[str] = []
    if "Tok2VecListener" in str(settings.get("@architectures", "")):
        found.append(str(settings.get("upstream", "*")))
    for value in settings.values():
        found += _listening(value)
    return found


def check_label(label: object) -> None:
    """Raises ValueError (E187) for a label of another type than str."""
    if not isinstance(label, str):
        raise ValueError(f"[E187] expected a string as a label, not {label!r}")


def _plain(value: Any) -> Any:
    """Returns labels as values that JSON has."""
    if is_dict(value):
        return {str(key): _plain(inner) for key, inner in value.items()}
    return [_plain(item) for item in value] if isinstance(value, _LISTS) else value


class _Forgetting:
    """A block whose exception drops the gradients that a component has added."""

    # Not by `contextlib`, which takes a tenth of the time of loading a pipeline to import.
    def __init__(self, component: Learning) -> None:
        self._component = component

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        # With BusyError, the gradients are those of the thread that uses the component.
        if kind is None or issubclass(kind, BusyError):
            return
        from contextlib import suppress

        with suppress(BusyError):
            self._component.forget_update()


def _seed(name: str) -> int:
    """Returns a seed for the random numbers of a component's updates, which follows from the state
    of NumPy's global generator, and leaves it as it is.
    """
    from zlib import crc32

    return crc32(name.encode("utf8"), crc32(numpy_state()))
