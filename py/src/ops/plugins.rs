//! Plugins: loading one from a path, and what they tell and ask meanwhile.
//!
//! Holds unsafe code: a library that is loaded runs in this process.

use std::path::{Path, PathBuf};

use lexpool::registry::{Failure, HostHooks, global, set_host_hooks};
use pyo3::exceptions::PyImportError;
use pyo3::prelude::*;

use crate::runtime::error::check_signals;
use crate::runtime::gil;

/// The names of the ops and object types that a plugin brings. A second call gives the same names.
#[pyfunction]
fn load_library(py: Python<'_>, path: PathBuf) -> PyResult<Vec<String>> {
    let (loaded, path) = gil::detached(py, move || {
        // SAFETY: that the library behaves is what the caller says by loading it, as with `import` of
        // an extension module.
        let loaded = unsafe { global().load(&path) };
        (loaded, path)
    });
    loaded.map(|loaded| loaded.names.clone()).map_err(|failure| refused(py, &path, &failure))
}

/// An `ImportError` that has the path, as those of `import` have it.
fn refused(py: Python<'_>, path: &Path, failure: &Failure) -> PyErr {
    let raised = PyImportError::new_err(failure.to_string());
    match raised.value(py).setattr("path", path.as_os_str()) {
        Ok(()) => raised,
        Err(other) => other,
    }
}

/// A record of the logger `lexpool.plugins`. What goes wrong there is Python's to report.
fn log(level: u32, text: &str) {
    Python::try_attach(|py| {
        let told = py.import("logging").and_then(|logging| {
            let logger = logging.call_method1("getLogger", ("lexpool.plugins",))?;
            // The text is an argument, so that a percent sign in it stays one.
            logger.call_method1("log", (level, "%s", text))
        });
        if let Err(error) = told {
            error.write_unraisable(py, None);
        }
    });
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    set_host_hooks(HostHooks { log, go_on: check_signals });
    module.add_function(wrap_pyfunction!(load_library, module)?)
}
