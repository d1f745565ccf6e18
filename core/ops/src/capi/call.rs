//! Helpers of all functions of the table.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// Returns the result of `f`, or `otherwise` if it panics, which would be a bug.
pub(super) fn without_unwind<T>(otherwise: T, f: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(f)).unwrap_or(otherwise)
}
