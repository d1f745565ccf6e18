//! Views that Python makes and drops by the million: tokens, lexemes and handles.
//!
//! Holds unsafe code: instances are laid out, made and freed by hand, as Cython does for its classes.
//!
//! An object that is dropped is kept and used for the next one. The collector tracks it all the while,
//! since to track and untrack costs as much as the rest: an object at rest is one of the class `Spare`,
//! which holds nothing, with one reference that is the row's. So a view that is in a cycle with its
//! document is collected, and to make or drop one touches no list of the collector's.
//!
//! Invariants:
//! - A block is the collector's header and an object of the class's size. It is tracked from its first
//!   use on until it is freed, and owns one reference to the class.
//! - Where an object's class is the view's, a value lies behind its header; where it is `Spare`, none.
//! - An object in the row is at rest. Who else has a reference (`gc.get_objects()` gives out all that is
//!   tracked) has a `Spare`, and it stays one: what is taken from the row has no second reference.
//! - No code of Python's runs while the row is borrowed.
//! - Classes of views have no `tp_clear`, which the collector could call when a view that it found to be
//!   garbage has ended and its block is another view's.
//!
//! A block is made without counting it as the collector counts objects: a collection for every 700
//! tokens would cost more than they do. Each cycle through a view has its document or vocab, which count.
//!
//! An interpreter without a GIL would have to lock the row of kept objects, so there PyO3 makes
//! the objects; so it does where the collector's header is not as it is here.

use std::cell::UnsafeCell;
use std::ffi::{CStr, c_int, c_void};
use std::marker::PhantomData;

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::runtime::classes::Class;

/// The most dropped objects of a class that are kept: the tokens of all but long documents, since a
/// new_block one costs a third more.
const MAX_KEPT: usize = 4096;

/// A class whose objects are made anew out of dropped ones.
///
/// # Safety
///
/// `release` gives up all that the value owns, by the C API and without a panic. The class has no
/// `__clear__`.
pub(crate) unsafe trait FreeListed:
    Class + pyo3::PyClass<Frozen = pyo3::pyclass::boolean_struct::True> + Send + Sync
{
    /// The class's row of kept objects.
    fn free_list() -> &'static FreeList<Self>;
    /// Gives up what the value owns.
    ///
    /// # Safety
    ///
    /// The thread is attached.
    unsafe fn release(self);
}

/// The dropped objects of a class, and how its objects are laid out.
pub(crate) struct FreeList<T> {
    state: UnsafeCell<FreeListState>,
    _of: PhantomData<T>,
}

struct FreeListState {
    /// Null until `install`.
    class: *mut ffi::PyTypeObject,
    /// The class of objects at rest.
    spare: *mut ffi::PyTypeObject,
    free: Vec<*mut ffi::PyObject>,
}

// SAFETY: `row` is touched only by who holds the GIL; where there is none, not at all.
unsafe impl<T> Sync for FreeList<T> {}

impl<T> FreeList<T> {
    pub(crate) const fn new() -> FreeList<T> {
        let class = std::ptr::null_mut();
        FreeList {
            state: UnsafeCell::new(FreeListState { class, spare: class, free: Vec::new() }),
            _of: PhantomData,
        }
    }
}

/// Where a value lies in its object: a frozen class without a dict has nothing else.
const VALUE_OFFSET: usize = size_of::<ffi::PyObject>();

/// The collector's header, which lies before an object: two words, both zero while it is not tracked.
const GC_HEADER: usize = 2 * size_of::<usize>();

