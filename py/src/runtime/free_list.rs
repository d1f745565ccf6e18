//! Free lists of view objects: tokens, lexemes and handles, which Python creates and drops by the
//! million.
//!
//! Unsafe code: instances are laid out, allocated and freed by hand, as Cython does for its
//! classes.
//!
//! A dropped object goes to the free list of its class and is reused by the next one. It stays
//! tracked by the collector, since tracking and untracking cost as much as everything else. In the
//! list it is an object of the class `Spare`, which owns nothing, with one reference, that of the
//! list. So the collector finds cycles between a view and its document, and creating or dropping a
//! view touches none of the collector's lists.
//!
//! Invariants:
//! - **F1** A block is the collector's header followed by an object of the class's size. It is
//!   tracked from its first use until it is freed, and owns one reference to the class.
//! - **F2** If an object has the view's class, a value follows its header; if it has the class
//!   `Spare`, no value does.
//! - **F3** Every object in the list is a `Spare`. Another reference to it (`gc.get_objects()`
//!   returns all tracked objects) sees a `Spare` that stays one: an object is reused only if the
//!   list has the only reference.
//! - **F4** No Python code runs while the list is borrowed, and only the holder of the GIL borrows
//!   it.
//! - **F5** Classes of views have no `tp_clear`. The collector could call it on a view that it
//!   found to be garbage, after that view was dropped and its block was reused.
//!
//! A block is allocated without increasing the collector's counter of objects: a collection for
//! every 700 tokens would cost more than they do. Each cycle through a view contains its document
//! or vocab, which are counted.
//!
//! An interpreter without a GIL would need a lock around the list, so there PyO3 allocates the
//! objects. The same holds if the collector's header is not as expected.

use std::cell::UnsafeCell;
use std::ffi::{CStr, c_int, c_void};
use std::marker::PhantomData;

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::runtime::classes::Class;

/// Maximum length of a free list: the tokens of all but long documents, since a new object costs a
/// third more than a reused one.
const MAX_KEPT: usize = 4096;

/// A class whose objects are reused.
///
/// # Safety
///
/// `release` gives up all that the value owns, by the C API and without a panic. The class has no
/// `__clear__` (F5).
pub(crate) unsafe trait FreeListed:
    Class + pyo3::PyClass<Frozen = pyo3::pyclass::boolean_struct::True> + Send + Sync
{
    /// The free list of the class.
    fn free_list() -> &'static FreeList<Self>;
    /// Gives up what the value owns.
    ///
    /// # Safety
    ///
    /// The thread is attached.
    unsafe fn release(self);
}

/// The free list of a class, with the layout of its objects.
pub(crate) struct FreeList<T> {
    state: UnsafeCell<FreeListState>,
    _of: PhantomData<T>,
}

struct FreeListState {
    /// Null until `install`.
    class: *mut ffi::PyTypeObject,
    /// The class `Spare` of the objects in the list.
    spare: *mut ffi::PyTypeObject,
    free: Vec<*mut ffi::PyObject>,
}

// SAFETY: F4: `state` is reached only by the holder of the GIL; without a GIL, never.
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

/// Offset of the value in its object: a frozen class without a dict has no other field.
const VALUE_OFFSET: usize = size_of::<ffi::PyObject>();

/// Size of the collector's header, which precedes an object: two words, both zero while the object
/// is not tracked.
const GC_HEADER: usize = 2 * size_of::<usize>();

