//! A hook that is called for each call of an op; without one a call costs one test for null.
//!
//! Holds unsafe code: the hook is a pointer to a function.

use std::sync::atomic::{AtomicPtr, Ordering};
use std::time::Instant;

/// A hook: receives the op's name, and the start and the end of the call.
pub type Hook = fn(name: &str, start: Instant, end: Instant);

static HOOK: AtomicPtr<()> = AtomicPtr::new(std::ptr::null_mut());

/// Sets or removes the hook.
pub fn set_hook(hook: Option<Hook>) {
    HOOK.store(hook.map_or(std::ptr::null_mut(), |hook| hook as *mut ()), Ordering::Release);
}

/// Returns whether a hook is set.
#[inline]
pub fn is_on() -> bool {
    !HOOK.load(Ordering::Acquire).is_null()
}

/// Calls a function, and then the hook if one is set.
#[inline]
pub fn called<T>(name: &str, call: impl FnOnce() -> T) -> T {
    let hook = HOOK.load(Ordering::Acquire);
    if hook.is_null() {
        return call();
    }
    let start = Instant::now();
    let result = call();
    let end = Instant::now();
    // SAFETY: `set_hook` stores functions of this type only.
    let hook: Hook = unsafe { std::mem::transmute::<*mut (), Hook>(hook) };
    hook(name, start, end);
    result
}
