//! Python callables as function values, which ops call from any thread for as long as they keep
//! them.
//!
//! Holds unsafe code (invariants G1, G2, G6 of [`ops`](super)): function heads that C calls, and
//! references that are counted by hand. C1: a function whose signature is at the address of
//! `SIGNATURE` is a `Callback`.

use std::ffi::{c_int, c_void};
use std::mem::ManuallyDrop;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering, fence};

use lexpool_ops::plugin::{FunctionC, IntoOwned, Owned, OwnedC, Tag, ValueC};
use lexpool_ops::{Failure, FailureKind, Gil, Type, Value};
use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::runtime::op_failure::{failure, raise};
use crate::runtime::user_calls::{CallUser, NestedCall};

use super::borrows::CallBorrows;
use super::c_ints::whole;
use super::conversion_error::{ConversionError, type_name};
use super::scalars::small_int;
use super::{from_python, to_python};

/// A Python callable as a function value: counted, because an op may keep it.
#[repr(C)]
pub(super) struct Callback {
    head: FunctionC,
    count: AtomicUsize,
    callable: *mut ffi::PyObject,
}

/// The signature of every callback. Its address tells callbacks from other functions (C1).
static SIGNATURE: &str = "(...) -> Any";

/// A free list of one callback, so that most calls allocate none. Read and written with the GIL
/// only; in a free-threaded build it stays empty.
static SPARE: AtomicPtr<Callback> = AtomicPtr::new(ptr::null_mut());

/// Makes a function value with one reference.
///
/// # Safety
///
/// The callable lives, and the GIL is held.
pub(super) unsafe fn new(callable: *mut ffi::PyObject) -> NonNull<Callback> {
    // SAFETY: the three functions below expect this struct.
    let head = unsafe { FunctionC::new(release, retain, call, SIGNATURE) };
    // SAFETY: G1, G2, by the contract of this function.
    unsafe { ffi::Py_INCREF(callable) };
    NonNull::from(Box::leak(Box::new(Callback { head, count: AtomicUsize::new(1), callable })))
}

/// Borrows a Python function or a builtin one for the length of a call; `None` for other callables.
///
/// # Safety
///
/// As for [`new`].
#[inline]
pub(super) unsafe fn borrow(callable: *mut ffi::PyObject) -> Option<NonNull<Callback>> {
    // SAFETY: G1, G2; a callback in the free list has no other owner and a count of one.
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

/// Ends the borrow of [`borrow`]. An op that has kept the function keeps its reference.
///
/// # Safety
///
/// `callback` comes from [`borrow`] and is not used again; the GIL is held.
#[inline]
pub(super) unsafe fn give_back(callback: NonNull<Callback>) {
    let at = callback.as_ptr();
    // SAFETY: this function's contract. With a count of one no other thread reaches the callback,
    // and what others did with it happens before, by the `Release` of their decrement.
    unsafe {
        let free = cfg!(not(Py_GIL_DISABLED)) && SPARE.load(Ordering::Relaxed).is_null();
        if !free || (*at).count.load(Ordering::Acquire) != 1 {
            return release(at.cast());
        }
        let callable = (*at).callable;
        (*at).callable = ptr::null_mut();
        SPARE.store(at, Ordering::Relaxed);
        // Last, because it may run Python code.
        ffi::Py_DECREF(callable);
    }
}

/// Counts one more reference to a callback.
///
/// # Safety
///
/// The function is a live `Callback`.
unsafe extern "C" fn retain(function: *const FunctionC) {
    // SAFETY: G1, G2, by the contract of this function.
    let count = unsafe { &(*function.cast::<Callback>()).count };
    count.fetch_add(1, Ordering::Relaxed);
}

/// Gives up a reference to a callback; drops it with the last one.
///
/// # Safety
///
/// The function is a live `Callback`, and the caller gives one reference up.
unsafe extern "C" fn release(function: *mut OwnedC) {
    let function = function.cast::<Callback>();
    // SAFETY: G1, G2, by the contract of this function.
    if unsafe { (*function).count.fetch_sub(1, Ordering::Release) } == 1 {
        // Pairs with the `Release` of other threads' decrements.
        fence(Ordering::Acquire);
        // SAFETY: G6: this was the last reference.
        let callback = unsafe { Box::from_raw(function) };
        // SAFETY: G1, G6: the reference that `new` or `borrow` took.
        let _ = with_gil(|| unsafe { ffi::Py_DECREF(callback.callable) });
    }
}

/// Returns whether this thread holds the GIL. PyO3's own count does not know of a GIL that was
/// released for an op, and `PyGILState_Check` is always true once there are several interpreters.
#[inline]
fn attached() -> bool {
    // SAFETY: both functions may be called from any thread.
    unsafe {
        let now = ffi::compat::PyThreadState_GetUnchecked();
        !now.is_null() && now == ffi::PyGILState_GetThisThreadState()
    }
}

/// Runs with the GIL, whatever PyO3's count is; `None` once the interpreter has ended.
#[inline]
fn with_gil<T>(run: impl FnOnce() -> T) -> Option<T> {
    struct GilState(ffi::PyGILState_STATE);
    impl Drop for GilState {
        fn drop(&mut self) {
            // SAFETY: pairs with `PyGILState_Ensure` on this thread.
            unsafe { ffi::PyGILState_Release(self.0) }
        }
    }
    if attached() {
        return Some(run());
    }
    // SAFETY: may be called from any thread.
    if unsafe { ffi::Py_IsInitialized() } == 0 {
        return None;
    }
    // SAFETY: the interpreter is initialized, and this thread does not hold the GIL.
    let _held = GilState(unsafe { ffi::PyGILState_Ensure() });
    Some(run())
}

/// Calls the callable, from any thread, with or without the GIL.
///
/// # Safety
///
/// The context is a live `Callback`, `args` has `n` valid values, `result` has room for one.
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
    // SAFETY: this function's contract; the pointers were checked above.
    let called = with_gil(|| unsafe {
        let callback = &*context.cast::<Callback>();
        let short = if n == 1 { call_with_number(callback.callable, *args, result) } else { None };
        short.unwrap_or_else(|| call_any(callback, args, n, result))
    });
    called.unwrap_or_else(|| {
        let text = "a Python function was called after the interpreter had ended";
        let failed = Failure::new(FailureKind::State, "python-ended", text).into_value();
        // SAFETY: G1, G2, by the contract of this function.
        unsafe { result.write(failed.into_c()) };
        1
    })
}

