//! Errors of invalid phrase files.

use crate::Error;

/// Returns an error at an offset of a file.
pub(super) fn invalid_at(code: &'static str, offset: usize, text: impl AsRef<str>) -> Error {
    invalid(code, format!("at byte {offset}: {}", text.as_ref()))
}

/// Returns an error that concerns the whole file.
pub(super) fn invalid(code: &'static str, text: impl Into<String>) -> Error {
    Error::value(code, text)
}
