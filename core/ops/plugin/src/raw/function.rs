//! The header of a function, and the signature of calls through C.
//!
//! Holds unsafe code: a counted reference is taken by the function that its maker gave.

use std::ffi::{c_int, c_void};
use std::ptr::NonNull;

use super::value::{OwnedC, ValueC};
use crate::text::StrC;

/// The signature of calls through C: a context, an array of arguments and its length, and room for
/// the result. Returns 0, or nonzero with a failure as the result.
pub type CallC = unsafe extern "C" fn(*const c_void, *const ValueC, usize, *mut ValueC) -> c_int;

/// The C header of a function: `lexpool_function`. Its maker's own data follow.
#[derive(Debug)]
#[repr(C)]
pub struct FunctionC {
    /// Releases one reference.
    pub(crate) head: OwnedC,
    /// Takes one more reference.
    pub(crate) retain: unsafe extern "C" fn(*const FunctionC),
    /// Calls it; the context is the function itself.
    pub(crate) call: CallC,
    /// The signature, such as `(int, str) -> list[int]`; empty if unknown.
    pub(crate) signature: StrC,
}

// SAFETY: the contract of `new`: a function may be called from any thread.
unsafe impl Sync for FunctionC {}

impl FunctionC {
    /// Makes the header of a function other than a Rust [`Function`](crate::Function).
    ///
    /// # Safety
    ///
    /// The three take the address of this head, and what follows it, from any thread: `release`
    /// gives back one of the references that `retain` takes, `call` calls as [`CallC`] asks. The
    /// signature stays for as long as the head.
    pub const unsafe fn new(
        release: unsafe extern "C" fn(*mut OwnedC),
        retain: unsafe extern "C" fn(*const FunctionC),
        call: CallC,
        signature: &str,
    ) -> FunctionC {
        FunctionC { head: OwnedC { release }, retain, call, signature: StrC::of(signature) }
    }

    /// The signature, such as `(int, str) -> list[int]`; empty if unknown.
    pub fn signature(&self) -> &str {
        // SAFETY: it stays for as long as the head.
        unsafe { self.signature.get() }
    }

    /// Takes another reference, which `release` releases, and returns its address.
    pub fn retained(&self) -> NonNull<FunctionC> {
        // SAFETY: the function is alive.
        unsafe { (self.retain)(self) };
        NonNull::from(self)
    }
}
