//! Series of numbers, such as learn rates.

use std::sync::{Mutex, PoisonError};

use lexpool::config::Value;
use lexpool::nn::learn::Schedule;
use lexpool_training::read_schedule;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::runtime::classes::class;
use crate::runtime::error::OrRaise;

/// An iterator over the values of a schedule, step by step.
///
/// settings: a number, a list of numbers, or the section of a schedule such as compounding.v1, as
///     JSON.
///
/// Raises ValueError: training-config for another value, training-unsupported for another schedule.
#[pyclass(name = "ScheduleSeries", module = "lexpool._core", frozen)]
pub(super) struct PyScheduleSeries(Mutex<Schedule>);

class!(PyScheduleSeries);

#[pymethods]
impl PyScheduleSeries {
    #[new]
    fn py_new(settings: &str) -> PyResult<PyScheduleSeries> {
        let value = Value::from_json(settings)
            .map_err(|_| PyValueError::new_err("the settings of a schedule are no JSON"))?;
        read_schedule(&value).map(|schedule| PyScheduleSeries(Mutex::new(schedule))).or_raise()
    }

    // stub: -> Self
    fn __iter__(slf: PyRef<'_, PyScheduleSeries>) -> PyRef<'_, PyScheduleSeries> {
        slf
    }

    fn __next__(&self) -> Option<f64> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).next_value()
    }
}
