//! Scorers of states: a Python function, or an op or a network, which need no GIL.

use lexpool::transition::Scorer;
use lexpool::{Error, ErrorKind, Result};
use lexpool_ops::OpScorer;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::ops::PyOp;
use crate::runtime::array::array;
use crate::runtime::buffer_protocol::buffer_of;
use crate::runtime::error::{OrRaise, from_py, to_py};
use crate::runtime::user_calls::CallUser;
use crate::trained::PyStateScorer;
use lexpool::codes;

/// Converts a scorer of a number of features and classes.
///
/// # Errors
///
/// `TypeError` for a non-callable object, `ValueError` for a number of features that an op
/// cannot have.
pub(super) fn scorer_of(
    given: &Bound<'_, PyAny>,
    features: isize,
    classes: usize,
) -> PyResult<Box<dyn Scorer>> {
    let features = number(features, "state-features", "the number of features")?;
    if let Ok(scorer) = given.cast::<PyStateScorer>() {
        return Ok(Box::new(scorer.get().scorer()));
    }
    Ok(match PyOp::of_function(given) {
        Some(op) => Box::new(OpScorer::new(op, features).or_raise()?),
        None => Box::new(PyScorer::new(given, features, classes)?),
    })
}

/// A non-negative number; the core checks its upper bound.
pub(super) fn number(value: isize, code: &str, what: &str) -> PyResult<usize> {
    usize::try_from(value).map_err(|_| {
        PyValueError::new_err(format!("[{code}] {what} is {value}; it must not be negative"))
    })
}

/// The exception of a failed parse: an exception of the scorer or of an op is raised unchanged,
/// with a note of the state and the step.
pub(super) fn raised(py: Python<'_>, error: &Error) -> PyErr {
    let raised = to_py(error);
    if matches!(error.code(), "python-callback" | "op-failed") {
        // An exception that does not accept a note is raised without it.
        let _ = raised.value(py).call_method1("add_note", (error.message(),));
    }
    raised
}

/// Calls a Python function with an array of features, int32 (states, features), which returns an
/// array of scores, float32 (states, classes), on any thread that steps the states.
struct PyScorer {
    function: Py<PyAny>,
    features: usize,
    classes: usize,
}

impl PyScorer {
    fn new(function: &Bound<'_, PyAny>, features: usize, classes: usize) -> PyResult<PyScorer> {
        if !function.is_callable() {
            let class = function.get_type().name()?;
            let text = format!("[transition-scorer] expected a callable scorer, not a {class}");
            return Err(PyTypeError::new_err(text));
        }
        Ok(PyScorer { function: function.clone().unbind(), features, classes })
    }
}

impl Scorer for PyScorer {
    fn features(&self) -> usize {
        self.features
    }

    fn score(&self, features: &[i32], scores: &mut Vec<f32>) -> Result<()> {
        Python::attach(|py| {
            let rows = features.len() / self.features.max(1);
            let called = array(py, features, &[rows, self.features])
                .and_then(|features| self.function.bind(py).call_user((features,)));
            let result = called.map_err(|raised| from_py(py, raised, "the scorer raised"))?;
            let Ok(buffer) = buffer_of::<f32>(&result) else {
                let text = format!(
                    "the scorer returned {}; expected an array of float32 with the shape \
                     ({rows}, {})",
                    type_of(&result),
                    self.classes,
                );
                return Err(Error::new(ErrorKind::Type, codes::TRANSITION_DTYPE, text));
            };
            if buffer.shape() != [rows, self.classes] {
                let text = format!(
                    "the scorer returned the shape {:?} for {rows} states and {} classes",
                    buffer.shape(),
                    self.classes,
                );
                return Err(Error::new(ErrorKind::Value, codes::TRANSITION_SCORES, text));
            }
            buffer
                .copy_to_slice(py, &mut scores[..])
                .map_err(|raised| from_py(py, raised, "the scores could not be read"))
        })
    }
}

/// The type of an object, for error messages.
fn type_of(object: &Bound<'_, PyAny>) -> String {
    let class = object.get_type().name().map_or_else(|_| "?".to_owned(), |name| name.to_string());
    match object.getattr("dtype") {
        Ok(dtype) => format!("a {class} of {dtype}"),
        Err(_) => format!("a {class}"),
    }
}
