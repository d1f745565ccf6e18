//! lexpool's own functions as ops: each is a function that the rest of the crate has, with a name.
//!
//! What takes or gives something that no value is (a range of tokens, counts in order) is wrapped
//! here; nothing is computed here that is not said in one line, save the few counts over records.

mod doc;
mod records;
mod results;
mod spans;
mod text;
mod trees;
mod vectors;

pub use results::{Counts, Ranges};

use super::Batch;
use crate::{Error, ErrorKind, Result};

/// Declares all of them.
pub(super) fn declare(ops: &mut Batch) {
    doc::declare(ops);
    text::declare(ops);
    spans::declare(ops);
    trees::declare(ops);
    vectors::declare(ops);
    records::declare(ops);
}

/// Items in memory that may not be there: an op's sizes come from whoever calls it.
///
/// # Errors
///
/// `out-of-memory`.
fn zeros<T: Clone + Default>(rows: usize, width: usize) -> Result<Vec<T>> {
    let mut items = Vec::new();
    let len = rows.checked_mul(width).filter(|len| items.try_reserve_exact(*len).is_ok());
    let len = len.ok_or_else(|| {
        let text = format!("no memory for {rows} x {width} numbers");
        Error::new(ErrorKind::Memory, "out-of-memory", text)
    })?;
    items.resize(len, T::default());
    Ok(items)
}

#[cfg(test)]
mod tests;
