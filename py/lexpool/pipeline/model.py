"""`Model`: the network of a trained component."""

from __future__ import annotations

from .._components.numerics import NUMERICS, Network, Numerics, check_numerics
from .._core import (
    FilePart,
    Learner,
    TrainedModel,
    VectorTable,
    blank_model,
    check_architecture,
    initial_model,
)
from .._learning.numpy_state import numpy_state, set_numpy_state
from .._narrow import is_dict, is_list, is_mapping
from .._saving.files import write_file
from .._saving.json_files import Path
from .._saving.packed import PackedPath, as_path
from .._typing import cast
from ..msgpack import unpackb
from ._noted_settings import settings_of
from .layer import Layer, Node, NodeTable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Any, NoReturn, Self

    from numpy import float32
    from numpy.typing import NDArray

    from .._core import Doc, StateScorer
    from ..vocab import Vocab

__all__ = [
    "NUMERICS", "RESIZABLE", "Model", "Node", "Numerics", "as_model", "check_numerics",
    "vector_table",
]  # fmt: skip

# Architectures whose output layer may get more outputs.
RESIZABLE = (
    "TextCatBOW.v2",
    "TextCatBOW.v3",
    "TextCatCNN.v2",
    "TextCatReduce.v1",
    "TransitionBasedParser.v1",
    "TransitionBasedParser.v2",
)
# A file with weights is longer: the smallest table of embeddings has a thousand numbers.
_LONGEST_BLANK = 1 << 16
# The key of the arrays in a model file, and the first bytes of an array of msgpack-numpy.
_PARAMS, _ARRAY = b"\xa6params", b"\xc4\x02nd\xc3"


