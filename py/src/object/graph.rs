//! The nodes and edges of `lexpool.tokens.graph`, as numbers; its classes are Python's.

use std::sync::{Mutex, MutexGuard, PoisonError};

use lexpool::graph::{Direction, Edge, Graph};
use lexpool::strings::StrId;
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::runtime::classes::{self, class};
use crate::runtime::error::OrRaise;

/// Nodes of token positions and labelled edges between them, each by its number.
#[pyclass(name = "GraphTable", module = "lexpool._core", frozen)]
struct PyGraphTable(Mutex<Graph>);

class!(PyGraphTable);

impl PyGraphTable {
    /// Held for a moment, and never while Python code runs.
    fn graph(&self) -> MutexGuard<'_, Graph> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn edge(&self, edge: usize) -> PyResult<(Edge, f32)> {
        let (found, count) = {
            let graph = self.graph();
            (graph.edge(edge), graph.edge_count())
        };
        found.ok_or_else(|| {
            PyIndexError::new_err(format!("[E1034] edge {edge} of a graph that has {count}"))
        })
    }
}

/// Tails if so asked, else heads.
fn direction(tails: bool) -> Direction {
    if tails { Direction::Tails } else { Direction::Heads }
}

#[pymethods]
impl PyGraphTable {
    #[new]
    fn py_new() -> PyGraphTable {
        PyGraphTable(Mutex::default())
    }

    /// The number of the node of these tokens, which is made if there is none.
    #[expect(clippy::needless_pass_by_value, reason = "made from a Python list for this call")]
    fn add_node(&self, tokens: Vec<i32>) -> usize {
        self.graph().add_node(&tokens)
    }

    /// The number of the node of these tokens, or None.
    #[expect(clippy::needless_pass_by_value, reason = "made from a Python list for this call")]
    fn find_node(&self, tokens: Vec<i32>) -> Option<usize> {
        self.graph().find_node(&tokens)
    }

    /// The tokens of a node. IndexError E1034: there is no such node.
    fn node<'py>(&self, py: Python<'py>, node: usize) -> PyResult<Bound<'py, PyTuple>> {
        let (tokens, count) = {
            let graph = self.graph();
            (graph.node(node).map(<[i32]>::to_vec), graph.node_count())
        };
        let tokens = tokens.ok_or_else(|| {
            PyIndexError::new_err(format!("[E1034] node {node} of a graph that has {count}"))
        })?;
        PyTuple::new(py, tokens)
    }

    /// How many nodes there are.
    #[getter]
    fn node_count(&self) -> usize {
        self.graph().node_count()
    }

    /// The number of an edge, which is made if there is none. IndexError E1034: no such node.
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

    /// The number of an edge, or None.
    fn find_edge(&self, head: usize, tail: usize, label: u64) -> Option<usize> {
        self.graph().find_edge(Edge { head, tail, label: StrId::new(label) })
    }

    /// Where an edge begins. IndexError E1034: there is no such edge.
    fn head(&self, edge: usize) -> PyResult<usize> {
        Ok(self.edge(edge)?.0.head)
    }

    /// Where an edge ends. IndexError E1034: there is no such edge.
    fn tail(&self, edge: usize) -> PyResult<usize> {
        Ok(self.edge(edge)?.0.tail)
    }

    /// The id of an edge's label. IndexError E1034: there is no such edge.
    fn label(&self, edge: usize) -> PyResult<u64> {
        Ok(self.edge(edge)?.0.label.get())
    }

    /// The weight of an edge. IndexError E1034: there is no such edge.
    fn weight(&self, edge: usize) -> PyResult<f32> {
        Ok(self.edge(edge)?.1)
    }

    /// How many edges there are.
    #[getter]
    fn edge_count(&self) -> usize {
        self.graph().edge_count()
    }

    /// The numbers of the edges to a node's heads, or with `tails` to its tails.
    fn edges_of(&self, node: usize, tails: bool) -> Vec<usize> {
        self.graph().edges_of(node, direction(tails)).to_vec()
    }

    /// The numbers of the nodes above a node, or with `tails` below it, the nearest first.
    fn walk(&self, node: usize, tails: bool) -> Vec<usize> {
        self.graph().walk(node, direction(tails))
    }
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    classes::add::<PyGraphTable>(module)
}
