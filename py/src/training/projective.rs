//! Projective dependency trees: lifting of crossing arcs, and its inverse.

use lexpool::projective;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::object::doc::PyDoc;
use crate::runtime::error::OrRaise;
use crate::runtime::gil::{detached, unlocked};
use crate::runtime::items::{self, Items};
use crate::runtime::op_calls;

/// Returns heads and labels of a projective tree: crossing arcs are lifted, and their labels marked
/// with the label of their former head.
///
/// heads: the position of each token's head, its own for a root, None or -1 if unknown.
///
/// Raises ValueError: E082 if the numbers of heads and labels differ, E190 for a head outside, and
/// "Found cycle in dependency graph" for a cycle.
#[pyfunction]
// stub: (heads: Sequence[_Head], labels: Sequence[_Label]) -> tuple[list[_Head], list[_Label]]
fn projectivize<'py>(
    py: Python<'py>,
    heads: Items<Bound<'py, PyAny>>,
    labels: Items<Bound<'py, PyAny>>,
) -> PyResult<(Row<'py>, Row<'py>)> {
    let (mut heads, mut labels) = (heads.into_vec(), labels.into_vec());
    if heads.len() != labels.len() {
        let text = format!("[E082] got {} heads but {} labels", heads.len(), labels.len());
        return Err(PyValueError::new_err(text));
    }
    let known = heads.iter().map(head).collect::<PyResult<Vec<_>>>()?;
    let lifted = unlocked(py, known.len(), || op_calls::projectivize(&known))?;
    let mut decorated = Vec::new();
    for (token, (head, new_head)) in known.iter().zip(lifted).enumerate() {
        if let Some(head) = head.filter(|&head| Some(head) != new_head) {
            let (label, head_label) = (labels[token].str()?, labels[head].str()?);
            let label = projective::decorate(label.to_str()?, head_label.to_str()?);
            heads[token] = new_head.into_pyobject(py)?;
            decorated.push((token, label.into_pyobject(py)?.into_any()));
        }
    }
    for (token, label) in decorated {
        labels[token] = label;
    }
    Ok((heads, labels))
}

/// Returns the heads on the path from a token up to the root, or to None if one is unknown.
///
/// Raises ValueError (E190) for a head outside, IndexError (E040) for an unknown token.
#[pyfunction]
// stub: (heads: Sequence[int | None])
fn ancestors(tokenid: isize, heads: &Bound<'_, PyAny>) -> PyResult<Vec<Option<usize>>> {
    projective::ancestors(position(tokenid), &known(heads)?).or_raise()
}

/// Returns the tokens of the first path upwards that leads into a cycle; None for a tree.
#[pyfunction]
// stub: (heads: Sequence[int | None])
fn cycle(heads: &Bound<'_, PyAny>) -> PyResult<Option<Vec<usize>>> {
    projective::cycle_of(&known(heads)?).or_raise()
}

/// Returns True if a token's arc spans a token that does not descend from its head.
#[pyfunction]
// stub: (heads: Sequence[int | None])
fn is_nonproj_arc(tokenid: isize, heads: &Bound<'_, PyAny>) -> PyResult<bool> {
    projective::is_nonprojective_arc(position(tokenid), &known(heads)?).or_raise()
}

/// Returns True if any arc is non-projective.
#[pyfunction]
// stub: (heads: Sequence[int | None])
fn is_nonproj_tree(heads: &Bound<'_, PyAny>) -> PyResult<bool> {
    projective::is_nonprojective_tree(&known(heads)?).or_raise()
}

/// Returns the token with the shortest non-projective arc; None for a projective tree.
#[pyfunction]
// stub: (heads: Sequence[int | None])
fn smallest_nonproj_arc(heads: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
    projective::smallest_nonprojective_arc(&known(heads)?).or_raise()
}

/// Moves lifted arcs of a document back to the heads that their labels name.
#[pyfunction]
fn deprojectivize(doc: Bound<'_, PyDoc>) -> PyResult<Bound<'_, PyDoc>> {
    let py = doc.py();
    let mut writing = doc.get().write(py)?;
    let inner = &mut *writing;
    detached(py, || projective::deprojectivize(inner)).or_raise()?;
    drop(writing);
    Ok(doc)
}

/// A label, and the label of the head that it was lifted from; the latter is empty for other
/// labels.
#[pyfunction]
fn decompose(label: &str) -> (&str, &str) {
    projective::decompose(label)
}

/// A value for each token.
type Row<'py> = Vec<Bound<'py, PyAny>>;

/// Heads as positions.
fn known(heads: &Bound<'_, PyAny>) -> PyResult<Vec<Option<usize>>> {
    items::read(heads, |given| head(&given))
}

/// A head as a position; None and negative numbers are unknown.
fn head(given: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
    Ok(given.extract::<Option<i64>>()?.and_then(|head| usize::try_from(head).ok()))
}

/// A negative position is mapped to one that is outside of any document.
fn position(tokenid: isize) -> usize {
    usize::try_from(tokenid).unwrap_or(usize::MAX)
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(ancestors, module)?)?;
    module.add_function(wrap_pyfunction!(cycle, module)?)?;
    module.add_function(wrap_pyfunction!(is_nonproj_arc, module)?)?;
    module.add_function(wrap_pyfunction!(is_nonproj_tree, module)?)?;
    module.add_function(wrap_pyfunction!(smallest_nonproj_arc, module)?)?;
    module.add_function(wrap_pyfunction!(deprojectivize, module)?)?;
    module.add_function(wrap_pyfunction!(decompose, module)?)?;
    module.add_function(wrap_pyfunction!(projectivize, module)?)
}
