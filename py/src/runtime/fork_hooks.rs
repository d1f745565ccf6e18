//! Functions that `os.fork` calls before and after a fork, so that the child finds all of lexpool's
//! locks free.

use std::time::{Duration, Instant};

use lexpool::threads;
use pyo3::exceptions::PyRuntimeWarning;
use pyo3::prelude::*;

use crate::runtime::gil;
use crate::runtime::user_calls;

/// Maximum time that a fork waits for working threads.
///
/// A limit is necessary: such a thread may run a user's function that waits for a lock which the
/// forking thread took in another of its `os.register_at_fork` functions.
const FORK_TIMEOUT: Duration = Duration::from_secs(10);

/// Waits until no other thread of lexpool holds a lock, and lets none begin until the fork is over.
///
/// Warns (RuntimeWarning) after ten seconds, when the fork continues: a lock may then stay locked
/// in the child.
#[pyfunction]
fn pause_for_fork(py: Python<'_>) -> PyResult<()> {
    threads::pause();
    let start = Instant::now();
    while !threads::is_quiet() {
        if start.elapsed() > FORK_TIMEOUT {
            let text = c"os.fork() has waited ten seconds for native work of lexpool on other threads and \
                         continues; locks of that work stay locked in the child, so only call exec() \
                         there, or fork when the work is done";
            return PyErr::warn(py, &py.get_type::<PyRuntimeWarning>(), text, 1);
        }
        gil::waiting(py, || std::thread::sleep(Duration::from_micros(100)));
    }
    Ok(())
}

/// Lets threads begin again in the parent of a fork.
#[pyfunction]
fn resume_after_fork() {
    threads::resume();
}

/// Lets threads begin in the child of a fork, which has none of its parent's threads.
#[pyfunction]
fn resume_in_child() {
    threads::resume_in_child();
    if threads::on_worker() {
        user_calls::end_with_this_call();
    }
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(pause_for_fork, module)?)?;
    module.add_function(wrap_pyfunction!(resume_after_fork, module)?)?;
    module.add_function(wrap_pyfunction!(resume_in_child, module)?)
}
