//! Tables of a language's data by the ids of words: norms, lemmas, probabilities.
//!
//! [`Lookups`] are tables in memory, as spaCy's `lookups.bin` has them (`tables`). A
//! [`MappedLookups`] is a file of tables that is memory-mapped and not parsed (`mapped`);
//! [`LookupsBuilder`] makes its bytes (`builder`), from the JSON files that a package such as
//! `spacy-lookups-data` has (`sources`). The site's `files/lookups.mdx` describes the file.

mod builder;
mod manifest;
mod mapped;
#[cfg(test)]
mod mutations;
mod sources;
mod tables;

pub use builder::LookupsBuilder;
pub use manifest::{Origin, ValueKind};
pub use mapped::{MappedLookups, MappedTable};
pub use sources::TableSource;
pub use tables::{LookupTable, Lookups};
