//! Knowledge bases, and the linking of entities to them: spaCy's `InMemoryLookupKB` and
//! `EntityLinker`.
//!
//! A [`KnowledgeBase`] maps mentions (aliases) to entities with prior probabilities, and each
//! entity to a vector. [`link_entities`] chooses one of the candidates of each entity of a document
//! by its prior probability and by the similarity of its vector to the encoding of the sentences
//! around the mention. [`EntityLinker`] is the component; its encoder is any [`ContextEncoder`].
//!
//! `contents` and `message` are spaCy's file and its bytes, `ujson` the numbers in the latter.
#![forbid(unsafe_code)]

mod base;
mod contents;
mod context;
mod linker;
mod message;
mod scores;
mod ujson;

pub use base::{Candidate, KnowledgeBase};
pub use context::{ContextEncoder, LinkSettings, LinkerVersion, Threshold, link_entities};
pub use linker::check_filled;
pub use linker::{EntityLinker, NIL};

#[cfg(test)]
mod tests;
