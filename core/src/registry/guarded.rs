//! Kernels of plugins that do not judge their arguments: lexpool does it, and judges what they give.
//!
//! Holds unsafe code: calls by pointer, and values that came from C.

use std::any::Any;
use std::ffi::{c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

use lexpool_plugin::{
    CallC, Failure, FailureKind, Kernel, MAX_ARGS, OWNED, Owned, Tag, Type, Value, ValueC,
    check_args,
};

/// A call of C's, with the types that it is to be called with.
struct Guarded {
    call: CallC,
    context: *const c_void,
    params: Box<[Type]>,
    result: Type,
    /// Keeps the context, if it is somebody's.
    _keep: Option<Box<dyn Any + Send + Sync>>,
}

// SAFETY: who declares a call promises that it may be made from any thread, with its context.
unsafe impl Send for Guarded {}
// SAFETY: as above.
unsafe impl Sync for Guarded {}

/// A kernel that calls C with arguments of these types only, and gives only what is of its own. What C
/// gives and does not own is copied, so it may be of the arguments' memory.
pub(super) fn guarded(
    call: CallC,
    context: *const c_void,
    params: impl IntoIterator<Item = Type>,
    result: Type,
    keep: Option<Box<dyn Any + Send + Sync>>,
) -> Kernel {
    let params = params.into_iter().collect();
    let kept = Box::new(Guarded { call, context, params, result, _keep: keep });
    let context = std::ptr::from_ref(&*kept).cast();
    // SAFETY: the entry takes what is kept, which may be used from any thread.
    unsafe { Kernel::of_entry(entry, context, Some(kept)) }
}

impl Guarded {
    fn call(&self, args: &[Value<'_>]) -> Result<Owned<'static>, Failure> {
        check_args(&self.params, args)?;
        let mut given = Value::NONE.to_c();
        // SAFETY: the call was declared with this context; a value has the layout of one of C's.
        let status =
            unsafe { (self.call)(self.context, args.as_ptr().cast(), args.len(), &raw mut given) };
        // SAFETY: a call gives its result away.
        let given: Owned<'static> = unsafe { Owned::from_c(given) };
        if status != 0 {
            return Err(failed(given));
        }
        let settled = settle(given)?;
        if self.result.admits(settled.get()) {
            return Ok(settled);
        }
        let text = format!("is to give {}, and gave {}", self.result, settled.get().type_name());
        Err(Failure::new(FailureKind::Type, "op-result", text))
    }
}

/// The failure that a call gave. One that it does not own may be gone soon: its texts are copied, and
/// its cause is left behind.
fn failed(given: Owned<'static>) -> Failure {
    let raw = given.into_c();
    let owned = raw.tag & OWNED != 0;
    // SAFETY: it is the value from before.
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

/// A result that was judged, and that nobody else has to keep.
fn settle(given: Owned<'static>) -> Result<Owned<'static>, Failure> {
    let raw = given.into_c();
    // SAFETY: it is the value from before.
    let given: Owned<'static> = unsafe { Owned::from_c(raw) };
    if raw.tag & OWNED == 0 {
        return Owned::copy_of(given.get());
    }
    if raw.bits == 0 {
        let text = "an owned value without an address";
        return Err(Failure::new(FailureKind::Type, "op-result", text));
    }
    let (said, is) = ((raw.tag & !OWNED), given.get().to_c().tag);
    if said != is || is == Tag::Failure as u32 {
        let text = format!("an owned value of kind {said} whose box has kind {is}");
        return Err(Failure::new(FailureKind::Type, "op-result", text));
    }
    given.get().validate()?;
    Ok(given)
}

/// # Safety
///
/// As [`CallC`] asks; the context is a live [`Guarded`].
unsafe extern "C" fn entry(
    context: *const c_void,
    args: *const ValueC,
    n: usize,
    result: *mut ValueC,
) -> c_int {
    if result.is_null() || !result.is_aligned() {
        return 2;
    }
    // SAFETY: as the caller promises.
    let called = unsafe { args_of(args, n) }.and_then(|args| {
        // SAFETY: as the caller promises.
        let guarded = unsafe { &*context.cast::<Guarded>() };
        catch_unwind(AssertUnwindSafe(|| guarded.call(args))).unwrap_or_else(|_| {
            let text = "a bug in lexpool; please report it: judging a plugin's call panicked";
            Err(Failure::new(FailureKind::Panic, "op-panic", text))
        })
    });
    let (status, value) = match called {
        Ok(value) => (0, value),
        Err(failure) => (1, failure.into_value()),
    };
    // SAFETY: as the caller promises.
    unsafe { result.write(value.into_c()) };
    status
}

/// The arguments in an array of C's.
///
/// # Safety
///
/// `args` has `n` values that are what their tags say, for `'a`; null is refused.
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
    // SAFETY: as the caller promises; a value has the layout of one of C's.
    Ok(unsafe { std::slice::from_raw_parts(args.cast(), n) })
}
