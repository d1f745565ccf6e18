//! Morphological analyses: what a word form says of case, number, tense and so on.
//!
//! [`Features`] are an analysis as text, in the FEATS format of Universal Dependencies;
//! [`Morphology`] interns analyses, so that a token holds a number. Calls
//! [`strings`](crate::strings) and nothing above.

#![forbid(unsafe_code)]

mod features;
mod table;

pub use features::{EMPTY_MORPH, Features};
pub use table::{Analysis, Morphology};
