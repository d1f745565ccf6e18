//! Type slots of registered classes: construction, access and deallocation of their instances.
//!
//! Holds unsafe code (invariants G1 to G7 of [`ops`](super)): instances are laid out by hand: a
//! header, the class's description, a reference to the object, and its constant fields as Python
//! objects, which the interpreter reads without a call. Methods and constructors are called as ops.

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

/// An instance of a registered class.
#[repr(C)]
pub(super) struct Instance {
    head: ffi::PyObject,
    pub(super) known: *const PreparedClass,
    /// One reference; null in an instance whose construction failed.
    object: *const ObjectC,
    // The constant fields follow, as Python objects.
}

/// Finds the description of a registered class, or of the registered class that a subclass inherits
/// from.
///
/// # Safety
///
/// The type lives.
unsafe fn of_type(mut class: *mut ffi::PyTypeObject) -> Option<&'static PreparedClass> {
    while !class.is_null() {
        // SAFETY: this function's contract; a type keeps its bases alive.
        unsafe {
            if is_ours(class) {
                return Some(of_exact(class));
            }
            class = (*class).tp_base;
        }
    }
    None
}

/// Returns the description of a registered class.
///
/// # Safety
///
/// `objects` has made the type.
#[inline]
unsafe fn of_exact(class: *mut ffi::PyTypeObject) -> &'static PreparedClass {
    // SAFETY: the closure of its first property is the description (see `make_class`), which lives
    // (G7).
    unsafe { &*(*(*class).tp_getset).closure.cast::<PreparedClass>() }
}

/// Returns whether a class is registered itself, not a subclass: only those use the free list.
///
/// # Safety
///
/// The type lives.
#[inline]
unsafe fn is_ours(class: *mut ffi::PyTypeObject) -> bool {
    let ours: ffi::destructor = dealloc;
    // SAFETY: G1, G2, by the contract of this function.
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
        let made = catch_unwind(AssertUnwindSafe(long));
        made.unwrap_or_else(|_| failure::set_panicked())
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
    let made = catch_unwind(AssertUnwindSafe(|| {
        Python::attach(|py| {
            // SAFETY: G2: CPython passes a tuple, and a dict or null.
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

/// A free list of instances, linked through the field of their reference, which saves calls of the
/// allocator. Used with the GIL only; in a free-threaded build it stays empty.
#[derive(Default)]
pub(super) struct FreeSlot {
    first: AtomicPtr<Instance>,
    len: AtomicU32,
}

/// Maximum length of a free list.
const MAX_FREE: u32 = 64;

impl FreeSlot {
    /// # Safety
    ///
    /// The GIL is held.
    #[inline]
    unsafe fn take(&self) -> *mut ffi::PyObject {
        let first = self.first.load(Ordering::Relaxed);
        if !first.is_null() {
            // SAFETY: `keep` has put the instance there, and no reference to it is left.
            let next = unsafe { (*first).object.cast_mut().cast() };
            self.first.store(next, Ordering::Relaxed);
            self.len.store(self.len.load(Ordering::Relaxed) - 1, Ordering::Relaxed);
        }
        first.cast()
    }

    /// Puts an instance on the list, with its constant fields set to null. Returns false if the
    /// list is full.
    ///
    /// # Safety
    ///
    /// The instance is of the class itself, without references; the GIL is held.
    #[inline]
    unsafe fn keep(&self, object: *mut Instance, fixed: usize) -> bool {
        let len = self.len.load(Ordering::Relaxed);
        if cfg!(Py_GIL_DISABLED) || len >= MAX_FREE {
            return false;
        }
        // SAFETY: this function's contract; the class has this number of constant fields.
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
/// For CPython: an instance of such a class, without references.
pub(super) unsafe extern "C" fn dealloc(object: *mut ffi::PyObject) {
    // SAFETY: G4. A subclass's own `tp_dealloc` has run before.
    unsafe { classes::dealloc_nested(object, end) }
}

/// # Safety
///
/// As for [`dealloc`].
unsafe extern "C" fn end(object: *mut ffi::PyObject) {
    // SAFETY: G1, G6: no reference is left.
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
    // SAFETY: G7: the closure is the class's description.
    let key = unsafe { &*closure.cast::<PreparedClass>() }.class.key();
    let len = super::ssize(key.len());
    // SAFETY: G1; the key has this number of bytes.
    unsafe { ffi::PyUnicode_FromStringAndSize(key.as_ptr().cast(), len) }
}

/// Converts an instance to an object value; the op checks its class.
///
/// # Safety
///
/// As for [`from_python::put`](super::from_python::put).
#[inline]
pub(super) unsafe fn find<'a>(given: *mut ffi::PyObject) -> Option<Value<'a>> {
    // SAFETY: G1, G2; the instance owns a reference to the object.
    unsafe {
        let class = ffi::Py_TYPE(given);
        // The common case first: an instance of a registered class itself, not of a subclass.
        if !is_ours(class) && of_type(class).is_none() {
            return None;
        }
        object(given)
    }
}

/// Converts an instance of a registered class, or of a subclass.
///
/// # Safety
///
/// As for [`find`]; the object is of such a class.
#[inline]
pub(super) unsafe fn object<'a>(given: *mut ffi::PyObject) -> Option<Value<'a>> {
    // SAFETY: G1, G2, by the contract of this function.
    unsafe { (*given.cast::<Instance>()).object.as_ref().map(Value::object) }
}
