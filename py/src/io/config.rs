//! Configurations for Python's `Config`, a dict: read, updated and written by the core.

use lexpool::config::Config;
use lexpool::{Error, codes};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString};

use super::json::{Settings, to_dict};
use crate::runtime::error::{OrRaise, to_py};

/// Reads a configuration as nested dicts.
///
/// source: its text, the bytes of its file, or nested dicts.
/// origin: the name of the file, for errors.
/// overrides: values by dotted name, in existing sections.
/// interpolate: whether references are replaced.
///
/// Raises ConfigError: config-syntax, config-reference, E961.
#[pyfunction]
// stub: (source: str | bytes | dict[str, Any]) -> dict[str, Any]
#[expect(clippy::needless_pass_by_value, reason = "PyO3 gives it by value")]
fn read_config<'py>(
    source: &Bound<'py, PyAny>,
    origin: &str,
    overrides: Settings,
    interpolate: bool,
) -> PyResult<Bound<'py, PyDict>> {
    let mut config = config_of(source, origin)?;
    for (name, value) in overrides.0.iter() {
        config.set(name, value.clone()).or_raise()?;
    }
    if interpolate {
        config = config.interpolate().or_raise()?;
    }
    to_dict(source.py(), config.root())
}

/// Returns a configuration updated with the values of another one.
///
/// Raises ConfigError (E961).
#[pyfunction]
// stub: -> dict[str, Any]
fn merge_configs(
    py: Python<'_>,
    defaults: Settings,
    updates: Settings,
) -> PyResult<Bound<'_, PyDict>> {
    let defaults = Config::from_section(defaults.0, "");
    to_dict(py, defaults.merge(&Config::from_section(updates.0, "")).root())
}

/// Returns a configuration as the text of a file.
///
/// Raises ConfigError: E961, and config-value for a value outside of sections.
#[pyfunction]
fn write_config(config: Settings) -> PyResult<String> {
    if let Some((name, _)) = config.0.iter().find(|(_, value)| value.as_section().is_none()) {
        let text =
            format!("expected a section for {name:?}, not a value; values belong into sections");
        return Err(to_py(&Error::value(codes::CONFIG_VALUE, text)));
    }
    Ok(Config::from_section(config.0, "").to_text())
}

/// Returns the configuration of a text, of the bytes of a file, or of nested dicts.
pub(crate) fn config_of(source: &Bound<'_, PyAny>, origin: &str) -> PyResult<Config> {
    if let Ok(text) = source.cast::<PyString>() {
        return Config::parse(text.to_str()?, origin).or_raise();
    }
    if let Ok(bytes) = source.cast::<PyBytes>() {
        return Config::parse_bytes(bytes.as_bytes(), origin).or_raise();
    }
    let Settings(root) = source.extract()?;
    Ok(Config::from_section(root, origin))
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(read_config, module)?)?;
    module.add_function(wrap_pyfunction!(merge_configs, module)?)?;
    module.add_function(wrap_pyfunction!(write_config, module)?)
}
