//! The builtin functions of ops, the table of prepared ops behind them, and the selection of the
//! fast call of each.
//!
//! Holds unsafe code (invariants G1, G7 of [`ops`](super)): makes a builtin function, whose
//! definition lives as long as the process.

use std::sync::{Arc, Mutex, PoisonError};

use lexpool_ops::{Gil, Op, Type};
use pyo3::ffi;
use pyo3::prelude::*;

use super::fast_arg::{
    Array, Callable, FastArg, FastKind, Float, Int, IntList, NoArg, Object, Str,
};
use super::op::PyOp;
use super::prepared_op::{FastCall, PreparedOp};
use super::{call, fast_call};

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
        Box::leak(Box::new(PreparedOp::new(py, op, select, call::trampoline)));
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

/// Selects the fast call for parameter types, if one exists.
fn select(types: &[Type], positional: usize, gil: Gil) -> Option<FastCall> {
    if positional != types.len() || !matches!(gil, Gil::Hold | Gil::Release) {
        return None;
    }
    let kind = |way| FastKind::of(way, gil);
    Some(match types {
        [] => pair::<NoArg, NoArg, 0>(),
        [a] => first::<1>(kind(a)?, None),
        [a, b] => first::<2>(kind(a)?, Some(kind(b)?)),
        _ => return None,
    })
}

fn first<const N: usize>(a: FastKind, b: Option<FastKind>) -> FastCall {
    match a {
        FastKind::Int => second::<Int, N>(b),
        FastKind::Float => second::<Float, N>(b),
        FastKind::Str => second::<Str, N>(b),
        FastKind::Array => second::<Array, N>(b),
        FastKind::IntList => second::<IntList, N>(b),
        FastKind::Callable => second::<Callable, N>(b),
        FastKind::Object => second::<Object, N>(b),
    }
}

fn second<A: FastArg, const N: usize>(b: Option<FastKind>) -> FastCall {
    match b {
        None => pair::<A, NoArg, N>(),
        Some(FastKind::Int) => pair::<A, Int, N>(),
        Some(FastKind::Float) => pair::<A, Float, N>(),
        Some(FastKind::Str) => pair::<A, Str, N>(),
        Some(FastKind::Array) => pair::<A, Array, N>(),
        Some(FastKind::IntList) => pair::<A, IntList, N>(),
        Some(FastKind::Callable) => pair::<A, Callable, N>(),
        Some(FastKind::Object) => pair::<A, Object, N>(),
    }
}

fn pair<A: FastArg, B: FastArg, const N: usize>() -> FastCall {
    FastCall {
        call: fast_call::call_by_pointer::<A, B, N>,
        arity: N,
        trampoline: fast_call::trampoline::<A, B, N>,
    }
}
