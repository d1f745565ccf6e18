//! A hook that sees every call; without one a call costs a test for null.
//!
//! Holds unsafe code: the hook is a pointer to a function.

use std::sync::atomic::{AtomicPtr, Ordering};
use std::time::Instant;

/// What a hook is told: the op's name, when the call began and when it ended.
pub type Hook = fn(name: &str, start: Instant, end: Instant);

static HOOK: AtomicPtr<()> = AtomicPtr::new(std::ptr::null_mut());

/// Sets the hook of all calls, or takes it away.
pub fn set_hook(hook: Option<Hook>) {
    HOOK.store(hook.map_or(std::ptr::null_mut(), |hook| hook as *mut ()), Ordering::Release);
}

/// Whether somebody looks on.
#[inline]
pub fn is_on() -> bool {
    !HOOK.load(Ordering::Acquire).is_null()
}

/// Calls, and tells the hook if there is one.
#[inline]
pub fn called<T>(name: &str, call: impl FnOnce() -> T) -> T {
    let hook = HOOK.load(Ordering::Acquire);
    if hook.is_null() {
        return call();
    }
    let start = Instant::now();
    let result = call();
    let end = Instant::now();
    // SAFETY: `set_hook` stores such functions only.
    let hook: Hook = unsafe { std::mem::transmute::<*mut (), Hook>(hook) };
    hook(name, start, end);
    result
}
