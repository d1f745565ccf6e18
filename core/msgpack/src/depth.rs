//! Limit of the nesting of values.

use lexpool_error::Error;
use lexpool_error::codes;

/// Maximum depth of arrays and maps nested in each other, for reading and writing.
pub const MAX_DEPTH: usize = 512;

pub(super) fn too_deep() -> Error {
    let text = format!("arrays and maps are nested more than {MAX_DEPTH} deep");
    Error::value(codes::MSGPACK_DEPTH, text)
}
