"""Labelled relations between groups of tokens.

>>> graph = Graph(doc, name="srl", nodes=[(0,), (1, 3)], edges=[(0, 1)], labels=["agent"])
>>> graph.has_edge((0,), (1, 3), label="agent")
True

A missing node or edge is returned as a `NoneNode` or a `NoneEdge`, a placeholder with the same
attributes.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from .._core import Doc, GraphTable, Token
from ..strings import get_string_id

__all__ = ["Edge", "Graph", "Node", "NoneEdge", "NoneNode"]


class Graph:
    """A graph of groups of tokens, with labelled edges. It does not keep the document alive.

    name: the name of the graph.
    nodes: token positions of each node.
    edges: (head, tail), as positions in `nodes`.
    labels, weights: one per edge; by default labels are empty, and weights 0.0.

    Raises AssertionError unless there is one label and weight per edge, IndexError (E1034) for an
    edge to a missing node.
    """

    __slots__ = ("__weakref__", "_doc", "name", "table")

    def __init__(
        self,
        doc: Doc,
        *,
        name: str = "",
        nodes: Iterable[Iterable[int]] = (),
        edges: Sequence[tuple[int, int]] = (),
        labels: Sequence[str | int] | None = None,
        weights: Sequence[float] | None = None,
    ) -> None:
        for given, what in ((labels, "labels"), (weights, "weights")):
            if given is not None and len(given) != len(edges):
                raise AssertionError(f"{len(given)} {what} for {len(edges)} edges")
        self.name: str = name
        self.table: GraphTable = GraphTable()
        self._doc = weakref.ref(doc)
        # A repeated node is added once, but counts twice in the positions that edges refer to.
        given_nodes = [self.add_node(node) for node in nodes]
        for i, (head, tail) in enumerate(edges):
            for end in (head, tail):
                if not -len(given_nodes) <= end < len(given_nodes):
                    text = f"[E1034] edge {i} leads to node {end} of {len(given_nodes)}"
                    raise IndexError(text)
            self.add_edge(
                given_nodes[head],
                given_nodes[tail],
                label="" if labels is None else labels[i],
                weight=None if weights is None else weights[i],
            )

    @property
    def doc(self) -> Doc | None:
        """The document, or None if it was freed."""
        return self._doc()

    @property
    def nodes(self) -> Iterator[Node]:
        """The nodes, in the order in which they were added."""
        return (Node(self, i) for i in range(self.table.node_count))

    @property
    def edges(self) -> Iterator[Edge]:
        """The edges, in the order in which they were added."""
        return (Edge(self, i) for i in range(self.table.edge_count))

    def add_node(self, indices: Iterable[int] | Node) -> Node:
        """Returns the node of these tokens, in this order; it is added if it is missing."""
        if isinstance(indices, Node):
            return indices
        return Node(self, self.table.add_node(list(indices)))

    def get_node(self, indices: Iterable[int] | Node) -> Node:
        """Returns the node of these tokens, or the NoneNode."""
        if isinstance(indices, Node):
            return indices
        number = self.table.find_node(list(indices))
        return NoneNode(self) if number is None else Node(self, number)

    def has_node(self, indices: Iterable[int] | Node) -> bool:
        """Returns whether the graph has a node of these tokens."""
        return not self.get_node(indices).is_none

    def add_edge(
        self,
        head: Iterable[int] | Node,
        tail: Iterable[int] | Node,
        *,
        label: str | int = "",
        weight: float | None = None,
    ) -> Edge:
        """Returns the edge with a label between two nodes; adds missing nodes and a missing edge.

        weight: the new weight of the edge; by default an existing weight is kept, and a new one is
            0.0.
        """
        head, tail = self.add_node(head), self.add_node(tail)
        doc = self.doc
        if isinstance(label, str) and doc is not None:
            label = doc.vocab.strings.add(label)
        added = self.table.add_edge(head.i, tail.i, get_string_id(label), weight)
        return Edge(self, added)

    def get_edge(
        self, head: Iterable[int] | Node, tail: Iterable[int] | Node, *, label: str | int = ""
    ) -> Edge:
        """Returns the edge with a label between two nodes, or the NoneEdge."""
        head, tail = self.get_node(head), self.get_node(tail)
        if head.is_none or tail.is_none:
            return NoneEdge(self)
        number = self.table.find_edge(head.i, tail.i, get_string_id(label))
        return NoneEdge(self) if number is None else Edge(self, number)

    def has_edge(
        self, head: Iterable[int] | Node, tail: Iterable[int] | Node, label: str | int
    ) -> bool:
        """Returns whether an edge with this label connects two nodes."""
        return not self.get_edge(head, tail, label=label).is_none


class _Part:
    """A node or an edge of a graph, by its number."""

    __slots__ = ("graph", "i")

    def __init__(self, graph: Graph, i: int) -> None:
        self.graph: Graph = graph
        self.i: int = i

    @property
    def is_none(self) -> bool:
        """True for the placeholder of a missing node or edge."""
        return False

    @property
    def doc(self) -> Doc | None:
        """The document, or None if it was freed."""
        return self.graph.doc


class Edge(_Part):
    """An edge of a graph, by its number."""

    __slots__ = ()

    @property
    def head(self) -> Node:
        """The node it begins at."""
        return Node(self.graph, self.graph.table.head(self.i))

    @property
    def tail(self) -> Node:
        """The node it leads to."""
        return Node(self.graph, self.graph.table.tail(self.i))

    @property
    def label(self) -> int:
        """The id of the label."""
        return self.graph.table.label(self.i)

    @property
    def label_(self) -> str:
        """The label. Raises ReferenceError if the document was freed."""
        return _alive(self.graph).vocab.strings[self.label]

    @property
    def weight(self) -> float:
        """The weight, in single precision."""
        return self.graph.table.weight(self.i)


class Node(_Part):
    """A node of a graph, by its number: a sequence of the positions of its tokens.

    Raises IndexError (E1034) for an unknown node.
    """

    __slots__ = ()

    def __init__(self, graph: Graph, i: int) -> None:
        count = graph.table.node_count
        if not -count <= i < count:
            raise IndexError(f"[E1034] node {i} of a graph that has {count}")
        super().__init__(graph, i + count if i < 0 else i)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Node) and self.graph is other.graph and self.i == other.i

    def __hash__(self) -> int:
        return hash((id(self.graph), self.i))

    def __iter__(self) -> Iterator[int]:
        return iter(self._tokens())

    def __len__(self) -> int:
        return len(self._tokens())

    def __getitem__(self, i: int) -> int:
        tokens = self._tokens()
        if not -len(tokens) <= i < len(tokens):
            raise IndexError(f"[E1035] token {i} of a node that has {len(tokens)}")
        return tokens[i]

    def _tokens(self) -> tuple[int, ...]:
        return self.graph.table.node(self.i)

    @property
    def tokens(self) -> tuple[Token, ...]:
        """The tokens. Raises ReferenceError if the document was freed."""
        doc = _alive(self.graph)
        return tuple(doc[i] for i in self)

    def head(self, i: int | None = None, label: str | int | None = None) -> Node:
        """Returns the head of an incoming edge: the first, or the `i`-th, with a label if given."""
        return self.headed(i, label).head

    def tail(self, i: int | None = None, label: str | int | None = None) -> Node:
        """Returns the tail of an outgoing edge: the first, or the `i`-th, with a label if given."""
        return self.tailed(i, label).tail

    def sibling(self, i: int | None = None, label: str | int | None = None) -> Node:
        """Returns another tail of a head of this node: the first, or the `i`-th, with a label if
        given.
        """
        return _pick(self.graph, self._to_siblings(), i, label).tail

    def heads(self, label: str | int | None = None) -> list[Node]:
        """Returns the heads of incoming edges, with a label if given."""
        return [edge.head for edge in self.headeds(label)]

    def tails(self, label: str | int | None = None) -> list[Node]:
        """Returns the tails of outgoing edges, with a label if given."""
        return [edge.tail for edge in self.taileds(label)]

    def siblings(self, label: str | int | None = None) -> list[Node]:
        """Returns the other tails of this node's heads, by edges with a label if given."""
        return [edge.tail for edge in _labelled(self._to_siblings(), label)]

    def headed(self, i: int | None = None, label: str | int | None = None) -> Edge:
        """Returns an edge to a head: the first, or the `i`-th, with a label if given; else the
        NoneEdge.
        """
        return _pick(self.graph, self.headeds(), i, label)

    def tailed(self, i: int | None = None, label: str | int | None = None) -> Edge:
        """Returns an edge to a tail: the first, or the `i`-th, with a label if given; else the
        NoneEdge.
        """
        return _pick(self.graph, self.taileds(), i, label)

    def headeds(self, label: str | int | None = None) -> list[Edge]:
        """Returns the edges to heads, in the order in which they were added."""
        return self._edges(False, label)

    def taileds(self, label: str | int | None = None) -> list[Edge]:
        """Returns the edges to tails, in the order in which they were added."""
        return self._edges(True, label)

    def walk_heads(self) -> Iterator[Node]:
        """Yields the ancestors, the nearest first; once for each edge that leads to them."""
        return (Node(self.graph, i) for i in self.graph.table.walk(self.i, False))

    def walk_tails(self) -> Iterator[Node]:
        """Yields the descendants, the nearest first; once for each edge that leads to them."""
        return (Node(self.graph, i) for i in self.graph.table.walk(self.i, True))

    def _edges(self, tails: bool, label: str | int | None) -> list[Edge]:
        edges = [Edge(self.graph, i) for i in self.graph.table.edges_of(self.i, tails)]
        return _labelled(edges, label)

    def _to_siblings(self) -> list[Edge]:
        edges = (edge for head in self.heads() for edge in head.taileds())
        return [edge for edge in edges if edge.tail.i != self.i]


