//! Functions as values: a Python callable goes in, a Rust function comes back out.
//!
//! Holds unsafe code: a call by pointer, and counted references.

use std::ffi::{c_int, c_void};
use std::fmt;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicUsize, Ordering, fence};

use crate::args::{FromOwned, IntoOwned};
use crate::failure::Failure;
use crate::function::{OpFn, call_boxed};
use crate::raw::{CallC, FunctionC, OwnedC, Tag, ValueC};
use crate::text::StrC;
use crate::value::{Owned, Value};

impl FunctionC {
    /// Calls it.
    ///
    /// # Errors
    ///
    /// The failure that the function returns.
    #[inline]
    pub fn call(&self, args: &[Value<'_>]) -> Result<Owned<'static>, Failure> {
        // SAFETY: the function is alive, and its maker wrote the call for it.
        unsafe { call(self.call, ptr::from_ref(self).cast(), args) }
    }

    /// A reference of its own, as a result.
    pub(crate) fn to_owned_value(&self) -> Owned<'static> {
        Owned::reference(Tag::Function, self.retained().as_ptr().cast())
    }
}

/// Something to call that is lent for the length of a call: an argument of an op.
#[derive(Clone, Copy)]
pub struct Callable<'a>(&'a FunctionC);

impl<'a> Callable<'a> {
    #[inline]
    pub(crate) fn of(function: &'a FunctionC) -> Callable<'a> {
        Callable(function)
    }

    /// Calls it with values.
    ///
    /// # Errors
    ///
    /// The failure that the function returns; a Python exception is its cause and is raised again
    /// unchanged.
    #[inline]
    pub fn call(self, args: &[Value<'_>]) -> Result<Owned<'static>, Failure> {
        self.0.call(args)
    }

    /// Calls it with one argument and takes the result as a type.
    ///
    /// # Errors
    ///
    /// As for `call`; `op-result` if the result is of another type.
    #[inline]
    pub fn call1<'b, A: IntoOwned<'b>, R: FromOwned>(self, arg: A) -> Result<R, Failure> {
        let arg = arg.into_owned()?;
        let args = [arg.get()];
        // The result is read where it was written: moved just after that it would stall.
        let mut result = Owned::NONE;
        // SAFETY: the function is alive, and its maker wrote the call for it; values have the
        // layout of those of C, and a call gives its result away.
        let status = unsafe {
            let context = ptr::from_ref(self.0).cast();
            (self.0.call)(context, args.as_ptr().cast(), 1, (&raw mut result).cast())
        };
        if status == 0 { R::from_owned(&result) } else { Err(Failure::from_value(result)) }
    }

    /// A reference of one's own, to be kept beyond the call.
    pub fn to_function(self) -> Function {
        Function(self.0.retained())
    }
}

impl fmt::Debug for Callable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("<callable>")
    }
}

/// A counted reference to a function: a result of an op, or a callable that was kept.
///
/// ```
/// use lexpool_plugin::{Function, Value};
///
/// let step = 3;
/// let add = Function::new(move |a: i64| a + step);
/// assert_eq!(add.callable().call(&[Value::int(4)])?.get().as_int(), Some(7));
/// # Ok::<(), lexpool_plugin::Failure>(())
/// ```
pub struct Function(NonNull<FunctionC>);

// SAFETY: a function may be called and dropped on any thread, by the contract of its maker.
unsafe impl Send for Function {}
// SAFETY: as above.
unsafe impl Sync for Function {}

#[repr(C)]
struct Counted<F> {
    head: FunctionC,
    count: AtomicUsize,
    // The header borrows from this box, whose address is stable.
    _signature: Box<str>,
    f: F,
}

impl Function {
    /// A Rust function with the argument and result types of an op. It may be called by several
    /// threads at once.
    pub fn new<F: OpFn<M>, M: 'static>(f: F) -> Function {
        let params: Vec<String> = F::params().iter().map(ToString::to_string).collect();
        let signature = format!("({}) -> {}", params.join(", "), F::result()).into_boxed_str();
        let head = FunctionC {
            head: OwnedC { release: release::<F> },
            retain: retain::<F>,
            call: call_counted::<F, M>,
            signature: StrC::of(&signature),
        };
        let function = Counted { head, count: AtomicUsize::new(1), _signature: signature, f };
        Function(NonNull::from(Box::leak(Box::new(function))).cast())
    }

