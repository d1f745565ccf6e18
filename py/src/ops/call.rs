//! The general trampoline: one function behind every op that Python calls.
//!
//! Holds unsafe code (invariants G1 to G6 of [`ops`](super)): CPython's calling convention, and
//! values that borrow from the arguments of the call.

use std::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, catch_unwind};

use lexpool_ops::plugin::{Owned, Tag, ValueC};
use lexpool_ops::{Failure, Gil, Value, literal};
use pyo3::ffi;
use pyo3::prelude::*;

use crate::runtime::gil;
use crate::runtime::op_failure::raise;

use super::bind_args;
use super::borrows::CallBorrows;
use super::c_ints::whole;
use super::conversion_error::ConversionError;
use super::failure;
use super::from_python;
use super::op::PyOp;
use super::prepared_op::{MAX_PARAMS, PreparedOp};
use super::{profile, to_python};

/// Calls the op of `slf`: `METH_FASTCALL | METH_KEYWORDS`.
///
/// # Safety
///
/// For CPython: `slf` is a `PyOp`, `args` has `n` arguments and those that `names` names.
pub(super) unsafe extern "C" fn trampoline(
    slf: *mut ffi::PyObject,
    args: *const *mut ffi::PyObject,
    n: ffi::Py_ssize_t,
    names: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: G1, G2, G4. Conversions catch exceptions of the Python code that they run; a panic of
    // the op is caught by its entry.
    let called = catch_unwind(AssertUnwindSafe(|| unsafe {
        call(PyOp::known(slf), args, n.unsigned_abs(), names)
    }));
    called.unwrap_or_else(|_| failure::set_panicked())
}

/// Calls an op. Returns null with an exception set if it fails.
///
/// # Safety
///
/// As for [`trampoline`].
#[inline]
pub(super) unsafe fn call(
    known: &'static PreparedOp,
    args: *const *mut ffi::PyObject,
    n: usize,
    names: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    let mut result = Value::NONE.to_c();
    // SAFETY: G1, G2, by the contract of this function.
    let Some(status) = (unsafe { run(known, args, n, names, &mut result) }) else {
        return std::ptr::null_mut();
    };
    // SAFETY: G1, G5.
    unsafe { if status == 0 { give(known, &result) } else { give_failure(known, result) } }
}

/// Converts the result of a call to an object. Numbers and `None` own nothing, so they are
/// converted here; the value is read in halves where the entry has written it, because copying it
/// as a whole would stall on store forwarding.
///
/// # Safety
///
/// An entry gave the result, which is not used again; the GIL is held.
#[inline]
pub(super) unsafe fn give(prepared: &PreparedOp, result: &ValueC) -> *mut ffi::PyObject {
    // SAFETY: G1; `None` and the booleans get a new reference (G6).
    unsafe {
        if result.tag == Tag::Int as u32 {
            return ffi::PyLong_FromLongLong(whole(result.bits));
        } else if result.tag == Tag::None as u32 {
            return ffi::Py_NewRef(ffi::Py_None());
        } else if result.tag == Tag::Float as u32 {
            return ffi::PyFloat_FromDouble(f64::from_bits(result.bits));
        } else if result.tag == Tag::Bool as u32 {
            return ffi::PyBool_FromLong((result.bits != 0).into());
        }
    }
    guarded(prepared, 0, *result)
}

/// Sets the exception of a failed call, and returns null.
///
/// # Safety
///
/// As for [`give`].
#[cold]
pub(super) unsafe fn give_failure(prepared: &PreparedOp, result: ValueC) -> *mut ffi::PyObject {
    guarded(prepared, 1, result)
}

/// Calls [`finish`] and catches its panics.
fn guarded(prepared: &PreparedOp, status: std::ffi::c_int, result: ValueC) -> *mut ffi::PyObject {
    let finished = catch_unwind(AssertUnwindSafe(|| finish(prepared, status, result)));
    finished.unwrap_or_else(|_| failure::set_panicked())
}

/// Calls an op and returns its value; `None` with an exception set if it fails.
///
/// # Safety
///
/// As for [`trampoline`].
pub(super) unsafe fn call_for_value(
    known: &'static PreparedOp,
    args: *const *mut ffi::PyObject,
    n: usize,
    names: *mut ffi::PyObject,
) -> Option<Owned<'static>> {
    let mut result = Value::NONE.to_c();
    // SAFETY: G1, G2, by the contract of this function.
    let status = unsafe { run(known, args, n, names, &mut result) }?;
    if status == 0 {
        // SAFETY: G5.
        return Some(unsafe { Owned::from_c(result) });
    }
    finish(known, status, result);
    None
}

/// Calls a method: the receiver, then the arguments.
///
/// # Safety
///
/// As for [`trampoline`]; `object` lives.
#[inline]
pub(super) unsafe fn call_method(
    known: &'static PreparedOp,
    object: *mut ffi::PyObject,
    args: *const *mut ffi::PyObject,
    n: usize,
    names: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    let named = if names.is_null() {
        0
    } else {
        // SAFETY: G2: `names` is a tuple.
        unsafe { ffi::PyTuple_Size(names).unsigned_abs() }
    };
    if n + named >= MAX_PARAMS {
        return failure::set_fault(&known.op, Some(format!("got {} arguments", n + named)));
    }
    let mut all = [object; MAX_PARAMS];
    for (at, place) in all[1..=n + named].iter_mut().enumerate() {
        // SAFETY: G1, G2, by the contract of this function.
        *place = unsafe { *args.add(at) };
    }
    // SAFETY: G1, G2, by the contract of this function.
    unsafe { call(known, all.as_ptr(), n + 1, names) }
}

