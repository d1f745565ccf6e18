//! Configurations of trainings, and the table of their evaluations, for trainings in Python.

use lexpool_training::{Evaluation, EvaluationTable, StepReport};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::io::config::config_of;
use crate::io::json::to_dict;
use crate::runtime::classes::class;
use crate::runtime::error::OrRaise;
use crate::runtime::items::Items;
use crate::training::steps::scores_of;

/// Returns the dotted names of the values of a configuration that are functions of Python.
///
/// config, origin: the configuration or its text, and its name for errors.
///
/// Raises ValueError (config-reference) for an invalid reference.
#[pyfunction]
// stub: (config: str | bytes | dict[str, Any])
pub(super) fn python_functions(config: &Bound<'_, PyAny>, origin: &str) -> PyResult<Vec<String>> {
    let config = config_of(config, origin)?;
    lexpool_training::python_functions(&config).or_raise()
}

/// Checks all of a configuration but its functions of Python, and components and readers of users.
///
/// config, origin: the configuration or its text, and its name for errors.
///
/// Raises ValueError: training-config with all unknown keys and wrong values, E985, E913 and E203
/// as `train_pipeline` does.
#[pyfunction]
// stub: (config: str | bytes | dict[str, Any])
pub(super) fn check_python_training(config: &Bound<'_, PyAny>, origin: &str) -> PyResult<()> {
    let config = config_of(config, origin)?;
    lexpool_training::check_python_training(&config).or_raise()
}

/// Returns a configuration with spaCy's defaults for all that it leaves out.
///
/// config, origin: the configuration or its text, and its name for errors.
///
/// Raises ValueError: E985 without the section [nlp], config-reference for an invalid reference.
#[pyfunction]
// stub: (config: str | bytes | dict[str, Any]) -> dict[str, Any]
pub(super) fn fill_config<'py>(
    config: &Bound<'py, PyAny>,
    origin: &str,
) -> PyResult<Bound<'py, PyDict>> {
    let filled = lexpool_training::fill_config(&config_of(config, origin)?).or_raise()?;
    to_dict(config.py(), filled.root())
}

/// The table of evaluations as `lexpool train` prints it.
///
/// components: the names of the components whose losses are shown.
/// scores: the names of the scores that are shown.
#[pyclass(name = "EvaluationTable", module = "lexpool._core", frozen)]
pub(super) struct PyEvaluationTable(EvaluationTable);

class!(PyEvaluationTable);

#[pymethods]
impl PyEvaluationTable {
    #[new]
    fn py_new(components: Items<String>, scores: Items<String>) -> PyEvaluationTable {
        let weights: Vec<_> = scores.into_iter().map(|name| (name, Some(1.0))).collect();
        PyEvaluationTable(EvaluationTable::new(components.into_vec(), &weights))
    }

    /// Returns the lines of the header.
    fn header(&self) -> Vec<String> {
        self.0.header().to_vec()
    }

    /// Returns the line of an evaluation, and the same as JSON.
    // stub: (step: int, epoch: int, words: int, score: float, losses: dict[str, float],
    //     scores: dict[str, Any]) -> tuple[str, str]
    fn row(
        &self,
        step: usize,
        epoch: usize,
        words: usize,
        score: f64,
        losses: &Bound<'_, PyDict>,
        scores: &Bound<'_, PyAny>,
    ) -> PyResult<(String, String)> {
        let losses = losses.iter().map(|(name, loss)| Ok((name.extract()?, loss.extract()?)));
        let losses = losses.collect::<PyResult<_>>()?;
        let evaluation = Some(Evaluation { score, scores: scores_of(scores)?, is_best: false });
        let seconds = 0.0;
        let report = StepReport { step, epoch, made: step + 1, words, seconds, losses, evaluation };
        let rows = self.0.row(&report).zip(self.0.json(&report));
        rows.ok_or_else(|| PyValueError::new_err("the step has no evaluation"))
    }
}
