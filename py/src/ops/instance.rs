//! What CPython calls of the classes of registered types: how objects are made, read, called and freed.
//!
//! Holds unsafe code: objects are laid out by hand: a header, the class's description, a reference to the
//! object, and what never changes as Python objects, which the interpreter reads without a call. Methods
//! and constructors are called by the way of ops.

use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

use lexpool::registry::Value;
use lexpool::registry::plugin::{OWNED, ObjectC, Owned, OwnedC, Tag, ValueC};
use pyo3::exceptions::{PyRuntimeError, PyTypeError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use super::fast_call::{self, Outcome};
use super::objects::PreparedClass;
use super::{call, failure};
use crate::runtime::classes;

/// An object of such a class.
#[repr(C)]
pub(super) struct Instance {
    head: ffi::PyObject,
    pub(super) known: *const PreparedClass,
    /// One reference; null in an object that was never made.
    object: *const ObjectC,
    // As many Python objects follow as the class has fields that never change.
}

/// What is known of a class of these, or of the one that a class inherits from.
///
/// # Safety
///
/// The type lives.
unsafe fn of_type(mut class: *mut ffi::PyTypeObject) -> Option<&'static PreparedClass> {
    while !class.is_null() {
        // SAFETY: a type that lives, and its bases live with it.
        unsafe {
            if is_ours(class) {
                return Some(of_exact(class));
            }
            class = (*class).tp_base;
        }
    }
    None
}

/// What is known of a class of these.
///
/// # Safety
///
/// The type is one that `objects` has made.
#[inline]
unsafe fn of_exact(class: *mut ffi::PyTypeObject) -> &'static PreparedClass {
    // SAFETY: the first of its properties leads to what is known.
    unsafe { &*(*(*class).tp_getset).closure.cast::<PreparedClass>() }
}

/// Whether a class is itself one of these: no others are freed so.
///
/// # Safety
///
/// The type lives.
#[inline]
unsafe fn is_ours(class: *mut ffi::PyTypeObject) -> bool {
    let ours: ffi::destructor = dealloc;
    // SAFETY: as the caller promises.
    unsafe { (*class).tp_dealloc }.is_some_and(|theirs| ptr::fn_addr_eq(theirs, ours))
}

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
    // SAFETY: as CPython promises; only a class of these itself has this function, not what inherits
    // from it.
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
        let made = catch_unwind(AssertUnwindSafe(long));
        made.unwrap_or_else(|_| failure::set_panicked())
    }
}

/// `Subclass(...)`: with a tuple and a dict.
///
/// # Safety
///
/// For CPython.
pub(super) unsafe extern "C" fn new(
    class: *mut ffi::PyTypeObject,
    args: *mut ffi::PyObject,
    kwargs: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    let made = catch_unwind(AssertUnwindSafe(|| {
        Python::attach(|py| {
            // SAFETY: CPython gives a tuple, and a dict or null.
            unsafe {
                let args = Bound::<PyAny>::from_borrowed_ptr(py, args);
                let mut given: Vec<_> = args.try_iter()?.collect::<PyResult<_>>()?;
                let n = given.len();
                let mut names = Vec::new();
                if let Some(kwargs) = Bound::<PyAny>::from_borrowed_ptr_or_opt(py, kwargs) {
                    for (name, value) in kwargs.cast::<pyo3::types::PyDict>()?.iter() {
                        names.push(name);
                        given.push(value);
                    }
                }
                let names = match &*names {
                    [] => None,
                    names => Some(PyTuple::new(py, names)?),
                };
                let names_at = names.as_ref().map_or(ptr::null_mut(), Bound::as_ptr);
                let given: Vec<_> = given.iter().map(Bound::as_ptr).collect();
                PyResult::Ok(construct(class, given.as_ptr(), n, names_at))
            }
        })
    }));
    match made {
        Ok(Ok(object)) => object,
        Ok(Err(error)) => {
            Python::attach(|py| error.restore(py));
            ptr::null_mut()
        }
        Err(_) => failure::set_panicked(),
    }
}

