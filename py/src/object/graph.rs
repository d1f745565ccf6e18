//! Nodes and edges of `lexpool.tokens.graph`, as numbers; its classes are written in Python.

use std::sync::{Mutex, MutexGuard, PoisonError};

use lexpool::graph::{Direction, Edge, Graph};
use lexpool::strings::StrId;
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::runtime::classes::{self, class};
use crate::runtime::error::OrRaise;
use crate::runtime::items::Items;

/// Nodes (sets of token positions) and labelled edges between them, by number.
#[pyclass(name = "GraphTable", module = "lexpool._core", frozen)]
struct PyGraphTable(Mutex<Graph>);

class!(PyGraphTable);

impl PyGraphTable {
    /// Locked for a moment only, and never while Python code runs.
    fn graph(&self) -> MutexGuard<'_, Graph> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn edge(&self, edge: usize) -> PyResult<(Edge, f32)> {
        let (found, count) = {
            let graph = self.graph();
            (graph.edge(edge), graph.edge_count())
        };
        found.ok_or_else(|| {
            PyIndexError::new_err(format!(
                "[E1034] edge {edge} is out of range for a graph with \
                                           {count} edges"
            ))
        })
    }
}

/// Tails if `tails` is true, else heads.
fn direction(tails: bool) -> Direction {
    if tails { Direction::Tails } else { Direction::Heads }
}

#[pymethods]
impl PyGraphTable {
    #[new]
    fn py_new() -> PyGraphTable {
        PyGraphTable(Mutex::default())
    }

    /// Returns the number of the node of these tokens; the node is added if it is new.
    #[expect(clippy::needless_pass_by_value, reason = "made from a Python list for this call")]
    fn add_node(&self, tokens: Items<i32>) -> usize {
        self.graph().add_node(&tokens)
    }

    /// Returns the number of the node of these tokens, or None.
    #[expect(clippy::needless_pass_by_value, reason = "made from a Python list for this call")]
    fn find_node(&self, tokens: Items<i32>) -> Option<usize> {
        self.graph().find_node(&tokens)
    }

    /// Returns the tokens of a node. Raises IndexError (E1034) for an unknown node.
    // stub: -> tuple[int, ...]
    fn node<'py>(&self, py: Python<'py>, node: usize) -> PyResult<Bound<'py, PyTuple>> {
        let (tokens, count) = {
            let graph = self.graph();
            (graph.node(node).map(<[i32]>::to_vec), graph.node_count())
        };
        let tokens = tokens.ok_or_else(|| {
            PyIndexError::new_err(format!(
                "[E1034] node {node} is out of range for a graph with \
                                           {count} nodes"
            ))
        })?;
        PyTuple::new(py, tokens)
    }

    /// Returns the number of nodes.
    #[getter]
    fn node_count(&self) -> usize {
        self.graph().node_count()
    }

    /// Returns the number of an edge; the edge is added if it is new. Raises IndexError (E1034) for
    /// an unknown node.
    #[pyo3(signature = (head, tail, label, weight=None))]
    fn add_edge(
        &self,
        head: usize,
        tail: usize,
        label: u64,
        weight: Option<f32>,
    ) -> PyResult<usize> {
        let edge = Edge { head, tail, label: StrId::new(label) };
        self.graph().add_edge(edge, weight).or_raise()
    }

    /// Returns the number of an edge, or None.
    fn find_edge(&self, head: usize, tail: usize, label: u64) -> Option<usize> {
        self.graph().find_edge(Edge { head, tail, label: StrId::new(label) })
    }

    /// Returns the head of an edge. Raises IndexError (E1034) for an unknown edge.
    fn head(&self, edge: usize) -> PyResult<usize> {
        Ok(self.edge(edge)?.0.head)
    }

    /// Returns the tail of an edge. Raises IndexError (E1034) for an unknown edge.
    fn tail(&self, edge: usize) -> PyResult<usize> {
        Ok(self.edge(edge)?.0.tail)
    }

    /// Returns the id of an edge's label. Raises IndexError (E1034) for an unknown edge.
    fn label(&self, edge: usize) -> PyResult<u64> {
        Ok(self.edge(edge)?.0.label.get())
    }

    /// Returns the weight of an edge. Raises IndexError (E1034) for an unknown edge.
    fn weight(&self, edge: usize) -> PyResult<f32> {
        Ok(self.edge(edge)?.1)
    }

    /// Returns the number of edges.
    #[getter]
    fn edge_count(&self) -> usize {
        self.graph().edge_count()
    }

    /// Returns the numbers of the edges to a node's heads, or with `tails` to its tails.
    fn edges_of(&self, node: usize, tails: bool) -> Vec<usize> {
        self.graph().edges_of(node, direction(tails)).to_vec()
    }

    /// Returns the numbers of the nodes above a node, or with `tails` below it, the nearest first.
    fn walk(&self, node: usize, tails: bool) -> Vec<usize> {
        self.graph().walk(node, direction(tails))
    }
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    classes::add::<PyGraphTable>(module)
}
