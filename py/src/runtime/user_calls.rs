//! Calls of users' functions, with a bound on their nesting.
//!
//! Such a function may call lexpool, which calls it again. Python bounds its own recursion, but if
//! there is no Python frame between two calls (`tokenizer.token_match = tokenizer`) it counts C
//! calls, of which CPython 3.12 and later allow so many that the stack overflows first. So each
//! call of a user's function goes through [`CallUser`], which counts levels per thread and checks
//! how much of the stack is left, as CPython 3.14 does (`_Py_ReachedRecursionLimit`).
//!
//! Unsafe code: asks the C library for the bounds of the thread's stack, and ends a child process.
//!
//! Invariants:
//! - **U1** A [`NestedCall`] exists on the thread whose depth it counts; it is not `Send`.

use std::cell::Cell;
use std::marker::PhantomData;
#[cfg(all(target_os = "linux", target_env = "gnu"))]
use std::mem::MaybeUninit;
use std::ops::Range;

use pyo3::call::PyCallArgs;
use pyo3::exceptions::PyRecursionError;
use pyo3::ffi;
use pyo3::prelude::*;

/// Maximum stack that a call needs before the next one is counted: frames of lexpool and of C
/// functions, and Python's own for an exception.
const RESERVE: usize = 128 << 10;

thread_local! {
    static DEPTH: Cell<usize> = const { Cell::new(0) };
    /// Set in a child process that must end when the current call returns.
    static ENDS_WITH_CALL: Cell<bool> = const { Cell::new(false) };
    /// Addresses at the end of the stack, where no call may begin. Empty if unknown. A thread on
    /// another stack, such as that of a C coroutine, never has an address in it.
    static RESERVED: Range<usize> =
        stack_start().map_or(0..0, |(start, len)| start..start + RESERVE.min(len / 4));
}

/// Calls of a user's function.
pub(crate) trait CallUser<'py> {
    /// Calls the function with positional arguments.
    ///
    /// # Errors
    ///
    /// The exception that it raises, and those of [`NestedCall::enter`].
    fn call_user(&self, args: impl PyCallArgs<'py>) -> PyResult<Bound<'py, PyAny>>;
}

impl<'py> CallUser<'py> for Bound<'py, PyAny> {
    #[inline]
    fn call_user(&self, args: impl PyCallArgs<'py>) -> PyResult<Bound<'py, PyAny>> {
        let _nested = NestedCall::enter(self.py())?;
        self.call1(args)
    }
}

/// Runs a closure that calls a user's function indirectly, for example by a step of an iterator.
///
/// # Errors
///
/// Those of the closure, and those of [`NestedCall::enter`].
pub(crate) fn nested<T>(py: Python<'_>, call: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    let _nested = NestedCall::enter(py)?;
    call()
}

/// One level of calls from lexpool into users' functions on this thread.
pub(crate) struct NestedCall {
    // U1: the depth belongs to one thread.
    _not_send: PhantomData<*const ()>,
}

impl NestedCall {
    /// Counts one more level. Cost: two thread-local counters.
    ///
    /// # Errors
    ///
    /// `RecursionError` if calls are nested more deeply than Python's recursion limit, or if the
    /// thread's stack is nearly used up.
    #[inline]
    pub(crate) fn enter(py: Python<'_>) -> PyResult<NestedCall> {
        let depth = DEPTH.get() + 1;
        let here = std::ptr::from_ref(&depth).addr();
        if depth > FREE_LEVELS && (depth > limit(py) || RESERVED.with(|end| end.contains(&here))) {
            return Err(too_deep(depth));
        }
        DEPTH.set(depth);
        Ok(NestedCall { _not_send: PhantomData })
    }
}

impl Drop for NestedCall {
    #[inline]
    fn drop(&mut self) {
        DEPTH.set(DEPTH.get() - 1);
        if ENDS_WITH_CALL.get() {
            end_child();
        }
    }
}

/// Ends this process when the current call of a user's function returns. Called in a child process
/// that the function forked on a pool thread.
///
/// The thread cannot continue: the one that waits for its work does not exist in the child, and
/// before CPython 3.13 the interpreter would abort with a fatal error.
pub(crate) fn end_with_this_call() {
    ENDS_WITH_CALL.set(DEPTH.get() > 0);
}

#[cold]
fn end_child() -> ! {
    let text = "lexpool: os.fork() was called in a function that lexpool calls on a thread of a pool, and the \
                child came back from that function; it ends here. Call os._exit() or exec in the child, or \
                work with n_threads=1\n";
    #[cfg(unix)]
    // SAFETY: writes a static text without taking a lock that a thread of the parent may have held,
    // and ends the process without exit handlers, which could wait for such threads.
    unsafe {
        libc::write(2, text.as_ptr().cast(), text.len());
        libc::_exit(1)
    }
    #[cfg(not(unix))]
    unreachable!("a fork on a system without it: {text}")
}

/// Number of levels that are not checked: every thread has room for them.
const FREE_LEVELS: usize = 4;

fn limit(_py: Python<'_>) -> usize {
    // SAFETY: `_py` proves that the GIL is held.
    usize::try_from(unsafe { ffi::Py_GetRecursionLimit() }).unwrap_or(0)
}

#[cold]
fn too_deep(depth: usize) -> PyErr {
    PyRecursionError::new_err(format!(
        "maximum recursion depth exceeded while lexpool calls a function of yours: {depth} such calls are \
         nested on this thread; one of them leads back to itself"
    ))
}

/// The lowest address of this thread's stack, and its length.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn stack_start() -> Option<(usize, usize)> {
    let mut attr = MaybeUninit::<libc::pthread_attr_t>::uninit();
    let (mut start, mut len) = (std::ptr::null_mut(), 0);
    // SAFETY: the first call initialises `attr` if it returns 0; `attr` is destroyed once.
    unsafe {
        if libc::pthread_getattr_np(libc::pthread_self(), attr.as_mut_ptr()) != 0 {
            return None;
        }
        let failed = libc::pthread_attr_getstack(attr.as_ptr(), &raw mut start, &raw mut len);
        libc::pthread_attr_destroy(attr.as_mut_ptr());
        (failed == 0).then(|| (start.addr(), len))
    }
}

/// The lowest address of this thread's stack, and its length.
#[cfg(target_os = "macos")]
fn stack_start() -> Option<(usize, usize)> {
    // SAFETY: both functions accept the current thread's handle.
    let (end, len) = unsafe {
        let thread = libc::pthread_self();
        (libc::pthread_get_stackaddr_np(thread).addr(), libc::pthread_get_stacksize_np(thread))
    };
    end.checked_sub(len).map(|start| (start, len))
}

/// Unknown on this system: only the number of levels is checked.
#[cfg(not(any(all(target_os = "linux", target_env = "gnu"), target_os = "macos")))]
fn stack_start() -> Option<(usize, usize)> {
    None
}
