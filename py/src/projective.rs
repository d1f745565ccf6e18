//! Projective trees for Python.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::kernels;

/// Heads and labels of a projective tree: arcs that cross others are lifted, and their labels marked
/// with the label of the head they had.
///
/// `heads`: the position of each token's head, its own for a root, None or -1 where it is not known.
///
/// ValueError E082: not one label for each head; E190: a head outside; one that says "Found cycle in
/// dependency graph".
#[pyfunction]
fn projectivize<'py>(mut heads: Row<'py>, mut labels: Row<'py>) -> PyResult<(Row<'py>, Row<'py>)> {
    if heads.len() != labels.len() {
        let text = format!("[E082] {} heads but {} labels", heads.len(), labels.len());
        return Err(PyValueError::new_err(text));
    }
    let known = heads
        .iter()
        .map(|head| Ok(head.extract::<Option<i64>>()?.and_then(|head| usize::try_from(head).ok())))
        .collect::<PyResult<Vec<_>>>()?;
    let lifted = kernels::projectivize(&known)?;
    let mut decorated = Vec::new();
    for (token, (head, new_head)) in known.iter().zip(lifted).enumerate() {
        if let Some(head) = head.filter(|&head| Some(head) != new_head) {
            let py = labels[token].py();
            let (label, head_label) = (labels[token].str()?, labels[head].str()?);
            let label = lexpool::projective::decorate(label.to_str()?, head_label.to_str()?);
            heads[token] = new_head.into_pyobject(py)?;
            decorated.push((token, label.into_pyobject(py)?.into_any()));
        }
    }
    for (token, label) in decorated {
        labels[token] = label;
    }
    Ok((heads, labels))
}

/// A value for each token.
type Row<'py> = Vec<Bound<'py, PyAny>>;

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(projectivize, module)?)
}
