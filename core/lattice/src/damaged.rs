//! The error of damaged files.

use lexpool_error::{Error, codes};

/// Returns the error of a file that contradicts itself.
pub(crate) fn damaged(what: &str) -> Error {
    Error::value(codes::SEGMENT_DICTIONARY, format!("the dictionary is damaged: {what}"))
}
