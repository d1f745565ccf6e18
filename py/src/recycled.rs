//! Views that Python makes and drops by the million: tokens and lexemes.
//!
//! Holds unsafe code: instances are laid out, made and freed by hand, as Cython does for its
//! classes. An object that is dropped is kept and used for the next one; the collector does not
//! track it, since a view owns nothing but its document or vocab.
//!
//! An interpreter without a GIL would have to lock the row of kept objects, so there PyO3 makes
//! the objects.

use std::cell::UnsafeCell;
use std::marker::PhantomData;

use pyo3::ffi;
use pyo3::prelude::*;

/// How many dropped objects of a class are kept.
const MOST: usize = 256;

/// A class whose objects are made anew out of dropped ones.
///
/// # Safety
///
/// `release` gives up all that the value owns, by the C API and without a panic.
pub(crate) unsafe trait Recycled:
    pyo3::PyClass<Frozen = pyo3::pyclass::boolean_struct::True> + Send + Sync
{
    /// The class's row of kept objects.
    fn kept() -> &'static Kept<Self>;
    /// Gives up what the value owns.
    ///
    /// # Safety
    ///
    /// The thread is attached.
    unsafe fn release(self);
}

/// The dropped objects of a class, and how its objects are laid out.
pub(crate) struct Kept<T> {
    row: UnsafeCell<Row>,
    _of: PhantomData<T>,
}

struct Row {
    /// Null until `install`.
    class: *mut ffi::PyTypeObject,
    free: Vec<*mut ffi::PyObject>,
}

// SAFETY: `row` is touched only by who holds the GIL; where there is none, not at all.
unsafe impl<T> Sync for Kept<T> {}

impl<T> Kept<T> {
    pub(crate) const fn new() -> Kept<T> {
        Kept {
            row: UnsafeCell::new(Row { class: std::ptr::null_mut(), free: Vec::new() }),
            _of: PhantomData,
        }
    }
}

/// Where a value lies in its object: a frozen class without a dict has nothing else.
const OFFSET: usize = size_of::<ffi::PyObject>();

/// An object with this value.
#[inline]
pub(crate) fn make<T>(py: Python<'_>, value: T) -> PyResult<Bound<'_, T>>
where
    T: Recycled + Into<PyClassInitializer<T>>,
{
    #[cfg(not(Py_GIL_DISABLED))]
    {
        // SAFETY: the GIL is held, and nothing here runs code that could come back to this row
        // while the reference lives.
        let row = unsafe { &mut *T::kept().row.get() };
        if !row.class.is_null() {
            // SAFETY: `install` has checked that an object of the class is a header and a `T`, and
            // has taken over its end; the memory is fresh, or that of a dropped object.
            unsafe {
                let object = match row.free.pop() {
                    Some(object) => object,
                    None => ffi::PyObject_Malloc(OFFSET + size_of::<T>()).cast(),
                };
                if object.is_null() {
                    return Err(pyo3::exceptions::PyMemoryError::new_err("no memory for a view"));
                }
                ffi::PyObject_Init(object, row.class);
                object.byte_add(OFFSET).cast::<T>().write(value);
                return Ok(Bound::from_owned_ptr(py, object).cast_into_unchecked());
            }
        }
    }
    Bound::new(py, value)
}

/// Takes over how objects of the class are freed. To be called before the first one is made.
pub(crate) fn install<T: Recycled>(py: Python<'_>) {
    let class = py.get_type::<T>().as_type_ptr();
    // SAFETY: the class is PyO3's own, made for this module and not used yet.
    let sizes = unsafe { ((*class).tp_basicsize, (*class).tp_itemsize) };
    let expected = isize::try_from(OFFSET + size_of::<T>()).unwrap_or(-1);
    if cfg!(Py_GIL_DISABLED) || sizes != (expected, 0) || align_of::<T>() > align_of::<usize>() {
        return;
    }
    // SAFETY: as above; an object is a header and a `T` (its size says so), which `free` drops. The
    // collector's header, which PyO3 gives to every class, is given up together with its flag
    // and slots.
    unsafe {
        (*class).tp_flags &= !ffi::Py_TPFLAGS_HAVE_GC;
        (*class).tp_traverse = None;
        (*class).tp_clear = None;
        (*class).tp_dealloc = Some(free::<T>);
        (*class).tp_free = Some(ffi::PyObject_Free);
        ffi::PyType_Modified(class);
        (*T::kept().row.get()).class = class;
    }
}

/// The end of an object.
///
/// # Safety
///
/// For CPython: an object of the class, without references; the GIL is held.
unsafe extern "C" fn free<T: Recycled>(object: *mut ffi::PyObject) {
    // SAFETY: the object is of the class, so a value lies behind its header; nobody will look at
    // it again. To release it can run any code, so the row is looked at afterwards.
    unsafe {
        let class = ffi::Py_TYPE(object);
        object.byte_add(OFFSET).cast::<T>().read().release();
        let row = &mut *T::kept().row.get();
        if row.free.len() < MOST {
            row.free.push(object);
        } else {
            ffi::PyObject_Free(object.cast());
        }
        ffi::Py_DECREF(class.cast());
    }
}
