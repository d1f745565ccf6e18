//! Figures of evaluation: counts of right and wrong annotation, and what follows from them.
//!
//! Each figure has the formula and the order of operations of spaCy's `Scorer`, so that it has the
//! same bits. A [`ScoredPair`] is a predicted document beside its reference; a [`Scorer`] is the
//! scorer of a component. Figures are a section whose names are spaCy's: numbers, `null` without
//! data, or sections by label.
#![forbid(unsafe_code)]

mod cats;
mod counts;
mod deps;
mod entities;
mod pair;
mod roc;
mod scorer;
mod spans;
mod tokens;

pub use counts::Counts;
pub use pair::{ScoredDoc, ScoredPair};
pub use scorer::Scorer;
pub(crate) use spans::aligned_spans;
