//! The builtin functions of ops, and the table of prepared ops behind them.
//!
//! Holds unsafe code (invariants G1, G7 of [`ops`](super)): makes a builtin function, whose
//! definition lives as long as the process.

use std::sync::{Arc, Mutex, PoisonError};

use lexpool::registry::Op;
use pyo3::ffi;
use pyo3::prelude::*;

use super::op::PyOp;
use super::prepared_op::PreparedOp;
use super::{call, common_call};

/// Returns the prepared form of an op, made on first use.
pub(super) fn known(py: Python<'_>, op: &Arc<Op>) -> &'static PreparedOp {
    static KNOWN: Mutex<Vec<(usize, &'static PreparedOp)>> = Mutex::new(Vec::new());
    let key = Arc::as_ptr(op) as usize;
    let lock = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let found = |all: &Vec<(usize, &'static PreparedOp)>| {
        all.binary_search_by_key(&key, |(key, _)| *key).map(|at| all[at].1)
    };
    // Ops are never freed while their registry lives, and that of the process does.
    if let Ok(known) = found(&lock()) {
        return known;
    }
    let made: &'static PreparedOp =
        Box::leak(Box::new(PreparedOp::new(py, op, common_call::select, call::trampoline)));
    let mut all = lock();
    let at = all.partition_point(|(other, _)| *other < key);
    // If two threads race, the first one's stays.
    if all.get(at).is_none_or(|(other, _)| *other != key) {
        all.insert(at, (key, made));
    }
    all[at].1
}

/// Returns the builtin function of an op.
pub(super) fn function(py: Python<'_>, op: &Arc<Op>) -> PyResult<Py<PyAny>> {
    let known = known(py, op);
    let module = op.name().rsplit_once('.').map_or("", |(namespace, _)| namespace);
    let module = format!("lexpool.ops.{module}").into_pyobject(py)?;
    // CPython never writes a definition.
    let definition = std::ptr::from_ref(&known.definition).cast_mut();
    let this = Bound::new(py, PyOp { known })?;
    // SAFETY: G1, G7; the function holds `__self__` and the module.
    unsafe {
        let made = ffi::PyCFunction_NewEx(definition, this.as_ptr(), module.as_ptr());
        Ok(Bound::from_owned_ptr_or_err(py, made)?.unbind())
    }
}
