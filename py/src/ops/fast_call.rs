//! The fast call: for ops of up to two arguments of common types, given in order.
//!
//! Holds unsafe code (invariants G1 to G5 of [`ops`](super)): CPython's calling convention, and
//! values that borrow from the arguments.
//!
//! One function is monomorphized for each pair of types, so that a call reads no description of its
//! arguments. If an argument has another form, a keyword is out of order or the profiler is on, the
//! general call of `call` starts from the beginning: the fast call has had no visible effect by
//! then.

use std::ffi::c_int;
use std::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;

use lexpool_ops::plugin::ValueC;
use lexpool_ops::{Gil, Value};
use pyo3::ffi;

use super::fast_arg::{FastArg, Receiver};
use super::op::PyOp;
use super::prepared_op::{Outcome, PreparedOp};
use super::{call, failure};

/// [`convert_and_call`] behind a function pointer.
///
/// # Safety
///
/// As for [`convert_and_call`].
pub(super) unsafe fn call_by_pointer<A: FastArg, B: FastArg, const N: usize>(
    known: &'static PreparedOp,
    a: *mut ffi::PyObject,
    b: *mut ffi::PyObject,
    result: &mut ValueC,
) -> Outcome {
    // SAFETY: G1, G2, by the contract of this function.
    unsafe { convert_and_call::<A, B, N>(known, a, b, result) }
}

/// A builtin function of `N` arguments: `METH_FASTCALL | METH_KEYWORDS`.
///
/// # Safety
///
/// As for [`call::trampoline`].
pub(super) unsafe extern "C" fn trampoline<A: FastArg, B: FastArg, const N: usize>(
    slf: *mut ffi::PyObject,
    args: *const *mut ffi::PyObject,
    n: ffi::Py_ssize_t,
    names: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    let mut result = Value::NONE.to_c();
    // SAFETY: G1, G2, G4; `in_order` has checked that there are `N` arguments.
    unsafe {
        let known = PyOp::known(slf);
        if !in_order(known, N, 0, n.unsigned_abs(), names) {
            return general_call(slf, args, n, names);
        }
        let a = if N > 0 { *args } else { ptr::null_mut() };
        let b = if N > 1 { *args.add(1) } else { ptr::null_mut() };
        match convert_and_call::<A, B, N>(known, a, b, &mut result) {
            Outcome::Done => call::give(known, &result),
            Outcome::Fallback => general_call(slf, args, n, names),
            Outcome::Failed => call::give_failure(known, result),
            Outcome::Raised => ptr::null_mut(),
        }
    }
}

/// [`call::trampoline`], out of line.
///
/// # Safety
///
/// As for [`call::trampoline`].
#[cold]
unsafe fn general_call(
    slf: *mut ffi::PyObject,
    args: *const *mut ffi::PyObject,
    n: ffi::Py_ssize_t,
    names: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: G1, G2, by the contract of this function.
    unsafe { call::trampoline(slf, args, n, names) }
}

/// Returns whether the arguments are complete and in declared order. Keywords are compared by
/// address, which fits interned names; others are left to `bind_args`.
///
/// # Safety
///
/// `names` is a tuple or null.
#[expect(clippy::inline_always, reason = "the saved stack frame is the purpose")]
#[inline(always)]
unsafe fn in_order(
    known: &PreparedOp,
    arity: usize,
    skipped: usize,
    n: usize,
    names: *mut ffi::PyObject,
) -> bool {
    if names.is_null() {
        return n + skipped == arity;
    }
    // SAFETY: G1, G2, by the contract of this function.
    unsafe { named_in_order(known, arity, n + skipped, names) }
}

/// Returns whether the keyword arguments are the op's next parameters, in their order.
///
/// # Safety
///
/// `names` is a tuple.
#[inline(never)]
unsafe fn named_in_order(
    known: &PreparedOp,
    arity: usize,
    first: usize,
    names: *mut ffi::PyObject,
) -> bool {
    // SAFETY: G1, G2, by the contract of this function.
    unsafe {
        let named = ffi::PyTuple_GET_SIZE(names).unsigned_abs();
        if first + named != arity {
            return false;
        }
        let Some(declared) = known.names.get(first..) else { return false };
        let mut keyword_names = (0..).map(|k| ffi::PyTuple_GET_ITEM(names, k));
        declared.iter().all(|name| keyword_names.next() == Some(name.as_ptr()))
    }
}

/// Converts `N` arguments and calls the op. Inlined into each trampoline, because one more stack
/// frame costs as much as converting an argument.
///
/// # Safety
///
/// The first `N` of `a` and `b` live through the call; the GIL is held.
#[expect(clippy::inline_always, reason = "the saved stack frame is the purpose")]
#[inline(always)]
unsafe fn convert_and_call<A: FastArg, B: FastArg, const N: usize>(
    known: &'static PreparedOp,
    a: *mut ffi::PyObject,
    b: *mut ffi::PyObject,
    result: &mut ValueC,
) -> Outcome {
    if lexpool_ops::is_on() {
        return Outcome::Fallback;
    }
    let (mut of_a, mut of_b) = (MaybeUninit::uninit(), MaybeUninit::uninit());
    let mut values = [const { MaybeUninit::<ValueC>::uninit() }; 2];
    let [at_a, at_b] = &mut values;
    // SAFETY: G1 to G3: `of_a` and `of_b` stay in place until after the call.
    unsafe {
        if !A::write_value(known, 0, a, &mut of_a, at_a) {
            return cannot_convert::<A>(known, 0, a);
        }
        if !B::write_value(known, 1, b, &mut of_b, at_b) {
            A::release(&mut of_a);
            return cannot_convert::<B>(known, 1, b);
        }
        let status = enter(known, values.as_ptr().cast(), N, result);
        B::release(&mut of_b);
        A::release(&mut of_a);
        if status == 0 { Outcome::Done } else { Outcome::Failed }
    }
}

