//! Integers as CPython's functions take them.

use pyo3::ffi;

/// Converts a size in memory to CPython's type.
#[inline]
#[expect(clippy::cast_possible_wrap, reason = "nothing in memory is larger")]
pub(super) fn ssize(size: usize) -> ffi::Py_ssize_t {
    size as ffi::Py_ssize_t
}

/// Reinterprets the bits of a value as an integer.
#[inline]
pub(super) fn whole(bits: u64) -> i64 {
    i64::from_ne_bytes(bits.to_ne_bytes())
}