/// An object with this value.
#[inline]
pub(crate) fn make<T>(py: Python<'_>, value: T) -> PyResult<Bound<'_, T>>
where
    T: FreeListed + Into<PyClassInitializer<T>>,
{
    #[cfg(not(Py_GIL_DISABLED))]
    {
        // SAFETY: the GIL is held, and nothing here runs code that could come back to this row
        // while the reference lives.
        let list = unsafe { &mut *T::free_list().state.get() };
        if !list.class.is_null() {
            let object = match list.free.pop() {
                // SAFETY: an object of the row lives.
                Some(object) if unsafe { ffi::Py_REFCNT(object) } == 1 => object,
                found => new_block(size_of::<T>(), list.class, list.spare, found)?,
            };
            // SAFETY: the object is at rest or was just made, and this the only reference; it has
            // room for a value.
            unsafe {
                object.byte_add(VALUE_OFFSET).cast::<T>().write(value);
                (*object).ob_type = list.class;
                return Ok(Bound::from_owned_ptr(py, object).cast_into_unchecked());
            }
        }
    }
    Bound::new(py, value)
}

/// A block of its own, at rest. What was found in the row is somebody else's too, and left to them.
#[cold]
#[cfg(not(Py_GIL_DISABLED))]
fn new_block(
    size: usize,
    class: *mut ffi::PyTypeObject,
    spare: *mut ffi::PyTypeObject,
    found: Option<*mut ffi::PyObject>,
) -> PyResult<*mut ffi::PyObject> {
    // SAFETY: called by `make`, which has the GIL and the classes. Another reference keeps what was
    // found, so nothing runs.
    unsafe {
        if let Some(found) = found {
            ffi::Py_DECREF(found);
        }
        let made = block(size, class, spare);
        if made.is_null() {
            return Err(pyo3::exceptions::PyMemoryError::new_err("no memory for a view"));
        }
        ffi::PyObject_GC_Track(made.cast());
        Ok(made)
    }
}

/// A block for a value of some size, not tracked yet; null without memory.
///
/// # Safety
///
/// The classes live; the GIL is held.
unsafe fn block(
    size: usize,
    class: *mut ffi::PyTypeObject,
    spare: *mut ffi::PyTypeObject,
) -> *mut ffi::PyObject {
    // SAFETY: new_block memory of that size.
    unsafe {
        let memory = ffi::PyObject_Malloc(GC_HEADER + VALUE_OFFSET + size);
        if memory.is_null() {
            return std::ptr::null_mut();
        }
        memory.cast::<[usize; 2]>().write([0; 2]);
        // Takes the reference to the class.
        let object = ffi::PyObject_Init(memory.byte_add(GC_HEADER).cast(), class);
        (*object).ob_type = spare;
        object
    }
}

/// Frees a block.
///
/// # Safety
///
/// An object at rest that nobody refers to any more, and the class of its views; the GIL is held.
unsafe fn free_block(object: *mut ffi::PyObject, class: *mut ffi::PyTypeObject) {
    // SAFETY: as the caller promises; a block begins with the collector's header.
    unsafe {
        ffi::PyObject_GC_UnTrack(object.cast());
        ffi::PyObject_Free(object.byte_sub(GC_HEADER).cast());
        ffi::Py_DECREF(class.cast());
    }
}

/// Takes over how objects of the class are made and freed. To be called before the first one is made.
pub(crate) fn install<T: FreeListed>(py: Python<'_>) -> PyResult<()> {
    let class = py.get_type::<T>().as_type_ptr();
    // SAFETY: the class is PyO3's own, made for this module and not used yet.
    let (size, items, clear) =
        unsafe { ((*class).tp_basicsize, (*class).tp_itemsize, (*class).tp_clear) };
    let expected = isize::try_from(VALUE_OFFSET + size_of::<T>()).unwrap_or(-1);
    if cfg!(Py_GIL_DISABLED)
        || (size, items) != (expected, 0)
        || align_of::<T>() > align_of::<usize>()
        || clear.is_some()
    {
        return Ok(());
    }
    let spare = spare_class::<T>(py)?;
    if !has_known_header(py, size_of::<T>(), class, spare)? {
        return Ok(());
    }
    // SAFETY: the GIL is held. The class's objects are a header and a `T` (its size says so), which
    // `end` takes out.
    unsafe {
        let list = &mut *T::free_list().state.get();
        list.free.reserve_exact(MAX_KEPT);
        (list.spare, list.class) = (spare, class);
        (*class).tp_dealloc = Some(dealloc::<T>);
        ffi::PyType_Modified(class);
    }
    Ok(())
}

/// True if the collector's header is as it is here: its size, and the word that says that an object is
/// tracked.
fn has_known_header(
    py: Python<'_>,
    size: usize,
    class: *mut ffi::PyTypeObject,
    spare: *mut ffi::PyTypeObject,
) -> PyResult<bool> {
    let list = PyList::empty(py);
    let with_header = py.import("sys")?.call_method1("getsizeof", (&list,))?.extract::<usize>()?;
    if with_header != list.call_method0("__sizeof__")?.extract::<usize>()? + GC_HEADER {
        return Ok(false);
    }
    // SAFETY: both classes live and the GIL is held; the block is freed as what it is, at rest.
    unsafe {
        let object = block(size, class, spare);
        if object.is_null() {
            return Ok(false);
        }
        let before = is_tracked(object);
        ffi::PyObject_GC_Track(object.cast());
        let after = is_tracked(object) && ffi::PyObject_GC_IsTracked(object) == 1;
        ffi::PyObject_GC_UnTrack(object.cast());
        let known = !before && after && !is_tracked(object);
        free_block(object, class);
        Ok(known)
    }
}

/// True for a block that the collector tracks.
///
/// # Safety
///
/// The object lies in a block.
#[inline]
unsafe fn is_tracked(object: *mut ffi::PyObject) -> bool {
    // SAFETY: a block begins with the header's two words.
    unsafe { object.byte_sub(GC_HEADER).cast::<usize>().read() != 0 }
}

/// The class of objects at rest.
fn spare_class<T: FreeListed>(py: Python<'_>) -> PyResult<*mut ffi::PyTypeObject> {
    const NAME: &CStr = c"lexpool._core.Spare";
    const DOC: &CStr = c"Memory that is kept for the next view of a document or vocab.";
    let slot = |slot: c_int, at: *mut c_void| ffi::PyType_Slot { slot, pfunc: at };
    let mut slots = [
        slot(ffi::Py_tp_doc, DOC.as_ptr().cast_mut().cast()),
        slot(ffi::Py_tp_traverse, traverse_spare as *mut c_void),
        slot(ffi::Py_tp_dealloc, dealloc_spare::<T> as *mut c_void),
        slot(0, std::ptr::null_mut()),
    ];
    let flags = ffi::Py_TPFLAGS_DEFAULT
        | ffi::Py_TPFLAGS_HAVE_GC
        | ffi::Py_TPFLAGS_DISALLOW_INSTANTIATION
        | ffi::Py_TPFLAGS_IMMUTABLETYPE;
    let mut spec = ffi::PyType_Spec {
        name: NAME.as_ptr(),
        basicsize: c_int::try_from(VALUE_OFFSET + size_of::<T>()).unwrap_or(c_int::MAX),
        itemsize: 0,
        flags: flags.try_into().unwrap_or_default(),
        slots: slots.as_mut_ptr(),
    };
    // SAFETY: the description is whole; CPython copies what it needs of it.
    let made = unsafe { Bound::from_owned_ptr_or_err(py, ffi::PyType_FromSpec(&raw mut spec))? };
    Ok(made.into_ptr().cast())
}

/// # Safety
///
/// For CPython.
unsafe extern "C" fn traverse_spare(
    _: *mut ffi::PyObject,
    _: ffi::visitproc,
    _: *mut c_void,
) -> c_int {
    // The class is not visited, for the reference to it is not the object's.
    0
}

/// The end of an object at rest that was in somebody else's hands when its turn came.
///
/// # Safety
///
/// For CPython: an object of the class, without references; the GIL is held.
unsafe extern "C" fn dealloc_spare<T: FreeListed>(object: *mut ffi::PyObject) {
    // SAFETY: as CPython promises; the row is not borrowed by anybody who lets Python run.
    unsafe { free_block(object, (*T::free_list().state.get()).class) }
}

/// The end of an object: it is at rest from here on, or freed.
///
/// # Safety
///
/// For CPython: an object of the class, without references; the GIL is held.
unsafe extern "C" fn dealloc<T: FreeListed>(object: *mut ffi::PyObject) {
    // SAFETY: the object is of the class, so a value lies behind its header; it is taken out before
    // anybody can look at the object again. To release it can run any code, so that comes last.
    unsafe {
        let value = object.byte_add(VALUE_OFFSET).cast::<T>().read();
        let list = &mut *T::free_list().state.get();
        (*object).ob_type = list.spare;
        // CPython may have untracked what it ends later, to spare the stack.
        if list.free.len() < MAX_KEPT && is_tracked(object) {
            ffi::Py_INCREF(object);
            list.free.push(object);
        } else {
            free_block(object, list.class);
        }
        value.release();
    }
}
