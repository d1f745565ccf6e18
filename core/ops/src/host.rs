//! The host table: lexpool's functions for plugins, over the ops of the process.
//!
//! Holds unsafe code: all inputs are foreign pointers. **Invariants:**
//!
//! - H1: null, alignment, sizes and UTF-8 are checked; a pointer that passes leads to what its type
//!   says, by the contract of each function.
//! - H2: ops of the process are never freed.
//! - H3: no panic leaves a function.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ffi::{c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering, fence};

use lexpool_plugin::abi::{HostC, MAGIC, MAJOR, MINOR, OBJECT_DATA, OpC, TypeC};
use lexpool_plugin::{
    Failure, FailureKind, OWNED, ObjectC, Owned, OwnedC, StrC, Tag, Value, ValueC,
};
use lexpool_structs::ABI_VERSION;

use super::checked_kernel::args_of;
use super::global::global;
use super::hooks::{HOOKS, go_on};
use super::op::Op;

/// The table that plugins receive, and at the end of `lexpool_api`. Its ops are those of
/// [`global`](super::global).
pub static HOST: HostC = HostC {
    #[expect(clippy::cast_possible_truncation, reason = "a struct of a few pointers")]
    size: size_of::<HostC>() as u32,
    magic: MAGIC,
    major: MAJOR,
    minor: MINOR,
    records: ABI_VERSION,
    reserved: 0,
    find,
    call,
    release,
    keep,
    fail,
    object,
    log,
    progress,
};

/// Maximum length of a text that is read from C; guards against garbage lengths.
pub(super) const MAX_TEXT: usize = 1 << 24;

/// Reads a C string; `None` if it is null, too long or not UTF-8.
///
/// # Safety
///
/// The address is null or has as many bytes, valid for `'a`.
pub(super) unsafe fn text_of<'a>(text: StrC) -> Option<&'a str> {
    if text.len == 0 {
        return Some("");
    }
    if text.at.is_null() || text.len > MAX_TEXT {
        return None;
    }
    // SAFETY: H1, by this function's contract.
    std::str::from_utf8(unsafe { std::slice::from_raw_parts(text.at, text.len) }).ok()
}

fn caught<T>(otherwise: T, f: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(f)).unwrap_or(otherwise)
}

/// Writes the outcome of a call as its result, and returns its status.
///
/// # Safety
///
/// `result` is null or has room for a value.
unsafe fn answer(
    result: *mut ValueC,
    f: impl FnOnce() -> Result<Owned<'static>, Failure>,
) -> c_int {
    if result.is_null() || !result.is_aligned() {
        return 2;
    }
    let outcome = catch_unwind(AssertUnwindSafe(f)).unwrap_or_else(|_| {
        let text = "a bug in lexpool; please report it: a function for plugins panicked";
        Err(Failure::new(FailureKind::Panic, "op-panic", text))
    });
    let (status, value) = match outcome {
        Ok(value) => (0, value),
        Err(failure) => (1, failure.into_value()),
    };
    // SAFETY: H1, by this function's contract.
    unsafe { result.write(value.into_c()) };
    status
}

fn null(what: &str) -> Failure {
    Failure::new(FailureKind::Value, "op-null", format!("{what} is NULL, or no such address"))
}

/// Finds an op or a method by its name: `find` of `lexpool_host`.
///
/// # Safety
///
/// The name is a C string.
unsafe extern "C" fn find(name: StrC) -> *const OpC {
    caught(ptr::null(), || {
        // SAFETY: H1, by this function's contract.
        let op = unsafe { text_of(name) }.and_then(|name| global().get_or_method(name));
        op.map_or(ptr::null(), |op| Arc::as_ptr(op).cast())
    })
}

/// Calls an op: `call` of `lexpool_host`.
///
/// # Safety
///
/// The op is null or came from `find`; otherwise the contract of `CallC`.
unsafe extern "C" fn call(
    op: *const OpC,
    args: *const ValueC,
    n: usize,
    result: *mut ValueC,
) -> c_int {
    // SAFETY: H1, H2.
    unsafe {
        answer(result, || {
            let op = op.cast::<Op>();
            if op.is_null() || !op.is_aligned() {
                return Err(null("the op"));
            }
            (*op).call(args_of(args, n)?)
        })
    }
}

/// Releases an owned value: `release` of `lexpool_host`.
///
/// # Safety
///
/// `value` is null or a value that the caller owns.
unsafe extern "C" fn release(value: *mut ValueC) {
    if !value.is_null() && value.is_aligned() {
        // SAFETY: H1; the value is replaced by none, so it is released once.
        let owned: Owned<'static> = unsafe { Owned::from_c(value.replace(Value::NONE.to_c())) };
        caught((), || drop(owned));
    }
}

/// Makes an owned value of a borrowed one: `keep` of `lexpool_host`.
///
/// # Safety
///
/// `value` is null or a value; `result` is null or has room for one.
unsafe extern "C" fn keep(value: *const ValueC, result: *mut ValueC) -> c_int {
    // SAFETY: H1, by this function's contract.
    unsafe {
        answer(result, || {
            if value.is_null() || !value.is_aligned() {
                return Err(null("the value"));
            }
            Owned::copy_of(Value::from_c(*value))
        })
    }
}

