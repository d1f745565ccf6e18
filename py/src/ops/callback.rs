//! Python callables as ops call them: from any thread, and for as long as an op keeps them.
//!
//! Holds unsafe code: heads of functions that C calls, and references that are counted by hand.

use std::ffi::{c_int, c_void};
use std::mem::ManuallyDrop;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering, fence};

use lexpool::registry::plugin::{FunctionC, IntoOwned, Owned, OwnedC, Tag, ValueC};
use lexpool::registry::{Failure, FailureKind, Gil, Type, Value};
use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::runtime::user_calls::{CallUser, NestedCall};

use super::borrows::CallBorrows;
use super::from_python::{self, ConversionError};
use super::{failure, to_python};

/// A Python callable that ops call: counted, for an op may keep it.
#[repr(C)]
pub(super) struct Callback {
    head: FunctionC,
    count: AtomicUsize,
    callable: *mut ffi::PyObject,
}

/// What callbacks say of themselves. Its address tells them from functions of anybody else.
static SIGNATURE: &str = "(...) -> Any";

/// A callback that was used and can be used again, so that most calls allocate none. Read and written
/// with the GIL only; without one it stays empty.
static SPARE: AtomicPtr<Callback> = AtomicPtr::new(ptr::null_mut());

/// A callable as a function of one reference.
///
/// # Safety
///
/// The callable lives, and the GIL is held.
pub(super) unsafe fn new(callable: *mut ffi::PyObject) -> NonNull<Callback> {
    // SAFETY: the three functions are written for this struct.
    let head = unsafe { FunctionC::new(release, retain, call, SIGNATURE) };
    // SAFETY: as the caller promises.
    unsafe { ffi::Py_INCREF(callable) };
    NonNull::from(Box::leak(Box::new(Callback { head, count: AtomicUsize::new(1), callable })))
}

/// A function of Python's or a builtin one for the length of a call; none for other callables.
///
/// # Safety
///
/// As for [`new`].
#[inline]
pub(super) unsafe fn borrow(callable: *mut ffi::PyObject) -> Option<NonNull<Callback>> {
    // SAFETY: as the caller promises; a spare callback is nobody else's and has a count of one.
    unsafe {
        let class = ffi::Py_TYPE(callable);
        if class != &raw mut ffi::PyFunction_Type && class != &raw mut ffi::PyCFunction_Type {
            return None;
        }
        let Some(spare) = NonNull::new(SPARE.load(Ordering::Relaxed)) else {
            return Some(new(callable));
        };
        SPARE.store(ptr::null_mut(), Ordering::Relaxed);
        ffi::Py_INCREF(callable);
        (*spare.as_ptr()).callable = callable;
        Some(spare)
    }
}

/// Takes back what was borrows. An op that has kept the function keeps it.
///
/// # Safety
///
/// `callback` was borrows and is given up; the GIL is held.
#[inline]
pub(super) unsafe fn give_back(callback: NonNull<Callback>) {
    let at = callback.as_ptr();
    // SAFETY: as the caller promises. Who has the only reference is alone with the callback; what others
    // did with it happens before, by the `Release` with which they gave theirs up.
    unsafe {
        let free = cfg!(not(Py_GIL_DISABLED)) && SPARE.load(Ordering::Relaxed).is_null();
        if !free || (*at).count.load(Ordering::Acquire) != 1 {
            return release(at.cast());
        }
        let callable = (*at).callable;
        (*at).callable = ptr::null_mut();
        SPARE.store(at, Ordering::Relaxed);
        // Last, for it may run code of Python's.
        ffi::Py_DECREF(callable);
    }
}

/// # Safety
///
/// The function is a live `Callback`.
unsafe extern "C" fn retain(function: *const FunctionC) {
    // SAFETY: as the caller promises.
    let count = unsafe { &(*function.cast::<Callback>()).count };
    count.fetch_add(1, Ordering::Relaxed);
}

/// # Safety
///
/// The function is a live `Callback`, and the caller gives one reference up.
unsafe extern "C" fn release(function: *mut OwnedC) {
    let function = function.cast::<Callback>();
    // SAFETY: as the caller promises.
    if unsafe { (*function).count.fetch_sub(1, Ordering::Release) } == 1 {
        // What others did with it happens before it is dropped.
        fence(Ordering::Acquire);
        // SAFETY: that was the last reference.
        let callback = unsafe { Box::from_raw(function) };
        // SAFETY: the reference that `new` or `lend` took, with the GIL.
        let _ = with_gil(|| unsafe { ffi::Py_DECREF(callback.callable) });
    }
}