/// Calls with an int or a float without PyO3's objects. Returns `None`, before any effect, for
/// other arguments.
///
/// # Safety
///
/// The callable lives, the GIL is held, `result` has room for a value.
#[inline]
unsafe fn call_with_number(
    callable: *mut ffi::PyObject,
    arg: ValueC,
    result: *mut ValueC,
) -> Option<c_int> {
    // SAFETY: G1, G6, and this function's contract.
    unsafe {
        let arg = if arg.tag == Tag::Int as u32 {
            ffi::PyLong_FromLongLong(whole(arg.bits))
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
        if let Some(int) = small_int(found) {
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
        // SAFETY: this function's contract; the callback owns a reference to the callable.
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
    // SAFETY: G1, G2, by the contract of this function.
    unsafe { finish(call, result) }
}

/// Writes a value, or the failure that an exception becomes, as the result.
///
/// # Safety
///
/// The GIL is held; `result` has room for a value.
unsafe fn finish(
    made: impl FnOnce(Python<'_>) -> PyResult<Owned<'static>>,
    result: *mut ValueC,
) -> c_int {
    let called = catch_unwind(AssertUnwindSafe(|| {
        Python::attach(|py| made(py).map_err(|error| failure(py, error)))
    }));
    let (status, value) = match called {
        Ok(Ok(value)) => (0, value),
        Ok(Err(failed)) => (1, failed.into_value()),
        Err(_) => {
            let text = "a bug in lexpool; please report it: a callback panicked";
            (1, Failure::new(FailureKind::Panic, "op-panic", text).into_value())
        }
    };
    // SAFETY: G1, G2, by the contract of this function.
    unsafe { result.write(value.into_c()) };
    status
}

/// A value returned by a callable, with the object and the conversions that it borrows from.
struct CallbackResult {
    borrows: ManuallyDrop<Box<CallBorrows>>,
    object: Option<Py<PyAny>>,
    value: ValueC,
}
// SAFETY: all fields are only read, and dropped with the GIL.
unsafe impl Send for CallbackResult {}
// SAFETY: all fields are only read, and dropped with the GIL.
unsafe impl Sync for CallbackResult {}
impl Drop for CallbackResult {
    fn drop(&mut self) {
        let _ = with_gil(|| {
            Python::attach(|_| {
                // SAFETY: dropped only here, before the object that it borrows from.
                unsafe { ManuallyDrop::drop(&mut self.borrows) }
                self.object.take();
            });
        });
    }
}

/// Converts the result of a callable to an owned value.
fn own(found: &Bound<'_, PyAny>) -> PyResult<Owned<'static>> {
    let fail = |failure: Failure| raise(found.py(), failure);
    if let Ok(int) = found.cast::<pyo3::types::PyInt>() {
        if !found.is_instance_of::<pyo3::types::PyBool>() {
            return int.extract::<i64>()?.into_owned().map_err(fail);
        }
    }
    let mut borrows = Box::new(CallBorrows::new());
    // SAFETY: G3: the object is kept beside the value, and `borrows` stays in its box.
    let value =
        unsafe { from_python::take(&Type::Any, found.as_ptr(), &mut borrows, Gil::Release) };
    let value = value.map_err(|refused| match refused {
        ConversionError::Raised(error) => error,
        ConversionError::Set => PyErr::fetch(found.py()),
        ConversionError::Type { actual, .. } => {
            // SAFETY: G1, G2.
            let actual = actual.unwrap_or_else(|| unsafe { type_name(found.as_ptr()) });
            PyTypeError::new_err(format!(
                "a callback returned {actual}, which is not a type that ops accept"
            ))
        }
    })?;
    let object = Some(found.clone().unbind());
    // SAFETY: the conversion returned it.
    let seen = unsafe { Value::from_c(value) };
    if seen.as_object().is_some() || seen.as_function().is_some() {
        return Ok(seen.to_reference().unwrap_or(Owned::NONE));
    }
    let callback_result = CallbackResult { borrows: ManuallyDrop::new(borrows), object, value };
    let owned = Owned::keeping(callback_result, |callback_result| {
        // SAFETY: G3: everything that the value borrows is kept beside it.
        Some(unsafe { Value::from_c(callback_result.value) })
    });
    Ok(owned.unwrap_or(Owned::NONE))
}

/// Returns the Python callable of a function, if the function is a callback.
pub(super) fn callable(py: Python<'_>, function: Value<'_>) -> Option<Py<PyAny>> {
    let head = function.as_function()?;
    if head.signature().as_ptr() != SIGNATURE.as_ptr() {
        return None;
    }
    // SAFETY: C1; a callback owns a reference to its callable.
    unsafe {
        let callback = &*std::ptr::from_ref(head).cast::<Callback>();
        Some(Bound::from_borrowed_ptr(py, callback.callable).unbind())
    }
}
