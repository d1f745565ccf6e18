//! Merging and splitting tokens: a plan is collected, checked as a whole, and applied at once.
//!
//! The text does not change, only the token boundaries in it. Every error of a plan is found before
//! the document is changed.

#![forbid(unsafe_code)]

mod apply;
mod layout;
mod plan;
#[cfg(test)]
mod random_plans;
#[cfg(test)]
mod tests;

pub use plan::{PartHead, Retokenization, SplitPart};
