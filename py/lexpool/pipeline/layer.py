"""`Layer`: the dimensions, parameters and references of a layer, by name, as in thinc."""

from __future__ import annotations

from .._narrow import is_list
from ..msgpack import unpackb

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy import float32
    from numpy.typing import NDArray


class Layer:
    """A layer of a network, or the network itself. Subclasses define its parts."""

    @property
    def name(self) -> str:
        """The name, made of the names of inner layers: "maxout>>layernorm>>dropout"."""
        raise NotImplementedError

    @property
    def dims(self) -> dict[str, int | None]:
        """The dimensions by name; None for those that are not set."""
        raise NotImplementedError

    @property
    def attrs(self) -> dict[str, Any]:
        """The settings by name."""
        raise NotImplementedError

    @property
    def params(self) -> dict[str, NDArray[float32] | None]:
        """The parameters by name, read-only NumPy arrays."""
        raise NotImplementedError

    @property
    def refs(self) -> dict[str, Node | None]:
        """The layers that this one refers to by name, such as "tok2vec"."""
        raise NotImplementedError

    @property
    def dim_names(self) -> tuple[str, ...]:
        """The names of the dimensions, including those that are not set."""
        return tuple(self.dims)

    @property
    def param_names(self) -> tuple[str, ...]:
        """The names of the parameters, including those that are not set."""
        return tuple(self.params)

    @property
    def ref_names(self) -> tuple[str, ...]:
        """The names of the references, including those that are not set."""
        return tuple(self.refs)

    def has_dim(self, name: str) -> bool | None:
        """Returns whether a dimension is set: False for an unknown one, None for one without a
        value.
        """
        return _is_set(self.dims, name)

    def get_dim(self, name: str) -> int:
        """Returns a dimension. Raises KeyError for an unknown one, ValueError for one without a
        value.
        """
        value = self.dims[name]
        if value is None:
            raise ValueError(f"the dimension {name!r} of {self.name!r} is not set")
        return value

    def maybe_get_dim(self, name: str) -> int | None:
        """Returns a dimension; None for an unknown one and for one without a value."""
        return self.dims.get(name)

    def has_param(self, name: str) -> bool | None:
        """Returns whether a parameter is set: False for an unknown one, None for one without a
        value.
        """
        return _is_set(self.params, name)

    def get_param(self, name: str) -> NDArray[float32]:
        """Returns a parameter. Raises KeyError for an unknown one or one without a value."""
        value = self.params[name]
        if value is None:
            raise KeyError(f"the parameter {name!r} of {self.name!r} is not set")
        return value

    def maybe_get_param(self, name: str) -> NDArray[float32] | None:
        """Returns a parameter; None for an unknown one and for one without a value."""
        return self.params.get(name)

    def has_ref(self, name: str) -> bool | None:
        """Returns whether a reference is set: False for an unknown one, None for one without a
        layer.
        """
        return _is_set(self.refs, name)

    def get_ref(self, name: str) -> Node:
        """Returns the layer that a name refers to. Raises KeyError for an unknown name, ValueError
        for one without a layer.
        """
        ref = self.refs[name]
        if ref is None:
            raise ValueError(f"the reference {name!r} of {self.name!r} is not set")
        return ref

    def maybe_get_ref(self, name: str) -> Node | None:
        """Returns the layer that a name refers to; None for an unknown name and for one without a
        layer.
        """
        return self.refs.get(name)


def _is_set(values: dict[str, Any], name: str) -> bool | None:
    """Returns False for an unknown name, None for one without a value."""
    return None if name in values and values[name] is None else name in values


class Node(Layer):
    """A layer of a network: its name, dimensions, attributes and parameters."""

    def __init__(self, file: NodeTable, index: int) -> None:
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


class NodeTable:
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
