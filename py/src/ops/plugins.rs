//! Loading of plugins from a path, and the hooks that they call meanwhile.
//!
//! Holds unsafe code: a loaded library runs in this process.

use std::path::{Path, PathBuf};

use lexpool_ops::{Failure, HostHooks, global, set_host_hooks};
use pyo3::exceptions::PyImportError;
use pyo3::prelude::*;

use crate::runtime::error::check_signals;
use crate::runtime::gil;

/// Loads a plugin, and returns the names of its ops and object types. A second call returns the
/// same names.
#[pyfunction]
fn load_library(py: Python<'_>, path: PathBuf) -> PyResult<Vec<String>> {
    let (loaded, path) = gil::detached(py, move || {
        // SAFETY: the user vouches for the library by loading it, as with `import` of an extension
        // module.
        let loaded = unsafe { global().load(&path) };
        (loaded, path)
    });
    loaded.map(|loaded| loaded.names.clone()).map_err(|failure| refused(py, &path, &failure))
}

/// Makes an `ImportError` with its attribute `path`, as `import` does.
fn refused(py: Python<'_>, path: &Path, failure: &Failure) -> PyErr {
    let raised = PyImportError::new_err(failure.to_string());
    match raised.value(py).setattr("path", path.as_os_str()) {
        Ok(()) => raised,
        Err(other) => other,
    }
}

/// Logs to `lexpool.plugins`. An exception of a handler is reported as unraisable.
fn log(level: u32, text: &str) {
    Python::try_attach(|py| {
        let outcome = py.import("logging").and_then(|logging| {
            let logger = logging.call_method1("getLogger", ("lexpool.plugins",))?;
            // The text is an argument, so that a percent sign in it stays one.
            logger.call_method1("log", (level, "%s", text))
        });
        if let Err(error) = outcome {
            error.write_unraisable(py, None);
        }
    });
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    set_host_hooks(HostHooks { log, go_on: check_signals });
    module.add_function(wrap_pyfunction!(load_library, module)?)
}
