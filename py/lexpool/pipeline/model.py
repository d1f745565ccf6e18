"""`Model`: a read-only view of the network of a trained component."""

from __future__ import annotations

from .._core import FilePart, TrainedModel, check_architecture
from .._files import write_file
from .._json import dumps
from .._narrow import is_dict, is_list
from .._packed import PackedPath, as_path
from ..msgpack import unpackb
from ._saved import Path
from .layer import Layer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any, Literal, Self, TypeAlias

    from numpy import float32
    from numpy.typing import NDArray

    from .._core import Doc, StateScorer, VectorTable
    from ..vocab import Vocab

__all__ = ["Model", "Node", "Numerics"]

if TYPE_CHECKING:
    Numerics: TypeAlias = Literal["fast", "blis-generic", "blis-haswell", "blis-skx"]
    """Orders of additions in the sums of a network: "fast", or that of the kernel that spaCy's
    BLIS chooses on a kind of processor. With it, results have the bits of spaCy's there:
    "blis-generic" on AMD since Zen 3, "blis-haswell" on other processors with AVX2, "blis-skx" on
    Intel with AVX-512.
    """
else:
    Numerics = str


class Node(Layer):
    """A layer of a network: its name, dimensions, attributes and parameters."""

    def __init__(self, file: _File, index: int) -> None:
        self._file = file
        self._index = index

    @property
    def name(self) -> str:
        """The name, made of the names of inner layers: "maxout>>layernorm>>dropout"."""
        name: str = self._own["name"]
        return name

    @property
    def dims(self) -> dict[str, int | None]:
        """The dimensions by name; None for those that are not set."""
        return dict(self._own["dims"])

    @property
    def attrs(self) -> dict[str, Any]:
        """The settings by name."""
        return {name: unpackb(value) for name, value in self._file.attrs[self._index].items()}

    @property
    def params(self) -> dict[str, NDArray[float32] | None]:
        """The parameters by name, read-only NumPy arrays."""
        params = dict(self._file.params[self._index])
        for array in params.values():
            if array is not None:
                array.flags.writeable = False
        return params

    @property
    def refs(self) -> dict[str, Node | None]:
        """The layers that this one refers to by name."""
        return {
            name: None if index is None else Node(self._file, index)
            for name, index in self._own["refs"].items()
        }

    @property
    def _own(self) -> dict[str, Any]:
        return self._file.nodes[self._index]

    def __repr__(self) -> str:
        return f"<Node {self.name!r}>"


class Model(Layer):
    """The network of a component: the section `model` of its settings, and the file `model`.

    It is read-only: spaCy trains it. Without a file it has no weights, and cannot predict.
    """

    def __init__(self, settings: Mapping[str, Any], section: str) -> None:
        self.settings: dict[str, Any] = dict(settings)
        self._section = section
        check_architecture(dumps(self.settings), section)
        self._bytes: bytes | FilePart | None = None
        self._file: _File | None = None
        self.numerics: Numerics = "fast"
        self._native: tuple[object, Numerics, TrainedModel] | None = None

    def __getstate__(self) -> dict[str, Any]:
        # These two are made again when they are needed; the file of mapped bytes may be elsewhere.
        data = None if self._bytes is None else bytes(self._bytes)
        return {**vars(self), "_bytes": data, "_file": None, "_native": None}

    @property
    def is_initialized(self) -> bool:
        """True if the model has weights."""
        return self._bytes is not None

    def from_bytes(self, bytes_data: bytes | FilePart) -> Self:
        """Takes the bytes of a file `model`; the network is validated when it is first needed."""
        self._bytes = bytes_data if isinstance(bytes_data, FilePart) else bytes(bytes_data)
        self._file = self._native = None
        return self

    def to_bytes(self) -> bytes:
        """Returns the bytes of the file, as they came. Raises ValueError (E109) without weights."""
        if self._bytes is None:
            raise ValueError(self._uninitialized())
        return bytes(self._bytes)

    def from_disk(self, path: Path) -> Self:
        """Reads a file `model`, as `from_bytes` takes it."""
        place = as_path(path)
        return self.from_bytes(
            place.part() if isinstance(place, PackedPath) else place.read_bytes()
        )

    def to_disk(self, path: Path) -> None:
        """Writes the file as it came. Raises ValueError (E109) without weights."""
        write_file(path, self.to_bytes())

    def to_dict(self) -> dict[str, Any]:
        """Returns the lists of the file: "nodes", "attrs", "params" and "shims". Raises ValueError:
        E109 without weights, model-file for a damaged file.
        """
        message: object = unpackb(self.to_bytes())
        if not is_dict(message):
            raise ValueError("[model-file] the bytes are not a model file of thinc")
        return message

    @property
    def root(self) -> Node:
        """The whole network. Raises ValueError (E109) without weights."""
        if self._file is None:
            self._file = _File(self.to_dict())
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
        """The settings of the outermost layer."""
        return self.root.attrs

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
        table, numerics, known = _table(vocab), self.numerics, self._native
        if known is not None and known[0] is table and known[1] == numerics:
            return known[2]
        settings = dumps(self.settings)
        if self._bytes is None:
            raise ValueError(self._uninitialized())
        made = TrainedModel(settings, self._section, self._bytes, table, numerics)
        self._native = (table, numerics, made)
        return made

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

    def _uninitialized(self) -> str:
        return (
            f"[E109] [{self._section}] has no weights; load them by nlp.from_disk or from_bytes, or "
            "train the component with spaCy"
        )

    def __repr__(self) -> str:
        architecture = self.settings.get("@architectures", "?")
        return f"<Model {architecture!r}{'' if self.is_initialized else ', without weights'}>"


class _File:
    """The lists of a file `model`."""

    def __init__(self, message: dict[str, Any]) -> None:
        parts: dict[str, list[dict[str, Any]]] = {}
        for key in ("nodes", "attrs", "params"):
            part = message.get(key)
            if not is_list(part):
                raise ValueError(f"[model-file] the model file lacks the list {key!r}")
            parts[key] = part
        self.nodes: list[dict[str, Any]] = parts["nodes"]
        self.attrs: list[Any] = parts["attrs"]
        self.params: list[Any] = parts["params"]


def _table(vocab: Vocab) -> VectorTable | None:
    """Returns the table of a vocab's vectors; None for vectors of another class."""
    from .._core import VectorTable

    table = getattr(vocab.vectors, "_table", None)
    return table if isinstance(table, VectorTable) else None
