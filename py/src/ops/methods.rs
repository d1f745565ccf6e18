//! Methods and fields of registered classes, as CPython calls them.
//!
//! Holds unsafe code (invariants G1, G2, G4, G7 of [`ops`](super)): CPython's calling convention,
//! and receivers whose class it has checked.
//!
//! A method descriptor has no room for a description, so there is one function for each method
//! number; and one for each common type of a first argument, into which the fast call is inlined.

use std::ffi::{c_int, c_void};
use std::ptr;

use lexpool_ops::Type;
use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::prelude::*;

use super::fast_arg::{FastArg, Float, Int, NoArg, Str};
use super::instance::{Instance, Reader};
use super::prepared_op::PreparedOp;
use super::{failure, fast_call};

/// Maximum number of methods of a class.
pub(super) const MAX_METHODS: usize = 32;

type Functions = [ffi::PyCFunctionFastWithKeywords; MAX_METHODS];

/// Returns the function of a method by its number.
pub(super) fn function(
    at: usize,
    prepared: &PreparedOp,
) -> Option<ffi::PyCFunctionFastWithKeywords> {
    let functions: &Functions = match (&prepared.direct, &*prepared.types) {
        (Some(_), [Type::Object(_)]) => &FastMethods::<NoArg, 1>::FUNCTIONS,
        (Some(_), [Type::Object(_), Type::Int]) => &FastMethods::<Int, 2>::FUNCTIONS,
        (Some(_), [Type::Object(_), Type::Float]) => &FastMethods::<Float, 2>::FUNCTIONS,
        (Some(_), [Type::Object(_), Type::Str]) => &FastMethods::<Str, 2>::FUNCTIONS,
        _ => &FUNCTIONS,
    };
    functions.get(at).copied()
}

/// Returns the getter of a field.
pub(super) fn getter(prepared: &PreparedOp) -> ffi::getter {
    match (&prepared.direct, &*prepared.types) {
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

/// Functions for methods of any signature.
const FUNCTIONS: Functions = functions!(method);

/// Functions for methods of `ARITY` arguments, with the receiver, of which the second is an `A`.
struct FastMethods<A, const ARITY: usize>(A);

impl<A: FastArg, const ARITY: usize> FastMethods<A, ARITY> {
    const FUNCTIONS: Functions = functions!(method_short::<A, ARITY>);
}

/// Returns the description of a method by its number.
///
/// # Safety
///
/// `object` is an instance of a registered class or of a subclass.
#[inline]
unsafe fn known(object: *mut ffi::PyObject, at: usize) -> Option<&'static PreparedOp> {
    // SAFETY: G1, G2, by the contract of this function.
    let class = unsafe { (*object.cast::<Instance>()).known.as_ref() };
    class.and_then(|class| class.methods.get(at).copied())
}

/// The function of a method.
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
    // SAFETY: G1, G2, G4.
    unsafe {
        match known(object, N) {
            Some(method) => fast_call::of_object(method, object, args, n.unsigned_abs(), names),
            None => failure::set_panicked(),
        }
    }
}

/// [`method`] with its fast call.
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
    // SAFETY: G1, G2, G4.
    unsafe {
        match known(object, N) {
            Some(method) => {
                fast_call::of_object_as::<A, ARITY>(method, object, args, n.unsigned_abs(), names)
            }
            None => failure::set_panicked(),
        }
    }
}

/// Reads a field: the getter of its property.
///
/// # Safety
///
/// For CPython: an object of such a class, and the closure of one of its fields.
unsafe extern "C" fn get(object: *mut ffi::PyObject, closure: *mut c_void) -> *mut ffi::PyObject {
    // SAFETY: G1, G4, G7: the closure is a reader.
    unsafe {
        let reader = &*closure.cast::<Reader>();
        fast_call::of_object(reader.get, object, ptr::null(), 0, ptr::null_mut())
    }
}

/// [`get`] with its fast call.
///
/// # Safety
///
/// As for [`get`].
unsafe extern "C" fn get_short(
    object: *mut ffi::PyObject,
    closure: *mut c_void,
) -> *mut ffi::PyObject {
    // SAFETY: G1, G4, G7: the closure is a reader.
    unsafe {
        let known = (*closure.cast::<Reader>()).get;
        fast_call::of_object_as::<NoArg, 1>(known, object, ptr::null(), 0, ptr::null_mut())
    }
}

/// Writes a field: the setter of its property.
///
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
    // SAFETY: G1, G2, G4, G7: the closure is a reader.
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
    // SAFETY: G6: the reference that the call returned.
    unsafe { ffi::Py_DECREF(done) };
    0
}