/// Converts the arguments and calls the entry; `None` with an exception set if an argument does not
/// fit.
///
/// # Safety
///
/// As for [`trampoline`].
#[inline]
unsafe fn run(
    known: &'static PreparedOp,
    args: *const *mut ffi::PyObject,
    n: usize,
    names: *mut ffi::PyObject,
    result: &mut ValueC,
) -> Option<std::ffi::c_int> {
    let arity = known.types.len();
    let bound;
    let mut args = args;
    if !names.is_null() || n != arity || known.positional != arity {
        // SAFETY: G1, G2, by the contract of this function.
        match unsafe { bind_args::bind(known, args, n, names) } {
            Ok(found) => {
                bound = found;
                args = bound.as_ptr();
            }
            Err(fault) => {
                failure::set_fault(&known.op, fault);
                return None;
            }
        }
    }
    let mut values = [const { MaybeUninit::<ValueC>::uninit() }; MAX_PARAMS];
    let mut borrows = CallBorrows::new();
    for (at, ty) in known.types.iter().enumerate() {
        // SAFETY: G2; `bind` has checked that there are as many arguments as types.
        let argument = unsafe { *args.add(at) };
        if argument.is_null() {
            let default = known.op.params()[at].default.as_ref();
            values[at].write(default.map_or(Value::NONE, literal).to_c());
            continue;
        }
        // SAFETY: G1, G2.
        let put =
            unsafe { from_python::put(ty, argument, &mut borrows, known.gil, &mut values[at]) };
        if let Err(refused) = put {
            refuse(known, at, argument, *refused);
            return None;
        }
    }
    let values = values.as_ptr().cast::<ValueC>();
    // SAFETY: G3, G5: `arity` values were written above.
    let status = unsafe { enter(known, values, arity, result) };
    borrows.end();
    Some(status)
}

/// Calls the entry, with or without the GIL.
///
/// # Safety
///
/// The GIL is held, and `values` has `n` values for this op.
#[inline]
unsafe fn enter(
    known: &PreparedOp,
    values: *const ValueC,
    n: usize,
    result: *mut ValueC,
) -> std::ffi::c_int {
    let (entry, context) = known.op.entry();
    let release = match known.gil {
        Gil::Release => true,
        // SAFETY: G1, G2, by the contract of this function.
        Gil::BySize(least) => unsafe { weight(values, n) >= least },
        _ => false,
    };
    // SAFETY: G5, by this function's contract.
    let run = || unsafe { entry(context, values, n, result) };
    if lexpool_ops::is_on() {
        return profile::called(known.op.name(), release, || {
            // SAFETY: G1, G2, by the contract of this function.
            if release { unsafe { detached(known.locks, run) } } else { run() }
        });
    }
    // SAFETY: G1, G2, by the contract of this function.
    if release { unsafe { detached(known.locks, run) } } else { run() }
}

/// Runs without the GIL. `locks` is true if the op has arguments beyond plain data: it may then
/// take locks of lexpool, and call Python through a callable or an object, so PyO3 must know that
/// the GIL is released.
///
/// # Safety
///
/// The GIL is held. If `locks` is false, `run` takes no lock and does not call Python.
#[inline]
pub(super) unsafe fn detached<T: Send>(locks: bool, run: impl FnOnce() -> T) -> T {
    // SAFETY: G1 and this function's contract.
    if locks { detached_for_all(run) } else { unsafe { gil::plain(run) } }
}

fn detached_for_all<T: Send>(run: impl FnOnce() -> T) -> T {
    struct SameThread<F>(F);
    // SAFETY: it runs on this thread, and holds no object of PyO3.
    unsafe impl<F> Send for SameThread<F> {}
    impl<T, F: FnOnce() -> T> SameThread<F> {
        fn run(self) -> T {
            (self.0)()
        }
    }
    let run = SameThread(run);
    // PyO3 releases the GIL only if it knows that this thread holds it.
    Python::attach(|py| gil::detached(py, || run.run()))
}

/// Adds up the weights of arguments.
///
/// # Safety
///
/// `values` has `n` valid values.
unsafe fn weight(values: *const ValueC, n: usize) -> usize {
    // SAFETY: G1, G2, by the contract of this function.
    let values = unsafe { std::slice::from_raw_parts(values.cast::<Value<'_>>(), n) };
    values.iter().map(|value| value.weight()).sum()
}

/// Converts the result of a call to an object, or sets its exception and returns null.
fn finish(prepared: &PreparedOp, status: std::ffi::c_int, result: ValueC) -> *mut ffi::PyObject {
    // SAFETY: G5.
    let result: Owned<'static> = unsafe { Owned::from_c(result) };
    Python::attach(|py| {
        let object = if status == 0 {
            to_python::owned(py, result)
        } else {
            Err(raise(py, prepared.op.explain(Failure::from_value(result))))
        };
        object.map_or_else(
            |error| {
                error.restore(py);
                std::ptr::null_mut()
            },
            Py::into_ptr,
        )
    })
}

#[cold]
fn refuse(
    known: &PreparedOp,
    at: usize,
    argument: *mut ffi::PyObject,
    refused: ConversionError,
) -> *mut ffi::PyObject {
    // SAFETY: G1, G2.
    unsafe { failure::set_refused(&known.op, at, argument, refused) }
}
