//! Checked kernels: validate the arguments and results of plugins that do not do so themselves.
//!
//! Holds unsafe code: calls by pointer, and values that came from C. **Invariants:**
//!
//! - K1: a kernel's entry is called with the context it was declared with, from any thread.
//! - K2: a call gives its result away, so it is released or copied here once.

use std::any::Any;
use std::ffi::{c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

use lexpool_plugin::{
    CallC, Failure, FailureKind, Kernel, MAX_ARGS, OWNED, Owned, Tag, Type, Value, ValueC,
    check_args,
};

/// A C call with its declared types.
struct CheckedCall {
    call: CallC,
    context: *const c_void,
    params: Box<[Type]>,
    result: Type,
    /// Owner of the context, if it has one.
    _keep: Option<Box<dyn Any + Send + Sync>>,
}

// SAFETY: K1.
unsafe impl Send for CheckedCall {}
// SAFETY: K1.
unsafe impl Sync for CheckedCall {}

/// Makes a kernel that calls C with arguments of the declared types only, and validates its
/// results. A result that C does not own is copied, so it may point into the arguments' memory.
pub(super) fn checked_kernel(
    call: CallC,
    context: *const c_void,
    params: impl IntoIterator<Item = Type>,
    result: Type,
    keep: Option<Box<dyn Any + Send + Sync>>,
) -> Kernel {
    let params = params.into_iter().collect();
    let checked_call = Box::new(CheckedCall { call, context, params, result, _keep: keep });
    let context = std::ptr::from_ref(&*checked_call).cast();
    // SAFETY: K1: the entry takes the owned context.
    unsafe { Kernel::of_entry(entry, context, Some(checked_call)) }
}

impl CheckedCall {
    fn call(&self, args: &[Value<'_>]) -> Result<Owned<'static>, Failure> {
        check_args(&self.params, args)?;
        let mut raw = Value::NONE.to_c();
        // SAFETY: K1; `Value` has the layout of `ValueC`.
        let status =
            unsafe { (self.call)(self.context, args.as_ptr().cast(), args.len(), &raw mut raw) };
        // SAFETY: K2.
        let result: Owned<'static> = unsafe { Owned::from_c(raw) };
        if status != 0 {
            return Err(failed(result));
        }
        let settled = validated(result)?;
        if self.result.admits(settled.get()) {
            return Ok(settled);
        }
        let text = format!("is to give {}, and gave {}", self.result, settled.get().type_name());
        Err(Failure::new(FailureKind::Type, "op-result", text))
    }
}

/// Reads the failure of a call. A failure that the call does not own may be freed soon: its texts
/// are copied, and its cause is dropped.
fn failed(value: Owned<'static>) -> Failure {
    let raw = value.into_c();
    let owned = raw.tag & OWNED != 0;
    // SAFETY: K2: the same value, taken apart above.
    let failure = Failure::from_value(unsafe { Owned::from_c(raw) });
    if owned || failure.cause().is_none() {
        return failure;
    }
    let copied = Failure::new(failure.kind(), failure.code().to_owned(), failure.message());
    match failure.position() {
        Some(position) => copied.at(position),
        None => copied,
    }
}

/// Validates a result, and copies it if it is borrowed.
fn validated(value: Owned<'static>) -> Result<Owned<'static>, Failure> {
    let raw = value.into_c();
    // SAFETY: K2: the same value, taken apart above.
    let value: Owned<'static> = unsafe { Owned::from_c(raw) };
    if raw.tag & OWNED == 0 {
        return Owned::copy_of(value.get());
    }
    if raw.bits == 0 {
        let text = "an owned value without an address";
        return Err(Failure::new(FailureKind::Type, "op-result", text));
    }
    let (said, is) = ((raw.tag & !OWNED), value.get().to_c().tag);
    if said != is || is == Tag::Failure as u32 {
        let text = format!("an owned value of kind {said} whose box has kind {is}");
        return Err(Failure::new(FailureKind::Type, "op-result", text));
    }
    value.get().validate()?;
    Ok(value)
}

/// Checks the arguments of a call and runs the kernel: the entry of a [`CheckedCall`].
///
/// # Safety
///
/// The contract of [`CallC`]; the context is a live [`CheckedCall`].
unsafe extern "C" fn entry(
    context: *const c_void,
    args: *const ValueC,
    n: usize,
    result: *mut ValueC,
) -> c_int {
    if result.is_null() || !result.is_aligned() {
        return 2;
    }
    // SAFETY: this function's contract.
    let called = unsafe { args_of(args, n) }.and_then(|args| {
        // SAFETY: this function's contract.
        let guarded = unsafe { &*context.cast::<CheckedCall>() };
        catch_unwind(AssertUnwindSafe(|| guarded.call(args))).unwrap_or_else(|_| {
            let text = "a bug in lexpool; please report it: checking a plugin's call panicked";
            Err(Failure::new(FailureKind::Panic, "op-panic", text))
        })
    });
    let (status, value) = match called {
        Ok(value) => (0, value),
        Err(failure) => (1, failure.into_value()),
    };
    // SAFETY: this function's contract.
    unsafe { result.write(value.into_c()) };
    status
}

/// Reads the arguments from an array of C.
///
/// # Safety
///
/// `args` is null, which is an error, or has `n` values that are what their tags say, for `'a`.
pub(super) unsafe fn args_of<'a>(
    args: *const ValueC,
    n: usize,
) -> Result<&'a [Value<'a>], Failure> {
    if n == 0 {
        return Ok(&[]);
    }
    if args.is_null() || !args.is_aligned() || n > MAX_ARGS {
        let text = format!("given were {n} arguments at {args:p}; at most {MAX_ARGS} are taken");
        return Err(Failure::new(FailureKind::Value, "op-arguments", text));
    }
    // SAFETY: this function's contract; `Value` has the layout of `ValueC`.
    Ok(unsafe { std::slice::from_raw_parts(args.cast(), n) })
}
