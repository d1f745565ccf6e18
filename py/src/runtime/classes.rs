//! Registration of classes, and destruction of their objects with bounded recursion.
//!
//! Unsafe code: replaces the slot `tp_dealloc` by which CPython destroys an object.
//!
//! An object may own another, that one a third, and so on without limit. If each destructor ran the
//! next one, a chain of some ten thousand objects would overflow the stack. CPython's containers
//! count how deeply their destructors are nested and defer those beyond fifty until the outermost
//! one returns (the "trashcan", `Py_TRASHCAN_BEGIN` in `Include/cpython/object.h`). PyO3's classes
//! do not, so this module does the same for all of them. The counter is thread-local: an object is
//! destroyed on the thread that dropped it.
//!
//! Invariants:
//! - **C1** `tp_dealloc` of a prepared class is [`dealloc`], and [`Destructor::original`] is PyO3's
//!   function, stored before any object of the class exists.
//! - **C2** Destruction of an instance of a Python subclass begins in CPython (`subtype_dealloc`),
//!   which calls the destructor of this class last and does not use the object afterwards. Such an
//!   object can therefore be deferred as any other: it keeps its class alive until PyO3's
//!   destructor gives that reference up. CPython's own counter does not help, since from 3.12 on it
//!   allows as many levels as C calls, too many for small stacks.
//! - **C3** A deferred object has no references and is not tracked by the collector, so nobody
//!   finds it (weak references check the count) until it is destroyed, once.

use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use pyo3::PyClass;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyTuple, PyType};

/// A class of this module; implemented by [`class!`](crate::runtime::classes::class).
pub(crate) trait Class: PyClass {
    fn destructor() -> &'static Destructor;

    /// True for an object that owns only objects of prepared classes, which count the depth
    /// themselves, so that this object need not.
    ///
    /// # Safety
    ///
    /// `_object` is of the class, and the thread is attached.
    #[inline]
    unsafe fn is_link(_object: *mut ffi::PyObject) -> bool {
        false
    }
}

/// Implements [`Class`] for a `#[pyclass]`, as [`add`] and [`prepare`] require.
macro_rules! class {
    ($($class:ty),*) => {$(
        impl $crate::runtime::classes::Class for $class {
            fn destructor() -> &'static $crate::runtime::classes::Destructor {
                static DESTRUCTOR: $crate::runtime::classes::Destructor = $crate::runtime::classes::Destructor::new();
                &DESTRUCTOR
            }
        }
    )*};
    ($class:ty, is_link = $is_link:expr) => {
        impl $crate::runtime::classes::Class for $class {
            fn destructor() -> &'static $crate::runtime::classes::Destructor {
                static DESTRUCTOR: $crate::runtime::classes::Destructor = $crate::runtime::classes::Destructor::new();
                &DESTRUCTOR
            }

            #[inline]
            unsafe fn is_link(object: *mut pyo3::ffi::PyObject) -> bool {
                // SAFETY: the caller passes an object of the class and is attached. No reference is
                // counted, since the object may be under destruction.
                unsafe {
                    let py = pyo3::Python::assume_attached();
                    $is_link(pyo3::Borrowed::from_ptr(py, object).cast_unchecked::<$class>().get())
                }
            }
        }
    };
}
pub(crate) use class;

/// The original destructor of a class, from before the class was prepared.
pub(crate) struct Destructor {
    /// The address of a `destructor`; 0 until the class is prepared.
    original: AtomicUsize,
}

impl Destructor {
    pub(crate) const fn new() -> Destructor {
        Destructor { original: AtomicUsize::new(0) }
    }
}

/// Addresses of the prepared classes, which live as long as the process.
static PREPARED: Mutex<Vec<usize>> = Mutex::new(Vec::new());

/// Prepares a class and adds it to the module.
pub(crate) fn add<T: Class>(module: &Bound<'_, PyModule>) -> PyResult<()> {
    prepare::<T>(module.py());
    #[expect(clippy::disallowed_methods, reason = "the one place where it is called")]
    module.add_class::<T>()
}

