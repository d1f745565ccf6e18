//! Figures of evaluation: counts of right and wrong annotation, and what follows from them.
//!
//! Each figure has the formula and the order of operations of spaCy's `Scorer`, so that it has the
//! same bits. Each kind of annotation has counts, to which documents are added one by one: by
//! values that somebody else has collected (`add`), or those of a [`DocPair`]. A [`Scorer`] is the
//! scorer of a component, for documents whose annotation is all native.
//!
//! ```
//! use lexpool_training::scoring::AttributeCounts;
//!
//! let mut counts = AttributeCounts::default();
//! // The second of three reference tokens has no tag.
//! counts.add(&[Some("NN"), None, Some("VB")], [(0, "NN"), (1, "NN"), (2, "NN")]);
//! let scores = counts.scores::<String>("tag");
//! assert_eq!(scores.number("tag_acc"), Some(0.5));
//! ```
#![forbid(unsafe_code)]

mod attributes;
mod boundaries;
mod cats;
mod counts;
mod deps;
mod entities;
mod features;
mod links;
mod pair;
mod roc;
mod scorer;
mod scores;
mod spans;
#[cfg(test)]
mod tests;

pub use attributes::AttributeCounts;
pub use boundaries::BoundaryCounts;
pub use cats::{CatCounts, CatSettings, CatValue};
pub use counts::{Counts, CountsByLabel, Rates, Summation};
pub use deps::{ArcCounts, PredictedArc, ReferenceArc, lower_label};
pub use entities::EntityCounts;
pub use features::FeatureCounts;
pub use links::LinkCounts;
pub use pair::DocPair;
pub use roc::{RocCurve, distinct};
pub use scorer::{ScoredExtras, ScoredPair, Scorer};
pub use scores::{Score, Scores};
pub use spans::{ScoredSpan, SpanCounts, SpanSettings, aligned_spans, sentence_spans};
