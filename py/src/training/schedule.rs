//! Series of numbers, such as learn rates.

use std::sync::{Mutex, PoisonError};

use lexpool::nn::learn::Schedule;
use lexpool_training::read_schedule;
use pyo3::prelude::*;

use crate::io::json::Setting;
use crate::runtime::classes::class;
use crate::runtime::error::OrRaise;

/// An iterator over the values of a schedule, step by step.
///
/// settings: a number, a list of numbers, or the section of a schedule such as compounding.v1.
///
/// Raises ValueError: training-config for another value, training-unsupported for another schedule.
#[pyclass(name = "ScheduleSeries", module = "lexpool._core", frozen)]
pub(super) struct PyScheduleSeries(Mutex<Schedule>);

class!(PyScheduleSeries);

#[pymethods]
impl PyScheduleSeries {
    #[new]
    #[expect(clippy::needless_pass_by_value, reason = "PyO3 gives it by value")]
    fn py_new(settings: Setting) -> PyResult<PyScheduleSeries> {
        read_schedule(&settings.0).map(|schedule| PyScheduleSeries(Mutex::new(schedule))).or_raise()
    }

    // stub: -> Self
    fn __iter__(slf: PyRef<'_, PyScheduleSeries>) -> PyRef<'_, PyScheduleSeries> {
        slf
    }

    fn __next__(&self) -> Option<f64> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).next_value()
    }
}