/// Whether this thread has the GIL now. PyO3's own count says so of a thread that has let go of the GIL
/// for an op, and `PyGILState_Check` of every thread once there are several interpreters.
#[inline]
fn attached() -> bool {
    // SAFETY: both may be asked from any thread.
    unsafe {
        let now = ffi::compat::PyThreadState_GetUnchecked();
        !now.is_null() && now == ffi::PyGILState_GetThisThreadState()
    }
}

/// Runs with the GIL, whatever PyO3 takes this thread to have; none once the interpreter has ended.
#[inline]
fn with_gil<T>(run: impl FnOnce() -> T) -> Option<T> {
    struct GilState(ffi::PyGILState_STATE);
    impl Drop for GilState {
        fn drop(&mut self) {
            // SAFETY: gives back what was taken, on this thread.
            unsafe { ffi::PyGILState_Release(self.0) }
        }
    }
    if attached() {
        return Some(run());
    }
    // SAFETY: may be asked from any thread.
    if unsafe { ffi::Py_IsInitialized() } == 0 {
        return None;
    }
    // SAFETY: there is an interpreter, and this thread has no GIL.
    let _held = GilState(unsafe { ffi::PyGILState_Ensure() });
    Some(run())
}

/// Calls the callable, from any thread, with the GIL or without.
///
/// # Safety
///
/// The context is a live `Callback`, `args` has `n` good values, `result` is a place for one.
unsafe extern "C" fn call(
    context: *const c_void,
    args: *const ValueC,
    n: usize,
    result: *mut ValueC,
) -> c_int {
    if result.is_null() || !result.is_aligned() || (args.is_null() && n != 0) || !args.is_aligned()
    {
        return 2;
    }
    // SAFETY: as the caller promises; the places were just looked at.
    let called = with_gil(|| unsafe {
        let callback = &*context.cast::<Callback>();
        let short = if n == 1 { call_with_number(callback.callable, *args, result) } else { None };
        short.unwrap_or_else(|| call_any(callback, args, n, result))
    });
    called.unwrap_or_else(|| {
        let text = "a Python function was called after the interpreter had ended";
        let failed = Failure::new(FailureKind::State, "python-ended", text).into_value();
        // SAFETY: as the caller promises.
        unsafe { result.write(failed.into_c()) };
        1
    })
}

/// Calls with an int or a float, without objects of PyO3's; none, and nothing done, for other arguments.
///
/// # Safety
///
/// The callable lives, the GIL is held, `result` is a place for a value.
#[inline]
unsafe fn call_with_number(
    callable: *mut ffi::PyObject,
    arg: ValueC,
    result: *mut ValueC,
) -> Option<c_int> {
    // SAFETY: as the caller promises; references are given back once.
    unsafe {
        let arg = if arg.tag == Tag::Int as u32 {
            ffi::PyLong_FromLongLong(super::whole(arg.bits))
        } else if arg.tag == Tag::Float as u32 {
            ffi::PyFloat_FromDouble(f64::from_bits(arg.bits))
        } else {
            return None;
        };
        if arg.is_null() {
            return Some(finish(|py| Err(PyErr::fetch(py)), result));
        }
        let found = match NestedCall::enter(Python::assume_attached()) {
            Ok(_nested) => ffi::PyObject_CallOneArg(callable, arg),
            Err(too_deep) => {
                ffi::Py_DECREF(arg);
                return Some(finish(|_| Err(too_deep), result));
            }
        };
        ffi::Py_DECREF(arg);
        if found.is_null() {
            return Some(finish(|py| Err(PyErr::fetch(py)), result));
        }
        if let Some(int) = from_python::small_int(found) {
            result.write(Value::int(int).to_c());
            ffi::Py_DECREF(found);
            return Some(0);
        }
        Some(finish(|py| own(&Bound::from_owned_ptr(py, found)), result))
    }
}