class Model(Layer, Network):
    """The network of a component: the section `model` of its settings, and the file `model`.

    Its parameters are read-only: `nlp.update` trains it. Without a file it has no weights, and
    cannot predict, until `nlp.initialize` makes them.
    """

    def __init__(self, settings: Mapping[str, Any], section: str) -> None:
        self.settings: dict[str, Any] = dict(settings)
        self._section = section
        check_architecture(self.settings, section)
        self._bytes: bytes | FilePart | None = None
        self._file: NodeTable | None = None
        self.numerics: Numerics = "fast"
        # The network that runs, with what it was made of.
        self._native: tuple[object, object, Numerics, TrainedModel] | None = None
        # The native component that changes the weights, and the version of those in `_bytes`.
        self._learner: Learner | None = None
        self._version = -1

    def __getstate__(self) -> dict[str, Any]:
        # These are made again when they are needed; the file of mapped bytes may be elsewhere.
        own = self._data()
        data = None if own is None else bytes(own)
        return {
            **vars(self), "_bytes": data, "_file": None, "_native": None, "_learner": None,
        }  # fmt: skip

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        made = type(self)(self.settings, self._section)
        own = self._data()
        if own is not None:
            made.from_bytes(own)
        made.numerics = self.numerics
        return made

    def copy(self) -> Self:
        """Returns a model with these settings and weights."""
        return self.__deepcopy__({})

    @property
    def section(self) -> str:
        """The name of the section of the settings, for errors."""
        return self._section

    @property
    def learner(self) -> Learner | None:
        """The native component that changes the weights, if there is one."""
        return self._learner

    def attach(self, learner: Learner) -> None:
        """Takes the weights from a native component that learns, from now on."""
        # In this order: an interrupt in between lets the old weights be read again.
        self._version = -1
        self._learner = learner

    def detach(self) -> None:
        """Keeps the weights as they are, and forgets the component that learns."""
        self._data()
        self._learner = None

    def snapshot(self) -> dict[str, Any]:
        """Returns what `restore` takes: the settings, and the present weights."""
        self._data()
        return dict(vars(self))

    def restore(self, state: dict[str, Any]) -> None:
        """Takes the settings and weights of `snapshot` again. A native component that has learned
        since, or is another one, is forgotten.
        """
        learner: Learner | None = state["_learner"]
        is_same = learner is not None and learner.version == state["_version"]
        vars(self).update({**state, "_learner": learner if is_same else None})

    def _data(self) -> bytes | FilePart | None:
        """Returns the bytes of the file with the present weights."""
        learner = self._learner
        if learner is not None and (version := learner.version) != self._version:
            data = learner.files().get("model")
            self._file = self._native = None
            self._bytes = data
            # Last: until then the weights are read again, after an error or an interrupt too.
            self._version = version
        return self._bytes

    @property
    def is_initialized(self) -> bool:
        """True if the model has weights."""
        return self._bytes is not None or self._data() is not None

    def from_bytes(self, bytes_data: bytes | FilePart) -> Self:
        """Takes the bytes of a file `model`; the network is validated when it is first needed."""
        data = bytes_data if isinstance(bytes_data, FilePart) else bytes(bytes_data)
        weights = None if _is_blank(data) else data
        # In one step, which no interrupt divides.
        vars(self).update(_bytes=weights, _file=None, _native=None, _learner=None)
        return self

    def to_bytes(self) -> bytes:
        """Returns the bytes of the file, as they came, or with the weights of the last update.
        Without weights they are what spaCy writes of such a network.
        """
        data = self._data()
        return blank_model(self.settings, self._section) if data is None else bytes(data)

    def from_disk(self, path: Path) -> Self:
        """Reads a file `model`, as `from_bytes` takes it."""
        place = as_path(path)
        return self.from_bytes(
            place.part() if isinstance(place, PackedPath) else place.read_bytes()
        )

    def to_disk(self, path: Path) -> None:
        """Writes the bytes of `to_bytes`."""
        write_file(path, self.to_bytes())

    def to_dict(self) -> dict[str, Any]:
        """Returns the lists of the file: "nodes", "attrs", "params" and "shims". Raises ValueError
        (model-file) for a damaged file.
        """
        message: object = unpackb(self.to_bytes())
        if not is_dict(message):
            raise ValueError("[model-file] the bytes are not a model file of thinc")
        return message

    @property
    def root(self) -> Node:
        """The whole network."""
        self._data()
        if self._file is None:
            self._file = NodeTable(self.to_dict())
        return Node(self._file, 0)

    def walk(self) -> Iterator[Node]:
        """Yields all layers breadth first, each once, as in the file."""
        root = self.root
        for index in range(len(root._file.nodes)):  # pyright: ignore[reportPrivateUsage]
            yield Node(root._file, index)  # pyright: ignore[reportPrivateUsage]

    @property
    def name(self) -> str:
        """The name of the whole network."""
        return self.root.name

    @property
    def dims(self) -> dict[str, int | None]:
        """The dimensions of the whole network."""
        return self.root.dims

    @property
    def attrs(self) -> dict[str, Any]:
        """The settings of the outermost layer, with the function "resize_output" if the network may
        get more outputs. It returns the model: `add_label` of the component gives it outputs.
        """
        attrs = self.root.attrs
        name = str(self.settings.get("@architectures", "")).rpartition("spacy.")[2]
        if name in RESIZABLE:
            attrs["resize_output"] = _resized
        return attrs

    @property
    def params(self) -> dict[str, NDArray[float32] | None]:
        """The parameters of the outermost layer."""
        return self.root.params

    @property
    def refs(self) -> dict[str, Node | None]:
        """The parts of the network by name, such as "tok2vec"."""
        return self.root.refs

    def native(self, vocab: Vocab) -> TrainedModel:
        """Returns the network, ready to run with the vectors of a vocab.

        Raises ValueError: E109 without weights, the errors of `TrainedModel` for damaged ones.
        """
        data = self._data()
        table, numerics, known = vector_table(vocab), self.numerics, self._native
        if known is not None and known[0] is data:
            if known[1] is table and known[2] == numerics:
                return known[3]
        if data is None:
            raise ValueError(self.uninitialized())
        network = TrainedModel(self.settings, self._section, data, table, numerics)
        self._native = (data, table, numerics, network)
        return network

    def initialize(self, X: Any = None, Y: Any = None) -> Self:
        """Makes new weights from the numbers of NumPy's global generator, for as many outputs as Y
        has columns, if it is given: an array, or a list of arrays.
        """
        first = Y[0] if is_list(Y) else Y
        outputs: int | None = None if first is None else int(first.shape[-1])
        made, state = initial_model(self.settings, self._section, outputs, 0, numpy_state())
        set_numpy_state(state)
        return self.from_bytes(made)

    def begin_update(self, X: Iterable[Doc]) -> tuple[Any, Callable[[Any], Any]]:
        """Returns the result of the network as in an update without dropout: scores of labels are
        probabilities. The second item, thinc's way of learning from a gradient, raises
        NotImplementedError (not-trainable): `update` of the component learns.
        """
        import numpy

        def refuse(_: Any) -> NoReturn:
            raise NotImplementedError(
                "[not-trainable] a network of lexpool learns by the update of its component, not "
                "from a gradient"
            )

        rows = self.predict(X)
        output = self.maybe_get_ref("softmax") or self.maybe_get_ref("output_layer")
        if output is not None and output.name == "softmax":
            if not output.attrs.get("softmax_normalize", True):
                exps = [numpy.exp(row - row.max(axis=1, keepdims=True)) for row in rows]
                rows = [row / row.sum(axis=1, keepdims=True) for row in exps]
        return rows, refuse

    def __call__(self, X: Iterable[Doc], is_train: bool) -> tuple[Any, Callable[[Any], Any]]:
        """Returns the result of `begin_update`, or of `predict` with such a second item."""
        scores, refuse = self.begin_update(X)
        return (scores, refuse) if is_train else (self.predict(X), refuse)

    @property
    def ops(self) -> Any:
        """The arrays of thinc that spaCy's code computes with, if thinc is installed."""
        from thinc.api import get_current_ops

        return get_current_ops()

    def predict(self, docs: Iterable[Doc]) -> list[NDArray[float32]]:
        """Returns the result of the network for each document."""
        docs = list(docs)
        if not docs:
            return []
        native = self.native(docs[0].vocab)
        return [native.rows(doc) for doc in docs]

    def scorer(self, docs: list[Doc], n_classes: int, *, rectify: bool = False) -> StateScorer:
        """Returns the scorer of the parse states of documents."""
        return self.native(docs[0].vocab).scorer(docs, n_classes, rectify)

    def uninitialized(self) -> str:
        """Returns the text of the error for a model without weights."""
        return (
            f"[E109] [{self._section}] has no weights; make them by nlp.initialize, or load them by "
            "nlp.from_disk or from_bytes"
        )

    def __repr__(self) -> str:
        architecture = self.settings.get("@architectures", "?")
        return f"<Model {architecture!r}{'' if self.is_initialized else ', without weights'}>"


