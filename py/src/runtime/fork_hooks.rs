//! Functions that `os.fork` calls before and after a fork, so that the child finds all of lexpool's
//! locks free, and the modules that lexpool needs imported or not begun.

use std::cell::Cell;
use std::ffi::CStr;
use std::time::{Duration, Instant};

use lexpool::threads;
use pyo3::exceptions::PyRuntimeWarning;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::runtime::gil;
use crate::runtime::user_calls;

/// Maximum time that a fork waits for working threads and for imports.
///
/// A limit is necessary: such a thread may run a user's function that waits for a lock which the
/// forking thread took in another of its `os.register_at_fork` functions.
const FORK_TIMEOUT: Duration = Duration::from_secs(10);

/// Maximum time that a fork waits for threads that are about to begin an import.
const IMPORT_GRACE: Duration = Duration::from_millis(20);

/// Packages that lexpool imports when they are first needed, beside the standard library.
const IMPORTED_LATE: [&str; 2] = ["lexpool", "numpy"];

thread_local! {
    /// True while this thread holds CPython's lock of imports for a fork.
    static HOLDS_IMPORT_LOCK: Cell<bool> = const { Cell::new(false) };
}

/// Waits until no other thread of lexpool holds a lock or imports a module that lexpool may need,
/// and lets no native work and no import begin until the fork is over.
///
/// Warns (RuntimeWarning) after ten seconds, when the fork continues: a lock may then stay locked
/// in the child.
#[pyfunction]
fn pause_for_fork(py: Python<'_>) -> PyResult<()> {
    let start = Instant::now();
    loop {
        // First with the gate open, since an import may need native work.
        while imports_elsewhere(py, start) {
            if start.elapsed() > FORK_TIMEOUT {
                threads::pause();
                return warn(
                    py,
                    c"os.fork() has waited ten seconds for a module that another thread imports \
                      and continues; the module cannot be imported in the child, so only call \
                      exec() there, or fork when the import is done",
                );
            }
            nap(py);
        }
        threads::pause();
        while !threads::is_quiet() {
            if start.elapsed() > FORK_TIMEOUT {
                return warn(
                    py,
                    c"os.fork() has waited ten seconds for native work of lexpool on other threads \
                      and continues; locks of that work stay locked in the child, so only call \
                      exec() there, or fork when the work is done",
                );
            }
            nap(py);
        }
        // Threads had the GIL meanwhile, and may have it once more before the fork.
        hold_import_lock(py);
        if !imports_elsewhere(py, start) {
            return Ok(());
        }
        release_import_lock(py);
        threads::resume();
    }
}

/// Lets threads begin again in the parent of a fork.
#[pyfunction]
fn resume_after_fork(py: Python<'_>) {
    release_import_lock(py);
    threads::resume();
}

/// Lets threads begin in the child of a fork, which has none of its parent's threads.
#[pyfunction]
fn resume_in_child(py: Python<'_>) {
    release_import_lock(py);
    threads::resume_in_child();
    if threads::on_worker() {
        user_calls::end_with_this_call();
    }
}

fn warn(py: Python<'_>, text: &CStr) -> PyResult<()> {
    PyErr::warn(py, &py.get_type::<PyRuntimeWarning>(), text, 1)
}

fn nap(py: Python<'_>) {
    gil::waiting(py, || std::thread::sleep(Duration::from_micros(100)));
}

/// Lets no other thread begin an import. The thread may hold the lock already, as often as it
/// likes; CPython makes it free in the child but for what this thread holds.
fn hold_import_lock(py: Python<'_>) {
    let locking = py.import("_imp").and_then(|imp| imp.call_method0("acquire_lock"));
    HOLDS_IMPORT_LOCK.set(locking.is_ok());
}

fn release_import_lock(py: Python<'_>) {
    if HOLDS_IMPORT_LOCK.replace(false) {
        // An error says that this thread does not hold it.
        drop(py.import("_imp").and_then(|imp| imp.call_method0("release_lock")));
    }
}

/// Returns whether another thread is importing a module that lexpool may need. The module's lock,
/// which CPython does not free in a child of a fork, would be held there for ever.
///
/// False if this thread is importing something itself: the other thread may wait for that. The
/// table of locks is CPython's own; without it the answer is false.
///
/// start: the beginning of the wait.
fn imports_elsewhere(py: Python<'_>, start: Instant) -> bool {
    let look_up = || -> PyResult<bool> {
        let locks = py.import("_frozen_importlib")?.getattr("_module_locks")?;
        let locks = locks.cast_into::<PyDict>()?;
        if locks.is_empty() {
            return Ok(false);
        }
        let this_thread = py.import("_thread")?.getattr("get_ident")?.call0()?;
        let standard = py.import("sys")?.getattr("stdlib_module_names")?;
        let mut is_needed = false;
        for (name, lock) in locks.copy()? {
            // A weak reference to the lock, or to nothing.
            let lock = lock.call0()?;
            let owner = lock.getattr_opt("owner")?.filter(|owner| !owner.is_none());
            if let Some(owner) = &owner {
                if owner.eq(&this_thread)? {
                    return Ok(false);
                }
            }
            // A lock without an owner is one that a thread is about to take.
            if owner.is_none() && (lock.is_none() || start.elapsed() > IMPORT_GRACE) {
                continue;
            }
            let name: String = name.extract()?;
            let root = name.split('.').next().unwrap_or_default();
            is_needed |= IMPORTED_LATE.contains(&root) || standard.contains(root)?;
        }
        Ok(is_needed)
    };
    look_up().unwrap_or(false)
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(pause_for_fork, module)?)?;
    module.add_function(wrap_pyfunction!(resume_after_fork, module)?)?;
    module.add_function(wrap_pyfunction!(resume_in_child, module)?)
}
