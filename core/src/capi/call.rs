//! Helpers of all functions of the table.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// Returns the size of a struct as its first field has it.
#[expect(clippy::cast_possible_truncation, reason = "a struct of a few pointers")]
pub(super) const fn size_of_u32<T>() -> u32 {
    size_of::<T>() as u32
}

/// Returns the result of `f`, or `otherwise` if it panics, which would be a bug.
pub(super) fn without_unwind<T>(otherwise: T, f: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(f)).unwrap_or(otherwise)
}