def as_model(model: Mapping[str, Any] | Model | Any, section: str) -> Model:
    """Returns the model of settings, or of a model of thinc that an architecture has made while
    `lexpool.compat.spacy.patch` is active.

    Raises TypeError for another object.
    """
    if isinstance(model, Model):
        return model
    if is_mapping(model):
        return Model(model, section)

    settings = settings_of(model)
    if settings is None:
        raise TypeError(
            f"[model-settings] [{section}] is a {type(model).__name__}; expected the settings of an "
            "architecture"
        )
    made, other = Model(settings, section), cast("Any", model)
    return made.from_bytes(other.to_bytes()) if _has_weights(other) else made


def _has_weights(model: Any) -> bool:
    nodes = [node for node in model.walk() if node.param_names]
    return bool(nodes) and all(node.has_param(name) for node in nodes for name in node.param_names)


def _resized(model: Any, new_nO: int) -> Any:
    return model


def _is_blank(data: bytes | FilePart) -> bool:
    """Returns whether a file has no weights, as spaCy writes it before a network is initialized."""
    if isinstance(data, FilePart) or len(data) > _LONGEST_BLANK:
        return False
    # Decoding an array would import NumPy.
    if _ARRAY in data[data.rfind(_PARAMS) :]:
        return False
    try:
        message: object = unpackb(data)
    except (TypeError, ValueError):
        # A key of a damaged map may be a list.
        return False
    params: object = message.get("params") if is_dict(message) else None
    if not is_list(params):
        return False
    arrays = [array for own in params if is_dict(own) for array in own.values()]
    return bool(arrays) and all(array is None for array in arrays)


def vector_table(vocab: Vocab) -> VectorTable | None:
    """Returns the table of a vocab's vectors; None for vectors of another class."""
    table = getattr(vocab.vectors, "_table", None)
    return table if isinstance(table, VectorTable) else None
