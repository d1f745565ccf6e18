//! Labelled relations between groups of tokens, such as predicates and their arguments.
//!
//! A node is a group of tokens in some order, an edge leads from a head to a tail under a label.
//! Each node, and each edge, is there but once.
//!
//! ```
//! use lexpool::graph::{Edge, Graph};
//! use lexpool::strings::StrId;
//!
//! let mut graph = Graph::default();
//! let (verb, agent) = (graph.add_node(&[1]), graph.add_node(&[0, 2]));
//! graph.add_edge(Edge { head: verb, tail: agent, label: StrId::of("agent") }, None)?;
//! assert_eq!(graph.node(agent), Some(&[0, 2][..]));
//! assert_eq!(graph.walk(agent, lexpool::graph::Direction::Heads), [verb]);
//! # Ok::<(), lexpool::Error>(())
//! ```

#![forbid(unsafe_code)]

use std::collections::HashMap;

use crate::codes;
use crate::strings::StrId;
use crate::{Error, ErrorKind, Result};

/// Nodes of tokens, and the edges between them.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    nodes: Vec<Node>,
    edges: Vec<(Edge, f32)>,
    by_tokens: HashMap<Box<[i32]>, usize>,
    by_edge: HashMap<Edge, usize>,
}

#[derive(Clone, Debug)]
struct Node {
    tokens: Box<[i32]>,
    /// The edges that end here, ascending, and those that begin here.
    up: Vec<usize>,
    down: Vec<usize>,
}

/// A relation: two nodes, by their positions, and what they are to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Edge {
    /// Node at its start.
    pub head: usize,
    /// Node at its end.
    pub tail: usize,
    /// The label's id.
    pub label: StrId,
}

/// Direction in which edges are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From tails to heads.
    Heads,
    /// From heads to tails.
    Tails,
}

impl Graph {
    /// Returns the position of the node of these tokens, in this order; adds the node if it is new.
    pub fn add_node(&mut self, tokens: &[i32]) -> usize {
        if let Some(&known) = self.by_tokens.get(tokens) {
            return known;
        }
        let at = self.nodes.len();
        self.by_tokens.insert(tokens.into(), at);
        self.nodes.push(Node { tokens: tokens.into(), up: Vec::new(), down: Vec::new() });
        at
    }

    /// The position of the node of these tokens, if there is one.
    pub fn find_node(&self, tokens: &[i32]) -> Option<usize> {
        self.by_tokens.get(tokens).copied()
    }

    /// The tokens of a node.
    pub fn node(&self, at: usize) -> Option<&[i32]> {
        self.nodes.get(at).map(|node| &*node.tokens)
    }

    /// The number of nodes.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// Returns the position of an edge; adds the edge, with weight 0 by default, if it is new.
    /// A weight replaces that of an edge which was there.
    ///
    /// # Errors
    ///
    /// `E1034` if the head or the tail is an unknown node.
    pub fn add_edge(&mut self, edge: Edge, weight: Option<f32>) -> Result<usize> {
        let count = self.nodes.len();
        if let Some(end) = [edge.head, edge.tail].into_iter().find(|&end| end >= count) {
            let text = format!("an edge to node {end}, but there are {count} nodes");
            return Err(Error::new(ErrorKind::Index, codes::E1034, text));
        }
        if let Some(&known) = self.by_edge.get(&edge) {
            if let Some(weight) = weight {
                self.edges[known].1 = weight;
            }
            return Ok(known);
        }
        let at = self.edges.len();
        self.by_edge.insert(edge, at);
        self.edges.push((edge, weight.unwrap_or(0.0)));
        self.nodes[edge.head].down.push(at);
        self.nodes[edge.tail].up.push(at);
        Ok(at)
    }

    /// The position of an edge, if it is there.
    pub fn find_edge(&self, edge: Edge) -> Option<usize> {
        self.by_edge.get(&edge).copied()
    }

    /// An edge and its weight.
    pub fn edge(&self, at: usize) -> Option<(Edge, f32)> {
        self.edges.get(at).copied()
    }

