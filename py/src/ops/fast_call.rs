//! The short way to an op: for up to two arguments of the usual types, given in order.
//!
//! Holds unsafe code: CPython's calling convention, and values that borrow from the arguments.
//!
//! A function is made for each pair of types and chosen when the op is published, so that a call looks
//! at no description of its arguments. Where an argument is not the usual one, a name is out of order or
//! somebody looks on, the call goes the long way, of `call`, from the start: the short way has done
//! nothing by then that could be seen.

use std::ffi::c_int;
use std::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;

use lexpool::registry::plugin::ValueC;
use lexpool::registry::{self, Gil, Type, Value};
use pyo3::ffi;

use super::fast_arg::{
    Array, Callable, FastArg, FastKind, Float, Int, IntList, NoArg, Object, Receiver, Str,
};
use super::op::{PreparedOp, PyOp};
use super::{call, failure};

/// What became of a call by the short way.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The result is in its place.
    Done,
    /// The failure is in the place of the result.
    Failed,
    /// An exception is set.
    Raised,
    /// NoArg was done: the call has to go the long way.
    Fallback,
}

/// Calls an op with its one or two arguments; null for those that it does not have.
type Call =
    unsafe fn(&'static PreparedOp, *mut ffi::PyObject, *mut ffi::PyObject, &mut ValueC) -> Outcome;

/// The short way of an op.
#[derive(Clone, Copy)]
pub(super) struct FastCall {
    call: Call,
    arity: usize,
    /// The same as a builtin function.
    pub(super) trampoline: ffi::PyCFunctionFastWithKeywords,
}

impl FastCall {
    /// The short way of an op with these arguments, if it has one.
    pub(super) fn of(types: &[Type], positional: usize, gil: Gil) -> Option<FastCall> {
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
    FastCall { call: call_by_pointer::<A, B, N>, arity: N, trampoline: trampoline::<A, B, N> }
}

/// [`convert_and_call`] for those who choose it while they run.
///
/// # Safety
///
/// As for [`convert_and_call`].
unsafe fn call_by_pointer<A: FastArg, B: FastArg, const N: usize>(
    known: &'static PreparedOp,
    a: *mut ffi::PyObject,
    b: *mut ffi::PyObject,
    result: &mut ValueC,
) -> Outcome {
    // SAFETY: as the caller promises.
    unsafe { convert_and_call::<A, B, N>(known, a, b, result) }
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
    // SAFETY: as CPython promises; `in_order` has seen that there are `N` arguments.
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

/// [`call::trampoline`], as what seldom happens.
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
    // SAFETY: as the caller promises.
    unsafe { call::trampoline(slf, args, n, names) }
}

/// Whether the arguments are all there and lie in the order in which they are declared. Names that come
/// in that order mostly are the interned ones themselves; others are left to `bind`.
///
/// # Safety
///
/// `names` is a tuple or null.
#[expect(clippy::inline_always, reason = "a frame more is what this saves")]
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
    // SAFETY: as the caller promises.
    unsafe { named_in_order(known, arity, n + skipped, names) }
}

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
    // SAFETY: as the caller promises.
    unsafe {
        let named = ffi::PyTuple_GET_SIZE(names).unsigned_abs();
        if first + named != arity {
            return false;
        }
        let Some(declared) = known.names.get(first..) else { return false };
        let mut given = (0..).map(|k| ffi::PyTuple_GET_ITEM(names, k));
        declared.iter().all(|name| given.next() == Some(name.as_ptr()))
    }
}

/// Takes `N` arguments and calls the op. Is a part of each trampoline, for the frame of one more function
/// costs as much as taking an argument.
///
/// # Safety
///
/// `a` and `b` live through the call, as far as there are so many; the GIL is held.
#[expect(clippy::inline_always, reason = "a frame more is what this saves")]
#[inline(always)]
unsafe fn convert_and_call<A: FastArg, B: FastArg, const N: usize>(
    known: &'static PreparedOp,
    a: *mut ffi::PyObject,
    b: *mut ffi::PyObject,
    result: &mut ValueC,
) -> Outcome {
    if registry::is_on() {
        return Outcome::Fallback;
    }
    let (mut of_a, mut of_b) = (MaybeUninit::uninit(), MaybeUninit::uninit());
    let mut values = [const { MaybeUninit::<ValueC>::uninit() }; 2];
    let [at_a, at_b] = &mut values;
    // SAFETY: as the caller promises; what the values borrow stays where it is until after the call.
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

/// # Safety
///
/// `values` has `n` values for this op; the GIL is held.
#[expect(clippy::inline_always, reason = "a frame more is what this saves")]
#[inline(always)]
unsafe fn enter(known: &PreparedOp, values: *const ValueC, n: usize, result: *mut ValueC) -> c_int {
    // SAFETY: as the caller promises; the context is the entry's.
    unsafe {
        if !matches!(known.gil, Gil::Hold) {
            return enter_released(known, values, n, result);
        }
        let (entry, context) = known.op.entry();
        entry(context, values, n, result)
    }
}

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
    // SAFETY: as the caller promises; the context is the entry's.
    unsafe { call::detached(known.locks, || entry(context, values, n, result)) }
}

/// An argument that is not the usual one: a plain refusal is said at once, all else is left to the long
/// way.
///
/// # Safety
///
/// `given` lives, and the GIL is held.
#[cold]
unsafe fn cannot_convert<T: FastArg>(
    known: &PreparedOp,
    at: usize,
    given: *mut ffi::PyObject,
) -> Outcome {
    // SAFETY: as the caller promises.
    let said = unsafe { T::is_wrong_type(given) && failure::set_mismatch(known, at, given) };
    if said { Outcome::Raised } else { Outcome::Fallback }
}

/// Calls an op by the short way, if it has one and the arguments are in order: first `object`, unless it
/// is null, then the others.
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
    // SAFETY: as the caller promises; `in_order` has seen how many there are.
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

/// Calls an op of an object's: a method, or what reads or writes a field.
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
    // SAFETY: as the caller promises.
    unsafe {
        match value(known, object, args, n, names, &mut result) {
            Outcome::Done => call::give(known, &result),
            Outcome::Failed => call::give_failure(known, result),
            Outcome::Raised => ptr::null_mut(),
            Outcome::Fallback => of_object_general(known, object, args, n, names),
        }
    }
}

/// As [`of_object`], for an op of the object alone or of one argument more that is an `A`.
///
/// # Safety
///
/// As for [`of_object`]; the op has a short way, its first argument is an object and it has `N` in all.
#[expect(clippy::inline_always, reason = "a frame more is what this saves")]
#[inline(always)]
pub(super) unsafe fn of_object_as<A: FastArg, const N: usize>(
    known: &'static PreparedOp,
    object: *mut ffi::PyObject,
    args: *const *mut ffi::PyObject,
    n: usize,
    names: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    let mut result = Value::NONE.to_c();
    // SAFETY: as the caller promises; `in_order` has seen that there are `N`.
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
    // SAFETY: as the caller promises.
    let long = || unsafe { call::call_method(known, object, args, n, names) };
    catch_unwind(AssertUnwindSafe(long)).unwrap_or_else(|_| failure::set_panicked())
}
