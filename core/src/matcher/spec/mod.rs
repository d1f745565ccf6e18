//! Patterns as data: JSON in the form of spaCy's `EntityRuler`.
//!
//! A file has a [`Rule`] a line. It is judged as a whole, and all [`Faults`] are named with their
//! places (`faults`). `conditions` says what the fields of a token mean, `json` keeps the order of
//! fields. A [`Ruler`] (`ruler`) looks for the patterns of all rules, phrases and tokens, at once.

mod conditions;
mod faults;
mod json;
mod rule;
mod ruler;
#[cfg(test)]
mod tests;

pub use faults::{Fault, Faults};
pub(super) use rule::read_named;
pub use rule::{Rule, RulePattern, TokenPattern};
pub(crate) use ruler::compile;
pub use ruler::{RuleMatch, Ruler};
