//! Errors of corpora.

use arrow_schema::ArrowError;

use lexpool::{Code, codes};
use lexpool::{Error, ErrorKind};

/// Returns an error of the kind `Value` that names the position in the file.
pub(super) fn invalid_at(code: Code, at: usize, text: impl AsRef<str>) -> Error {
    Error::value(code, format!("at byte {at}: {}", text.as_ref()))
}

/// Wraps an error of Arrow's own checks of arrays built here.
pub(super) fn internal(error: &ArrowError) -> Error {
    let text = format!("{error}; this is a bug in lexpool");
    Error::new(ErrorKind::State, codes::ARROW_COLUMNS, text)
}