    /// The function, to be called.
    #[inline]
    pub fn callable(&self) -> Callable<'_> {
        // SAFETY: this reference keeps it.
        Callable(unsafe { self.0.as_ref() })
    }

    /// The entry through C and what it takes first; good for as long as this reference.
    pub fn entry(&self) -> (CallC, *const c_void) {
        let head = self.callable().0;
        (head.call, ptr::from_ref(head).cast())
    }

    /// The function, to be handed on.
    pub fn value(&self) -> Value<'_> {
        Value::function(self.callable().0)
    }

    /// The function as a result, this reference going with it.
    pub fn into_owned(self) -> Owned<'static> {
        let at = self.0.as_ptr().cast::<OwnedC>();
        std::mem::forget(self);
        Owned::reference(Tag::Function, at)
    }
}

impl Clone for Function {
    fn clone(&self) -> Function {
        self.callable().to_function()
    }
}

impl Drop for Function {
    fn drop(&mut self) {
        let head = self.0.as_ptr().cast::<OwnedC>();
        // SAFETY: gives back the reference that this one is.
        unsafe { ((*head).release)(head) }
    }
}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<function {}>", self.callable().0.signature())
    }
}

/// Counts one more reference to a function.
///
/// # Safety
///
/// The function is live and was made of `F`.
unsafe extern "C" fn retain<F>(function: *const FunctionC) {
    // SAFETY: as the caller promises.
    let count = unsafe { &(*function.cast::<Counted<F>>()).count };
    // As `Arc`: more references than memory has room for are a leak that would wrap.
    if count.fetch_add(1, Ordering::Relaxed) > isize::MAX.unsigned_abs() {
        std::process::abort();
    }
}

/// Gives up a reference to a function; drops it with the last one.
///
/// # Safety
///
/// The function is live, was made of `F`, and the caller gives one reference up.
unsafe extern "C" fn release<F>(function: *mut OwnedC) {
    let function = function.cast::<Counted<F>>();
    // SAFETY: as the caller promises.
    if unsafe { (*function).count.fetch_sub(1, Ordering::Release) } == 1 {
        // Pairs with the `Release` of other threads' decrements.
        fence(Ordering::Acquire);
        // SAFETY: that was the last reference.
        drop(unsafe { Box::from_raw(function) });
    }
}

/// Calls the function of a counted box: the entry in its table.
///
/// # Safety
///
/// As [`CallC`] asks; the context is a live function made of `F`.
unsafe extern "C" fn call_counted<F: OpFn<M>, M>(
    context: *const c_void,
    args: *const ValueC,
    n: usize,
    result: *mut ValueC,
) -> c_int {
    // SAFETY: as the caller promises.
    unsafe { call_boxed::<F, M>(&(*context.cast::<Counted<F>>()).f, args, n, result) }
}

/// Calls a function by its C entry.
///
/// # Errors
///
/// The failure that the function returns.
///
/// # Safety
///
/// `context` is the one that `call` expects.
#[inline]
pub unsafe fn call(
    call: CallC,
    context: *const c_void,
    args: &[Value<'_>],
) -> Result<Owned<'static>, Failure> {
    let mut result = Value::NONE.to_c();
    // SAFETY: a value of Rust's has the layout of one of C's; the rest as the caller promises.
    let status = unsafe { call(context, args.as_ptr().cast(), args.len(), &raw mut result) };
    // SAFETY: a call gives its result away.
    let result: Owned<'static> = unsafe { Owned::from_c(result) };
    match status {
        0 => Ok(result),
        _ => Err(Failure::from_value(result)),
    }
}