/// Makes an error as a value: `fail` of `lexpool_host`.
///
/// # Safety
///
/// The texts are C strings; `result` is null or has room for a value.
unsafe extern "C" fn fail(
    kind: u32,
    code: StrC,
    message: StrC,
    position: i32,
    result: *mut ValueC,
) -> c_int {
    // SAFETY: H1, by this function's contract.
    let (code, message) = unsafe { (text_of(code), text_of(message)) };
    let make_failure = || {
        let code = code.filter(|code| !code.is_empty()).unwrap_or("op-failed").to_owned();
        let kind = FailureKind::from_number(kind).unwrap_or(FailureKind::State);
        let failure = Failure::new(kind, code, message.unwrap_or("for a reason that is not UTF-8"));
        Err(match usize::try_from(position) {
            Ok(position) => failure.at(position),
            Err(_) => failure,
        })
    };
    // SAFETY: H1, by this function's contract.
    unsafe { answer(result, make_failure) }
}

/// Logs a text: `log` of `lexpool_host`.
///
/// # Safety
///
/// The text is a C string.
unsafe extern "C" fn log(level: u32, text: StrC) {
    caught((), || {
        // SAFETY: H1, by this function's contract.
        if let (Some(hooks), Some(text)) = (HOOKS.get(), unsafe { text_of(text) }) {
            (hooks.log)(level, text);
        }
    });
}

unsafe extern "C" fn progress(_done: u64, _total: u64) -> c_int {
    caught(0, || go_on().is_err().into())
}

/// The header of an object of a C type; its data follow, and both are aligned to 16 bytes.
#[repr(C)]
struct Block {
    head: ObjectC,
    count: AtomicUsize,
    size: usize,
    drop: Option<unsafe extern "C" fn(*mut c_void)>,
}

#[cfg(target_pointer_width = "64")]
const _: () = assert!(size_of::<Block>() == OBJECT_DATA, "LEXPOOL_OBJECT_DATA");

fn layout(size: usize) -> Option<Layout> {
    let bytes = OBJECT_DATA.checked_add(size).filter(|bytes| *bytes <= MAX_TEXT)?;
    Layout::from_size_align(bytes, 16).ok()
}

/// Makes an object of a C type: `object` of `lexpool_host`. Returns the address of its data.
///
/// # Safety
///
/// `ty` is null or a static C type; `result` is null or has room for a value.
unsafe extern "C" fn object(ty: *const TypeC, result: *mut ValueC) -> *mut c_void {
    let mut data = ptr::null_mut();
    // SAFETY: H1, by this function's contract.
    let status = unsafe {
        answer(result, || {
            if ty.is_null() || !ty.is_aligned() {
                return Err(null("the type of the object"));
            }
            let TypeC { key, size, drop } = *ty;
            let key = text_of(key).filter(|key| !key.is_empty());
            let key = key.ok_or_else(|| null("the key of the type"))?;
            let refused = |kind| {
                let text = format!("an object of {key} with {size} bytes of data");
                Failure::new(kind, "op-size", text)
            };
            let layout = layout(size).ok_or_else(|| refused(FailureKind::Overflow))?;
            let block = alloc_zeroed(layout).cast::<c_void>().cast::<Block>();
            if block.is_null() {
                return Err(refused(FailureKind::Memory));
            }
            let head = ObjectC::new(release_block, retain_block, key, ty.cast());
            block.write(Block { head, count: AtomicUsize::new(1), size, drop });
            data = block.cast::<u8>().add(OBJECT_DATA).cast();
            let tag = Tag::Object as u32 | OWNED;
            Ok(Owned::from_c(ValueC { tag, len: 0, bits: block as u64 }))
        })
    };
    if status == 0 { data } else { ptr::null_mut() }
}

/// Counts one more reference to an object of a C type.
///
/// # Safety
///
/// The object is a live block.
unsafe extern "C" fn retain_block(object: *const ObjectC) {
    // SAFETY: H1, by this function's contract.
    let count = unsafe { &(*object.cast::<Block>()).count };
    // As in `Arc`: a count this large comes from leaks, and must not wrap.
    if count.fetch_add(1, Ordering::Relaxed) > isize::MAX.unsigned_abs() {
        std::process::abort();
    }
}

/// Gives up a reference to an object of a C type; frees it with the last one.
///
/// # Safety
///
/// The object is a live block, and the caller gives one reference up.
unsafe extern "C" fn release_block(object: *mut OwnedC) {
    let block = object.cast::<Block>();
    // SAFETY: H1, by this function's contract.
    if unsafe { (*block).count.fetch_sub(1, Ordering::Release) } != 1 {
        return;
    }
    // Pairs with the `Release` of other threads' decrements.
    fence(Ordering::Acquire);
    // SAFETY: this was the last reference, and the block was allocated with this layout.
    unsafe {
        let Block { size, drop, .. } = &*block;
        let (size, drop) = (*size, *drop);
        if let Some(drop) = drop {
            drop(block.cast::<u8>().add(OBJECT_DATA).cast());
        }
        if let Some(layout) = layout(size) {
            dealloc(block.cast(), layout);
        }
    }
}
