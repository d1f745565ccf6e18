//! Memory of results.

use lexpool::codes;
use lexpool::{Error, ErrorKind, Result};

/// Allocates zeroed items, fallibly, because callers choose the sizes.
///
/// # Errors
///
/// `out-of-memory`.
pub(super) fn zeros<T: Clone + Default>(rows: usize, width: usize) -> Result<Vec<T>> {
    let mut items = Vec::new();
    let len = rows.checked_mul(width).filter(|len| items.try_reserve_exact(*len).is_ok());
    let len = len.ok_or_else(|| {
        let text = format!("no memory for {rows} x {width} numbers");
        Error::new(ErrorKind::Memory, codes::OUT_OF_MEMORY, text)
    })?;
    items.resize(len, T::default());
    Ok(items)
}
