//! Functions both ways: a Python callable goes in, a Rust or C function comes back out.
//!
//! Holds unsafe code: heads of functions that C calls, and references that are counted by hand.

use std::ffi::{c_int, c_void};
use std::mem::ManuallyDrop;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering, fence};

use lexpool::registry::plugin::{FunctionC, IntoOwned, MOST_ARGS, Owned, OwnedC, ValueC};
use lexpool::registry::{Failure, FailureKind, Gil, Value};
use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use super::lent::Lent;
use super::take::{self, Refused, Way};
use super::{failure, give};

/// A Python callable that ops call: counted, for an op may keep it.
#[repr(C)]
struct Callback {
    head: FunctionC,
    count: AtomicUsize,
    callable: *mut ffi::PyObject,
}

/// What callbacks say of themselves. Its address tells them from functions of anybody else.
static SIGNATURE: &str = "(...) -> Any";

/// One reference to a function.
pub(super) struct Counted(NonNull<FunctionC>);

impl Counted {
    fn value(&self) -> Value<'_> {
        // SAFETY: this reference keeps it.
        Value::function(unsafe { self.0.as_ref() })
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        let head = self.0.as_ptr().cast::<OwnedC>();
        // SAFETY: gives back the reference that this one is.
        unsafe { ((*head).release)(head) }
    }
}

/// The value of a callable.
///
/// # Safety
///
/// As for [`take::take`].
pub(super) unsafe fn take(given: *mut ffi::PyObject, lent: &mut Lent) -> Result<ValueC, Refused> {
    // SAFETY: as the caller promises.
    if unsafe { ffi::PyCallable_Check(given) } == 0 {
        return Err(Refused::TYPE);
    }
    // SAFETY: as the caller promises.
    let native = unsafe { native(given) };
    // What came out as a function goes back in as the same one.
    let counted = native.unwrap_or_else(|| {
        // SAFETY: the three functions are written for this struct.
        let head = unsafe { FunctionC::new(release, retain, call, SIGNATURE) };
        // SAFETY: the caller has the object, and the GIL.
        unsafe { ffi::Py_INCREF(given) };
        let made = Callback { head, count: AtomicUsize::new(1), callable: given };
        Counted(NonNull::from(Box::leak(Box::new(made))).cast())
    });
    let value = counted.value().to_c();
    lent.function(counted);
    Ok(value)
}

