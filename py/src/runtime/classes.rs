//! Puts this module's classes into Python, and ends their objects.
//!
//! Holds unsafe code: takes the place of the function by which CPython ends an object.
//!
//! An object may hold another, that one a third, and so on for as long as memory lasts: if the end of
//! one ended the next, a chain of some ten thousand would overflow the stack. CPython's containers count
//! how deep they are in each other's ends, and put off what is deeper than fifty until the outermost is
//! done (`Py_TRASHCAN_BEGIN` in `Include/cpython/object.h`). PyO3's classes do not; here all of them do
//! the same. The count is the thread's own, so an object ends on the thread that dropped it.
//!
//! Invariants:
//! - The end of an instance of a class that inherits from one of these begins in CPython (`subtype_dealloc`),
//!   which comes to the end of this class last, and does not look at the object again. So it is put off as any
//!   other: it keeps its class, whose reference PyO3's destructor gives up. CPython's own count is of no
//!   help there: from 3.12 on it allows as many levels as calls in C, for which small stacks have no room.
//! - What was put off has no references and is not tracked by the collector; nobody finds it (a weak
//!   reference looks at the count) until it ends, which happens once.

use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use pyo3::PyClass;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyTuple, PyType};

/// A class of this module's; implemented by [`class!`](crate::runtime::classes::class).
pub(crate) trait Class: PyClass {
    fn destructor() -> &'static Destructor;

    /// True for an object that holds none but those of prepared classes, which count the depth themselves, so
    /// that it need not.
    ///
    /// # Safety
    ///
    /// An object of the class; the thread is attached.
    #[inline]
    unsafe fn is_link(_object: *mut ffi::PyObject) -> bool {
        false
    }
}

/// Makes a `#[pyclass]` one that [`add`] and [`prepare`] take.
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
                // SAFETY: as the caller promises. No reference is counted, for the object may be at its end.
                unsafe {
                    let py = pyo3::Python::assume_attached();
                    $is_link(pyo3::Borrowed::from_ptr(py, object).cast_unchecked::<$class>().get())
                }
            }
        }
    };
}
pub(crate) use class;

/// The end of a class's objects as it was before the class was prepared.
pub(crate) struct Destructor {
    /// The address of a `destructor`; 0 until the class was prepared.
    original: AtomicUsize,
}

impl Destructor {
    pub(crate) const fn new() -> Destructor {
        Destructor { original: AtomicUsize::new(0) }
    }
}

/// The classes that were prepared, by address; they live as long as the process.
static PREPARED: Mutex<Vec<usize>> = Mutex::new(Vec::new());

/// Puts a class into the module.
pub(crate) fn add<T: Class>(module: &Bound<'_, PyModule>) -> PyResult<()> {
    prepare::<T>(module.py());
    #[expect(clippy::disallowed_methods, reason = "the one place where it is called")]
    module.add_class::<T>()
}

/// Prepares a class that is reached by its objects only. To be called before the first is made.
pub(crate) fn prepare<T: Class>(py: Python<'_>) {
    let class = T::type_object(py).as_type_ptr();
    let destructor = T::destructor();
    if destructor.original.load(Ordering::Acquire) != 0 {
        return;
    }
    // SAFETY: the class is PyO3's own, made for this module and not used yet; it has a destructor.
    unsafe {
        let Some(before) = (*class).tp_dealloc else { return };
        destructor.original.store(before as usize, Ordering::Release);
        (*class).tp_dealloc = Some(dealloc::<T>);
    }
    PREPARED.lock().unwrap_or_else(PoisonError::into_inner).push(class as usize);
}

/// All classes of the module, those included that it has no name for.
fn all(py: Python<'_>) -> PyResult<Bound<'_, PyTuple>> {
    let prepared = PREPARED.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let classes = prepared.into_iter().map(|class| {
        let class = class as *mut ffi::PyObject;
        // SAFETY: a class that was prepared, whose type object PyO3 keeps for good.
        unsafe { Bound::<PyAny>::from_borrowed_ptr(py, class).cast_into_unchecked::<PyType>() }
    });
    PyTuple::new(py, classes.collect::<Vec<_>>())
}

/// The end of an object of a class, or of one that inherits from it.
///
/// # Safety
///
/// For CPython: an object without references; the thread is attached.
unsafe extern "C" fn dealloc<T: Class>(object: *mut ffi::PyObject) {
    let destructor = T::destructor();
    // SAFETY: `prepare` has put in a destructor before this function could be called.
    let before = unsafe {
        std::mem::transmute::<usize, ffi::destructor>(destructor.original.load(Ordering::Relaxed))
    };
    // SAFETY: the object is the caller's, and the destructor that of its class or of a base of it. The
    // object is looked at before it ends.
    unsafe { if T::is_link(object) { before(object) } else { dealloc_nested(object, before) } }
}

/// The most ends that lie within each other, before the next ones are put off. CPython has 50; a matcher takes some
/// KiB of the stack to end, and threads may have no more than 256.
const MAX_NESTED_DEALLOCS: u32 = 16;

/// The ends that a thread is in. Without a destructor, so that to look at it is one load.
struct DeallocDepth {
    depth: Cell<u32>,
    /// True if objects were put off.
    has_deferred: Cell<bool>,
}

thread_local! {
    static DEALLOC_DEPTH: DeallocDepth = const { DeallocDepth { depth: Cell::new(0), has_deferred: Cell::new(false) } };
    /// The objects that were put off, with how they end.
    static DEFERRED: RefCell<Vec<(*mut ffi::PyObject, ffi::destructor)>> = const { RefCell::new(Vec::new()) };
}

/// DeallocDepth an object, now or when those have ended within whose end this one lies.
///
/// # Safety
///
/// The object has no references, and `end` is how it ends; the thread is attached.
#[inline]
pub(crate) unsafe fn dealloc_nested(object: *mut ffi::PyObject, end: ffi::destructor) {
    DEALLOC_DEPTH.with(|ends| {
        let depth = ends.depth.get();
        // SAFETY: as the caller promises; so do those who put objects off.
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

/// Puts the object off; false at the end of a thread, or without room for it.
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
            // SAFETY: as the caller promises. A collection meanwhile must not find it.
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

/// Gives the module the list of its classes.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.setattr("_classes", all(module.py())?)
}
