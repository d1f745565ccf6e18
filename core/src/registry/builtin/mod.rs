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
mod zeros;

pub use results::{Counts, Ranges};

use super::registration::Batch;

/// Declares all of them.
pub(super) fn declare(ops: &mut Batch) {
    doc::declare(ops);
    text::declare(ops);
    spans::declare(ops);
    trees::declare(ops);
    vectors::declare(ops);
    records::declare(ops);
}

#[cfg(test)]
mod tests;
