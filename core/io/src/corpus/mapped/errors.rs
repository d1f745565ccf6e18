//! Errors of corpora.

use arrow_schema::ArrowError;

use lexpool::codes;
use lexpool::{Error, ErrorKind};

pub(super) use lexpool::container::invalid_at;

/// Wraps an error of Arrow's own checks of arrays built here.
pub(super) fn internal(error: &ArrowError) -> Error {
    let text = format!("{error}; this is a bug in lexpool");
    Error::new(ErrorKind::State, codes::ARROW_COLUMNS, text)
}
