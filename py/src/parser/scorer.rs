//! A function of Python's as what scores states.

use lexpool::transition::Scorer;
use lexpool::{Error, ErrorKind, Result};
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::array::array;
use crate::error::{from_py, to_py};

/// Takes an array of features, int32 (states, features), and gives one of scores, float32 (states,
/// classes). It is called by whichever thread steps the states.
pub(super) struct PyScorer {
    function: Py<PyAny>,
    features: usize,
    classes: usize,
}

impl PyScorer {
    /// # Errors
    ///
    /// `TypeError` for what cannot be called.
    pub(super) fn new(
        function: &Bound<'_, PyAny>,
        features: usize,
        classes: usize,
    ) -> PyResult<PyScorer> {
        if !function.is_callable() {
            let given = function.get_type().name()?;
            let text =
                format!("[transition-scorer] a scorer is called with features; a {given} is not");
            return Err(PyTypeError::new_err(text));
        }
        Ok(PyScorer { function: function.clone().unbind(), features, classes })
    }

    /// What was raised where a parse failed: an exception of the scorer's own comes back as it was, with
    /// a note of the state and the step.
    pub(super) fn raised(py: Python<'_>, error: &Error) -> PyErr {
        let raised = to_py(error);
        if error.code() == "python-callback" {
            // One that takes no note is raised without.
            let _ = raised.value(py).call_method1("add_note", (error.message(),));
        }
        raised
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
                .and_then(|features| self.function.bind(py).call1((features,)));
            let given = called.map_err(|raised| from_py(py, raised, "the scorer raised"))?;
            let Ok(buffer) = PyBuffer::<f32>::get(&given) else {
                let text = format!(
                    "the scorer gave {}; it has to give an array of float32 with the shape \
                     ({rows}, {})",
                    described(&given),
                    self.classes,
                );
                return Err(Error::new(ErrorKind::Type, "transition-dtype", text));
            };
            if buffer.shape() != [rows, self.classes] {
                let text = format!(
                    "the scorer gave the shape {:?} for {rows} states and {} classes",
                    buffer.shape(),
                    self.classes,
                );
                return Err(Error::new(ErrorKind::Value, "transition-scores", text));
            }
            buffer
                .copy_to_slice(py, &mut scores[..])
                .map_err(|raised| from_py(py, raised, "the scores could not be read"))
        })
    }
}

/// What an object is, for people.
fn described(given: &Bound<'_, PyAny>) -> String {
    let class = given.get_type().name().map_or_else(|_| "?".to_owned(), |name| name.to_string());
    match given.getattr("dtype") {
        Ok(dtype) => format!("a {class} of {dtype}"),
        Err(_) => format!("a {class}"),
    }
}