    /// The number of edges.
    pub fn edge_count(&self) -> usize {
        self.edges.len()
    }

    /// The edges from a node to its heads, or to its tails, in the order in which they were added.
    pub fn edges_of(&self, node: usize, direction: Direction) -> &[usize] {
        self.nodes.get(node).map_or(&[], |node| match direction {
            Direction::Heads => &node.up,
            Direction::Tails => &node.down,
        })
    }

    /// The nodes that are reached from one, the nearest first.
    ///
    /// Each node is left but once, so cycles end; it is listed each time that an edge leads to it.
    pub fn walk(&self, node: usize, direction: Direction) -> Vec<usize> {
        let mut left = vec![false; self.nodes.len()];
        let mut nodes = Vec::new();
        let mut next = Some(node);
        let mut position = 0;
        while let Some(from) = next {
            if left.get_mut(from).is_some_and(|left| !std::mem::replace(left, true)) {
                nodes.extend(self.edges_of(from, direction).iter().map(|&at| {
                    let (edge, _) = self.edges[at];
                    match direction {
                        Direction::Heads => edge.head,
                        Direction::Tails => edge.tail,
                    }
                }));
            }
            next = nodes.get(position).copied();
            position += 1;
        }
        nodes
    }
}

#[cfg(test)]
mod tests {
    use super::{Direction, Edge, Graph};
    use crate::strings::StrId;

    fn edge(head: usize, tail: usize) -> Edge {
        Edge { head, tail, label: StrId::of("x") }
    }

    fn circle() -> Graph {
        let mut graph = Graph::default();
        for token in 0..4 {
            graph.add_node(&[token]);
        }
        for (head, tail) in [(0, 1), (0, 2), (0, 3), (3, 0)] {
            graph.add_edge(edge(head, tail), None).expect("the nodes are there");
        }
        graph
    }

    #[test]
    fn a_group_of_tokens_is_one_node_and_its_order_counts() {
        let mut graph = Graph::default();
        let node = graph.add_node(&[1, 3]);
        assert_eq!(graph.add_node(&[1, 3]), node);
        assert_ne!(graph.add_node(&[3, 1]), node);
        assert_eq!(graph.find_node(&[]), None);
        let empty = graph.add_node(&[]);
        assert_eq!((graph.find_node(&[]), graph.node_count()), (Some(empty), 3));
        assert_eq!(graph.node(9), None);
    }

    #[test]
    fn an_edge_is_there_once_and_its_weight_changes_if_one_is_given() {
        let mut graph = circle();
        assert_eq!(graph.add_edge(edge(0, 2), Some(2.5)).unwrap(), 1);
        assert_eq!(graph.add_edge(edge(0, 2), None).unwrap(), 1);
        assert_eq!(graph.edge(1), Some((edge(0, 2), 2.5)));
        assert_eq!((graph.edge_count(), graph.edge(4)), (4, None));
        let other = Edge { label: StrId::of("y"), ..edge(0, 2) };
        assert_eq!(graph.find_edge(other), None);
        assert_eq!(graph.add_edge(other, None).unwrap(), 4);
    }

    #[test]
    fn an_edge_needs_two_nodes() {
        let mut graph = circle();
        assert_eq!(graph.add_edge(edge(0, 4), None).expect_err("there are 4").code(), "E1034");
        assert_eq!(graph.edge_count(), 4);
    }

    #[test]
    fn a_walk_ends_in_a_cycle_and_lists_what_each_edge_leads_to() {
        let graph = circle();
        assert_eq!(graph.walk(0, Direction::Heads), [3, 0]);
        assert_eq!(graph.walk(1, Direction::Heads), [0, 3, 0]);
        assert_eq!(graph.walk(3, Direction::Tails), [0, 1, 2, 3]);
        assert!(graph.walk(2, Direction::Tails).is_empty());
        assert!(graph.walk(7, Direction::Tails).is_empty());
        assert_eq!(graph.edges_of(0, Direction::Tails), [0, 1, 2]);
        assert!(graph.edges_of(7, Direction::Tails).is_empty());
    }
}