/// The function inside of a `NativeFunction`.
///
/// # Safety
///
/// As for [`take::take`].
unsafe fn native(given: *mut ffi::PyObject) -> Option<Counted> {
    // A builtin function or a Python one is the usual case, and is none.
    // SAFETY: as the caller promises.
    let usual = unsafe { ffi::PyFunction_Check(given) == 1 || ffi::PyCFunction_Check(given) == 1 };
    if usual {
        return None;
    }
    Python::attach(|py| {
        // SAFETY: as the caller promises.
        let given = unsafe { Bound::from_borrowed_ptr(py, given) };
        let native = given.cast::<NativeFunction>().ok()?;
        let function = native.get().function.get().as_function()?;
        Some(Counted(function.retained()))
    })
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
        // SAFETY: may be asked from any thread.
        if unsafe { ffi::PyGILState_Check() } == 1 {
            // SAFETY: the reference that `take` took, with the GIL.
            unsafe { ffi::Py_DECREF(callback.callable) };
        } else {
            // SAFETY: as above.
            Python::attach(|_| unsafe { ffi::Py_DECREF(callback.callable) });
        }
    }
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
    let called = catch_unwind(AssertUnwindSafe(|| {
        Python::attach(|py| {
            // SAFETY: as the caller promises.
            let (callback, args) = unsafe {
                let args = std::slice::from_raw_parts(args.cast::<Value<'_>>(), n.min(1 << 16));
                (&*context.cast::<Callback>(), args)
            };
            // SAFETY: the callback's reference keeps it.
            let callable = unsafe { Bound::from_borrowed_ptr(py, callback.callable) };
            let found = match args {
                [one] => {
                    let one = give::borrowed(py, *one)?;
                    // SAFETY: both are alive, and the GIL is held.
                    unsafe {
                        let found = ffi::PyObject_CallOneArg(callable.as_ptr(), one.as_ptr());
                        Bound::from_owned_ptr_or_err(py, found)
                    }
                }
                _ => {
                    let args = args.iter().map(|arg| give::borrowed(py, *arg));
                    callable.call1(PyTuple::new(py, args.collect::<PyResult<Vec<_>>>()?)?)
                }
            };
            own(&found?)
        })
        .map_err(|error| Python::attach(|py| failure::failure(py, error)))
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

/// What a callable gave, as a value of its own.
fn own(found: &Bound<'_, PyAny>) -> PyResult<Owned<'static>> {
    let fail = |failure: Failure| failure::raise(found.py(), failure);
    if let Ok(int) = found.cast::<pyo3::types::PyInt>() {
        if !found.is_instance_of::<pyo3::types::PyBool>() {
            return int.extract::<i64>()?.into_owned().map_err(fail);
        }
    }
    // What a value borrows is kept beside it: the object, and what the conversion made.
    struct Kept {
        lent: ManuallyDrop<Box<Lent>>,
        object: Option<Py<PyAny>>,
        value: ValueC,
    }
    // SAFETY: all of it is only read, and dropped with the GIL.
    unsafe impl Send for Kept {}
    // SAFETY: as above.
    unsafe impl Sync for Kept {}
    impl Drop for Kept {
        fn drop(&mut self) {
            Python::attach(|_| {
                self.object.take();
                // SAFETY: dropped here and nowhere else.
                unsafe { ManuallyDrop::drop(&mut self.lent) }
            });
        }
    }
    let mut lent = Box::new(Lent::new());
    // SAFETY: the object is kept beside the value, and `lent` stays in its box.
    let value = unsafe { take::take(&Way::Any, found.as_ptr(), &mut lent, Gil::Release) };
    let value = value.map_err(|refused| match refused {
        Refused::Raised(error) => error,
        Refused::Set => PyErr::fetch(found.py()),
        Refused::Type { given, .. } => {
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
    let kept = Kept { lent: ManuallyDrop::new(lent), object, value };
    // SAFETY: what the value borrows is kept beside it.
    let owned = Owned::keeping(kept, |kept| Some(unsafe { Value::from_c(kept.value) }));
    Ok(owned.unwrap_or(Owned::NONE))
}

/// A function of Rust's or C's that an op gave: called as any other, and given back to ops as it is.
#[pyclass(name = "NativeFunction", module = "lexpool.ops", frozen)]
pub(crate) struct NativeFunction {
    function: Owned<'static>,
}

#[pymethods]
impl NativeFunction {
    #[pyo3(signature = (*args))]
    fn __call__(&self, py: Python<'_>, args: &Bound<'_, PyTuple>) -> PyResult<Py<PyAny>> {
        if args.len() > MOST_ARGS {
            let text = format!("functions take at most {MOST_ARGS} arguments, got {}", args.len());
            return Err(PyTypeError::new_err(text));
        }
        let mut lent = Lent::new();
        let mut values = Vec::with_capacity(args.len());
        for (at, arg) in args.iter().enumerate() {
            // SAFETY: the tuple keeps its items until the call has returned.
            let taken = unsafe { take::take(&Way::Any, arg.as_ptr(), &mut lent, Gil::Release) };
            let value = taken.map_err(|refused| match refused {
                Refused::Raised(error) => error,
                Refused::Set => PyErr::fetch(py),
                Refused::Type { .. } => {
                    // SAFETY: the object lives.
                    let given = unsafe { failure::type_name(arg.as_ptr()) };
                    PyTypeError::new_err(format!("argument {}: no op takes {given}", at + 1))
                }
            })?;
            // SAFETY: what it borrows lives until the call has returned.
            values.push(unsafe { Value::from_c(value) });
        }
        let function = self.function.get();
        let called = function.as_function().map(|function| function.call(&values));
        match called {
            Some(Ok(result)) => give::owned(py, result),
            Some(Err(failed)) => Err(failure::raise(py, failed)),
            None => Err(PyTypeError::new_err("this function has ended")),
        }
    }

    /// Arguments and result, as far as its maker said.
    #[getter]
    fn signature(&self) -> String {
        let function = self.function.get();
        function.as_function().map_or_else(String::new, |function| function.signature().to_owned())
    }

    fn __repr__(&self) -> String {
        format!("<native function {}>", self.signature())
    }
}

/// A function that an op gave.
pub(super) fn give(py: Python<'_>, function: Owned<'static>) -> PyResult<Py<PyAny>> {
    if let Some(callable) = callable(py, function.get()) {
        return Ok(callable);
    }
    Ok(Bound::new(py, NativeFunction { function })?.into_any().unbind())
}

/// A function that is only borrowed.
pub(super) fn borrow(py: Python<'_>, function: Value<'_>) -> PyResult<Py<PyAny>> {
    give(py, function.to_reference().unwrap_or(Owned::NONE))
}

/// The Python callable, if the function is one that came from here.
fn callable(py: Python<'_>, function: Value<'_>) -> Option<Py<PyAny>> {
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

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<NativeFunction>()
}
