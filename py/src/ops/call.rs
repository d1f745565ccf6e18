//! The trampoline: one function behind every op that Python calls.
//!
//! Holds unsafe code: CPython's calling convention, and values that borrow from the arguments of the
//! call, which CPython keeps until it has returned.

use std::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, catch_unwind};

use lexpool::registry::plugin::{MOST_ARGS, Owned, Tag, ValueC};
use lexpool::registry::{self, Failure, Gil, Value, literal};
use pyo3::ffi;
use pyo3::prelude::*;

use crate::runtime::gil;

use super::bind_args;
use super::borrows::CallBorrows;
use super::failure;
use super::from_python::{self, ConversionError};
use super::op::{PreparedOp, PyOp};
use super::to_python;

/// How many arguments an op has at most.
pub(super) const MOST: usize = MOST_ARGS;

/// Calls the op that `slf` is about: `METH_FASTCALL | METH_KEYWORDS`.
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
    // SAFETY: as CPython promises. What the conversions run of Python's is caught by them; a panic of
    // the op's stops at its entry.
    let called = catch_unwind(AssertUnwindSafe(|| unsafe {
        call(PyOp::known(slf), args, n.unsigned_abs(), names)
    }));
    called.unwrap_or_else(|_| failure::set_panicked())
}

/// The call of an op; null with an exception set.
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
    // SAFETY: as the caller promises.
    let Some(status) = (unsafe { run(known, args, n, names, &mut result) }) else {
        return std::ptr::null_mut();
    };
    // SAFETY: the GIL is held, and the result is ours.
    unsafe { if status == 0 { give(known, &result) } else { give_failure(known, result) } }
}

/// The result of a call as an object. What is not owned needs no release: the quick way out. The value is
/// read where the entry has written it, in halves; copied as a whole it would stall.
///
/// # Safety
///
/// An entry gave the result, which is not used again; the GIL is held.
#[inline]
pub(super) unsafe fn give(known: &PreparedOp, result: &ValueC) -> *mut ffi::PyObject {
    // SAFETY: the GIL is held; of what lives for ever a new reference is given.
    unsafe {
        if result.tag == Tag::Int as u32 {
            return ffi::PyLong_FromLongLong(super::whole(result.bits));
        } else if result.tag == Tag::None as u32 {
            return ffi::Py_NewRef(ffi::Py_None());
        } else if result.tag == Tag::Float as u32 {
            return ffi::PyFloat_FromDouble(f64::from_bits(result.bits));
        } else if result.tag == Tag::Bool as u32 {
            return ffi::PyBool_FromLong((result.bits != 0).into());
        }
    }
    guarded(known, 0, *result)
}

/// Sets the exception for a failed call; gives null.
///
/// # Safety
///
/// As for [`give`].
#[cold]
pub(super) unsafe fn give_failure(known: &PreparedOp, result: ValueC) -> *mut ffi::PyObject {
    guarded(known, 1, result)
}

/// As [`finish`], for callers that let no panic out.
fn guarded(known: &PreparedOp, status: std::ffi::c_int, result: ValueC) -> *mut ffi::PyObject {
    let finished = catch_unwind(AssertUnwindSafe(|| finish(known, status, result)));
    finished.unwrap_or_else(|_| failure::set_panicked())
}

/// The call of an op for its value; none with an exception set.
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
    // SAFETY: as the caller promises.
    let status = unsafe { run(known, args, n, names, &mut result) }?;
    if status == 0 {
        // SAFETY: an entry gives its result away.
        return Some(unsafe { Owned::from_c(result) });
    }
    finish(known, status, result);
    None
}

/// The call of a method: the object, then the arguments.
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
        // SAFETY: a tuple.
        unsafe { ffi::PyTuple_Size(names).unsigned_abs() }
    };
    if n + named >= MOST {
        return failure::set_fault(&known.op, Some(format!("got {} arguments", n + named)));
    }
    let mut all = [object; MOST];
    for (at, place) in all[1..=n + named].iter_mut().enumerate() {
        // SAFETY: as the caller promises.
        *place = unsafe { *args.add(at) };
    }
    // SAFETY: as the caller promises.
    unsafe { call(known, all.as_ptr(), n + 1, names) }
}

