//! Pattern files: rules in JSON, in the form of spaCy's `EntityRuler`.
//!
//! A file has a [`Rule`] on each line. It is validated as a whole, and [`PatternErrors`] lists
//! every error with its place (`errors`). `json` is a JSON value that keeps the order of fields,
//! `conditions` compiles the fields of a token, `rule` compiles whole rules. A [`Ruler`] (`ruler`)
//! searches for the phrases and token patterns of all rules at once.
#![forbid(unsafe_code)]

mod conditions;
mod errors;
mod json;
mod rule;
mod ruler;
#[cfg(test)]
mod tests;

pub use errors::{PatternError, PatternErrors};
pub(super) use rule::read_named;
pub use rule::{Rule, RulePattern, TokenPattern};
pub(crate) use ruler::compile;
pub use ruler::{RuleMatch, Ruler};
