//! Entities and spans by rules: token patterns and phrases with labels.
//!
//! [`SpanRules`] (`span_rules`) is the search; [`EntityRuler`] and [`SpanRuler`] store its hits as
//! entities or span groups. `span_filter` resolves overlaps, `cpython_set` orders hits of equal
//! rank as spaCy does.

mod cpython_set;
mod entity_ruler;
mod span_filter;
mod span_ruler;
mod span_rules;

pub use entity_ruler::EntityRuler;
pub use span_filter::SpanFilter;
pub use span_ruler::SpanRuler;
pub use span_rules::{RuleHit, RuleName, RuleNames, SpanRules};