/// Creates an object with this value.
#[inline]
pub(crate) fn make<T>(py: Python<'_>, value: T) -> PyResult<Bound<'_, T>>
where
    T: FreeListed + Into<PyClassInitializer<T>>,
{
    #[cfg(not(Py_GIL_DISABLED))]
    {
        // SAFETY: F4: the GIL is held, and nothing here runs code that could borrow the list again
        // while the reference lives.
        let list = unsafe { &mut *T::free_list().state.get() };
        if !list.class.is_null() {
            let object = match list.free.pop() {
                // SAFETY: F3: an object in the list is alive.
                Some(object) if unsafe { ffi::Py_REFCNT(object) } == 1 => object,
                found => new_block(size_of::<T>(), list.class, list.spare, found)?,
            };
            // SAFETY: F1, F2: the object is a `Spare` with a single reference, and has room for a
            // value.
            unsafe {
                object.byte_add(VALUE_OFFSET).cast::<T>().write(value);
                (*object).ob_type = list.class;
                return Ok(Bound::from_owned_ptr(py, object).cast_into_unchecked());
            }
        }
    }
    Bound::new(py, value)
}

/// Allocates a block that is a `Spare`. `found`, an object of the list to which there are other
/// references, is left to their owners.
#[cold]
#[cfg(not(Py_GIL_DISABLED))]
fn new_block(
    size: usize,
    class: *mut ffi::PyTypeObject,
    spare: *mut ffi::PyTypeObject,
    found: Option<*mut ffi::PyObject>,
) -> PyResult<*mut ffi::PyObject> {
    // SAFETY: F4: `make` has the GIL and the classes. The other reference keeps `found` alive, so
    // no destructor runs.
    unsafe {
        if let Some(found) = found {
            ffi::Py_DECREF(found);
        }
        let block_address = block(size, class, spare);
        if block_address.is_null() {
            return Err(pyo3::exceptions::PyMemoryError::new_err("no memory for a view"));
        }
        ffi::PyObject_GC_Track(block_address.cast());
        Ok(block_address)
    }
}

/// Allocates a block for a value of this size, untracked. Returns null without memory.
///
/// # Safety
///
/// The classes are alive, and the GIL is held.
unsafe fn block(
    size: usize,
    class: *mut ffi::PyTypeObject,
    spare: *mut ffi::PyTypeObject,
) -> *mut ffi::PyObject {
    // SAFETY: F1: new memory of that size.
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
/// `object` is a `Spare` without references, `class` the class of its views, and the GIL is held.
unsafe fn free_block(object: *mut ffi::PyObject, class: *mut ffi::PyTypeObject) {
    // SAFETY: F1: a block begins with the collector's header and owns the reference to the class.
    unsafe {
        ffi::PyObject_GC_UnTrack(object.cast());
        ffi::PyObject_Free(object.byte_sub(GC_HEADER).cast());
        ffi::Py_DECREF(class.cast());
    }
}

/// Replaces allocation and destruction of a class's objects. Must be called before the first object
/// exists.
pub(crate) fn install<T: FreeListed>(py: Python<'_>) -> PyResult<()> {
    let class = py.get_type::<T>().as_type_ptr();
    // SAFETY: the class is PyO3's own, created for this module and not used yet.
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
    // SAFETY: F4: the GIL is held. F2: the class's objects are a header and a `T`, as its size
    // shows, which `dealloc` takes out.
    unsafe {
        let list = &mut *T::free_list().state.get();
        list.free.reserve_exact(MAX_KEPT);
        (list.spare, list.class) = (spare, class);
        (*class).tp_dealloc = Some(dealloc::<T>);
        ffi::PyType_Modified(class);
    }
    Ok(())
}

/// True if the collector's header is as expected: its size, and the word that marks tracked
/// objects.
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
    // SAFETY: both classes are alive and the GIL is held; the block is freed as a `Spare` (F2).
    unsafe {
        let object = block(size, class, spare);
        if object.is_null() {
            return Ok(false);
        }
        let before = is_tracked(object);
        ffi::PyObject_GC_Track(object.cast());
        let after = is_tracked(object) && ffi::PyObject_GC_IsTracked(object) == 1;
        ffi::PyObject_GC_UnTrack(object.cast());
        let has_header = !before && after && !is_tracked(object);
        free_block(object, class);
        Ok(has_header)
    }
}

/// True for a block that the collector tracks.
///
/// # Safety
///
/// The object lies in a block.
#[inline]
unsafe fn is_tracked(object: *mut ffi::PyObject) -> bool {
    // SAFETY: F1: a block begins with the header's two words.
    unsafe { object.byte_sub(GC_HEADER).cast::<usize>().read() != 0 }
}

/// Creates the class `Spare` for the blocks of a class.
fn spare_class<T: FreeListed>(py: Python<'_>) -> PyResult<*mut ffi::PyTypeObject> {
    const NAME: &CStr = c"lexpool._core.Spare";
    const DOC: &CStr = c"An unused object, kept for the next view of a document or vocab.";
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
    // SAFETY: the specification is complete; CPython copies what it needs.
    let class = unsafe { Bound::from_owned_ptr_or_err(py, ffi::PyType_FromSpec(&raw mut spec))? };
    Ok(class.into_ptr().cast())
}

/// Visits nothing: `tp_traverse` of a spare object.
///
/// # Safety
///
/// Called by CPython only.
unsafe extern "C" fn traverse_spare(
    _: *mut ffi::PyObject,
    _: ffi::visitproc,
    _: *mut c_void,
) -> c_int {
    // The class is not visited, since the reference to it belongs to the block (F1).
    0
}

/// Destroys a `Spare` to which somebody else had the last reference.
///
/// # Safety
///
/// CPython calls it with an object of the class without references; the GIL is held.
unsafe extern "C" fn dealloc_spare<T: FreeListed>(object: *mut ffi::PyObject) {
    // SAFETY: F1, F4: the block is a `Spare` without references, and nobody who borrows the list
    // runs Python code.
    unsafe { free_block(object, (*T::free_list().state.get()).class) }
}

/// Destroys a view: its block goes to the free list or is freed.
///
/// # Safety
///
/// CPython calls it with an object of the class without references; the GIL is held.
unsafe extern "C" fn dealloc<T: FreeListed>(object: *mut ffi::PyObject) {
    // SAFETY: F2: the object has the view's class, so a value follows its header; it is taken out
    // before anybody can see the object again. `release` can run any code, so it comes last (F4).
    unsafe {
        let value = object.byte_add(VALUE_OFFSET).cast::<T>().read();
        let list = &mut *T::free_list().state.get();
        (*object).ob_type = list.spare;
        // CPython may have untracked an object whose destruction it deferred.
        if list.free.len() < MAX_KEPT && is_tracked(object) {
            ffi::Py_INCREF(object);
            list.free.push(object);
        } else {
            free_block(object, list.class);
        }
        value.release();
    }
}