class NoneEdge(Edge):
    """The placeholder of a missing edge."""

    __slots__ = ()

    def __init__(self, graph: Graph) -> None:
        super().__init__(graph, -1)

    @property
    def is_none(self) -> bool:
        """True."""
        return True

    @property
    def head(self) -> Node:
        """The NoneNode."""
        return NoneNode(self.graph)

    @property
    def tail(self) -> Node:
        """The NoneNode."""
        return NoneNode(self.graph)

    @property
    def label(self) -> int:
        """0, the id of the empty label."""
        return 0

    @property
    def label_(self) -> str:
        """The empty label."""
        return ""

    @property
    def weight(self) -> float:
        """0.0."""
        return 0.0


class NoneNode(Node):
    """The placeholder of a missing node: without tokens and edges."""

    __slots__ = ()

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.i = -1

    def __getitem__(self, i: int) -> int:
        raise IndexError("[E1036] the node is empty, so it has no tokens")

    @property
    def is_none(self) -> bool:
        """True."""
        return True

    @property
    def tokens(self) -> tuple[Token, ...]:
        """No tokens."""
        return ()

    def walk_heads(self) -> Iterator[Node]:
        """No nodes."""
        return iter(())

    def walk_tails(self) -> Iterator[Node]:
        """No nodes."""
        return iter(())

    def _tokens(self) -> tuple[int, ...]:
        return ()

    def _edges(self, tails: bool, label: str | int | None) -> list[Edge]:
        return []


def _alive(graph: Graph) -> Doc:
    doc = graph.doc
    if doc is None:
        raise ReferenceError(f"the document of the graph {graph.name!r} is gone")
    return doc


def _labelled(edges: Iterable[Edge], label: Any) -> list[Edge]:
    if label is None:
        return list(edges)
    label_id = get_string_id(label)
    return [edge for edge in edges if edge.label == label_id]


def _pick(graph: Graph, edges: list[Edge], i: int | None, label: str | int | None) -> Edge:
    """Returns the first edge, or the one at `i`, if it has this label; else the NoneEdge."""
    matches = _labelled(edges if i is None else edges[i : i + 1], label)
    return matches[0] if matches else NoneEdge(graph)
