//! Methods and fields of registered types, as CPython calls them.
//!
//! Holds unsafe code: CPython's calling convention, and objects whose class it has checked.
//!
//! A method has no place for what is known of it, so there is a function for each number. There is one
//! for each usual type of a first argument too, in which the short way of `direct` is a part.

use std::ffi::{c_int, c_void};
use std::ptr;

use lexpool::registry::Type;
use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::prelude::*;

use super::fast_arg::{FastArg, Float, Int, NoArg, Str};
use super::instance::Instance;
use super::objects::Reader;
use super::op::PreparedOp;
use super::{failure, fast_call};

/// How many methods a class has at most.
pub(super) const MOST: usize = 32;

type Functions = [ffi::PyCFunctionFastWithKeywords; MOST];

/// The function of the method of a number.
pub(super) fn function(at: usize, known: &PreparedOp) -> Option<ffi::PyCFunctionFastWithKeywords> {
    let functions: &Functions = match (&known.direct, &*known.types) {
        (Some(_), [Type::Object(_)]) => &FastMethods::<NoArg, 1>::FUNCTIONS,
        (Some(_), [Type::Object(_), Type::Int]) => &FastMethods::<Int, 2>::FUNCTIONS,
        (Some(_), [Type::Object(_), Type::Float]) => &FastMethods::<Float, 2>::FUNCTIONS,
        (Some(_), [Type::Object(_), Type::Str]) => &FastMethods::<Str, 2>::FUNCTIONS,
        _ => &FUNCTIONS,
    };
    functions.get(at).copied()
}

/// The function that reads a field.
pub(super) fn getter(known: &PreparedOp) -> ffi::getter {
    match (&known.direct, &*known.types) {
        (Some(_), [Type::Object(_)]) => get_short,
        _ => get,
    }
}

macro_rules! functions {
    ($function:ident $(::<$($T:ident),*>)?) => {
        functions!(@ $function [$($($T),*)?]
            0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31)
    };
    (@ $function:ident [] $($n:literal)*) => { [$($function::<$n>),*] };
    (@ $function:ident [$A:ident, $B:ident] $($n:literal)*) => { [$($function::<$A, $B, $n>),*] };
}

/// Any methods.
const FUNCTIONS: Functions = functions!(method);

/// Methods of `ARITY` arguments, the object among them, of which the second is an `A`.
struct FastMethods<A, const ARITY: usize>(A);

impl<A: FastArg, const ARITY: usize> FastMethods<A, ARITY> {
    const FUNCTIONS: Functions = functions!(method_short::<A, ARITY>);
}

/// What is known of the method of a number.
///
/// # Safety
///
/// `object` is of a class of these or of one that inherits from one.
#[inline]
unsafe fn known(object: *mut ffi::PyObject, at: usize) -> Option<&'static PreparedOp> {
    // SAFETY: as the caller promises.
    let class = unsafe { (*object.cast::<Instance>()).known.as_ref() };
    class.and_then(|class| class.methods.get(at).copied())
}

/// The method of a number.
///
/// # Safety
///
/// For CPython: an object of such a class, and the arguments of a call.
unsafe extern "C" fn method<const N: usize>(
    object: *mut ffi::PyObject,
    args: *const *mut ffi::PyObject,
    n: ffi::Py_ssize_t,
    names: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: as CPython promises: the descriptor has checked the object's class.
    unsafe {
        match known(object, N) {
            Some(method) => fast_call::of_object(method, object, args, n.unsigned_abs(), names),
            None => failure::set_panicked(),
        }
    }
}

/// As [`method`], with the short way to it.
///
/// # Safety
///
/// As for [`method`].
unsafe extern "C" fn method_short<A: FastArg, const ARITY: usize, const N: usize>(
    object: *mut ffi::PyObject,
    args: *const *mut ffi::PyObject,
    n: ffi::Py_ssize_t,
    names: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: as for `method`.
    unsafe {
        match known(object, N) {
            Some(method) => {
                fast_call::of_object_as::<A, ARITY>(method, object, args, n.unsigned_abs(), names)
            }
            None => failure::set_panicked(),
        }
    }
}

/// # Safety
///
/// For CPython: an object of such a class, and the closure of one of its fields.
unsafe extern "C" fn get(object: *mut ffi::PyObject, closure: *mut c_void) -> *mut ffi::PyObject {
    // SAFETY: as CPython promises; the closure is a reader.
    unsafe {
        let reader = &*closure.cast::<Reader>();
        fast_call::of_object(reader.get, object, ptr::null(), 0, ptr::null_mut())
    }
}

/// As [`get`], with the short way to it.
///
/// # Safety
///
/// As for [`get`].
unsafe extern "C" fn get_short(
    object: *mut ffi::PyObject,
    closure: *mut c_void,
) -> *mut ffi::PyObject {
    // SAFETY: as CPython promises; the closure is a reader.
    unsafe {
        let known = (*closure.cast::<Reader>()).get;
        fast_call::of_object_as::<NoArg, 1>(known, object, ptr::null(), 0, ptr::null_mut())
    }
}

/// # Safety
///
/// As for [`get`]; `value` is null where the property is deleted.
pub(super) unsafe extern "C" fn set(
    object: *mut ffi::PyObject,
    value: *mut ffi::PyObject,
    closure: *mut c_void,
) -> c_int {
    if value.is_null() {
        let text = "a field of an object cannot be deleted";
        Python::attach(|py| PyTypeError::new_err(text).restore(py));
        return -1;
    }
    // SAFETY: as CPython promises; the closure is a reader with a setter.
    let done = unsafe {
        let reader = &*closure.cast::<Reader>();
        match reader.set {
            Some(set) => fast_call::of_object(set, object, &raw const value, 1, ptr::null_mut()),
            None => failure::set_panicked(),
        }
    };
    if done.is_null() {
        return -1;
    }
    // SAFETY: a reference that the call gave.
    unsafe { ffi::Py_DECREF(done) };
    0
}
