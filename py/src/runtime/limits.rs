//! The table of limits in Python, and checks of settings by it.

use lexpool::limits::{self, Limit};
use lexpool::{Error, codes};
use pyo3::exceptions::{PyKeyError, PyOverflowError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyString};

use crate::runtime::error::{OrRaise, to_py};

/// The setting that is a part of a whole.
const DENSITY: &str = "beam_density";

/// The table of limits, sorted by name: (name, largest number, code, what is counted, settings).
#[pyfunction]
fn number_limits() -> Vec<(&'static str, u64, &'static str, &'static str, Vec<&'static str>)> {
    let row = |row: &Limit| {
        (row.name(), row.max(), row.code().as_str(), row.counts(), row.settings().to_vec())
    };
    limits::all().iter().map(row).collect()
}

/// Raises the error of a setting's limit if a number is above it, or below 0.
///
/// place: what has the number, for the message.
///
/// Raises KeyError for a setting without a limit.
#[pyfunction]
// stub: (number: SupportsIndex)
fn check_count(setting: &str, number: &Bound<'_, PyAny>, place: &str) -> PyResult<()> {
    let limit = limits::of_setting(setting);
    check(limit.ok_or_else(|| PyKeyError::new_err(setting.to_owned()))?, number, place)
}

/// Checks the counts and densities of a component's settings, or of its file `cfg`. Entries that
/// are neither are ignored, and so are counts below 0, which components refuse themselves.
///
/// place: the section or file, for messages.
#[pyfunction]
// stub: (settings: dict[str, Any])
fn check_settings(settings: &Bound<'_, PyDict>, place: &Bound<'_, PyString>) -> PyResult<()> {
    // A name of a file may have lone surrogates.
    let place = place.to_string_lossy();
    for (key, value) in settings {
        let Ok(key) = key.extract::<&str>() else { continue };
        if key == DENSITY && value.is_instance_of::<PyFloat>() {
            let density: f64 = value.extract()?;
            if !(0.0..=1.0).contains(&density) {
                let text = format!("{place}: {key:?} is {density}; expected a number from 0 to 1");
                return Err(to_py(&Error::value(codes::BEAM_DENSITY, text)));
            }
        }
        let Some(limit) = limits::of_setting(key) else { continue };
        let is_count = value.is_instance_of::<PyInt>() && !value.is_instance_of::<PyBool>();
        if is_count && value.ge(0)? {
            check(limit, &value, &format!("{place}: {key:?}"))?;
        }
    }
    Ok(())
}

fn check(limit: Limit, number: &Bound<'_, PyAny>, place: &str) -> PyResult<()> {
    match number.extract::<i64>() {
        Ok(number) => limit.check(number, place).map(drop).or_raise(),
        Err(error) if error.is_instance_of::<PyOverflowError>(number.py()) => {
            Err(to_py(&limit.exceeded(number.str()?, place)))
        }
        Err(error) => Err(error),
    }
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(number_limits, module)?)?;
    module.add_function(wrap_pyfunction!(check_count, module)?)?;
    module.add_function(wrap_pyfunction!(check_settings, module)?)
}
