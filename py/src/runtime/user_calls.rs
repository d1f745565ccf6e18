//! Calls of functions that users give, and how deep they may nest.
//!
//! Such a function may come back to lexpool, which calls it again. Python bounds its own recursion, but where no
//! frame of Python's is between two calls (`tokenizer.token_match = tokenizer`) it counts calls in C,
//! and allows so many from CPython 3.12 on that the stack ends before. So each call of a user's function
//! goes through [`CallUser`], which counts on its own thread and looks how much of the stack is left, as CPython
//! does from 3.14 on (`_Py_ReachedRecursionLimit`).
//!
//! Holds unsafe code: asks the C library where the thread's stack lies, and ends a child.

use std::cell::Cell;
use std::marker::PhantomData;
#[cfg(all(target_os = "linux", target_env = "gnu"))]
use std::mem::MaybeUninit;
use std::ops::Range;

use pyo3::call::PyCallArgs;
use pyo3::exceptions::PyRecursionError;
use pyo3::ffi;
use pyo3::prelude::*;

/// Stack that a call needs at the most until it comes to the next one: frames of lexpool's and of C functions
/// in between, and Python's own for an exception.
const RESERVE: usize = 128 << 10;

thread_local! {
    static DEPTH: Cell<usize> = const { Cell::new(0) };
    /// Set in a child that must not come back from the call under way.
    static ENDS_WITH_CALL: Cell<bool> = const { Cell::new(false) };
    /// Addresses at the end of the stack, at which a call may not begin. Empty if that is unknown; a thread on
    /// another stack, as of coroutines in C, is never among them.
    static RESERVED: Range<usize> =
        stack_start().map_or(0..0, |(start, len)| start..start + RESERVE.min(len / 4));
}

/// Calls of a function that the user gave.
pub(crate) trait CallUser<'py> {
    /// Calls it with positional arguments.
    ///
    /// # Errors
    ///
    /// What it raises, and those of [`NestedCall::enter`].
    fn call_user(&self, args: impl PyCallArgs<'py>) -> PyResult<Bound<'py, PyAny>>;
}

impl<'py> CallUser<'py> for Bound<'py, PyAny> {
    #[inline]
    fn call_user(&self, args: impl PyCallArgs<'py>) -> PyResult<Bound<'py, PyAny>> {
        let _nested = NestedCall::enter(self.py())?;
        self.call1(args)
    }
}

/// Runs what calls a function of the user's otherwise than by position: a step of an iterator, say.
///
/// # Errors
///
/// Its own, and those of [`NestedCall::enter`].
pub(crate) fn nested<T>(py: Python<'_>, call: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    let _nested = NestedCall::enter(py)?;
    call()
}

/// One level of calls from lexpool into functions of the user's, on this thread.
pub(crate) struct NestedCall {
    // The level is the thread's own.
    _not_send: PhantomData<*const ()>,
}

impl NestedCall {
    /// Counts one more level. Cost: two thread-local counters.
    ///
    /// # Errors
    ///
    /// `RecursionError` if calls are nested deeper than Python's recursion limit, or the thread's stack is
    /// nearly used up.
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

/// Ends this process, a child that a function of the user's forked on a thread of a pool, when that function
/// comes back.
///
/// The thread has nowhere to go from there: the one that waits for its work is not in the child, and before
/// CPython 3.13 the interpreter would end it with a fatal error.
pub(crate) fn end_with_this_call() {
    ENDS_WITH_CALL.set(DEPTH.get() > 0);
}

#[cold]
fn end_child() -> ! {
    let text = "lexpool: os.fork() was called in a function that lexpool calls on a thread of a pool, and the \
                child came back from that function; it ends here. Call os._exit() or exec in the child, or \
                work with n_threads=1\n";
    #[cfg(unix)]
    // SAFETY: writes the text, past a lock that a thread of the parent's may have held, and ends the process
    // without handlers that wait for such threads.
    unsafe {
        libc::write(2, text.as_ptr().cast(), text.len());
        libc::_exit(1)
    }
    #[cfg(not(unix))]
    unreachable!("a fork on a system without it: {text}")
}

/// As many levels are not looked at: a thread has room for them.
const FREE_LEVELS: usize = 4;

fn limit(_py: Python<'_>) -> usize {
    // SAFETY: the GIL is held, as `_py` shows.
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
    // SAFETY: `attr` is filled in by the first call, if that gives 0, and destroyed once.
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
    // SAFETY: asks for what every thread has.
    let (end, len) = unsafe {
        let own = libc::pthread_self();
        (libc::pthread_get_stackaddr_np(own).addr(), libc::pthread_get_stacksize_np(own))
    };
    end.checked_sub(len).map(|start| (start, len))
}

/// Not known on this system: the count of levels alone has to do.
#[cfg(not(any(all(target_os = "linux", target_env = "gnu"), target_os = "macos")))]
fn stack_start() -> Option<(usize, usize)> {
    None
}
