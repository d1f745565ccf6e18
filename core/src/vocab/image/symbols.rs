//! Strings that an image does not store.

use crate::strings::{StrId, symbol_name};

/// Returns whether an id is that of a symbol or of the empty string, which are not stored as
/// strings.
pub(super) fn is_symbol(id: StrId) -> bool {
    symbol_name(id).is_some()
}
