//! The errors of invalid images.

use crate::Code;
use crate::Error;
use crate::strings::{StrId, symbol_name};

/// The error of an image that is invalid at a byte offset.
pub(super) fn invalid_at(code: Code, offset: usize, text: impl AsRef<str>) -> Error {
    invalid(code, format!("at byte {offset}: {}", text.as_ref()))
}

/// The error of an invalid image.
pub(super) fn invalid(code: Code, text: impl Into<String>) -> Error {
    Error::value(code, text)
}

/// Returns whether an id is that of a symbol or of the empty string, which are not stored as
/// strings.
pub(super) fn is_symbol(id: StrId) -> bool {
    symbol_name(id).is_some()
}
