//! lexpool's own functions as ops: each gives a name to a function of another module.
//!
//! Types that are not values (a range of tokens, ordered counts) are wrapped here. Apart from
//! counts over records, nothing is computed here.

mod doc;
mod records;
mod results;
mod segment;
mod spans;
mod text;
mod trees;
mod vectors;
mod zeros;

use super::registration::Batch;
pub use results::{Counts, Ranges};

/// Declares all built-in ops.
pub(super) fn declare(ops: &mut Batch) {
    doc::declare(ops);
    text::declare(ops);
    segment::declare(ops);
    spans::declare(ops);
    trees::declare(ops);
    vectors::declare(ops);
    records::declare(ops);
}

#[cfg(test)]
mod tests;