/// Prepares a class whose objects are returned by others only. Must be called before the first
/// object exists.
pub(crate) fn prepare<T: Class>(py: Python<'_>) {
    let class = T::type_object(py).as_type_ptr();
    let destructor = T::destructor();
    if destructor.original.load(Ordering::Acquire) != 0 {
        return;
    }
    // SAFETY: C1: the class is PyO3's own, created for this module and not used yet, and has a
    // destructor.
    unsafe {
        let Some(before) = (*class).tp_dealloc else { return };
        destructor.original.store(before as usize, Ordering::Release);
        (*class).tp_dealloc = Some(dealloc::<T>);
    }
    PREPARED.lock().unwrap_or_else(PoisonError::into_inner).push(class as usize);
}

/// All classes of the module, including those that the module has no name for.
fn all(py: Python<'_>) -> PyResult<Bound<'_, PyTuple>> {
    let prepared = PREPARED.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let classes = prepared.into_iter().map(|class| {
        let class = class as *mut ffi::PyObject;
        // SAFETY: the address of a prepared class, whose type object PyO3 never frees.
        unsafe { Bound::<PyAny>::from_borrowed_ptr(py, class).cast_into_unchecked::<PyType>() }
    });
    PyTuple::new(py, classes.collect::<Vec<_>>())
}

/// Destroys an object of a class or of a subclass; the new `tp_dealloc`.
///
/// # Safety
///
/// CPython calls it with an object without references, on an attached thread.
unsafe extern "C" fn dealloc<T: Class>(object: *mut ffi::PyObject) {
    let destructor = T::destructor();
    // SAFETY: C1: `prepare` stored a destructor before this function could be called.
    let before = unsafe {
        std::mem::transmute::<usize, ffi::destructor>(destructor.original.load(Ordering::Relaxed))
    };
    // SAFETY: C1, C2: the object belongs to the caller, and `original` is the destructor of its
    // class. `is_link` reads the object before it is destroyed.
    unsafe { if T::is_link(object) { before(object) } else { dealloc_nested(object, before) } }
}

/// Maximum depth of nested destructors; deeper ones are deferred. CPython allows 50, but destroying
/// a matcher takes some KiB of stack, and a thread may have as few as 256.
const MAX_NESTED_DEALLOCS: u32 = 16;

/// The nesting of destructors on a thread. It has no destructor of its own, so that access is a
/// single load.
struct DeallocDepth {
    depth: Cell<u32>,
    /// True if objects were deferred.
    has_deferred: Cell<bool>,
}

thread_local! {
    static DEALLOC_DEPTH: DeallocDepth = const { DeallocDepth { depth: Cell::new(0), has_deferred: Cell::new(false) } };
    /// The deferred objects with their destructors.
    static DEFERRED: RefCell<Vec<(*mut ffi::PyObject, ffi::destructor)>> = const { RefCell::new(Vec::new()) };
}

/// Destroys an object, now or after the enclosing destructors have returned.
///
/// # Safety
///
/// The object has no references, `end` destroys it, and the thread is attached.
#[inline]
pub(crate) unsafe fn dealloc_nested(object: *mut ffi::PyObject, end: ffi::destructor) {
    DEALLOC_DEPTH.with(|ends| {
        let depth = ends.depth.get();
        // SAFETY: the caller passes an object without references; deferred objects have none either
        // (C3).
        unsafe {
            if depth >= MAX_NESTED_DEALLOCS && defer(object, end) {
                return ends.has_deferred.set(true);
            }
            ends.depth.set(depth + 1);
            end(object);
            if depth == 0 && ends.has_deferred.replace(false) {
                while let Some((object, end)) = next_deferred() {
                    end(object);
                }
            }
            ends.depth.set(depth);
        }
    });
}

/// Defers the destruction of an object. Returns false at the end of a thread or without memory.
///
/// # Safety
///
/// As for [`dealloc_nested`].
#[cold]
unsafe fn defer(object: *mut ffi::PyObject, end: ffi::destructor) -> bool {
    DEFERRED
        .try_with(|later| {
            let mut later = later.borrow_mut();
            if later.try_reserve(1).is_err() {
                return false;
            }
            // SAFETY: C3: the caller's object lives; untracked, a collection cannot find it.
            unsafe {
                if ffi::PyObject_IS_GC(object) != 0 {
                    ffi::PyObject_GC_UnTrack(object.cast());
                }
            }
            later.push((object, end));
            true
        })
        .unwrap_or(false)
}

#[cold]
fn next_deferred() -> Option<(*mut ffi::PyObject, ffi::destructor)> {
    DEFERRED.try_with(|later| later.borrow_mut().pop()).ok()?
}

/// Adds the list of all classes to the module.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.setattr("_classes", all(module.py())?)
}
