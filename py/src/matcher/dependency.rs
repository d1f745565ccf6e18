//! Engine of `lexpool.matcher.DependencyMatcher`.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lexpool::matcher::{
    DependencyMatch, DependencyMatcher, DependencyPattern, Link, Question, WideNode,
};
use lexpool::strings::StrId;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

use super::pattern::{Element, pattern_of};
use super::search::search;
use crate::object::doc::PyDoc;
use crate::runtime::classes::class;
use crate::runtime::error::{OrRaise, from_py};
use crate::runtime::items::Items;
use crate::runtime::user_calls::CallUser;

/// A node from Python: the node that it is attached to, the operator, and the elements of its
/// pattern. For the first node, which is not attached, number and operator are ignored.
type Node<'py> = (usize, String, Items<Element<'py>>);

/// Compiled patterns of trees, by key.
#[pyclass(name = "TreeMatcher", module = "lexpool._core", frozen)]
pub(super) struct PyTreeMatcher(Mutex<Arc<DependencyMatcher>>);

class!(PyTreeMatcher);

impl PyTreeMatcher {
    /// Locked for a moment only, and never while Python code runs.
    fn matcher(&self) -> MutexGuard<'_, Arc<DependencyMatcher>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl PyTreeMatcher {
    #[new]
    fn py_new() -> PyTreeMatcher {
        PyTreeMatcher(Mutex::default())
    }

    /// Adds patterns under a key: lists of nodes.
    ///
    /// Raises ValueError: E012 for a pattern without nodes, E101 for a node without a link to
    /// an earlier one, E1007 for an unknown operator, and the errors of a TokenMatcher; then
    /// nothing is added.
    #[expect(clippy::needless_pass_by_value, reason = "made from Python lists for this call")]
    // stub: (patterns: Sequence[Sequence[tuple[int, str, Sequence[tuple[str, Sequence[tuple[Any,
    //     ...]]]]]]])
    fn add(&self, key: u64, patterns: Items<Items<Node<'_>>>) -> PyResult<()> {
        let compiled = patterns.iter().map(|nodes| {
            let Some(((_, _, anchor), nodes)) = nodes.split_first() else {
                return Err(PyValueError::new_err("[E012] a pattern has no nodes"));
            };
            let mut pattern = DependencyPattern::new(pattern_of(anchor)?);
            for (left, operator, elements) in nodes {
                let link = Link::of(operator).or_raise()?;
                pattern.push(*left, link, pattern_of(elements)?).or_raise()?;
            }
            Ok(pattern)
        });
        let compiled = compiled.collect::<PyResult<_>>()?;
        Arc::make_mut(&mut *self.matcher()).add(StrId::new(key), compiled).or_raise()
    }

    /// Removes all patterns of a key.
    fn remove(&self, key: u64) {
        Arc::make_mut(&mut *self.matcher()).remove(StrId::new(key));
    }

    /// Returns the matches, tuples of key and positions; and tuples of key, pattern, node, start
    /// and end for the nodes that several tokens match, each once.
    ///
    /// ask: as for a TokenMatcher.
    // stub: (ask: Callable[[int, int, str | None], bool]) -> tuple[list[tuple[int, list[int]]],
    //     list[tuple[int, int, int, int, int]]]
    fn find<'py>(
        &self,
        doc: &Bound<'py, PyDoc>,
        ask: &Bound<'py, PyAny>,
    ) -> PyResult<(Bound<'py, PyList>, Bound<'py, PyList>)> {
        let py = doc.py();
        let matcher = Arc::clone(&self.matcher());
        let doc = doc.get().read(py)?;
        let found = if matcher.asks() {
            let mut ask = |Question { number, token, text }: Question<'_>| {
                let said = ask.call_user((number, token, text)).and_then(|said| said.extract());
                said.map_err(|raised| from_py(py, raised, "asking whether a token matches"))
            };
            matcher.find(&doc, &mut ask)
        } else {
            search(py, 0..doc.len(), &doc, |doc, _| matcher.find(doc, &mut |_| Ok(false)))
        };
        let found = found.or_raise()?;
        let matches = PyList::empty(py);
        for DependencyMatch { key, tokens } in found.matches {
            matches.append((key.get(), PyList::new(py, tokens)?))?;
        }
        let wide = PyList::empty(py);
        for WideNode { key, pattern, node, tokens } in found.wide {
            wide.append((key.get(), pattern, node, tokens.start, tokens.end))?;
        }
        Ok((matches, wide))
    }
}

/// The operators of patterns.
pub(super) fn operators(py: Python<'_>) -> PyResult<Bound<'_, PyTuple>> {
    PyTuple::new(py, Link::all().map(|(operator, _)| operator))
}
