"""Graphs of relations between groups of tokens."""

import gc

import pytest

import lexpool
from lexpool.tokens.graph import Edge, Graph, Node, NoneEdge, NoneNode


@pytest.fixture
def doc():
    return lexpool.Doc(lexpool.Vocab(), words=["a", "b", "c", "d"])


@pytest.fixture
def graph(doc):
    return Graph(
        doc,
        name="srl",
        nodes=[(0,), (1, 3), (2,), ()],
        edges=[(0, 1), (0, 2), (3, 0)],
        labels=["agent", "patient", "root"],
        weights=[1.5, -2.0, 0.25],
    )


def groups(nodes):
    return [tuple(node) for node in nodes]


def test_a_graph_holds_what_it_was_made_of(doc, graph):
    assert graph.name == "srl"
    assert graph.doc is doc
    assert groups(graph.nodes) == [(0,), (1, 3), (2,), ()]
    edges = [(e.head.i, e.tail.i, e.label_, e.weight) for e in graph.edges]
    assert edges == [(0, 1, "agent", 1.5), (0, 2, "patient", -2.0), (3, 0, "root", 0.25)]
    assert [e.label for e in graph.edges] == [doc.vocab.strings[e.label_] for e in graph.edges]


def test_a_group_is_there_once_and_its_order_counts(graph):
    node = graph.add_node((1, 3))
    assert node == graph.get_node([1, 3]) == graph.add_node(node)
    assert len({node, graph.get_node((1, 3))}) == 1
    assert graph.add_node((3, 1)) != node
    assert graph.has_node((3, 1)) and not graph.has_node((7,))


def test_nodes_give_their_tokens(doc, graph):
    node = graph.get_node((1, 3))
    assert (len(node), node[0], node[-1], [t.i for t in node.tokens]) == (2, 1, 3, [1, 3])
    for i in (2, -3):
        with pytest.raises(IndexError, match="E1035"):
            node[i]
    assert Node(graph, -1) == graph.get_node(())
    for i in (4, -5):
        with pytest.raises(IndexError, match="E1034"):
            Node(graph, i)


def test_heads_tails_and_siblings_are_found_by_label_and_place(graph):
    verb, agent, patient, root = graph.nodes
    assert verb.tails() == [agent, patient] and verb.heads() == [root]
    assert verb.tails(label="patient") == [patient] and verb.tails(label="x") == []
    assert verb.tail() == agent and verb.tail(i=1) == patient
    assert verb.tail(i=1, label="agent").is_none and verb.tail(i=5).is_none
    assert agent.head() == verb and agent.head(label="patient").is_none
    assert agent.siblings() == [patient] and agent.siblings(label="agent") == []
    assert agent.sibling() == patient and agent.sibling(i=1).is_none
    assert [edge.label_ for edge in verb.taileds()] == ["agent", "patient"]
    assert verb.headed().label_ == "root" and verb.tailed(label="patient").weight == -2.0


def test_walks_end_in_a_cycle(doc):
    graph = Graph(doc, nodes=[(0,), (1,), (2,), (3,)], edges=[(0, 1), (0, 2), (0, 3), (3, 0)])
    first, second, _, last = graph.nodes
    assert groups(first.walk_heads()) == [(3,), (0,)]
    assert groups(second.walk_heads()) == [(0,), (3,), (0,)]
    assert groups(last.walk_tails()) == [(0,), (1,), (2,), (3,)]


def test_an_edge_is_there_once_and_keeps_its_weight_unless_given_another(graph):
    edge = graph.add_edge((0,), (1, 3), label="agent")
    assert (edge.i, edge.weight) == (0, 1.5)
    assert graph.add_edge((0,), (1, 3), label="agent", weight=9).weight == 9.0
    assert graph.add_edge((0,), (1, 3), label="other").i == 3
    assert graph.has_edge((0,), (1, 3), label="other")
    assert not graph.has_edge((1, 3), (0,), label="other")
    assert not graph.has_edge((0,), (1, 3), label="none")


def test_what_is_not_there_answers_with_nothing(graph):
    edge, node = graph.get_edge((9,), (0,)), graph.get_node((9,))
    assert isinstance(edge, NoneEdge) and isinstance(edge, Edge) and edge.is_none
    assert isinstance(node, NoneNode) and isinstance(node, Node) and node.is_none
    assert (edge.label, edge.label_, edge.weight) == (0, "", 0.0)
    assert edge.head.is_none and edge.tail.is_none
    assert (len(node), node.tokens, node.heads(), node.siblings()) == (0, (), [], [])
    assert list(node.walk_heads()) == list(node.walk_tails()) == []
    assert node.head().is_none and node.sibling().is_none
    with pytest.raises(IndexError, match="E1036"):
        node[0]


def test_labels_and_weights_are_as_many_as_edges(doc):
    for wrong in ({"labels": ["a"]}, {"weights": [1.0, 2.0, 3.0]}):
        with pytest.raises(AssertionError):
            Graph(doc, nodes=[(0,), (1,)], edges=[(0, 1), (1, 0)], **wrong)
    with pytest.raises(IndexError, match="E1034"):
        Graph(doc, nodes=[(0,)], edges=[(0, 1)])


def test_a_graph_does_not_keep_its_document(graph):
    only = Graph(lexpool.Doc(lexpool.Vocab(), words=["a"]), nodes=[(0,)])
    gc.collect()
    assert only.doc is None
    with pytest.raises(ReferenceError):
        next(only.nodes).tokens
