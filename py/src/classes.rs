//! How this module's classes get into Python, and how their objects end.
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
//! - An object is put off only if its class is this module's own: the end of an instance of a class
//!   that inherits from one is CPython's, which counts itself.
//! - What was put off has no references and is not tracked by the collector; nobody finds it (a weak
//!   reference looks at the count) until it ends, which happens once.

use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use pyo3::PyClass;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyTuple, PyType};

/// A class of this module's; implemented by [`class!`](crate::classes::class).
pub(crate) trait Class: PyClass {
    fn end() -> &'static End;
}

/// Makes a `#[pyclass]` one that [`add`] and [`prepare`] take.
macro_rules! class {
    ($($class:ty),*) => {$(
        impl $crate::classes::Class for $class {
            fn end() -> &'static $crate::classes::End {
                static END: $crate::classes::End = $crate::classes::End::new();
                &END
            }
        }
    )*};
}
pub(crate) use class;

/// How objects of a class ended before the class was prepared.
pub(crate) struct End {
    class: AtomicPtr<ffi::PyTypeObject>,
    /// The address of a `destructor`; 0 until the class was prepared.
    before: AtomicUsize,
}

impl End {
    pub(crate) const fn new() -> End {
        End { class: AtomicPtr::new(std::ptr::null_mut()), before: AtomicUsize::new(0) }
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
    let end = T::end();
    if end.before.load(Ordering::Acquire) != 0 {
        return;
    }
    // SAFETY: the class is PyO3's own, made for this module and not used yet; it has a destructor.
    unsafe {
        let Some(before) = (*class).tp_dealloc else { return };
        end.class.store(class, Ordering::Relaxed);
        end.before.store(before as usize, Ordering::Release);
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
    let end = T::end();
    // SAFETY: `prepare` has put in a destructor before this function could be called.
    let before = unsafe {
        std::mem::transmute::<usize, ffi::destructor>(end.before.load(Ordering::Relaxed))
    };
    // SAFETY: the object is the caller's, and the destructor that of its class or of a base of it.
    unsafe {
        if std::ptr::eq(ffi::Py_TYPE(object), end.class.load(Ordering::Relaxed)) {
            finish(object, before);
        } else {
            before(object);
        }
    }
}

/// How many ends lie within each other before the next ones are put off: CPython's own number.
const DEEPEST: u32 = 50;

struct Trash {
    depth: Cell<u32>,
    later: RefCell<Vec<(*mut ffi::PyObject, ffi::destructor)>>,
}

thread_local! {
    static TRASH: Trash = const { Trash { depth: Cell::new(0), later: RefCell::new(Vec::new()) } };
}

/// Ends an object, now or when those have ended within whose end this one lies.
///
/// # Safety
///
/// The object has no references, and `end` is how it ends; the thread is attached.
#[inline]
pub(crate) unsafe fn finish(object: *mut ffi::PyObject, end: ffi::destructor) {
    let done = TRASH.try_with(|trash| {
        let depth = trash.depth.get();
        // SAFETY: as the caller promises.
        unsafe {
            if depth >= DEEPEST {
                return trash.put_off(object, end);
            }
            trash.depth.set(depth + 1);
            end(object);
            if depth == 0 {
                while let Some((object, end)) = trash.next() {
                    end(object);
                }
            }
            trash.depth.set(depth);
        }
        true
    });
    if done != Ok(true) {
        // The thread is ending, or there is no memory for the list.
        // SAFETY: as the caller promises.
        unsafe { end(object) };
    }
}

impl Trash {
    /// Whether there was room to put the object off.
    ///
    /// # Safety
    ///
    /// As for [`finish`].
    #[cold]
    unsafe fn put_off(&self, object: *mut ffi::PyObject, end: ffi::destructor) -> bool {
        let mut later = self.later.borrow_mut();
        if later.try_reserve(1).is_err() {
            return false;
        }
        // SAFETY: as the caller promises. Who collects meanwhile must not find it.
        unsafe {
            if ffi::PyObject_IS_GC(object) != 0 {
                ffi::PyObject_GC_UnTrack(object.cast());
            }
        }
        later.push((object, end));
        true
    }

    fn next(&self) -> Option<(*mut ffi::PyObject, ffi::destructor)> {
        self.later.borrow_mut().pop()
    }
}

/// Gives the module the list of its classes.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.setattr("_classes", all(module.py())?)
}
