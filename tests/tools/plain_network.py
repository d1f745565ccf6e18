"""The networks of a trained pipeline in NumPy, from the parameters that `Model.walk` gives.

A second and slower implementation for the drawings of the site, which show numbers between the
layers. Its sums have NumPy's order, so results equal lexpool's to about six digits.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lexpool import Doc

Floats = NDArray[np.float32]
MASK = 2**64 - 1


def hash_rows(value: int, seed: int, n_rows: int) -> list[int]:
    """The four rows of a table for an id: MurmurHash3_x64_128 of its eight bytes, in four parts."""
    mixed = value * 0x87C37B91114253D5 & MASK
    mixed = (mixed << 31 | mixed >> 33) & MASK
    first = (mixed * 0x4CF5AD432745937F & MASK) ^ seed ^ 8
    second = seed ^ 8
    first = first + second & MASK
    second = second + first & MASK
    first, second = finalized(first), finalized(second)
    first = first + second & MASK
    second = second + first & MASK
    parts = first & 0xFFFFFFFF, first >> 32, second & 0xFFFFFFFF, second >> 32
    return [part % n_rows for part in parts]


def finalized(number: int) -> int:
    for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        number = (number ^ number >> 33) * factor & MASK
    return number ^ number >> 33


class TokenNetwork:
    """`Tok2Vec` of `MultiHashEmbed` and `MaxoutWindowEncoder`, without static vectors."""

    def __init__(self, nodes: Iterator[Any]) -> None:
        """Takes the nodes of the network; others are passed over."""
        self.columns: list[str] = []
        self.embeds: list[Any] = []
        self.windows: list[int] = []
        maxouts: list[Any] = []
        norms: list[Any] = []
        for node in nodes:
            if node.name == "extract_features":
                self.columns = node.attrs["columns"]
            elif node.name == "hashembed":
                self.embeds.append(node)
            elif node.name == "expand_window":
                self.windows.append(node.attrs["window_size"])
            elif node.name == "maxout":
                maxouts.append(node)
            elif node.name == "layernorm":
                norms.append(node)
        if len(maxouts) != len(self.windows) + 1 or len(norms) != len(maxouts):
            raise ValueError("the network is not a MultiHashEmbed with a MaxoutWindowEncoder")
        # Breadth first: layers that mix the embeddings lie above those of the encoder.
        self.layers = list(zip(maxouts, norms, strict=True))

    @property
    def reach(self) -> int:
        """The distance up to which a token is seen."""
        return sum(self.windows)

    def rows_of(self, value: int, column: int) -> list[int]:
        embed = self.embeds[column]
        return hash_rows(value, embed.attrs["seed"], embed.get_param("E").shape[0])

    def run(self, doc: Doc) -> Floats:
        """The vectors of a document's tokens."""
        ids = doc.to_array(self.columns).astype(np.uint64).reshape(len(doc), -1)
        embedded = [
            [embed.get_param("E")[self.rows_of(int(row[at]), at)].sum(axis=0) for row in ids]
            for at, embed in enumerate(self.embeds)
        ]
        x = normalized(np.concatenate(embedded, axis=1), *self.layers[0])
        # Zeros at the input only: a layer makes numbers of them, which its neighbours see.
        x = np.pad(x, ((self.reach, self.reach), (0, 0)))
        for window, layer in zip(self.windows, self.layers[1:], strict=True):
            padded = np.pad(x, ((window, window), (0, 0)))
            parts = [padded[at : at + len(x)] for at in range(2 * window + 1)]
            x = x + normalized(np.concatenate(parts, axis=1), *layer)
        return x[self.reach : self.reach + len(doc)]


def normalized(x: Floats, maxout: Any, norm: Any) -> Floats:
    """Maxout, then layer normalization."""
    weights, bias = maxout.get_param("W"), maxout.get_param("b")
    largest = (np.einsum("ti,opi->top", x, weights) + bias).max(axis=2)
    centred = largest - largest.mean(axis=1, keepdims=True)
    variance = (centred * centred).mean(axis=1, keepdims=True) + 1e-8
    return centred / np.sqrt(variance) * norm.get_param("G") + norm.get_param("b")


class StateNetwork:
    """The scores of parse states of a document: `TransitionBasedParser`."""

    def __init__(self, nodes: list[Any], tokens: Floats) -> None:
        """Takes the nodes of the network and the vectors of the document's tokens."""
        lower = next(node for node in nodes if node.name == "precomputable_affine")
        # Breadth first: the layer of the scores lies above that of the tokens, and may be missing.
        *upper, of_tokens = [node for node in nodes if node.name == "linear"]
        self.upper = upper[0] if upper else None
        reduced = affine(tokens, of_tokens)
        products = np.einsum("ti,fopi->tfop", reduced, lower.get_param("W"))
        # The last row is that of a missing token, whose position is -1.
        self.products = np.concatenate([products, lower.get_param("pad")])
        self.bias = lower.get_param("b")

    @property
    def n_features(self) -> int:
        return self.products.shape[1]

    def __call__(self, features: NDArray[np.int32]) -> Floats:
        """The scores of states, from the positions of their features' tokens."""
        of_features = self.products[features, np.arange(self.n_features)]
        hidden = (of_features.sum(axis=1) + self.bias).max(axis=2)
        return affine(hidden, self.upper) if self.upper else hidden


def affine(x: Floats, node: Any) -> Floats:
    return x @ node.get_param("W").T + node.get_param("b")