/// Calls with any arguments.
///
/// # Safety
///
/// As for [`call`]; the GIL is held.
unsafe fn call_any(
    callback: &Callback,
    args: *const ValueC,
    n: usize,
    result: *mut ValueC,
) -> c_int {
    let call = |py: Python<'_>| {
        // SAFETY: as the caller promises; the callback's reference keeps the callable.
        let (callable, args) = unsafe {
            let args: &[Value<'_>] = match n {
                0 => &[],
                _ => std::slice::from_raw_parts(args.cast(), n),
            };
            (Bound::from_borrowed_ptr(py, callback.callable), args)
        };
        let args = args.iter().map(|arg| to_python::borrowed(py, *arg));
        let args = PyTuple::new(py, args.collect::<PyResult<Vec<_>>>()?)?;
        own(&callable.call_user(args)?)
    };
    // SAFETY: as the caller promises.
    unsafe { finish(call, result) }
}

/// Puts a value, or the failure that an exception becomes, in the place of a result.
///
/// # Safety
///
/// The GIL is held; `result` is a place for a value.
unsafe fn finish(
    made: impl FnOnce(Python<'_>) -> PyResult<Owned<'static>>,
    result: *mut ValueC,
) -> c_int {
    let called = catch_unwind(AssertUnwindSafe(|| {
        Python::attach(|py| made(py).map_err(|error| failure::failure(py, error)))
    }));
    let (status, value) = match called {
        Ok(Ok(value)) => (0, value),
        Ok(Err(failed)) => (1, failed.into_value()),
        Err(_) => {
            let text = "a bug in lexpool; please report it: a callback panicked";
            (1, Failure::new(FailureKind::Panic, "op-panic", text).into_value())
        }
    };
    // SAFETY: as the caller promises.
    unsafe { result.write(value.into_c()) };
    status
}

/// A value that a callable gave, with what it borrows: the object, and what the conversion made.
struct CallbackResult {
    borrows: ManuallyDrop<Box<CallBorrows>>,
    object: Option<Py<PyAny>>,
    value: ValueC,
}
// SAFETY: all of it is only read, and dropped with the GIL.
unsafe impl Send for CallbackResult {}
// SAFETY: as above.
unsafe impl Sync for CallbackResult {}
impl Drop for CallbackResult {
    fn drop(&mut self) {
        let _ = with_gil(|| {
            Python::attach(|_| {
                // SAFETY: dropped here and nowhere else; before the object, from which it borrows.
                unsafe { ManuallyDrop::drop(&mut self.borrows) }
                self.object.take();
            });
        });
    }
}

/// What a callable gave, as a value of its own.
fn own(found: &Bound<'_, PyAny>) -> PyResult<Owned<'static>> {
    let fail = |failure: Failure| failure::raise(found.py(), failure);
    if let Ok(int) = found.cast::<pyo3::types::PyInt>() {
        if !found.is_instance_of::<pyo3::types::PyBool>() {
            return int.extract::<i64>()?.into_owned().map_err(fail);
        }
    }
    let mut borrows = Box::new(CallBorrows::new());
    // SAFETY: the object is kept beside the value, and `borrows` stays in its box.
    let value =
        unsafe { from_python::take(&Type::Any, found.as_ptr(), &mut borrows, Gil::Release) };
    let value = value.map_err(|refused| match refused {
        ConversionError::Raised(error) => error,
        ConversionError::Set => PyErr::fetch(found.py()),
        ConversionError::Type { given, .. } => {
            // SAFETY: the object lives.
            let given = given.unwrap_or_else(|| unsafe { failure::type_name(found.as_ptr()) });
            PyTypeError::new_err(format!("a callback gave {given}, which no op takes"))
        }
    })?;
    let object = Some(found.clone().unbind());
    // SAFETY: it is what the conversion gave.
    let seen = unsafe { Value::from_c(value) };
    if seen.as_object().is_some() || seen.as_function().is_some() {
        return Ok(seen.to_reference().unwrap_or(Owned::NONE));
    }
    let kept = CallbackResult { borrows: ManuallyDrop::new(borrows), object, value };
    // SAFETY: what the value borrows is kept beside it.
    let owned = Owned::keeping(kept, |kept| Some(unsafe { Value::from_c(kept.value) }));
    Ok(owned.unwrap_or(Owned::NONE))
}

/// The Python callable, if the function is one that came from here.
pub(super) fn callable(py: Python<'_>, function: Value<'_>) -> Option<Py<PyAny>> {
    let head = function.as_function()?;
    if head.signature().as_ptr() != SIGNATURE.as_ptr() {
        return None;
    }
    // SAFETY: only callbacks have this signature, and one holds a reference to its callable.
    unsafe {
        let callback = &*std::ptr::from_ref(head).cast::<Callback>();
        Some(Bound::from_borrowed_ptr(py, callback.callable).unbind())
    }
}