/// # Safety
///
/// `class` is one of these or inherits from one; `args` as for a trampoline.
unsafe fn construct(
    class: *mut ffi::PyTypeObject,
    args: *const *mut ffi::PyObject,
    n: usize,
    names: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: as the caller promises.
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

/// An instance that has an object; null with an exception set.
///
/// # Safety
///
/// `class` is the known one or inherits from it; the GIL is held.
pub(super) unsafe fn wrap(
    known: &'static PreparedClass,
    class: *mut ffi::PyTypeObject,
    owned: Owned<'static>,
) -> *mut ffi::PyObject {
    // SAFETY: as the caller promises; the value is given away.
    unsafe { wrap_raw(known, class, &owned.into_c()) }
}

/// As [`wrap`], of a result that lies where an entry has written it.
///
/// # Safety
///
/// As for [`wrap`]; the result is owned by the caller, who gives it up.
#[inline]
unsafe fn wrap_raw(
    known: &'static PreparedClass,
    class: *mut ffi::PyTypeObject,
    result: &ValueC,
) -> *mut ffi::PyObject {
    // SAFETY: as the caller promises; fresh memory of the class's size, all zeros, or a spare object.
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

/// Freed objects of a class that the next ones are made of, each with the next one in the place of its
/// reference. Saves the allocator's work. Touched with the GIL only; without one it stays empty.
#[derive(Default)]
pub(super) struct FreeSlot {
    first: AtomicPtr<Instance>,
    len: AtomicU32,
}

/// How many of them are kept.
const MOST_SPARE: u32 = 64;

impl FreeSlot {
    /// # Safety
    ///
    /// The GIL is held.
    #[inline]
    unsafe fn take(&self) -> *mut ffi::PyObject {
        let first = self.first.load(Ordering::Relaxed);
        if !first.is_null() {
            // SAFETY: an object that `keep` took, which is nobody else's.
            let next = unsafe { (*first).object.cast_mut().cast() };
            self.first.store(next, Ordering::Relaxed);
            self.len.store(self.len.load(Ordering::Relaxed) - 1, Ordering::Relaxed);
        }
        first.cast()
    }

    /// Whether the object was kept; its fields that never change are null then.
    ///
    /// # Safety
    ///
    /// The object is of the class itself and nobody's any more; the GIL is held.
    #[inline]
    unsafe fn keep(&self, object: *mut Instance, fixed: usize) -> bool {
        let len = self.len.load(Ordering::Relaxed);
        if cfg!(Py_GIL_DISABLED) || len >= MOST_SPARE {
            return false;
        }
        // SAFETY: as the caller promises; so many fields follow.
        unsafe {
            for at in 0..fixed {
                object.add(1).cast::<*mut ffi::PyObject>().add(at).write(ptr::null_mut());
            }
            (*object).object = self.first.load(Ordering::Relaxed).cast();
        }
        self.first.store(object, Ordering::Relaxed);
        self.len.store(len + 1, Ordering::Relaxed);
        true
    }
}

/// # Safety
///
/// For CPython: an object of such a class, without references.
pub(super) unsafe extern "C" fn dealloc(object: *mut ffi::PyObject) {
    // SAFETY: as CPython promises. What inherits from such a class ends by its own function first.
    unsafe { classes::dealloc_nested(object, end) }
}

/// # Safety
///
/// As for [`dealloc`].
unsafe extern "C" fn end(object: *mut ffi::PyObject) {
    // SAFETY: as CPython promises; nobody looks at the object again.
    unsafe {
        let class = ffi::Py_TYPE(object);
        let instance = object.cast::<Instance>();
        if let Some(known) = (*instance).known.as_ref() {
            let fixed = instance.add(1).cast::<*mut ffi::PyObject>();
            for at in 0..known.fixed.len() {
                ffi::Py_XDECREF(*fixed.add(at));
            }
        }
        let head = (*instance).object.cast_mut().cast::<OwnedC>();
        if !head.is_null() {
            ((*head).release)(head);
        }
        let known = (*instance).known.as_ref();
        let own = known.filter(|known| ptr::eq(class, known.python()));
        if !own.is_some_and(|known| known.spare.keep(instance, known.fixed.len())) {
            let free = (*class).tp_free.unwrap_or(ffi::PyObject_Free);
            free(object.cast());
        }
        ffi::Py_DECREF(class.cast());
    }
}

/// # Safety
///
/// For CPython: an object of such a class, and the closure of its first property.
pub(super) unsafe extern "C" fn get_key(
    _: *mut ffi::PyObject,
    closure: *mut c_void,
) -> *mut ffi::PyObject {
    // SAFETY: the closure is what is known of the class.
    let key = unsafe { &*closure.cast::<PreparedClass>() }.class.key();
    let len = super::ssize(key.len());
    // SAFETY: the GIL is held; the key has as many bytes.
    unsafe { ffi::PyUnicode_FromStringAndSize(key.as_ptr().cast(), len) }
}

/// The value of an object; whether it is of the right type is judged by the op.
///
/// # Safety
///
/// As for [`from_python::put`](super::from_python::put).
#[inline]
pub(super) unsafe fn find<'a>(given: *mut ffi::PyObject) -> Option<Value<'a>> {
    // SAFETY: as the caller promises; the object keeps what it refers to.
    unsafe {
        let class = ffi::Py_TYPE(given);
        // An object of a class itself is the usual one; those of classes that inherit are looked for.
        if !is_ours(class) && of_type(class).is_none() {
            return None;
        }
        object(given)
    }
}

/// The value of an object of one of these classes, or of one that inherits from them.
///
/// # Safety
///
/// As for [`find`]; the object is of such a class.
#[inline]
pub(super) unsafe fn object<'a>(given: *mut ffi::PyObject) -> Option<Value<'a>> {
    // SAFETY: as the caller promises.
    unsafe { (*given.cast::<Instance>()).object.as_ref().map(Value::object) }
}
