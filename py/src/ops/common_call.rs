//! The common call: up to two arguments in order, each of the most frequent form of its type, with
//! the GIL held and without a profiler.
//!
//! Holds unsafe code (invariants G1 to G5 of [`ops`](super)): CPython's calling convention, and
//! values that borrow from the arguments.
//!
//! One function is monomorphized for each pair of types and selected when the op is published.
//! Whatever else a call may be is left to [`fast_call`] in tail position, before the op is entered.
//! So no argument is needed after the op has returned, and no register is saved for one: for an
//! empty op that is a fifth of the call.

use std::ffi::c_int;
use std::mem::MaybeUninit;
use std::ptr;

use lexpool::registry::plugin::ValueC;
use lexpool::registry::{self, Gil, Type, Value};
use pyo3::ffi;

use super::fast_arg::{
    Array, Callable, FastArg, FastKind, Float, Int, IntList, NoArg, Object, Receiver, Str,
};
use super::op::PyOp;
use super::prepared_op::{FastCall, PreparedOp};
use super::{call, fast_call};

/// Selects the fast call for parameter types, if one exists.
pub(super) fn select(types: &[Type], positional: usize, gil: Gil) -> Option<FastCall> {
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
        trampoline: trampoline::<A, B, N>,
    }
}

/// A builtin function of `N` arguments: `METH_FASTCALL | METH_KEYWORDS`.
///
/// # Safety
///
/// As for [`call::trampoline`].
unsafe extern "C" fn trampoline<A: FastArg, B: FastArg, const N: usize>(
    slf: *mut ffi::PyObject,
    args: *const *mut ffi::PyObject,
    n: ffi::Py_ssize_t,
    names: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    let mut result = Value::NONE.to_c();
    // SAFETY: G1, G2, G4; there are `N` arguments.
    unsafe {
        let known = PyOp::known(slf);
        if names.is_null() && n.unsigned_abs() == N {
            let a = if N > 0 { *args } else { ptr::null_mut() };
            let b = if N > 1 { *args.add(1) } else { ptr::null_mut() };
            if let Some(status) = enter::<A, B, N>(known, a, b, &mut result) {
                return call::give_by_status(known, status, &result);
            }
        }
        fast_call::trampoline::<A, B, N>(slf, args, n, names)
    }
}

/// Calls a method or a getter of `N` arguments, with the receiver, of which the second is an `A`.
///
/// # Safety
///
/// As for [`fast_call::of_object_as`].
#[expect(clippy::inline_always, reason = "the saved stack frame is the purpose")]
#[inline(always)]
pub(super) unsafe fn of_object<A: FastArg, const N: usize>(
    known: &'static PreparedOp,
    object: *mut ffi::PyObject,
    args: *const *mut ffi::PyObject,
    n: usize,
    names: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    let mut result = Value::NONE.to_c();
    // SAFETY: G1, G2, G4; there are `N` arguments with the receiver.
    unsafe {
        if names.is_null() && n + 1 == N {
            let a = if N > 1 { *args } else { ptr::null_mut() };
            if let Some(status) = enter::<Receiver, A, N>(known, object, a, &mut result) {
                return call::give_by_status(known, status, &result);
            }
        }
        fast_call::of_object_as::<A, N>(known, object, args, n, names)
    }
}

/// Converts `N` arguments and calls the op. Returns its status, or `None`, before any effect, if
/// this is not a common call.
///
/// # Safety
///
/// The first `N` of `a` and `b` live through the call; the GIL is held.
#[expect(clippy::inline_always, reason = "the saved stack frame is the purpose")]
#[inline(always)]
pub(super) unsafe fn enter<A: FastArg, B: FastArg, const N: usize>(
    known: &PreparedOp,
    a: *mut ffi::PyObject,
    b: *mut ffi::PyObject,
    result: &mut ValueC,
) -> Option<c_int> {
    if registry::is_on() || !matches!(known.gil, Gil::Hold) {
        return None;
    }
    let (mut of_a, mut of_b) = (MaybeUninit::uninit(), MaybeUninit::uninit());
    let mut values = [const { MaybeUninit::<ValueC>::uninit() }; 2];
    let [at_a, at_b] = &mut values;
    // SAFETY: G1 to G3, G5: `of_a` and `of_b` stay in place until after the call.
    unsafe {
        if !A::write_common(known, 0, a, &mut of_a, at_a) {
            return None;
        }
        if !B::write_common(known, 1, b, &mut of_b, at_b) {
            A::release(&mut of_a);
            return None;
        }
        let (entry, context) = known.op.entry();
        let status = entry(context, values.as_ptr().cast(), N, result);
        B::release(&mut of_b);
        A::release(&mut of_a);
        Some(status)
    }
}
