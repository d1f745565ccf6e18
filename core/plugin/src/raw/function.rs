//! The head of a function, and the signature that every call through C has.
//!
//! Holds unsafe code: a counted reference is taken by the function that its maker gave.

use std::ffi::{c_int, c_void};
use std::ptr::NonNull;

use super::value::{OwnedC, ValueC};
use crate::text::StrC;

/// How anything is called through C: a context, arguments in the caller's array, a place for the
/// result. 0, or not 0 with a failure in the place of the result.
pub type CallC = unsafe extern "C" fn(*const c_void, *const ValueC, usize, *mut ValueC) -> c_int;

/// A function as C has it: `lexpool_function`. What follows it is its maker's.
#[derive(Debug)]
#[repr(C)]
pub struct FunctionC {
    /// Gives one reference back.
    pub(crate) head: OwnedC,
    /// Takes one more reference.
    pub(crate) retain: unsafe extern "C" fn(*const FunctionC),
    /// Calls it; the context is the function itself.
    pub(crate) call: CallC,
    /// Arguments and result, such as `(int, str) -> list[int]`; empty if nobody knows.
    pub(crate) signature: StrC,
}

// SAFETY: whoever makes a function promises that it may be called from any thread.
unsafe impl Sync for FunctionC {}

impl FunctionC {
    /// The head of a function that somebody else than Rust's [`Function`](crate::Function) makes.
    ///
    /// # Safety
    ///
    /// The three take the address of this head, and what follows it, from any thread: `release` gives
    /// back one of the references that `retain` takes, `call` calls as [`CallC`] asks. The signature
    /// stays for as long as the head.
    pub const unsafe fn new(
        release: unsafe extern "C" fn(*mut OwnedC),
        retain: unsafe extern "C" fn(*const FunctionC),
        call: CallC,
        signature: &str,
    ) -> FunctionC {
        FunctionC { head: OwnedC { release }, retain, call, signature: StrC::of(signature) }
    }

    /// Arguments and result, such as `(int, str) -> list[int]`; empty if nobody knows.
    pub fn signature(&self) -> &str {
        // SAFETY: it stays for as long as the head.
        unsafe { self.signature.get() }
    }

    /// Takes a reference of one's own and gives its address, to be released by `release`.
    pub fn retained(&self) -> NonNull<FunctionC> {
        // SAFETY: the function is alive.
        unsafe { (self.retain)(self) };
        NonNull::from(self)
    }
}
