//! Errors of invalid phrase files.

use crate::Code;
use crate::Error;

/// Returns an error at an offset of a file.
pub(super) fn invalid_at(code: Code, offset: usize, text: impl AsRef<str>) -> Error {
    invalid(code, format!("at byte {offset}: {}", text.as_ref()))
}

/// Returns an error that concerns the whole file.
pub(super) fn invalid(code: Code, text: impl Into<String>) -> Error {
    Error::value(code, text)
}
