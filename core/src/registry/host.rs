//! What plugins may ask of lexpool: one table of functions, over the ops of the process.
//!
//! Holds unsafe code: all that comes in is a pointer of somebody else's. Null, alignment, sizes and
//! UTF-8 are checked; that a pointer which looks right leads to what it says is the caller's word. No
//! panic leaves a function.

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

use super::global::global;
use super::guarded::args_of;
use super::hooks::{HOOKS, go_on};
use super::op::Op;

/// The table that plugins are given, and that `lexpool_api` ends with. Its ops are those of
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

/// The longest name or text that is read from C, against lengths that are none.
pub(super) const LONGEST: usize = 1 << 24;

/// The string of C's; none for what is none.
///
/// # Safety
///
/// The address is null or has as many bytes, good for `'a`.
pub(super) unsafe fn text_of<'a>(text: StrC) -> Option<&'a str> {
    if text.len == 0 {
        return Some("");
    }
    if text.at.is_null() || text.len > LONGEST {
        return None;
    }
    // SAFETY: as the caller promises.
    std::str::from_utf8(unsafe { std::slice::from_raw_parts(text.at, text.len) }).ok()
}

fn caught<T>(otherwise: T, f: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(f)).unwrap_or(otherwise)
}

/// Puts what a call gives in the place of its result.
///
/// # Safety
///
/// `result` is null, or a place for a value.
unsafe fn answer(
    result: *mut ValueC,
    f: impl FnOnce() -> Result<Owned<'static>, Failure>,
) -> c_int {
    if result.is_null() || !result.is_aligned() {
        return 2;
    }
    let given = catch_unwind(AssertUnwindSafe(f)).unwrap_or_else(|_| {
        let text = "a bug in lexpool; please report it: a function for plugins panicked";
        Err(Failure::new(FailureKind::Panic, "op-panic", text))
    });
    let (status, value) = match given {
        Ok(value) => (0, value),
        Err(failure) => (1, failure.into_value()),
    };
    // SAFETY: as the caller promises.
    unsafe { result.write(value.into_c()) };
    status
}

fn null(what: &str) -> Failure {
    Failure::new(FailureKind::Value, "op-null", format!("{what} is NULL, or no such address"))
}

/// # Safety
///
/// The name is one of C's.
unsafe extern "C" fn find(name: StrC) -> *const OpC {
    caught(ptr::null(), || {
        // SAFETY: as the caller promises.
        let op = unsafe { text_of(name) }.and_then(|name| global().get_or_method(name));
        op.map_or(ptr::null(), |op| Arc::as_ptr(op).cast())
    })
}

/// # Safety
///
/// The op is null or came from `find`; the rest as a call through C asks.
unsafe extern "C" fn call(
    op: *const OpC,
    args: *const ValueC,
    n: usize,
    result: *mut ValueC,
) -> c_int {
    // SAFETY: as the caller promises; ops of the process stay.
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

/// # Safety
///
/// `value` is null, or a value that the caller has.
unsafe extern "C" fn release(value: *mut ValueC) {
    if !value.is_null() && value.is_aligned() {
        // SAFETY: as the caller promises; it is taken out, so it is released once.
        let owned: Owned<'static> = unsafe { Owned::from_c(value.replace(Value::NONE.to_c())) };
        caught((), || drop(owned));
    }
}

/// # Safety
///
/// `value` is null or a value; `result` null or a place for one.
unsafe extern "C" fn keep(value: *const ValueC, result: *mut ValueC) -> c_int {
    // SAFETY: as the caller promises.
    unsafe {
        answer(result, || {
            if value.is_null() || !value.is_aligned() {
                return Err(null("the value"));
            }
            Owned::copy_of(Value::from_c(*value))
        })
    }
}

/// # Safety
///
/// The texts are strings of C's, `result` null or a place for a value.
unsafe extern "C" fn fail(
    kind: u32,
    code: StrC,
    message: StrC,
    position: i32,
    result: *mut ValueC,
) -> c_int {
    // SAFETY: as the caller promises.
    let (code, message) = unsafe { (text_of(code), text_of(message)) };
    let made = || {
        let code = code.filter(|code| !code.is_empty()).unwrap_or("op-failed").to_owned();
        let kind = FailureKind::from_number(kind).unwrap_or(FailureKind::State);
        let failure = Failure::new(kind, code, message.unwrap_or("for a reason that is no UTF-8"));
        Err(match usize::try_from(position) {
            Ok(position) => failure.at(position),
            Err(_) => failure,
        })
    };
    // SAFETY: as the caller promises.
    unsafe { answer(result, made) }
}

/// # Safety
///
/// The text is a string of C's.
unsafe extern "C" fn log(level: u32, text: StrC) {
    caught((), || {
        // SAFETY: as the caller promises.
        if let (Some(hooks), Some(text)) = (HOOKS.get(), unsafe { text_of(text) }) {
            (hooks.log)(level, text);
        }
    });
}

unsafe extern "C" fn progress(_done: u64, _total: u64) -> c_int {
    caught(0, || go_on().is_err().into())
}

/// An object of C's; its data follow, and both are aligned to 16 bytes.
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
    let whole = OBJECT_DATA.checked_add(size).filter(|whole| *whole <= LONGEST)?;
    Layout::from_size_align(whole, 16).ok()
}

/// # Safety
///
/// `ty` is null or a type of C's that stays; `result` null or a place for a value.
unsafe extern "C" fn object(ty: *const TypeC, result: *mut ValueC) -> *mut c_void {
    let mut data = ptr::null_mut();
    // SAFETY: as the caller promises.
    let made = unsafe {
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
    if made == 0 { data } else { ptr::null_mut() }
}

/// # Safety
///
/// The object is a live block.
unsafe extern "C" fn retain_block(object: *const ObjectC) {
    // SAFETY: as the caller promises.
    let count = unsafe { &(*object.cast::<Block>()).count };
    // As `Arc`: more references than memory has room for are a leak that would wrap.
    if count.fetch_add(1, Ordering::Relaxed) > isize::MAX.unsigned_abs() {
        std::process::abort();
    }
}

/// # Safety
///
/// The object is a live block, and the caller gives one reference up.
unsafe extern "C" fn release_block(object: *mut OwnedC) {
    let block = object.cast::<Block>();
    // SAFETY: as the caller promises.
    if unsafe { (*block).count.fetch_sub(1, Ordering::Release) } != 1 {
        return;
    }
    // What others did with the object happens before it is freed.
    fence(Ordering::Acquire);
    // SAFETY: that was the last reference, and the block was made with this layout.
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