/// Calls the op's entry, without the GIL if the op says so.
///
/// # Safety
///
/// `values` has `n` values for this op; the GIL is held.
#[expect(clippy::inline_always, reason = "the saved stack frame is the purpose")]
#[inline(always)]
unsafe fn enter(
    prepared: &PreparedOp,
    values: *const ValueC,
    n: usize,
    result: *mut ValueC,
) -> c_int {
    // SAFETY: G5.
    unsafe {
        if !matches!(prepared.gil, Gil::Hold) {
            return enter_released(prepared, values, n, result);
        }
        let (entry, context) = prepared.op.entry();
        entry(context, values, n, result)
    }
}

/// Calls the op's entry without the GIL.
///
/// # Safety
///
/// As for [`enter`].
#[inline(never)]
unsafe fn enter_released(
    known: &PreparedOp,
    values: *const ValueC,
    n: usize,
    result: *mut ValueC,
) -> c_int {
    let (entry, context) = known.op.entry();
    // SAFETY: G5.
    unsafe { call::detached(known.locks, || entry(context, values, n, result)) }
}

/// Handles an argument without a fast conversion: a plain type error is raised here, anything else
/// is left to the general call.
///
/// # Safety
///
/// `argument` lives, and the GIL is held.
#[cold]
unsafe fn cannot_convert<T: FastArg>(
    known: &PreparedOp,
    at: usize,
    argument: *mut ffi::PyObject,
) -> Outcome {
    // SAFETY: G1, G2, by the contract of this function.
    let is_raised =
        unsafe { T::is_wrong_type(argument) && failure::set_mismatch(known, at, argument) };
    if is_raised { Outcome::Raised } else { Outcome::Fallback }
}

/// Calls an op by its fast call, if it has one and the arguments are in order: first `object`,
/// unless it is null, then the others.
///
/// # Safety
///
/// As for [`call::trampoline`]; `object` lives.
#[inline]
pub(super) unsafe fn value(
    known: &'static PreparedOp,
    object: *mut ffi::PyObject,
    args: *const *mut ffi::PyObject,
    n: usize,
    names: *mut ffi::PyObject,
    result: &mut ValueC,
) -> Outcome {
    let Some(direct) = &known.direct else { return Outcome::Fallback };
    let skipped = usize::from(!object.is_null());
    // SAFETY: G1, G2; `in_order` has checked their number.
    unsafe {
        if !in_order(known, direct.arity, skipped, n, names) {
            return Outcome::Fallback;
        }
        let arg = |at: usize| match at.checked_sub(skipped) {
            _ if at >= direct.arity => ptr::null_mut(),
            Some(at) => *args.add(at),
            None => object,
        };
        (direct.call)(known, arg(0), arg(1), result)
    }
}

/// Calls an op of an object: a method, or the getter or setter of a field.
///
/// # Safety
///
/// As for [`call::trampoline`]; `object` lives.
#[inline]
pub(super) unsafe fn of_object(
    known: &'static PreparedOp,
    object: *mut ffi::PyObject,
    args: *const *mut ffi::PyObject,
    n: usize,
    names: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    let mut result = Value::NONE.to_c();
    // SAFETY: G1, G2, by the contract of this function.
    unsafe {
        match value(known, object, args, n, names, &mut result) {
            Outcome::Done => call::give(known, &result),
            Outcome::Failed => call::give_failure(known, result),
            Outcome::Raised => ptr::null_mut(),
            Outcome::Fallback => of_object_general(known, object, args, n, names),
        }
    }
}

/// [`of_object`] for an op of the object alone, or with one more argument that is an `A`.
///
/// # Safety
///
/// As for [`of_object`]; the op has a fast call, its first parameter is an object and it has `N` in
/// all.
#[inline]
pub(super) unsafe fn of_object_as<A: FastArg, const N: usize>(
    known: &'static PreparedOp,
    object: *mut ffi::PyObject,
    args: *const *mut ffi::PyObject,
    n: usize,
    names: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    let mut result = Value::NONE.to_c();
    // SAFETY: G1, G2, G4; `in_order` has checked that there are `N`.
    unsafe {
        if !in_order(known, N, 1, n, names) {
            return of_object_general(known, object, args, n, names);
        }
        let a = if N > 1 { *args } else { ptr::null_mut() };
        match convert_and_call::<Receiver, A, N>(known, object, a, &mut result) {
            Outcome::Done => call::give(known, &result),
            Outcome::Failed => call::give_failure(known, result),
            Outcome::Raised => ptr::null_mut(),
            Outcome::Fallback => of_object_general(known, object, args, n, names),
        }
    }
}

/// Calls a method as [`of_object`] does, for any arguments.
///
/// # Safety
///
/// As for [`of_object`].
#[cold]
unsafe fn of_object_general(
    known: &'static PreparedOp,
    object: *mut ffi::PyObject,
    args: *const *mut ffi::PyObject,
    n: usize,
    names: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: G1, G2, by the contract of this function.
    let long = || unsafe { call::call_method(known, object, args, n, names) };
    catch_unwind(AssertUnwindSafe(long)).unwrap_or_else(|_| failure::set_panicked())
}
