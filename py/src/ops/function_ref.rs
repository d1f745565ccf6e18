//! A counted reference to a function value.
//!
//! Holds unsafe code (invariant G6 of [`ops`](super)): the reference is counted by hand.

use std::ptr::NonNull;

use lexpool_ops::Value;
use lexpool_ops::plugin::{FunctionC, OwnedC};

/// A counted reference to a function.
pub(super) struct FunctionRef(NonNull<FunctionC>);

impl FunctionRef {
    /// Takes over a reference.
    ///
    /// # Safety
    ///
    /// The caller owns the reference and gives it up.
    pub(super) unsafe fn new(function: NonNull<FunctionC>) -> FunctionRef {
        FunctionRef(function)
    }

    /// Returns the function as a value.
    pub(super) fn value(&self) -> Value<'_> {
        // SAFETY: G6: this reference keeps the function alive.
        Value::function(unsafe { self.0.as_ref() })
    }
}

impl Drop for FunctionRef {
    fn drop(&mut self) {
        let head = self.0.as_ptr().cast::<OwnedC>();
        // SAFETY: G6: the reference that this value owns.
        unsafe { ((*head).release)(head) }
    }
}