/// Takes the arguments and calls the entry; none with an exception set.
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
        // SAFETY: as the caller promises.
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
    let mut values = [const { MaybeUninit::<ValueC>::uninit() }; MOST];
    let mut borrows = CallBorrows::new();
    for (at, ty) in known.types.iter().enumerate() {
        // SAFETY: there are as many arguments as types.
        let given = unsafe { *args.add(at) };
        if given.is_null() {
            let default = known.op.params()[at].default.as_ref();
            values[at].write(default.map_or(Value::NONE, literal).to_c());
            continue;
        }
        // SAFETY: an object that lives through the call.
        let put = unsafe { from_python::put(ty, given, &mut borrows, known.gil, &mut values[at]) };
        if let Err(refused) = put {
            refuse(known, at, given, *refused);
            return None;
        }
    }
    let values = values.as_ptr().cast::<ValueC>();
    // SAFETY: `arity` values were written, and what they borrow is kept by `borrows` and by the caller.
    let status = unsafe { enter(known, values, arity, result) };
    borrows.end();
    Some(status)
}

/// Calls the entry, with the GIL or without.
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
        // SAFETY: as the caller promises.
        Gil::BySize(least) => unsafe { weight(values, n) >= least },
        _ => false,
    };
    // SAFETY: as the caller promises; the context is the entry's.
    let run = || unsafe { entry(context, values, n, result) };
    if registry::is_on() {
        return super::profile::called(known.op.name(), release, || {
            // SAFETY: as the caller promises.
            if release { unsafe { detached(known.locks, run) } } else { run() }
        });
    }
    // SAFETY: as the caller promises.
    if release { unsafe { detached(known.locks, run) } } else { run() }
}

/// Runs without the GIL. `locks` says that the op is given more than plain data: it may then take locks
/// of lexpool's, and come back to Python by a callable or an object, so PyO3 has to know as well.
///
/// # Safety
///
/// The GIL is held. If `locks` is false, `run` takes no lock and does not come back to Python.
#[inline]
pub(super) unsafe fn detached<T: Send>(locks: bool, run: impl FnOnce() -> T) -> T {
    // SAFETY: as the caller promises.
    if locks { detached_for_all(run) } else { unsafe { gil::plain(run) } }
}

fn detached_for_all<T: Send>(run: impl FnOnce() -> T) -> T {
    struct SameThread<F>(F);
    // SAFETY: it is run on this thread, and has nothing in it that is PyO3's.
    unsafe impl<F> Send for SameThread<F> {}
    impl<T, F: FnOnce() -> T> SameThread<F> {
        fn run(self) -> T {
            (self.0)()
        }
    }
    let run = SameThread(run);
    // PyO3 gives up no more than it knows of, so it is told of the GIL that this thread holds.
    Python::attach(|py| gil::detached(py, || run.run()))
}

/// # Safety
///
/// `values` has `n` good values.
unsafe fn weight(values: *const ValueC, n: usize) -> usize {
    // SAFETY: as the caller promises.
    let values = unsafe { std::slice::from_raw_parts(values.cast::<Value<'_>>(), n) };
    values.iter().map(|value| value.weight()).sum()
}

/// The result, or the exception, of a call.
fn finish(known: &PreparedOp, status: std::ffi::c_int, result: ValueC) -> *mut ffi::PyObject {
    // SAFETY: an entry gives its result away.
    let result: Owned<'static> = unsafe { Owned::from_c(result) };
    Python::attach(|py| {
        let made = if status == 0 {
            to_python::owned(py, result)
        } else {
            Err(failure::raise(py, known.op.explain(Failure::from_value(result))))
        };
        made.map_or_else(
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
    given: *mut ffi::PyObject,
    refused: ConversionError,
) -> *mut ffi::PyObject {
    // SAFETY: the GIL is held, and the object lives.
    unsafe { failure::set_refused(&known.op, at, given, refused) }
}
