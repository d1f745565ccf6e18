//! Instances of registered classes: layout, look-up and deallocation.
//!
//! Holds unsafe code (invariants G1, G2, G4, G6, G7 of [`ops`](super)): instances are laid out by
//! hand: a header, the class's description, a reference to the object, and its constant fields as
//! Python objects, which the interpreter reads without a call.

use std::ffi::c_void;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

use lexpool_ops::plugin::{ObjectC, OwnedC};
use lexpool_ops::{ObjectClass, Value};
use pyo3::ffi;

use super::c_ints::ssize;
use super::prepared_op::PreparedOp;
use crate::runtime::classes;

/// An instance of a registered class.
#[repr(C)]
pub(super) struct Instance {
    head: ffi::PyObject,
    pub(super) known: *const PreparedClass,
    /// One reference; null in an instance whose construction failed.
    pub(super) object: *const ObjectC,
    // The constant fields follow, as Python objects.
}

/// The description of a registered class. Lives as long as the process, as CPython's definitions
/// must (G7).
pub(super) struct PreparedClass {
    pub(super) class: Arc<ObjectClass>,
    pub(super) constructor: Option<&'static PreparedOp>,
    pub(super) methods: Vec<&'static PreparedOp>,
    pub(super) fixed: Vec<&'static PreparedOp>,
    pub(super) readers: Vec<Reader>,
    /// The class object; set once, when it is made.
    pub(super) python: AtomicPtr<ffi::PyTypeObject>,
    pub(super) spare: FreeSlot,
}

/// The getter and the setter of a field.
pub(super) struct Reader {
    pub(super) get: &'static PreparedOp,
    pub(super) set: Option<&'static PreparedOp>,
}

// SAFETY: written before it is shared, and then only read, but for the atomic pointer.
unsafe impl Send for PreparedClass {}
// SAFETY: written before it is shared, and then only read, but for the atomic pointer.
unsafe impl Sync for PreparedClass {}

impl PreparedClass {
    /// Returns the class object.
    #[inline]
    pub(super) fn python(&self) -> *mut ffi::PyTypeObject {
        self.python.load(Ordering::Acquire)
    }

    /// Returns the size of an instance.
    pub(super) fn size(&self) -> usize {
        size_of::<Instance>() + self.fixed.len() * size_of::<*mut ffi::PyObject>()
    }
}

/// Finds the description of a registered class, or of the registered class that a subclass inherits
/// from.
///
/// # Safety
///
/// The type lives.
pub(super) unsafe fn of_type(mut class: *mut ffi::PyTypeObject) -> Option<&'static PreparedClass> {
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
pub(super) unsafe fn of_exact(class: *mut ffi::PyTypeObject) -> &'static PreparedClass {
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
    let own_dealloc: ffi::destructor = dealloc;
    // SAFETY: G1, G2, by the contract of this function.
    unsafe { (*class).tp_dealloc }.is_some_and(|theirs| ptr::fn_addr_eq(theirs, own_dealloc))
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
    /// Takes a spare instance; returns null if the list is empty.
    ///
    /// # Safety
    ///
    /// The GIL is held.
    #[inline]
    pub(super) unsafe fn take(&self) -> *mut ffi::PyObject {
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

/// Ends an instance: `tp_dealloc` of the class.
///
/// # Safety
///
/// For CPython: an instance of such a class, without references.
pub(super) unsafe extern "C" fn dealloc(object: *mut ffi::PyObject) {
    // SAFETY: G4. A subclass's own `tp_dealloc` has run before.
    unsafe { classes::dealloc_nested(object, end) }
}

/// Drops the object of an instance, and keeps or frees the instance.
///
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

/// Returns the key of the class: its first property.
///
/// # Safety
///
/// For CPython: an object of such a class, and the closure of its first property.
pub(super) unsafe extern "C" fn get_key(
    _: *mut ffi::PyObject,
    closure: *mut c_void,
) -> *mut ffi::PyObject {
    // SAFETY: G7: the closure is the class's description.
    let key = unsafe { &*closure.cast::<PreparedClass>() }.class.key();
    let len = ssize(key.len());
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
