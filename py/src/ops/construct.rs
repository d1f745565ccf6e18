//! Construction of instances of registered classes.
//!
//! Holds unsafe code (invariants G1, G2, G7 of [`ops`](super)): CPython's calling conventions, and
//! instances that are filled by hand. Constructors and constant fields are called as ops.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;

use lexpool_ops::Value;
use lexpool_ops::plugin::{OWNED, ObjectC, Owned, Tag, ValueC};
use pyo3::exceptions::{PyRuntimeError, PyTypeError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use super::instance::{Instance, PreparedClass, of_exact, of_type};
use super::prepared_op::Outcome;
use super::{call, failure, fast_call};
use crate::runtime::items;

/// `Class(...)`.
///
/// # Safety
///
/// For CPython.
pub(super) unsafe extern "C" fn vectorcall(
    class: *mut ffi::PyObject,
    args: *const *mut ffi::PyObject,
    flags: usize,
    names: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    let n = flags & !ffi::PY_VECTORCALL_ARGUMENTS_OFFSET;
    let mut result = Value::NONE.to_c();
    // SAFETY: G1, G2; only a registered class itself has this function, not its subclasses.
    unsafe {
        let known = of_exact(class.cast());
        if let Some(constructor) = known.constructor {
            let object = ptr::null_mut();
            match fast_call::value(constructor, object, args, n, names, &mut result) {
                Outcome::Done => return wrap_raw(known, class.cast(), &result),
                Outcome::Failed => return call::give_failure(constructor, result),
                Outcome::Raised => return ptr::null_mut(),
                Outcome::Fallback => {}
            }
        }
        let long = || construct(class.cast(), args, n, names);
        let outcome = catch_unwind(AssertUnwindSafe(long));
        outcome.unwrap_or_else(|_| failure::set_panicked())
    }
}

/// `Subclass(...)`: `tp_new`, with a tuple and a dict.
///
/// # Safety
///
/// For CPython.
pub(super) unsafe extern "C" fn new(
    class: *mut ffi::PyTypeObject,
    args: *mut ffi::PyObject,
    kwargs: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        Python::attach(|py| {
            // SAFETY: G2: CPython passes a tuple, and a dict or null.
            unsafe {
                let args = Bound::<PyAny>::from_borrowed_ptr(py, args);
                let mut arguments = items::read(&args, Ok)?;
                let n = arguments.len();
                let mut names = Vec::new();
                if let Some(kwargs) = Bound::<PyAny>::from_borrowed_ptr_or_opt(py, kwargs) {
                    for (name, value) in kwargs.cast::<pyo3::types::PyDict>()?.iter() {
                        names.push(name);
                        arguments.push(value);
                    }
                }
                let names = match &*names {
                    [] => None,
                    names => Some(PyTuple::new(py, names)?),
                };
                let names_at = names.as_ref().map_or(ptr::null_mut(), Bound::as_ptr);
                let pointers: Vec<_> = arguments.iter().map(Bound::as_ptr).collect();
                PyResult::Ok(construct(class, pointers.as_ptr(), n, names_at))
            }
        })
    }));
    match outcome {
        Ok(Ok(object)) => object,
        Ok(Err(error)) => {
            Python::attach(|py| error.restore(py));
            ptr::null_mut()
        }
        Err(_) => failure::set_panicked(),
    }
}

/// Makes an instance of a registered class: the call of the class in Python.
///
/// # Safety
///
/// `class` is registered or inherits from a registered class; `args` as for a trampoline.
unsafe fn construct(
    class: *mut ffi::PyTypeObject,
    args: *const *mut ffi::PyObject,
    n: usize,
    names: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: G1, G2, by the contract of this function.
    unsafe {
        let Some(known) = of_type(class) else { return failure::set_panicked() };
        let Some(constructor) = known.constructor else {
            let text = format!("{} objects are made by ops, not by Python", known.class.key());
            Python::attach(|py| PyTypeError::new_err(text).restore(py));
            return ptr::null_mut();
        };
        match call::call_for_value(constructor, args, n, names) {
            Some(owned) => wrap(known, class, owned),
            None => ptr::null_mut(),
        }
    }
}

/// Makes an instance for an object; null with an exception set if it fails.
///
/// # Safety
///
/// `class` is the described one or inherits from it; the GIL is held.
pub(super) unsafe fn wrap(
    known: &'static PreparedClass,
    class: *mut ffi::PyTypeObject,
    owned: Owned<'static>,
) -> *mut ffi::PyObject {
    // SAFETY: this function's contract; the value is given away.
    unsafe { wrap_raw(known, class, &owned.into_c()) }
}

/// [`wrap`] for a result where an entry has written it.
///
/// # Safety
///
/// As for [`wrap`]; the caller owns the result and gives it up.
#[inline]
unsafe fn wrap_raw(
    known: &'static PreparedClass,
    class: *mut ffi::PyTypeObject,
    result: &ValueC,
) -> *mut ffi::PyObject {
    // SAFETY: this function's contract; the memory is zeroed and of the class's size, or from the
    // free list.
    unsafe {
        let object = result.address::<ObjectC>();
        let is_object = result.tag == Tag::Object as u32 | OWNED && !object.is_null();
        if !is_object || !(*object).has_key(known.class.key()) {
            return wrong_object(known, &Owned::from_c(*result));
        }
        let spare = if class == known.python() { known.spare.take() } else { ptr::null_mut() };
        let made = if spare.is_null() {
            ffi::PyType_GenericAlloc(class, 0)
        } else {
            ffi::PyObject_Init(spare, class)
        };
        if made.is_null() {
            drop(Owned::from_c(*result));
            return made;
        }
        let instance = made.cast::<Instance>();
        (*instance).known = known;
        (*instance).object = object;
        let fixed = instance.add(1).cast::<*mut ffi::PyObject>();
        for (at, field) in known.fixed.iter().enumerate() {
            let value = fast_call::of_object(field, made, ptr::null(), 0, ptr::null_mut());
            if value.is_null() {
                ffi::Py_DECREF(made);
                return ptr::null_mut();
            }
            *fixed.add(at) = value;
        }
        made
    }
}

#[cold]
fn wrong_object(known: &PreparedClass, owned: &Owned<'_>) -> *mut ffi::PyObject {
    let text = format!("an op that makes {} gave {:?}", known.class.key(), owned.get());
    Python::attach(|py| PyRuntimeError::new_err(text).restore(py));
    ptr::null_mut()
}
